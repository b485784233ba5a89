#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "changed_instance.h"
#include "core/plan/hand_problem.h"
#include "coverage.h"
#include "plan/evaluation.h"
#include "program/program.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// NEST_SEED: the first seed.
std::uint64_t firstSeed() {
  const char* asked = std::getenv("NEST_SEED");
  return asked ? std::strtoull(asked, nullptr, 10) : 0;
}

bool same(double a, double b) {
  return a == b || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

std::string timed(const RankedPlan* p) {
  return p ? std::to_string(p->evaluation.batchTime.value()) + " s, " + summaryOf(p->plan) : "nothing fits";
}

/// Empty if solve() is right about the instance, else what is wrong.
std::string mistake(const Problem& p, const Outcome& solved, const Outcome& truth) {
  if (solved.status != truth.status)
    return std::string(nameOf(solved.status)) + " instead of " + nameOf(truth.status) + "; found " +
           timed(solved.best()) + ", best " + timed(truth.best());
  if (!truth.best()) return solved.best() ? "a plan where nothing fits" : "";
  const double found = solved.best()->evaluation.batchTime.value(),
               best = truth.best()->evaluation.batchTime.value();
  if (!same(found, best)) return "found " + timed(solved.best()) + ", best " + timed(truth.best());
  if (!same(solved.lowerBound.value(), best)) return "the lower bound differs from the optimum";
  for (const RankedPlan& ranked : solved.plans) {
    const Evaluation again = evaluate(p, ranked.plan);
    if (!again.feasible()) return "a plan breaks a rule: " + again.violations.front().message;
    if (!same(again.batchTime.value(), ranked.evaluation.batchTime.value()))
      return "a plan re-evaluates to another time";
    if (ranked.evaluation.batchTime.value() < best * (1 - 1e-9)) return "a plan is faster than the best";
  }
  return {};
}

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

double peakMemory(const RankedPlan& p) {
  double most = 0;
  for (const StageEvaluation& s : p.evaluation.stages) most = std::max(most, s.memory.total().value());
  return most;
}

/// Empty if for each plan of `other` some plan of `front` is as good in all three figures, within rounding.
std::string covers(const std::vector<RankedPlan>& front, const std::vector<RankedPlan>& other,
                   const char* otherwise) {
  constexpr double kRounding = 1 + 1e-8;
  for (const RankedPlan& o : other) {
    const bool covered = std::any_of(front.begin(), front.end(), [&](const RankedPlan& f) {
      return f.evaluation.batchTime.value() <= o.evaluation.batchTime.value() * kRounding &&
             f.plan.devicesUsed() <= o.plan.devicesUsed() && peakMemory(f) <= peakMemory(o) * kRounding;
    });
    if (!covered) return timed(&o) + " " + otherwise + " ";
  }
  return {};
}

double optimum(const Problem& p) {
  const Outcome out = solve(p);
  return out.best() ? out.best()->evaluation.batchTime.value() : std::numeric_limits<double>::infinity();
}

/// How many of the changes made the optimum better; −1 if one made it worse (or, if `equal`, different), −2
/// if hardly any instance had a plan at all.
int improved(ChangedInstance (*change)(std::uint64_t), bool equal = false) {
  const int count = instancesFrom(120);
  int better = 0, fit = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const ChangedInstance c = change(seed);
    const double before = optimum(c.before), after = optimum(c.after);
    if (after > before * (1 + 1e-9) || (equal && after < before * (1 - 1e-9))) {
      qWarning("seed %llu: %.17g became %.17g (%s)", static_cast<unsigned long long>(seed), before, after,
               describe(c.before).c_str());
      return -1;
    }
    fit += std::isfinite(before);
    better += after < before * (1 - 1e-9);
  }
  return fit > count / 2 ? better : -2;
}

}  // namespace

/// solve() against the enumeration of everything.
class TestSolverExact : public QObject {
  Q_OBJECT
private slots:
  void chainsWithOneStrategy() { QCOMPARE(wrong(uniformStrategyChain(), 0.4), 0); }
  /// Every chain as if it were a long one: its largest load in ranges (6.7), a look at which comes first.
  void chainsAsIfLong() {
    InstanceFeatures f = uniformStrategyChain();
    // The fewer plans are asked for, the sooner there is a limit to narrow ranges by.
    const auto asIfLong = [](int topPlans, Tuning::LongChains longChains) {
      Variation v;
      v.solver = [=](Problem p) {
        p.search.topPlans = topPlans;
        Tuning tuning;
        tuning.longChains = longChains;
        return solve(p, {}, nullptr, tuning);
      };
      return v;
    };
    QCOMPARE(wrong(f, 0.2, asIfLong(1, {0, 0})), 0);
    QCOMPARE(wrong(f, 0.1, asIfLong(5, {0, 0})), 0);
    QCOMPARE(wrong(f, 0.1, asIfLong(1, {0, 0, 0.2, 1})), 0);
    f.constraints = true;
    QCOMPARE(wrong(f, 0.1, asIfLong(1, {0, 0})), 0);
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
      whole += solved.frontReach == FrontReach::Exact;
      const std::string what = covers(solved.front, truth.front, "is missed") +
                               covers(truth.front, solved.front, "is not of the front");
      if (what.empty() && solved.frontReach == FrontReach::Exact) continue;
      if (++bad <= 5)
        qWarning("seed %llu: %s front, %s (%s)", static_cast<unsigned long long>(seed),
                 nameOf(solved.frontReach), what.c_str(), describe(p).c_str());
    }
    qInfo("%d fronts, %d whole, %d plans in all", count, whole, points);
    QCOMPARE(bad, 0);
    QVERIFY(points > count && count > 0);
  }

  void moreBandwidthNeverWorsens() { QVERIFY(improved(moreBandwidth) > 10); }
  void lessLatencyNeverWorsens() { QVERIFY(improved(lessLatency) > 10); }
  void moreMemoryNeverWorsens() { QVERIFY(improved(moreMemory) > 5); }
  void fasterDevicesNeverWorsen() { QVERIFY(improved(fasterDevices) > 50); }
  void aLargerSearchNeverWorsens() { QVERIFY(improved(largerSearch) > 5); }
  void hostOrderDoesNotMatter() { QCOMPARE(improved(hostsInOtherOrder, true), 0); }
  void thePapersBoundIsNeverBelow() { QVERIFY(improved(pipelineObjective) > 5); }
  void splittingALayerNeverWorsens() { QVERIFY(improved(splitLayer) > 5); }
};
NEST_TEST(TestSolverExact)
#include "test_solver_exact.moc"
