#include <QtTest/QTest>
#include <algorithm>

#include "evaluation/evaluation.h"
#include "exactness.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/hand_problem.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

struct RunnersUp {
  int bad = 0, proven = 0, plans = 0;
};
RunnersUp wrongRunnersUp(const InstanceFeatures& features, double share) {
  RunnersUp all;
  for (int k = 0; k < instances(share); ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const Problem p = randomInstance(seed, features);
    const Outcome truth = solveExhaustively(p), solved = solve(p);
    all.plans += static_cast<int>(solved.plans.size());
    all.proven += solved.provenPlans;
    const auto claimed = static_cast<std::size_t>(solved.provenPlans);
    std::size_t n = 0;
    while (n < std::min(truth.plans.size(), claimed) &&
           same(truth.plans[n].evaluation.batchTime.value(), solved.plans[n].evaluation.batchTime.value()))
      ++n;
    const bool whole = solved.provenPlans < static_cast<int>(solved.plans.size()) || n == truth.plans.size();
    if (n == claimed && whole && (claimed > 0 || truth.plans.empty())) continue;
    if (++all.bad <= 5)
      qWarning("seed %llu: plan %zu is %s instead of %s (%s)", static_cast<unsigned long long>(seed), n + 1,
               timed(n < solved.plans.size() ? &solved.plans[n] : nullptr).c_str(),
               timed(n < truth.plans.size() ? &truth.plans[n] : nullptr).c_str(), describe(p).c_str());
  }
  qInfo("%d of %d plans proven, %d wrong", all.proven, all.plans, all.bad);
  return all;
}

}  // namespace

/// The plans beside the best one, and the front, against the enumeration of everything.
class TestSolverRunnersUp : public QObject {
  Q_OBJECT
private slots:
  /// The other plans returned are the best of their degrees, in order.
  void runnersUp() {
    InstanceFeatures features;
    features.strategyPerStage = false;
    const auto [bad, proven, plans] = wrongRunnersUp(features, 0.1);
    QCOMPARE(bad, 0);
    QVERIFY(plans > 0);
    QCOMPARE(proven, plans);
  }
  /// The same with a strategy for each stage, as far as the outcome claims.
  void runnersUpWithAStrategyForEachStage() {
    InstanceFeatures features;
    features.freeStrategies = 1;
    const auto [bad, proven, plans] = wrongRunnersUp(features, 0.1);
    QCOMPARE(bad, 0);
    QVERIFY(proven > plans * 9 / 10);
  }

  /// Interleaved ones, where often fewer are possible than asked for.
  void interleavedRunnersUpWithAStrategyForEachStage() {
    InstanceFeatures features;
    features.freeStrategies = features.interleaved = 1;
    features.threeStages = true;
    features.mostPlans = 20000;
    const auto [bad, proven, plans] = wrongRunnersUp(features, 0.05);
    QCOMPARE(bad, 0);
    QVERIFY(proven > plans * 9 / 10);
  }

  /// In front of a cut stages of mixed strategies can do more backward work than under any single one, and so
  /// hide more of the gradient exchange behind: every plan returned is confirmed by the evaluator.
  void mixedStrategiesHideMore() {
    InstanceFeatures features;
    features.freeStrategies = features.interleaved = 1;
    features.threeStages = true;
    features.mostPlans = 8000;
    for (const std::uint64_t seed : {158, 140, 242}) {
      Problem p = randomInstance(seed, features);
      p.search.topPlans = 50;
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      QCOMPARE(mistake(p, solved, truth), std::string());
      for (std::size_t k = 0; k < static_cast<std::size_t>(solved.provenPlans); ++k)
        QVERIFY(
            same(solved.plans[k].evaluation.batchTime.value(), truth.plans[k].evaluation.batchTime.value()));
    }
  }

  /// More recompute may be faster; of each sequence of strategies its fastest policies count, also while
  /// fewer plans are known than asked for.
  void runnersUpHaveTheirFastestPolicies() {
    Problem p = handProblem(hosts(4, 1), 4, {{1, false, 1, 1}, {2, false, 1, 1}});
    p = withProfile(p, [](Profile& profile) {
      for (int x = 0; x < 4; ++x)
        for (int s = 0; s < 2; ++s) {
          LayerCost c = *profile.cost(x, s, 0);
          c.recompute[1].extraBackward = Seconds(3);
          c.recompute[2].extraBackward = Seconds(1 + s);
          profile.setCost(x, s, 0, c);
        }
    });
    p.search.recompute = {false, true, true};
    p.search.chunksPerStage = {2};
    p.search.strategyPerStage = true;
    const Outcome truth = solveExhaustively(p), solved = solve(p);
    QVERIFY(truth.plans.size() > 3);
    QCOMPARE(solved.plans.size(), truth.plans.size());
    for (std::size_t k = 0; k < truth.plans.size(); ++k)
      QVERIFY(
          same(solved.plans[k].evaluation.batchTime.value(), truth.plans[k].evaluation.batchTime.value()));
  }

  /// Every plan of the true front is matched by one of the front returned, and the other way round.
  void frontIsWhole() {
    int bad = 0, whole = 0, count = 0, points = 0;
    InstanceFeatures features;
    features.strategyPerStage = false;
    for (int k = 0; k < instances(0.1); ++k) {
      const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
      Problem p = randomInstance(seed, features);
      p.search.topPlans = 5;
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      if (!truth.best()) continue;
      ++count;
      points += static_cast<int>(truth.front.size());
      whole += solved.frontReach == FrontReach::Complete;
      const std::string what = covers(solved.front, truth.front, "is missed") +
                               covers(truth.front, solved.front, "is not of the front");
      if (what.empty() && solved.frontReach == FrontReach::Complete) continue;
      if (++bad <= 5)
        qWarning("seed %llu: %s front, %s (%s)", static_cast<unsigned long long>(seed),
                 nameOf(solved.frontReach), what.c_str(), describe(p).c_str());
    }
    qInfo("%d fronts, %d whole, %d plans in all", count, whole, points);
    QCOMPARE(bad, 0);
    QVERIFY(points > count && count > 0);
  }
};
NEST_TEST(TestSolverRunnersUp)
#include "test_solver_runners_up.moc"
