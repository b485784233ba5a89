#include <QTest>
#include <cmath>

#include "figures/plan/instant_text.h"
#include "figures/topology/microbatch_tokens.h"
#include "figures/topology/topology_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Eight devices a host, two stages in each of the first two hosts.
PlanContext fourStages() {
  test::ContextShape shape;
  shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 4, shape.inner = 1, shape.microbatches = 8;
  return test::contextOf(shape);
}

bool isNear(const QPointF& a, const QPointF& b) {
  return std::hypot(a.x() - b.x(), a.y() - b.y()) < 1e-9;
}

}  // namespace

/// Microbatches on their way over the picture of a cluster.
class TestMicrobatchTokens : public QObject {
  Q_OBJECT
private slots:
  void aPathLeadsFromStageToStage() {
    const PlanContext c = fourStages();
    for (const Folding folding : {Folding::Nothing, Folding::Everything}) {
      const TopologyLayout layout(std::make_shared<TopologyClasses>(c), {900, 600}, folding);
      const StagePlaces places(*c.shownPlan(), layout);
      QCOMPARE(places.count(), 4);
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
          if (a == b) continue;
          const auto path = places.path(a, b);
          QVERIFY(isNear(alongPath(path, 0), places.of(a).center()));
          QVERIFY(isNear(alongPath(path, 1), places.of(b).center()));
          QVERIFY(!isNear(alongPath(path, 0.5), alongPath(path, 0.25)));
          QVERIFY(isNear(alongPath(path, 7), places.of(b).center()));
          QVERIFY(!places.of(a).intersects(places.of(b)));
        }
      QVERIFY(places.closest() > 0.5);
    }
    QVERIFY(isNear(alongPath({}, 0.5), {}));
  }

  /// A plan whose devices the cluster does not have is not drawn, as plans made by hand may be.
  void stagesBeyondTheClusterHaveNoPlace() {
    const PlanContext c = fourStages();
    Plan plan = *c.shownPlan();
    plan.deviceOrder.assign(64, DeviceIndex(1000));
    const TopologyLayout layout(std::make_shared<TopologyClasses>(c), {900, 600}, Folding::Nothing);
    QCOMPARE(StagePlaces(plan, layout).count(), 0);
  }

  void anInstantInWords() {
    const PlanContext c = fourStages();
    ScheduleInstant now;
    now.at = Seconds(0.42);
    QCOMPARE(instantText(now, c), QStringLiteral("At 420 ms: every stage waits"));
    now.running = {{0, TaskKind::Forward, 5},
                   {1, TaskKind::ActivationTransfer, 4, 0, 0.5, 0, 0},
                   {2, TaskKind::Forward, 3}};
    QCOMPARE(
        instantText(now, c),
        QStringLiteral("At 420 ms: forward 5 on stage 1, 3 on 3 · PP send/recv, forward 4 from 1 to 2 over "
                       "host · 1 stage waits"));
  }
};

NEST_TEST(TestMicrobatchTokens)
#include "test_microbatch_tokens.moc"
