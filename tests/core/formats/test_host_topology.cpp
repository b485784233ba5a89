#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/level_abstraction.h"
#include "formats/networks/host_topology.h"
#include "formats/networks/nccl_xml.h"
#include "formats/networks/nvidia_topo.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

std::string topologyIn(const std::string& name) {
  return nest::test::readFile(std::string(NEST_TEST_DATA) + '/' + name);
}

DeviceSpec device() {
  DeviceSpec d;
  d.memory.value = Bytes(80e9);
  return d;
}

/// "pairs 2 300, …": largest group and GB/s of each level.
QString derivedLevels(const GraphSource& s) {
  const auto a = abstractLevels(s, device());
  if (!a) qFatal("%s", toText(a.diagnostics.front()).c_str());
  const auto h = Hierarchy::build(a->input);
  QString out;
  for (int l = 0; l < h->levelCount(); ++l)
    out += QString("%1%2 %3")
               .arg(l ? ", " : "")
               .arg(h->largestGroupSize(l))
               .arg(std::round(h->level(l).bandwidth.value() / 1e8) / 10);
  return out;
}

QString nearest(const HostTopology& h) {
  QStringList out;
  for (const auto& a : h.adapters) {
    QString s = QString::fromStdString(a.name) + ':';
    for (int n : a.nearest) s += ' ' + QString::fromStdString(h.graph.nodes[std::size_t(n)].name);
    out << s;
  }
  return out.join(", ");
}

}  // namespace

class TestHostTopology : public QObject {
  Q_OBJECT
private slots:
  void hostsThatNvlinkJoinsStandInOneFile() {
    const auto h = readNcclXml(topologyIn("nccl-xml/two_hosts.xml"));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 4);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("4 721.8"));
    QCOMPARE(nearest(*h),
             QString("host0 mlx5_0: host0 GPU0 host0 GPU1, host1 mlx5_0: host1 GPU0 host1 GPU1"));
  }
  void socketsAreJoinedAsTheirProcessorsAre_data() {
    QTest::addColumn<QString>("processor");
    QTest::addColumn<double>("rate");
    QTest::newRow("Skylake") << R"(arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="85")" << 10e9;
    QTest::newRow("Sapphire Rapids") << R"(arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143")"
                                     << 22e9;
    QTest::newRow("Rome") << R"(arch="x86_64" vendor="AuthenticAMD" familyid="143" modelid="49")" << 16e9;
    QTest::newRow("Genoa") << R"(arch="x86_64" vendor="AuthenticAMD" familyid="175" modelid="17")" << 24e9;
    QTest::newRow("Grace") << R"(arch="arm64")" << 6e9;
    QTest::newRow("not told") << R"(numaid="0")" << 16e9;
  }
  void socketsAreJoinedAsTheirProcessorsAre() {
    QFETCH(QString, processor);
    QFETCH(double, rate);
    const QString cpu = "<cpu " + processor + R"(><pci busid="%1"><gpu dev="%1"/></pci></cpu>)";
    const auto h = readNcclXml(("<system>" + cpu.arg(1) + cpu.arg(2) + "</system>").toStdString());
    QVERIFY(h);
    const auto& g = h->graph;
    const auto between = std::find_if(g.links.begin(), g.links.end(), [&](const NetworkLink& l) {
      return g.nodes[std::size_t(l.from)].name == "cpu0" && g.nodes[std::size_t(l.to)].name == "cpu1";
    });
    QVERIFY(between != g.links.end());
    QCOMPARE(between->bandwidth.value(), rate);
  }
  void processorsMayHaveNvlink() {
    const auto h = readNcclXml(R"(<system><cpu arch="ppc64"><pci busid="1"><gpu dev="0" sm="70">
      <nvlink target="2" count="3" tclass="0x030200"/><nvlink target="9" count="3" tclass="0x068001"/></gpu></pci>
      <pci busid="2"><gpu dev="1" sm="70"><nvlink target="1" count="3" tclass="0x030200"/>
      <nvlink target="9" count="3" tclass="0x068001"/></gpu></pci><nic><net name="mlx5_0" speed="100000"/></nic>
      </cpu></system>)");
    QVERIFY(h);
    QVERIFY(h.diagnostics.empty());
    int towardsProcessor = 0;
    for (const NetworkLink& l : h->graph.links) towardsProcessor += l.count == 3 && l.to == 0;
    QCOMPARE(towardsProcessor, 2);
  }
  void bridgesMayShareANumber() {
    const auto h = readNcclXml(topologyIn("nccl-xml/twin_bridges.xml"));
    QVERIFY(h);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("2 96"));
    QCOMPARE(h->adapters.front().bandwidth.value(), 1.25e9);  // −1 Mb/s is not known
    QCOMPARE(h->adapters.front().origin, Origin::Estimated);
    QVERIFY(std::any_of(h.diagnostics.begin(), h.diagnostics.end(),
                        [](const Diagnostic& d) { return d.code == "nccl-speed"; }));
  }
  void aDeviceThatLostItsNvlinkStandsApart() {
    const auto h =
        readNvidiaTopo(topologyIn("nvidia-topo/lost_nvlink.txt"), "", hostFiguresOf(*findDevice("b200")));
    QVERIFY(h);
    // GPU2 reaches the others over PCIe alone, GPU3 has 9 of its 18 links.
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("3 900, 4 450, 5 48"));
  }
  void nvlinkPairs() {
    const auto h = readNvidiaTopo(topologyIn("nvidia-topo/pairs.txt"));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 4);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("2 300, 4 8"));
    QCOMPARE(nearest(*h), QString("mlx5_0: GPU0 GPU1"));  // and two devices share the 16 between the sockets
  }
  void nvSwitch() {
    const auto h = readNvidiaTopo(topologyIn("nvidia-topo/hgx.txt"));
    QVERIFY(h);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("8 450"));
    QCOMPARE(nearest(*h).section(", ", 5, 5), QString("NIC5: GPU5"));
  }
  void noNvlinkAtAll() {
    const auto h = readNvidiaTopo(
        "     GPU0 GPU1 GPU2 GPU3 CPU Affinity\nGPU0 X PHB SOC SOC 0-7\nGPU1 PHB X SOC SOC 0-7\nGPU2 SOC SOC "
        "X PIX 8-15\nGPU3 SOC SOC PIX X 8-15\n");
    QVERIFY(h);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("2 48, 4 8"));  // two devices share the sockets' 16
  }
  void ncclHost() {
    const auto h = readNcclXml(topologyIn("nccl-xml/hgx.xml"));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 8);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("8 370.8"));
    QCOMPARE(nearest(*h).section(", ", 3, 3), QString("mlx5_3: GPU3"));
    QCOMPARE(h->adapters[0].bandwidth.value(), 50e9);
  }
  void ncclDirectLinks() {
    const auto h = readNcclXml(topologyIn("nccl-xml/direct.xml"));
    QVERIFY(h);
    QCOMPARE(derivedLevels(clusterOf(*h)), QString("2 80"));
    QCOMPARE(h->adapters[0].bandwidth.value(), 25e9 / 8);
  }
  void aHostAndATreeMakeACluster() {
    const auto h = readNcclXml(topologyIn("nccl-xml/hgx.xml"));
    const auto t = readSlurmTopologyConf(topologyIn("slurm-conf/irregular.conf"));
    QVERIFY(h && t);
    auto figures = defaultFigures(*t, device());
    figures.levels[2].bandwidth = BytesPerSecond(12.5e9);
    const auto joined = joinHosts(*h, *t, figures);
    QVERIFY(joined);
    QCOMPARE(joined->graph.deviceCount(), 80);
    QCOMPARE(derivedLevels(*joined),
             QString("8 370.8, 32 48, 80 12.5"));  // the adapters' 50 pass a PCIe link of 48
    const auto a = abstractLevels(*joined, device());
    QCOMPARE(a->input.identities[9].host, std::string("a2"));
    QVERIFY(std::count(a->irregularities.begin(), a->irregularities.end(),
                       "leaf 2 has 2 of 4 groups of level \"host\"") == 1);
    HostTopology bare = *h;
    bare.adapters.clear();
    QVERIFY(!joinHosts(bare, *t, figures));
  }
};
NEST_TEST(TestHostTopology)
#include "test_host_topology.moc"
