#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "formats/import_files.h"
#include "formats/networks/host_assignment.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

SlurmTopology tree() {
  return *readSlurmTopologyConf(
      "SwitchName=l0 Nodes=a[0-3]\nSwitchName=l1 Nodes=b[0-3]\nSwitchName=s Switches=l[0-1]\n");
}

/// "a0:0 a1:0 …" or the first error's code.
QString assigned(const std::vector<HostFile>& files) {
  const auto r = assignHosts(tree(), files);
  if (!r) return QString::fromStdString(r.diagnostics.front().code);
  QString out;
  for (const char* h : {"a0", "a3", "b0", "b3"}) out += QString::number(r->at(h));
  return out;
}

NamedText networkIn(const char* file, const char* shownAs = nullptr, const char* hosts = "") {
  return {shownAs ? shownAs : file, test::readFile(std::string(NEST_TEST_DATA "/") + file), hosts};
}

Reading<Imported> import(const std::vector<NamedText>& files) {
  return importFiles(files, *findDevice("h100-sxm"), {});
}

}  // namespace

class TestHostAssignment : public QObject {
  Q_OBJECT
private slots:
  void filesSayWhichHostsTheyDescribe() {
    QCOMPARE(assigned({{"any.xml", ""}}), QString("0000"));
    QCOMPARE(assigned({{"x.xml", "a[0-3]"}, {"y.xml", "b[0-3]"}}), QString("0011"));
    QCOMPARE(assigned({{"dir/a[0-3].xml", ""}, {"b[0-3].topo.xml", ""}}), QString("0011"));
    QCOMPARE(assigned({{"b3.xml", ""}, {"usual.xml", ""}}), QString("1110"));
    QCOMPARE(assigned({{"x.xml", "a[0-3]"}}), QString("join-host-missing"));
    QCOMPARE(assigned({{"x.xml", ""}, {"y.xml", ""}}), QString("join-which-hosts"));
    QCOMPARE(assigned({{"x.xml", "a[0-3]"}, {"y.xml", "a3"}, {"z.xml", ""}}), QString("join-host-twice"));
    QCOMPARE(assigned({{"x.xml", "c0"}}), QString("join-host-unknown"));
    QCOMPARE(assigned({{"x.xml", "a["}}), QString("slurm-hostlist"));
  }
  void theFirstHostWithoutAFileIsNamed() {
    const auto missing = [](const std::vector<NamedText>& files) {
      const auto r = import(files);
      return QString::fromStdString(r.diagnostics.empty() ? "" : r.diagnostics.front().message);
    };
    const NamedText slurm{"topology.conf", "SwitchName=l0 Nodes=a[0-3]\n"};
    QVERIFY(missing({slurm, networkIn("nccl-xml/hgx.xml", "x.xml", "a[0-1]")})
                .contains("2 hosts of the Slurm topology have no file, the first of them \"a2\""));
    QVERIFY(missing({slurm, networkIn("nccl-xml/hgx.xml", "x.xml", "a[1-3]")}).contains("\"a0\""));
  }
  void hostsOfTwoKindsMakeACluster() {
    const NamedText slurm{
        "topology.conf",
        "SwitchName=l0 Nodes=a[0-1]\nSwitchName=l1 Nodes=b[0-1]\nSwitchName=s Switches=l[0-1]\n"};
    const auto r = import({slurm, networkIn("nccl-xml/hgx.xml", "hgx.xml", "a[0-1]"),
                           networkIn("nccl-xml/direct.xml", "old.xml", "b[0-1]")});
    QVERIFY(r);
    const auto& graph = std::get<GraphSource>(r->cluster->network).graph;
    QCOMPARE(graph.deviceCount(), 2 * 8 + 2 * 2);
    const auto derived = deriveHierarchy(*r->cluster);
    QVERIFY(derived);
    QCOMPARE(derived->deviceCount(), 20);
    QVERIFY(!derived->isRegular());
    QCOMPARE(r->parts[1].holds, std::string("8 devices in a host"));
    QVERIFY(std::any_of(r.diagnostics.begin(), r.diagnostics.end(),
                        [](const Diagnostic& d) { return d.code == "join-devices-differ"; }));
    for (const NetworkNode& n : graph.nodes)
      if (n.kind == NodeKind::Device) {
        const bool isOld = n.host[0] == 'b';
        const double a100 = findDevice("a100-80")->peak.value / findDevice("h100-sxm")->peak.value;
        QCOMPARE(n.speed, isOld ? a100 : 1.0);
      }
  }
  void hostsWithoutATreeAreToldHowToStandTogether() {
    const auto two = import({networkIn("nccl-xml/hgx.xml"), networkIn("nvidia-topo/hgx.txt")});
    QVERIFY(!two);
    QCOMPARE(two.diagnostics.back().code, std::string("join-no-tree"));
    QVERIFY(!import({networkIn("nccl-xml/hgx.xml", "x.xml", "a[0-1]")}));
    QVERIFY(import({networkIn("nccl-xml/hgx.xml")}));
  }
};
NEST_TEST(TestHostAssignment)
#include "test_host_assignment.moc"
