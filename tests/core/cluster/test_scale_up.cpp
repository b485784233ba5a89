#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/cluster_source.h"
#include "cluster/levels/scale_up.h"
#include "scenario/program_effects.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Typed {
  const char* name;
  int fanout;
  double bandwidth;
};

Hierarchy clusterOf(const std::vector<Typed>& levels) {
  ClusterSource source;
  source.device = *findDevice("h100-sxm");
  LevelsSource typed;
  for (const Typed& l : levels) {
    LevelSpec spec;
    spec.name = l.name, spec.fanout = l.fanout, spec.bandwidth = BytesPerSecond(l.bandwidth);
    spec.latency = Seconds(1e-6);
    typed.levels.push_back(spec);
  }
  source.network = typed;
  return *deriveHierarchy(source);
}

}  // namespace

class TestScaleUp : public QObject {
  Q_OBJECT
private slots:
  void isTheHostWhateverLiesInsideIt() {
    const Hierarchy plain = clusterOf({{"host", 8, 50e9}, {"fabric", 4, 12.5e9}});
    QCOMPARE(scaleUpLevel(plain), 0);
    QCOMPARE(scaleUpSize(plain), 8);
    const Hierarchy paired = clusterOf({{"card", 2, 200e9}, {"host", 4, 50e9}, {"fabric", 4, 12.5e9}});
    QCOMPARE(scaleUpLevel(paired), 1);
    QCOMPARE(scaleUpSize(paired), 8);
    QCOMPARE(scaleUpName(paired), std::string("host"));
  }
  void isAnNvlinkDomainOverHosts() {
    const Hierarchy rack = clusterOf({{"host", 4, 900e9}, {"rack", 18, 900e9}, {"fabric", 4, 50e9}});
    QCOMPARE(scaleUpSize(rack), 72);
    QCOMPARE(scaleUpName(rack), std::string("rack"));
    const Hierarchy adapters = clusterOf({{"host", 4, 900e9}, {"rack", 18, 100e9}, {"fabric", 4, 50e9}});
    QCOMPARE(scaleUpSize(adapters), 4);
    QCOMPARE(scaleUpName(adapters), std::string("host"));
  }
  /// A graph has no level for hosts of one device; the host stays the scale-up domain.
  void isTheHostWhereLevelZeroJoinsHosts() {
    for (const auto& [bandwidth, devices] : {std::pair(50e9, 1), std::pair(900e9, 4)}) {
      NetworkGraph graph;
      graph.nodes.push_back({"leaf", "leaf", NodeKind::Switch, "", 0, 0, 1, Bytes(0)});
      for (int h = 0; h < 4; ++h) {
        const std::string host = "h" + std::to_string(h);
        graph.nodes.push_back({host + ":0", host + ":0", NodeKind::Device, host, 0, 0, 1, Bytes(0)});
        graph.links.push_back({0, h + 1, BytesPerSecond(bandwidth), Seconds(1e-6)});
      }
      ClusterSource source;
      source.device = *findDevice("h100-sxm");
      source.network = GraphSource{graph, {}, {}};
      const Hierarchy drawn = *deriveHierarchy(source);
      QCOMPARE(drawn.levelCount(), 1);
      QVERIFY(joinsHosts(drawn, 0));
      QCOMPARE(scaleUpSize(drawn), devices);
      Assumptions crowded;
      crowded.crowding = 1e-12;
      QCOMPARE(asProgramUses(drawn, crowded).level(0).crowding, 1e-12);
      QCOMPARE(asProgramUses(clusterOf({{"host", 4, 50e9}}), crowded).level(0).crowding, 0.0);
    }
  }
  void holdsDivisorsOfItOrOfItsLargestPowerOfTwo() {
    QVERIFY(holdsTensorGroups(72, 8) && holdsTensorGroups(72, 9) && holdsTensorGroups(72, 64));
    QVERIFY(!holdsTensorGroups(72, 5) && !holdsTensorGroups(8, 16));
    QVERIFY(holdsTensorGroups(9, 8) && !holdsTensorGroups(9, 6));
  }
};
NEST_TEST(TestScaleUp)
#include "test_scale_up.moc"
