#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/graph/generators.h"
#include "cluster/levels/cluster_source.h"
#include "formats/networks/cluster_text.h"
#include "support/test_main.h"

using namespace nest;

namespace {
ClusterSource source(const char* line) {
  ClusterSource s;
  s.device.memory.value = Bytes(80e9);
  s.network = *readClusterText(line).value;
  return s;
}
LevelsSource& levels(ClusterSource& s) {
  return std::get<LevelsSource>(s.network);
}
}  // namespace

class TestLevelsSource : public QObject {
  Q_OBJECT
private slots:
  void oversubscriptionDividesTheBandwidth() {
    const auto h = deriveHierarchy(source("host:8@450GB/s,1us rack:4@50GB/s,2us,2:1"));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 32);
    QCOMPARE(h->level(1).bandwidth.value(), 25e9);
    QCOMPARE(h->level(1).oversubscription, 2.0);
  }
  void missingDevicesAndHostsLeaveTheOrder() {
    // Racks of two hosts: 8 + 7 in the first, nothing + 8 in the second.
    const auto h = deriveHierarchy(source("host:8+7+0+8@450GB/s,1us rack:2@50GB/s,2us pod:2@10GB/s,5us"));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 23);
    QCOMPARE(h->groupCount(0), 3);
    QCOMPARE(h->groupCount(1), 2);
    QCOMPARE(h->groupSpan(1, 0), std::pair(0, 15));
    QCOMPARE(h->identity(DeviceIndex(15)).host, std::string("host3"));
    QCOMPARE(h->levelBetween(14, 15), 2);
  }
  void namesAndExceptionsSurvive() {
    auto s = source("host:2@450GB/s,1us rack:2@50GB/s,2us !3*0.5,40GB");
    levels(s).hostNames = {"gpu07", "gpu11"};
    const auto h = deriveHierarchy(s);
    QVERIFY(h);
    QCOMPARE(h->slowest(0, 4), 0.5);
    QCOMPARE(h->smallestMemory(0, 4).value(), 40e9);
    QCOMPARE(h->identity(DeviceIndex(3)).host, std::string("gpu11"));
    QCOMPARE(h->identity(DeviceIndex(3)).slot, 1);
  }
  void allErrorsAtOnce() {
    auto s = source("host:2@450GB/s,1us rack:2@50GB/s,2us");
    levels(s).levels[1].oversubscription = 0.5;
    levels(s).levels[0].latency = Seconds(-1);
    levels(s).hostSizes = {2, 2, 2};
    levels(s).hostNames = {"one"};
    const auto h = deriveHierarchy(s);
    QVERIFY(!h);
    QCOMPARE(h.diagnostics.size(), std::size_t(4));
    QCOMPARE(h.diagnostics[0].where.pointer, std::string("/cluster/levels/1/oversubscription"));
  }
  void aDeviceBeyondTheClusterIsRefused() {
    const auto h = deriveHierarchy(source("host:2@450GB/s,1us !2*0.5"));
    QVERIFY(!h);
    QCOMPARE(h.diagnostics[0].code, std::string("exception-device"));
  }
  void aDrawnNetworkBecomesLevels() {
    const auto graph = generateNetwork("spine-leaf");
    QVERIFY(graph);
    ClusterSource s;
    s.device = *findDevice("h100-sxm");
    s.network = GraphSource{*graph, {}, ""};
    const auto h = deriveHierarchy(s, {0});
    QVERIFY2(h.value.has_value(), h.diagnostics.empty() ? "" : toText(h.diagnostics[0]).c_str());
    QCOMPARE(h->deviceCount(), graph->deviceCount() - 1);
    QVERIFY(h->levelCount() >= 2);
  }
  void hugeFanoutsAreRefusedWithoutBuildingThem() {
    const auto h = deriveHierarchy(source("a:2147483647@1GB/s b:2147483647@1GB/s c:2147483647@1GB/s"));
    QVERIFY(!h);
    QCOMPARE(h.diagnostics[0].code, std::string("too-many-devices"));
  }
};
NEST_TEST(TestLevelsSource)
#include "test_levels_source.moc"
