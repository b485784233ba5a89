#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/cluster_source.h"
#include "cluster/levels/scale_up.h"
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
  void holdsDivisorsOfItOrOfItsLargestPowerOfTwo() {
    QVERIFY(holdsTensorGroups(72, 8) && holdsTensorGroups(72, 9) && holdsTensorGroups(72, 64));
    QVERIFY(!holdsTensorGroups(72, 5) && !holdsTensorGroups(8, 16));
    QVERIFY(holdsTensorGroups(9, 8) && !holdsTensorGroups(9, 6));
  }
};
NEST_TEST(TestScaleUp)
#include "test_scale_up.moc"
