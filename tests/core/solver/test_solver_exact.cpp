#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "coverage.h"
#include "evaluation/evaluation.h"
#include "exactness.h"
#include "program/program.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/hand_problem.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// How many instances are solved wrongly; their features that no optimum showed count as one more.
struct Variation {
  /// Makes another problem of one.
  std::function<Problem(const Problem&, std::uint64_t seed)> change = [](const Problem& p, auto) {
    return p;
  };
  std::function<Outcome(const Problem&)> solver = [](const Problem& p) { return solve(p); };
};
int wrong(const InstanceFeatures& features, double share, const Variation& variation = {}) {
  int bad = 0, count = instances(share);
  double oracle = 0, dp = 0;
  Coverage coverage;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const Problem p = variation.change(randomInstance(seed, features), seed);
    const Outcome truth = solveExhaustively(p), solved = variation.solver(p);
    oracle += truth.statistics.elapsed.value();
    dp += solved.statistics.elapsed.value();
    coverage.add(p, truth.best());
    const std::string what = mistake(p, solved, truth);
    if (what.empty()) continue;
    if (++bad <= 5)
      qWarning("seed %llu: %s (%s)", static_cast<unsigned long long>(seed), what.c_str(),
               describe(p).c_str());
  }
  qInfo("%d instances; %d wrong; exhaustive %.1f s, solver %.1f s", count, bad, oracle, dp);
  if (const std::string missing = coverage.missing(features); !missing.empty()) {
    qWarning("too few optima with %s", missing.c_str());
    ++bad;
  }
  return bad;
}

/// Some stages, more often two or three, with many of their layers pinned.
Problem pinnedLayers(const Problem& from, std::uint64_t seed) {
  Problem p = from;
  Constraints& c = p.constraints;
  Dice dice(seed ^ 0x91dd);
  const int layers = p.graph->layerCount();
  int stage = 0;
  for (int x = 0; x < layers; ++x) {
    const bool begins = x > 0 && stage < 3 && dice.chance(0.4);
    stage += begins;
    if (dice.chance(0.4)) c.layerPins.push_back({LayerIndex(x), StageIndex(stage)});
    if (begins && dice.chance(0.2)) c.requiredCuts.emplace_back(x);
    if (!begins && x > 0 && dice.chance(0.1)) c.forbiddenCuts.emplace_back(x);
  }
  return p;
}

}  // namespace

/// solve() against the enumeration of everything.
class TestSolverExact : public QObject {
  Q_OBJECT
private slots:
  void chainsWithOneStrategy() { QCOMPARE(wrong(uniformStrategyChain(), 0.4), 0); }
  /// Every chain as if it were a long one: a look at what each depth can hold comes first (6.11).
  void chainsAsIfLong() {
    InstanceFeatures f = uniformStrategyChain();
    // The fewer plans are asked for, the sooner there is a limit.
    const auto asIfLong = [](int topPlans) {
      Variation v;
      v.solver = [=](Problem p) {
        p.search.topPlans = topPlans;
        Tuning tuning;
        tuning.longChain = 0;
        return solve(p, {}, nullptr, tuning);
      };
      return v;
    };
    QCOMPARE(wrong(f, 0.2, asIfLong(1)), 0);
    QCOMPARE(wrong(f, 0.1, asIfLong(5)), 0);
    f.constraints = true;
    QCOMPARE(wrong(f, 0.1, asIfLong(1)), 0);
  }
  /// Candidates are listed where they may matter, however few there are.
  void candidatesListedWhereTheyMayMatter() {
    Variation listed;
    listed.solver = [](const Problem& p) {
      Tuning tuning;
      tuning.mostListed = 0;
      return solve(p, {}, nullptr, tuning);
    };
    InstanceFeatures f;
    f.constraints = f.schedules = true;
    QCOMPARE(wrong(f, 0.2, listed), 0);
    QCOMPARE(wrong(uniformStrategyChain(), 0.2, listed), 0);
  }
  /// The batch may differ by a share: every batch of the range is enumerated, and plans are compared by their
  /// time for a token.
  void batchesWithinATolerance() {
    Variation range;
    range.change = [](const Problem& from, std::uint64_t seed) {
      Problem p = from;
      Dice dice(seed ^ 0xba7c);
      p.job.batchTolerance = dice.chance(0.3) ? 0.5 : 0.2;
      return p;
    };
    InstanceFeatures f = uniformStrategyChain();
    QCOMPARE(wrong(f, 0.03, range), 0);
    f.constraints = f.schedules = true;
    QCOMPARE(wrong(f, 0.02, range), 0);
    InstanceFeatures each;
    each.freeStrategies = 1;
    QCOMPARE(wrong(each, 0.005, range), 0);
  }
  /// Where a layout takes more labels than may be held, pipelines up to lower times are looked for first; of
  /// relaxed stages with a price none is kept.
  void fewLabelsAtOnce() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    f.schedules = true;
    Variation few;
    few.solver = [](const Problem& p) {
      Tuning tuning;
      tuning.labels = {.few = 1, .most = 1 << 20, .narrow = 0.05};
      tuning.mostPriced = 0;
      return solve(p, {}, nullptr, tuning);
    };
    QCOMPARE(wrong(f, 0.2, few), 0);
  }
  /// What takes more labels than may ever be held leaves a gap that is true.
  void whatTakesTooManyLabelsLeavesAGap() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    Tuning tuning;
    tuning.labels = {.few = 2, .most = 2, .narrow = 0.05};
    int gaps = 0;
    const int count = instances(0.2);
    for (int k = 0; k < count; ++k) {
      const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
      const Problem p = randomInstance(seed, f);
      const Outcome truth = solveExhaustively(p), solved = solve(p, {}, nullptr, tuning);
      if (!solved.cutShort()) {
        QCOMPARE(mistake(p, solved, truth), std::string());
        continue;
      }
      ++gaps;
      QCOMPARE(solved.stopCause, StopCause::MemoryLimit);
      const double infinite = std::numeric_limits<double>::infinity();
      const auto timeOf = [&](const Outcome& o) {
        return o.best() ? o.best()->evaluation.batchTime.value() : infinite;
      };
      QVERIFY(timeOf(solved) >= timeOf(truth) * (1 - 1e-9));
      QVERIFY2(solved.lowerBound.value() <= timeOf(truth) * (1 + 1e-9), describe(p).c_str());
      QVERIFY(solved.lowerBound.value() > 0);
    }
    qInfo("%d of %d left a gap", gaps, count);
    QVERIFY(gaps > count / 100);
  }
  /// A beam of one label or a few before every solve that looks at more than a few states; and bounds that
  /// know where stages stand.
  void guessesBeforehand() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    f.schedules = true;
    for (const std::size_t width : {1, 8}) {
      Variation guessed;
      guessed.solver = [=](const Problem& p) {
        Tuning tuning;
        tuning.guesses = {.far = 1, .states = 3, .width = width, .layers = 1};
        tuning.statesWithoutSites = -1;
        return solve(p, {}, nullptr, tuning);
      };
      QCOMPARE(wrong(f, 0.2, guessed), 0);
    }
  }
  /// Where one strategy for all stages was left before anything was looked at, or soon, nothing is missed.
  void oneStrategyIsLeftForStrategiesPerStage() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    f.dags = false;
    f.schedules = true;
    for (const auto& [share, states] : {std::pair(0.0, 1'000'000LL), {1.0, 10LL}}) {
      Variation left;
      left.solver = [=](Problem p) {
        p.search.deadlineSeconds = 3600;
        Tuning tuning;
        tuning.firstShare = share, tuning.firstStates = states;
        return solve(p, {}, nullptr, tuning);
      };
      QCOMPARE(wrong(f, 0.2, left), 0);
    }
  }
  /// Stages of which many layers, and some of the cuts, are given.
  void pinnedStages() {
    InstanceFeatures f;
    f.dags = f.constraints = f.interleave = false;
    f.schedules = true;
    f.freeStrategies = 0.6;
    Variation pinned;
    pinned.change = pinnedLayers;
    QCOMPARE(wrong(f, 0.3, pinned), 0);
    f.dags = true;
    QCOMPARE(wrong(f, 0.1, pinned), 0);
  }
  void chainsWithConstraints() {
    InstanceFeatures f = uniformStrategyChain();
    f.constraints = true;
    QCOMPARE(wrong(f, 0.15), 0);
  }
  void interleaved() {
    InstanceFeatures f = uniformStrategyChain();
    f.interleave = true;
    QCOMPARE(wrong(f, 0.1), 0);
  }
  void dags() {
    InstanceFeatures f = uniformStrategyChain();
    f.dags = true;
    QCOMPARE(wrong(f, 0.1), 0);
  }
  void everythingWithOneStrategy() {
    InstanceFeatures f;
    f.strategyPerStage = false;
    QCOMPARE(wrong(f, 0.35), 0);
  }

  void everything() { QCOMPARE(wrong({}, 0.5), 0); }
  /// What a program cannot run is not searched, and all else is.
  void whatProgramsRun() {
    int bad = 0, kept = 0;
    const int count = instances(0.3);
    for (int k = 0; k < count; ++k) {
      const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
      Problem p = randomInstance(seed, {});
      p.search.preset = SearchPreset::Runnable;
      const Outcome free = solve(p);
      p.program = {&programs()[seed % programs().size()]};
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      const std::string what = mistake(p, solved, truth);
      kept += free.best() && (!solved.best() || solved.best()->plan != free.best()->plan);
      if (what.empty()) continue;
      if (++bad <= 5)
        qWarning("seed %llu, %s: %s (%s)", static_cast<unsigned long long>(seed), toText(p.program).c_str(),
                 what.c_str(), describe(p).c_str());
    }
    qInfo("another optimum %d times", kept);
    QCOMPARE(bad, 0);
    QVERIFY(kept > 5);
  }

  /// First and last parts with a block less, or with none.
  void interleavedWithShorterEnds() {
    InstanceFeatures f = uniformStrategyChain();
    f.interleave = f.shorterEnds = true;
    f.interleaved = 1;
    QCOMPARE(wrong(f, 0.1), 0);
    f.strategyPerStage = f.constraints = true;
    f.freeStrategies = 1;
    QCOMPARE(wrong(f, 0.1), 0);
  }

  /// State sharded over some of the replicas, and gradients all-reduced between the copies.
  void shardGroups() {
    InstanceFeatures f = uniformStrategyChain();
    f.shardGroups = true;
    QCOMPARE(wrong(f, 0.2), 0);
  }
  /// Experts whole on a rank, in groups across tensor, context and replicas.
  void foldedExperts() {
    InstanceFeatures f = uniformStrategyChain();
    f.foldedExperts = true;
    QCOMPARE(wrong(f, 0.2), 0);
  }
  void everythingWithShardGroupsAndFoldedExperts() {
    InstanceFeatures f;
    f.shardGroups = f.foldedExperts = true;
    QCOMPARE(wrong(f, 0.3), 0);
  }

  void schedulesOnChains() {
    InstanceFeatures f = uniformStrategyChain();
    f.schedules = f.interleave = f.constraints = true;
    QCOMPARE(wrong(f, 0.3), 0);
  }
  void schedulesOnAnyGraph() {
    InstanceFeatures f;
    f.schedules = true;
    f.strategyPerStage = false;
    QCOMPARE(wrong(f, 0.3), 0);
    f.strategyPerStage = true;
    f.freeStrategies = 0.7;
    QCOMPARE(wrong(f, 0.3), 0);
    f.extremes = true;
    QCOMPARE(wrong(f, 0.1), 0);
  }
  void schedulesWithShardGroupsAndFoldedExperts() {
    InstanceFeatures f;
    f.schedules = f.shardGroups = f.foldedExperts = true;
    QCOMPARE(wrong(f, 0.2), 0);
  }
  /// Three stages of two chunks, each with a strategy of its own.
  void interleavedWithAStrategyForEachStage() {
    InstanceFeatures f;
    f.freeStrategies = 1;
    f.interleaved = 1;
    f.threeStages = true;
    f.mostPlans = 40000;
    QCOMPARE(wrong(f, 0.05), 0);
  }
  /// Figures far from the usual.
  void extremes() {
    InstanceFeatures f;
    f.extremes = true;
    QCOMPARE(wrong(f, 0.1), 0);
  }

  /// Devices that hold exactly what some plan needs hold it in the search and in the evaluator alike.
  void memoryToTheByte() {
    InstanceFeatures f;
    f.memoryToTheByte = true;
    QCOMPARE(wrong(f, 0.1), 0);
  }
};
NEST_TEST(TestSolverExact)
#include "test_solver_exact.moc"
