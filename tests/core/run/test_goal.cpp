#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "run/goal.h"
#include "run/run_forecast.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/hand_problem.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// With everything that a goal needs, and failures that matter.
Problem withGoal(Problem p, Goal goal, bool fails) {
  p.search.goal = goal;
  p.search.topPlans = 10;
  p.search.strategyPerStage = false;
  p.job.trainingTokens = 1e9;
  RunOptions& r = p.run;
  r.pricePerDeviceHour = 2, r.devicePower = 700, r.hostPower = 900, r.powerUsage = 1.2;
  if (fails) {
    r.deviceFailures = 40, r.hostFailures = 100;
    r.detection = Seconds(30), r.replacement = Seconds(60), r.start = Seconds(90);
    r.storeWrite = BytesPerSecond(1e3);
  }
  weighDevices(p);
  return p;
}

}  // namespace

class TestGoal : public QObject {
  Q_OBJECT
private slots:
  void theTimeNeedsNoWeights() {
    Problem p = handProblem(hosts(2, 2), 4);
    weighDevices(p);
    QVERIFY(!p.deviceWeights && missingForGoal(p).empty());
    p.search.goal = Goal::Days, p.job.trainingTokens = 1e6;
    weighDevices(p);
    QVERIFY(!p.deviceWeights);  // nothing fails: as the time
  }

  void whatAGoalNeedsIsAskedForByName() {
    Problem p = handProblem(hosts(2, 2), 4);
    p.search.goal = Goal::Money;
    QCOMPARE(missingForGoal(p),
             (std::vector<std::string>{"/job/training_tokens", "/run/price_per_device_hour"}));
    p.search.goal = Goal::Energy;
    QCOMPARE(missingForGoal(p), (std::vector<std::string>{"/job/training_tokens", "/run/device_power_w"}));
    p.search.goal = Goal::Days, p.job.trainingTokens = 1, p.run.hostFailures = 1;
    QCOMPARE(missingForGoal(p).size(), std::size_t(4));
    weighDevices(p);
    QVERIFY(!p.deviceWeights);
  }

  /// Money without failures is device-seconds: 4 devices cost twice what 2 do.
  void weightsAreRelativeToAllDevices() {
    const Problem p = withGoal(handProblem(hosts(2, 2), 4), Goal::Money, false);
    QCOMPARE(*p.deviceWeights, (std::vector<double>{0.25, 0.25, 0.5, 0.75, 1}));
    Problem spare = p;
    spare.run.spareHosts = 1;  // two devices more
    weighDevices(spare);
    QVERIFY(std::abs((*spare.deviceWeights)[2] - 4.0 / 6) < 1e-12);
    const Problem energy = withGoal(handProblem(hosts(2, 2), 4), Goal::Energy, false);
    QVERIFY(std::abs((*energy.deviceWeights)[1] - (700.0 + 900) / (4 * 700 + 2 * 900)) < 1e-12);
  }

  /// Every plan of small instances is counted by its own forecast: what is found is within the gap of the
  /// least, and where nothing fails the days and the money are the least.
  void whatIsFoundIsWithinItsGap() {
    InstanceFeatures f = uniformStrategyChain();
    f.mostPlans = 1200;
    int compared = 0, exact = 0, fewer = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed)
      for (const Goal goal : {Goal::Days, Goal::Money, Goal::Energy}) {
        const bool fails = seed % 2 == 0;
        const Problem p = withGoal(randomInstance(seed, f), goal, fails);
        double least = std::numeric_limits<double>::infinity();
        visitPlans(p, [&](const Plan& plan) {
          const Evaluation e = evaluate(p, plan);
          if (!e.feasible()) return true;
          const auto value = valueUnderGoal(p, plan, e);
          // The bound is one.
          if (value) least = std::min(least, *value);
          return true;
        });
        const Outcome o = solve(p);
        if (!std::isfinite(least)) continue;
        QVERIFY(o.best());
        const auto found = valueUnderGoal(p, o.best()->plan, o.best()->evaluation);
        QVERIFY(found);
        const double gap = o.goalGap.value_or(0);
        const std::string what = std::to_string(seed) + ": " + std::to_string(*found / least);
        QVERIFY2(*found >= least * (1 - 1e-9), what.c_str());
        QVERIFY2(least >= *found * (1 - gap) * (1 - 1e-9), what.c_str());
        if (!fails && goal != Goal::Energy) QVERIFY2(*found <= least * (1 + 1e-9), what.c_str());
        ++compared;
        exact += *found <= least * (1 + 1e-9);
        fewer += o.best()->plan.devicesUsed() < p.cluster->deviceCount();
      }
    qInfo("%d compared, %d exact, %d leave devices idle", compared, exact, fewer);
    QVERIFY(compared > 30);
    QVERIFY(exact > compared * 8 / 10);
    QVERIFY(fewer > 5);  // money is not time
  }

  /// A batch within a tolerance and a goal together.
  void batchAndGoalTogether() {
    InstanceFeatures f = uniformStrategyChain();
    f.mostPlans = 600;
    for (std::uint64_t seed = 100; seed < 112; ++seed) {
      Problem p = randomInstance(seed, f);
      p.job.batchTolerance = 0.25;
      p = withGoal(std::move(p), Goal::Money, false);
      const Outcome truth = solveExhaustively(p), found = solve(p);
      QCOMPARE(found.best() != nullptr, truth.best() != nullptr);
      if (!truth.best()) continue;
      const double a = found.best()->evaluation.ranked.value(), b = truth.best()->evaluation.ranked.value();
      QVERIFY2(std::abs(a / b - 1) < 1e-9, std::to_string(seed).c_str());
    }
  }
};

NEST_TEST(TestGoal)
#include "test_goal.moc"
