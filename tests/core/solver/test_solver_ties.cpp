#include <cmath>

#include "coverage.h"
#include "evaluation/evaluation.h"
#include "exactness.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "solver/uniform_search.h"
#include "support/hand_problem.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

std::string told(const RankedPlan& p) {
  std::string text = std::to_string(p.plan.devicesUsed()) + " devices, " + summaryOf(p.plan) + ", recompute";
  for (const StagePlan& s : p.plan.stages) text += ' ' + std::to_string(static_cast<int>(s.recompute));
  text += ", layers";
  for (const StagePlan& s : p.plan.stages) {
    text += " |";
    for (const LayerIndex x : s.layers()) text += ' ' + std::to_string(x.value);
  }
  return text;
}

/// How often another plan than the first of the equally fast ones is returned; features that no optimum
/// showed count as one more.
int flickers(const InstanceFeatures& features, double share) {
  const int count = instances(share);
  int bad = 0;
  Coverage coverage;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const Problem p = randomInstance(seed, features);
    const Outcome truth = solveExhaustively(p), solved = solve(p);
    coverage.add(p, truth.best());
    if (!truth.best() || !solved.best() || !precedes(*truth.best(), *solved.best())) continue;
    if (++bad <= 5)
      qWarning("seed %llu: %s instead of %s (%s)", static_cast<unsigned long long>(seed),
               told(*solved.best()).c_str(), told(*truth.best()).c_str(), describe(p).c_str());
  }
  qInfo("%d instances, %d with another plan", count, bad);
  if (const std::string missing = coverage.missing(features); !missing.empty()) {
    qWarning("too few optima with %s", missing.c_str());
    ++bad;
  }
  return bad;
}

}  // namespace

/// Of equally fast plans the one that STATEMENT.md §5 names is returned, so that plans do not flicker.
class TestSolverTies : public QObject {
  Q_OBJECT
private slots:
  /// Where recompute costs no time and memory is plenty, nothing is recomputed: in the plain pipeline,
  /// interleaved, and with a strategy for each stage.
  void equallyFastPlansRecomputeLeast() {
    int stages = 0;
    for (const bool perStage : {false, true})
      for (const int chunks : {1, 2}) {
        Problem p = handProblem(hosts(2, 2), 8, {{1, false, 1, 1}, {2, false, 1, 1}});
        p.search.strategyPerStage = perStage;
        p.search.chunksPerStage = {chunks};
        const Outcome o = solve(p);
        QVERIFY(o.best());
        for (const RankedPlan& r : o.plans)
          for (const StagePlan& s : r.plan.stages) {
            ++stages;
            QCOMPARE(s.recompute, Recompute::None);
          }
      }
    QVERIFY(stages > 20);
  }
  void chainsWithOneStrategy() { QCOMPARE(flickers(uniformStrategyChain(), 0.1), 0); }
  void dags() {
    InstanceFeatures f = uniformStrategyChain();
    f.dags = true;
    QCOMPARE(flickers(f, 0.1), 0);
  }
  void interleaved() {
    InstanceFeatures f = uniformStrategyChain();
    f.interleave = true;
    QCOMPARE(flickers(f, 0.05), 0);
  }
  void everything() { QCOMPARE(flickers({}, 0.2), 0); }
  void interleavedWithAStrategyForEachStage() {
    InstanceFeatures f;
    f.freeStrategies = f.interleaved = 1;
    f.threeStages = true;
    f.alike = 0.7;
    f.mostPlans = 20000;
    QCOMPARE(flickers(f, 0.05), 0);
  }
  /// A search ended early has not met all cuts of a plan: settled, the plan has the fastest and their time.
  void whatIsSettledTakesTheTimeOfItsCuts() {
    InstanceFeatures f = uniformStrategyChain();
    f.dags = f.constraints = true;
    int pipelines = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const Problem p = randomInstance(seed, f);
      const solver::LayerOrder order(*p.graph);
      const solver::SearchSpace space(p);
      solver::GroupShapes shapes(*p.cluster);
      solver::Incumbents best(5);
      const Control control;
      solver::Watch watch(control, 0);
      solver::UniformSearch search(p, order, shapes, space, best, watch);
      QVERIFY(search.run());
      for (const solver::CandidatePlan& fastest : best.best()) {
        solver::CandidatePlan found = fastest;
        found.time *= 1.5;
        search.settleTies(found);
        const Evaluation own = evaluate(p, planOf(p, order, found));
        QVERIFY2(own.feasible(), describe(p).c_str());
        for (const double time : {found.time, own.batchTime.value()})
          QVERIFY2(
              std::abs(time - fastest.time) <= 1e-9 * fastest.time,
              (std::to_string(time) + " s instead of " + std::to_string(fastest.time) + " s, " + describe(p))
                  .c_str());
        pipelines += found.stages() > 1;
      }
    }
    QVERIFY(pipelines > 300);
  }
  void layersAlike() {
    InstanceFeatures f;
    f.alike = f.freeStrategies = 1;
    f.constraints = f.deviceFactors = f.tightMemory = false;
    QCOMPARE(flickers(f, 0.1), 0);
  }
};

NEST_TEST(TestSolverTies)
#include "test_solver_ties.moc"
