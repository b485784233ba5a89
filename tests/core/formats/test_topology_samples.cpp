#include <QtTest/QTest>
#include <algorithm>
#include <filesystem>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "formats/import_files.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = fs::path(NEST_SOURCE_DIR) / "samples" / "topologies";

NamedText drawnIn(const std::string& name, const char* hosts = "") {
  return {name, test::readFile((kFolder / name).string()), hosts};
}
NamedText sampleModel() {
  return {"config.json", test::readFile(NEST_SOURCE_DIR "/samples/models/bert-large.json"), {}};
}

/// Opens the files with a small model and solves it.
void verifySolves(const std::vector<NamedText>& files) {
  const auto imported = importFiles(files, *findDevice("h100-sxm"), {});
  for (const Diagnostic& d : imported.diagnostics)
    if (d.severity == Severity::Error) QFAIL(toText(d).c_str());
  QVERIFY(imported);
  auto scenario = assemble(*imported, nullptr);
  QVERIFY(scenario);
  scenario->job.globalBatch = 512;
  scenario->job.microbatches = {1};
  const auto problem = buildProblem(*scenario);
  QVERIFY(problem);
  const Outcome outcome = solve(*problem, {});
  QVERIFY(outcome.best());
}

}  // namespace

class TestTopologySamples : public QObject {
  Q_OBJECT
private slots:
  /// Of Grace hosts a switch tree says nothing of the NVLink that joins them to racks.
  void racksThatAreNotStatedAreReported() {
    const auto opened = [](const char* device, const NamedText& network) {
      const auto imported = importFiles({network, sampleModel()}, *findDevice(device), {});
      return imported ? assemble(*imported, nullptr) : Reading<Scenario>{};
    };
    const auto isReported = [](const Reading<Scenario>& s) {
      return std::any_of(s.diagnostics.begin(), s.diagnostics.end(),
                         [](const Diagnostic& d) { return d.code == "rack-not-stated"; });
    };
    for (const char* device : {"gb200", "gb300"}) {
      const auto tree = opened(device, drawnIn("tree.topology.conf"));
      QVERIFY2(tree && isReported(tree), device);
      QVERIFY(isReported(opened(device, {"n.txt", "host:4@900GB/s fabric:16@50GB/s", ""})));
      QVERIFY(!isReported(opened(device, {"n.txt", "host:4@900GB/s rack:18@900GB/s fabric:4@50GB/s", ""})));
      QVERIFY(!isReported(opened(device, {"n.txt", "rack:72@900GB/s fabric:4@50GB/s", ""})));
      QVERIFY(!isReported(opened(device, {"n.txt", "host:4@900GB/s", ""})));
    }
    QVERIFY(!isReported(opened("b200", drawnIn("tree.topology.conf"))));
  }
  // A data sheet's bandwidths count with what the device's links sustain, and it is said; typed ones as
  // typed.
  void nominalBandwidthsCountInPart() {
    const DeviceSpec& device = *findDevice("h100-sxm");
    const auto opened = [&](const NamedText& network) {
      const auto imported = importFiles({network, sampleModel()}, device, {});
      return assemble(*imported, nullptr);
    };
    const auto slurm = opened(drawnIn("tree.topology.conf"));
    QVERIFY(slurm);
    QCOMPARE(slurm->assumptions.linkEfficiency, device.linkEfficiency.value);
    QCOMPARE(slurm.diagnostics.size(), std::size_t(2));  // of the links, and that no program is named
    QCOMPARE(slurm.diagnostics[1].code, std::string("program-ideal"));
    QCOMPARE(slurm.diagnostics[0].code, std::string("link-efficiency-assumed"));
    QCOMPARE(slurm.diagnostics[0].where.pointer, std::string("/assumptions/link_efficiency"));
    const auto problem = buildProblem(*slurm);
    QVERIFY(problem);
    QCOMPARE(problem->cluster->level(0).bandwidth, device.linkBandwidth.value);
    QCOMPARE(problem->cluster->level(0).sustained(),
             device.linkBandwidth.value * device.linkEfficiency.value);
    const auto typed = opened({"n.txt", "host:8@450GB/s rack:4@50GB/s", ""});
    QVERIFY(typed);
    QCOMPARE(typed.diagnostics.size(), std::size_t(2));
    QCOMPARE(typed.diagnostics[0].code, std::string("link-efficiency-not-assumed"));
    QCOMPARE(typed.diagnostics[1].code, std::string("program-ideal"));
    QCOMPARE(typed->assumptions.linkEfficiency, 1.0);
    // A scenario that is there keeps its own.
    const auto imported = importFiles({drawnIn("tree.topology.conf")}, device, {});
    QCOMPARE(assemble(*imported, &*typed)->assumptions.linkEfficiency, 1.0);
  }
  void everySampleOpensAndSolves_data() {
    QTest::addColumn<QString>("name");
    int count = 0;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      const std::string name = entry.path().filename().string();
      if (name == "README.md") continue;
      QTest::newRow(name.c_str()) << QString::fromStdString(name);
      ++count;
    }
    QVERIFY(count >= 13);
  }
  void everySampleOpensAndSolves() {
    QFETCH(QString, name);
    verifySolves({drawnIn(name.toStdString()), sampleModel()});
  }
  void everyFormatHasOne() {
    std::set<const Format*> found;
    for (const auto& entry : fs::directory_iterator(kFolder)) {
      const std::string text = test::readFile(entry.path().string());
      found.insert(recognise(text, entry.path().filename().string()));
    }
    for (const Format* f : formats()) QVERIFY2(!f->isNetwork() || found.count(f), f->name.data());
  }
  /// Plans use the hosts that sinfo and scontrol call idle.
  void halfBusyClustersSolve() {
    const auto left = [](const char* network, const char* list) {
      const auto imported =
          importFiles({drawnIn(network), drawnIn(list), sampleModel()}, *findDevice("h100-sxm"), {});
      if (!imported) return std::string("unread");
      const auto cluster = deriveHierarchy(*imported->cluster);
      return std::to_string(cluster->deviceCount()) + " devices; " + inWords(cluster->unplanned());
    };
    QCOMPARE(
        left("half-busy.topology.conf", "half-busy.sinfo.txt"),
        std::string(
            "128 devices; 16 of 32 hosts are not planned on: 12 busy, 1 down, 2 drained and 1 reserved"));
    QCOMPARE(
        left("two-kinds.topology.conf", "two-kinds.scontrol.txt"),
        std::string("42 devices; 2 of 8 hosts are not planned on: 1 busy and 1 drained; 2 hosts are used in "
                    "part: 10 of 16 devices"));
    verifySolves({drawnIn("half-busy.topology.conf"), drawnIn("half-busy.sinfo.txt"), sampleModel()});
    verifySolves({drawnIn("two-kinds.topology.conf"), drawnIn("two-kinds.scontrol.txt"), sampleModel()});
  }
  void hostsOfTwoKindsSolve() {
    verifySolves({drawnIn("mixed.topology.conf"), drawnIn("a100-host.nccl.xml", "a[0-3]"),
                  drawnIn("h100-host.nccl.xml", "h[0-3]"), sampleModel()});
  }
};
NEST_TEST(TestTopologySamples)
#include "test_topology_samples.moc"
