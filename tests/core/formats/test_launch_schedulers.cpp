#include <QtTest/QTest>

#include "core/formats/launch_fixture.h"
#include "formats/launch/launch_folder.h"
#include "formats/networks/slurm_hostlist.h"
#include "text/source_text.h"
#include "text/yaml_tree.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Four hosts of two devices in blocks of two, two of them not free.
Fixture shared(std::vector<StateOfHost> states) {
  return teaching([&](Scenario& s) {
    auto& levels = std::get<LevelsSource>(s.cluster.network);
    levels.levels.resize(2);
    levels.levels[1].name = "block", levels.levels[1].fanout = 4;
    levels.hostNames = {"gpu00", "gpu01", "gpu02", "gpu03"};
    s.cluster.states = std::move(states);
  });
}

ReportSource sourceOf(const Fixture& f) {
  return reportSource(f.scenario, f.problem);
}

std::vector<YamlValue> documents(const std::string& text) {
  SourceText source(text, "f");
  return readYamlTrees(source, 1u << 20, "a manifest");
}

const YamlValue* at(const YamlValue& v, std::initializer_list<std::string_view> keys) {
  const YamlValue* now = &v;
  for (const std::string_view key : keys) {
    const auto found = std::find_if(now->entries.begin(), now->entries.end(),
                                    [&](const YamlValue::Entry& e) { return e.key == key; });
    if (found == now->entries.end()) return nullptr;
    now = &found->value;
  }
  return now;
}

}  // namespace

class TestLaunchSchedulers : public QObject {
  Q_OBJECT
private slots:
  void slurmIsAskedForThePlansHosts() {
    const Fixture f =
        shared({{"gpu01", {}, HostState::Busy, "alloc"}, {"gpu02", {}, HostState::Drained, "drain"}});
    const auto script = writeLaunch(to("sbatch"), sourceOf(f), plan(2, 1));
    QVERIFY(script);
    for (const char* line : {"#SBATCH --nodes=2\n", "#SBATCH --ntasks=4\n", "#SBATCH --ntasks-per-node=2\n",
                             "#SBATCH --gpus-per-node=2\n", "#SBATCH --nodelist=gpu[00,03]\n",
                             "#SBATCH --exclude=gpu[01-02]\n", "#SBATCH --segment=2\n", "exec ./run.sh"})
      QVERIFY2(has(script, line), line);
    // Without states there is nothing to exclude; a spine takes no segments.
    const Fixture whole = teaching();
    const auto plain = writeLaunch(to("sbatch"), sourceOf(whole), plan(2, 1));
    QVERIFY(has(plain, "#SBATCH --nodelist=host[0-1]\n") && !has(plain, "--exclude") &&
            !has(plain, "--segment"));
    QCOMPARE(codes(plain.diagnostics, Severity::Warning), std::string("hosts-unnamed"));
  }
  void filesNameOnlyHostsOfThePlan() {
    const Fixture f = shared({{"gpu01", {}, HostState::Busy, ""}, {"gpu02", {}, HostState::Down, ""}});
    for (const LaunchTarget* t : launchTargets()) {
      if (t->id == "sbatch" || t->id == "chrome-trace") continue;
      const auto text = writeLaunch(*t, sourceOf(f), plan(2, 1));
      if (!text) continue;
      QVERIFY2(!has(text, "gpu01") && !has(text, "gpu02"), t->id.data());
    }
    const auto folder = writeLaunchFolder(to("megatron"), sourceOf(f), plan(2, 1));
    QVERIFY(folder);
    bool hasBatch = false;
    for (const LaunchFile& file : *folder) {
      hasBatch = hasBatch || file.name == "job.sbatch";
      if (file.name != "job.sbatch")
        QVERIFY2(file.text.find("gpu01") == std::string::npos, file.name.c_str());
    }
    QVERIFY(hasBatch);
  }
  void kubernetesPodsAreBoundToTheHosts() {
    const Fixture f = shared({{"gpu00", {}, HostState::Busy, ""}});
    for (const char* id : {"jobset", "volcano"}) {
      const auto text = writeLaunch(to(id), sourceOf(f), plan(2, 1));
      QVERIFY(text);
      const auto all = documents(*text);
      QCOMPARE(all.size(), std::size_t(2));
      QCOMPARE(at(all[0], {"kind"})->scalar, std::string("ConfigMap"));
      QVERIFY(has(text, "    gpu01 0,1\n    gpu02 2,3\n") || has(text, "ranks: |"));
      QVERIFY(has(text, "values: [\"gpu01\", \"gpu02\"]"));
      QVERIFY(has(text, "limits: {nvidia.com/gpu: 2}"));
      QVERIFY(!has(text, "gpu00"));
      QVERIFY(codes(text.diagnostics, Severity::Note).find("pods-image") != std::string::npos);
    }
    QCOMPARE(at(documents(*writeLaunch(to("jobset"), sourceOf(f), plan(2, 1)))[1], {"apiVersion"})->scalar,
             std::string("jobset.x-k8s.io/v1alpha2"));
    QCOMPARE(at(documents(*writeLaunch(to("volcano"), sourceOf(f), plan(2, 1)))[1], {"spec", "minAvailable"})
                 ->scalar,
             std::string("2"));
  }
  /// Kueue chooses the hosts, and the file says so.
  void kueueChooses() {
    const Fixture f = shared({{"gpu00", {}, HostState::Busy, ""}});
    const auto text = writeLaunch(to("kueue"), sourceOf(f), plan(2, 1));
    QVERIFY(text);
    QCOMPARE(documents(*text).size(), std::size_t(1));
    QVERIFY(has(text, "kueue.x-k8s.io/podset-preferred-topology") && !has(text, "gpu01"));
    QVERIFY(codes(text.diagnostics, Severity::Warning).find("kueue-chooses") != std::string::npos);
  }
  void rayGetsABundleForEachHost() {
    const Fixture f = shared({{"gpu00", {}, HostState::Busy, ""}});
    const auto text = writeLaunch(to("ray"), sourceOf(f), plan(2, 1));
    QVERIFY(has(text, "    (\"gpu01\", [0,1]),\n    (\"gpu02\", [2,3]),\n]"));
    QVERIFY(has(text, "STRICT_SPREAD"));
  }
  /// Kubernetes and Slurm give as many devices of each host; which ones is theirs to choose.
  void hostsInPartAreWarnedOf() {
    const Fixture f = shared({{"gpu00", {0}, HostState::Busy, "mix"},
                              {"gpu01", {}, HostState::Busy, ""},
                              {"gpu03", {0}, HostState::Busy, "mix"}});
    Plan p = plan(1, 1);
    p.deviceOrder = {};
    const auto text = writeLaunch(to("jobset"), sourceOf(f), plan(2, 1));
    QVERIFY(text);
    QVERIFY(codes(text.diagnostics, Severity::Warning).find("pods-") != std::string::npos);
  }
};
NEST_TEST(TestLaunchSchedulers)
#include "test_launch_schedulers.moc"
