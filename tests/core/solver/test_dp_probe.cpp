#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "solver/dp_probe.h"
#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

using namespace nest::test;

namespace {

/// How many instances have a table for their optimal plan, if `wanted`; −1 if one is wrong.
int shown(const InstanceFeatures& features,
          const std::function<bool(const Problem&, const Plan&)>& wanted = {}, std::uint64_t seeds = 300) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Problem problem = randomInstance(seed, features);
    if (!problem.cluster->hasUniformDevices()) continue;
    const Outcome outcome = solve(problem);
    if (!outcome.best() || (wanted && !wanted(problem, outcome.best()->plan))) continue;
    std::string why;
    const auto probe = DpProbe::of(problem, outcome.best()->plan, why);
    if (!probe) continue;
    ++count;
    const double optimum = outcome.best()->evaluation.batchTime.value();
    const DpCell& first = probe->cell(0, 0);
    double best = INFINITY;
    int chosen = 0;
    for (const auto& a : probe->alternatives(0, 0)) {
      best = std::min(best, a.time);
      chosen += a.chosen;
    }
    const auto equals = [&](double time) { return std::abs(time - optimum) <= 1e-9 * optimum; };
    if (first.reached && first.onPath && equals(first.time) && equals(best) && chosen == 1) continue;
    qWarning("seed %llu: cell %.17g, alternatives %.17g, optimum %.17g, %d chosen",
             static_cast<unsigned long long>(seed), first.time, best, optimum, chosen);
    return -1;
  }
  return count;
}

}  // namespace

class TestDpProbe : public QObject {
  Q_OBJECT
private slots:
  /// The first cell of an optimal plan's table is the optimum of its configuration, and following the best
  /// alternative from there never gets better.
  void firstCellIsTheOptimum() { QVERIFY(shown(test::uniformStrategyChain()) > 50); }
  void ofDags() {
    auto features = test::uniformStrategyChain();
    features.dags = true;
    QVERIFY(shown(features, [](const Problem& p, const Plan&) { return !p.graph->isChain(); }) > 30);
  }
  void ofChunks() {
    auto features = test::uniformStrategyChain();
    features.interleave = true;
    features.interleaved = 1;
    QVERIFY(shown(features, [](const Problem&, const Plan& plan) { return plan.chunksPerStage() > 1; }) > 20);
  }
  /// With the strategies of the plan held fixed, one for each stage.
  void ofAStrategyForEachStage() {
    auto features = test::uniformStrategyChain();
    features.strategyPerStage = true;
    features.freeStrategies = 1;
    QVERIFY(shown(
                features,
                [](const Problem&, const Plan& plan) {
                  return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const StagePlan& s) {
                    return s.strategy != plan.stages.front().strategy;
                  });
                },
                1200) > 20);
  }
  /// Of every chain with two chunks, all that stands in a cell is said of a part that begins a stage.
  void columnsHaveTheirFirstLayer() {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      InstanceFeatures features = uniformStrategyChain();
      features.interleave = features.dags = true;
      const Problem problem = randomInstance(seed, features);
      const Outcome outcome = solve(problem);
      std::string why;
      const auto probe = outcome.best() ? DpProbe::of(problem, outcome.best()->plan, why) : nullptr;
      if (!probe) continue;
      QCOMPARE(probe->firstLayer(0), 0);
      QCOMPARE(probe->firstLayer(probe->cutCount() - 1), -1);
      const auto& stages = outcome.best()->plan.stages;
      for (int i = 0; i < probe->stageCount(); ++i)
        for (int x = 0; x < probe->cutCount(); ++x) {
          if (!probe->cell(i, x).onPath) continue;
          int lowest = problem.graph->layerCount();
          for (std::size_t q = static_cast<std::size_t>(i); q < stages.size(); ++q)
            lowest = std::min(lowest, stages[q].chunks.front().front().value);
          QCOMPARE(probe->firstLayer(x), lowest);
        }
    }
  }
  void saysWhyThereIsNoTable() {
    const Problem problem = test::randomInstance(1, test::uniformStrategyChain());
    std::string why;
    QVERIFY(!DpProbe::of(problem, Plan{}, why));
    QVERIFY(!why.empty());
  }
};
NEST_TEST(TestDpProbe)
#include "test_dp_probe.moc"
