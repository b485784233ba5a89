#include <QAbstractItemModelTester>

#include "../figures/plan_contexts.h"
#include "support/test_main.h"
#include "theme/theme.h"
#include "views/placement_model.h"

using namespace nest;

namespace {

QString cell(const PlacementModel& m, int row, int column) {
  return m.index(row, column).data().toString();
}

const Theme& light() {
  return Theme::of(Theme::Kind::Light);
}

}  // namespace

class TestPlacementModel : public QObject {
  Q_OBJECT
private slots:
  void keepsTheRulesOfModels() {
    PlacementModel m;
    QAbstractItemModelTester tester(&m, QAbstractItemModelTester::FailureReportingMode::QtTest);
    m.setContext({}, light());
    QCOMPARE(m.rowCount(), 0);
    m.setContext(test::contextOf({}), light());
    QCOMPARE(m.rowCount(), 128);
    m.sort(PlacementModel::Stage, Qt::DescendingOrder);
    m.sort(PlacementModel::Host, Qt::AscendingOrder);
    m.setContext({}, light());
    QCOMPARE(m.rowCount(), 0);
  }

  void saysWhoSitsWhere() {
    PlacementModel m;
    const PlanContext c = test::contextOf({});
    m.setContext(c, light());
    const Placement placement(c.plan->plan);
    for (int stage = 0; stage < 4; ++stage)
      for (int replica = 0; replica < placement.replicas(); ++replica)
        for (int rank = 0; rank < placement.ranks(stage); ++rank) {
          const int row = placement.device(stage, replica, rank).value;
          QCOMPARE(cell(m, row, PlacementModel::Stage), QString::number(stage + 1));
          QCOMPARE(cell(m, row, PlacementModel::Replica), QString::number(replica));
          QCOMPARE(cell(m, row, PlacementModel::InReplica), QString::number(rank));
        }
    QCOMPARE(cell(m, 17, PlacementModel::Host), QStringLiteral("host2"));
    QCOMPARE(cell(m, 17, PlacementModel::Slot), QStringLiteral("1"));
  }

  void sortsNaturallyAndKeepsTheCurrentRow() {
    PlacementModel m;
    m.setContext(test::contextOf({}), light());
    const QPersistentModelIndex kept = m.index(100, 0);
    const QString rank = kept.data().toString();
    m.sort(PlacementModel::Host, Qt::DescendingOrder);
    QCOMPARE(cell(m, 0, PlacementModel::Host), QStringLiteral("host15"));
    QCOMPARE(kept.data().toString(), rank);
    QVERIFY(kept.row() != 100);
    m.sort(PlacementModel::Host, Qt::AscendingOrder);
    QCOMPARE(cell(m, 127, PlacementModel::Host), QStringLiteral("host15"));
    QCOMPARE(cell(m, 16, PlacementModel::Host), QStringLiteral("host2"));
    m.sort(PlacementModel::Stage, Qt::DescendingOrder);
    QCOMPARE(cell(m, 0, PlacementModel::Stage), QStringLiteral("4"));
  }

  void idleDevicesStandLast() {
    test::ContextShape shape;
    shape.stages = 3;  // 24 devices a replica: 128 = 5 · 24 + 8 idle
    PlacementModel m;
    m.setContext(test::contextOf(shape), light());
    for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      m.sort(PlacementModel::Stage, order);
      QCOMPARE(cell(m, 127, PlacementModel::Stage), QStringLiteral("idle"));
      QVERIFY(cell(m, 0, PlacementModel::Stage) != QStringLiteral("idle"));
    }
  }

  void findsGoingRound() {
    PlacementModel m;
    m.setContext(test::contextOf({}), light());
    const int row = m.find(QStringLiteral("HOST12"), 0);
    QCOMPARE(cell(m, row, PlacementModel::Host), QStringLiteral("host12"));
    QCOMPARE(m.find(QStringLiteral("host12"), row + 1), row + 1);
    QCOMPARE(m.find(QStringLiteral("host3"), 127), 24);
    QCOMPARE(m.find(QStringLiteral("absent"), 5), -1);
    QCOMPARE(m.find({}, 0), -1);
  }

  void writesCsv() {
    PlacementModel m;
    m.setContext(test::contextOf({}), light());
    const QStringList lines = m.csv().split(QStringLiteral("\r\n"));
    QCOMPARE(lines.size(), 130);
    QCOMPARE(lines[0], QStringLiteral("rank,host,device,stage,replica,rank_in_replica"));
    QCOMPARE(lines[1], QStringLiteral("0,host0,0,1,0,0"));
    QCOMPARE(lines[128], QStringLiteral("127,host15,7,4,3,7"));
    QCOMPARE(m.csv({5}).split(QStringLiteral("\r\n"))[1], QStringLiteral("5,host0,5,1,0,5"));
  }

  void largeClustersSort() {
    test::ContextShape shape;
    shape.fanouts = {8, 4, 4096};
    PlacementModel m;
    m.setContext(test::contextOf(shape), light());
    QCOMPARE(m.rowCount(), 131072);
    m.sort(PlacementModel::Host, Qt::DescendingOrder);
    QCOMPARE(cell(m, 0, PlacementModel::Host), QStringLiteral("host16383"));
  }
};
NEST_TEST(TestPlacementModel)
#include "test_placement_model.moc"
