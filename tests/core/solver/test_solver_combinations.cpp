#include <QtTest/QTest>
#include <cmath>
#include <limits>

#include "combined_instance.h"
#include "coverage.h"
#include "evaluation/evaluation.h"
#include "exactness.h"
#include "solver/even_hosts.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Of each instance its own mixture of what random instances may have, and of constraints that a plan meets.
Problem mixedInstance(std::uint64_t seed) {
  Dice dice(seed ^ 0x77);
  InstanceFeatures f;
  f.mostPlans = 4000;
  f.schedules = dice.chance(0.7);
  f.shardGroups = dice.chance(0.5);
  f.foldedExperts = dice.chance(0.5);
  f.freeStrategies = dice.chance(0.5) ? 1 : 0.2;
  f.interleaved = dice.chance(0.5) ? 1 : 0.3;
  f.threeStages = dice.chance(0.5);
  f.shorterEnds = dice.chance(0.2);
  f.extremes = dice.chance(0.15);
  f.memoryToTheByte = dice.chance(0.2);
  f.mostDevices = dice.between(6, 16);
  f.mostLayers = dice.between(4, 9);
  f.alike = dice.chance(0.2) ? 1 : 0.3;
  f.constraints = false;
  Problem p = randomInstance(seed, f);
  if (dice.chance(0.7)) p = constrainedAroundAPlan(p, seed);
  p.search.preset = SearchPreset::Free;
  p.search.topPlans = dice.between(1, 8);
  return p;
}

Problem scenarioOfAnyFields(std::uint64_t seed) {
  Problem p = problemOfAnyFields(seed, 4000);
  return seed % 2 == 0 ? constrainedAroundAPlan(p, seed) : p;
}

/// Several of the ways that long searches take, at once.
Tuning mixedTuning(Dice& dice) {
  Tuning t;
  if (dice.chance(0.3)) t.longChain = 0;
  if (dice.chance(0.3)) t.mostListed = 0;
  if (dice.chance(0.3))
    t.guesses = {.far = 1, .states = 3, .width = std::size_t(dice.between(1, 8)), .layers = 1};
  if (dice.chance(0.3)) t.statesWithoutSites = -1;
  if (dice.chance(0.3)) t.firstShare = dice.unit(), t.firstStates = dice.between(1, 100);
  if (dice.chance(0.2)) t.labels = {.few = dice.between(1, 4), .most = 1 << 20, .narrow = 0.05};
  if (dice.chance(0.3)) t.mostPriced = static_cast<std::size_t>(dice.between(0, 3));
  return t;
}

/// What a search that was ended early says is true.
std::string mistakeOfLimited(const Outcome& limited, const Outcome& truth) {
  const double best =
      truth.best() ? truth.best()->evaluation.batchTime.value() : std::numeric_limits<double>::infinity();
  const RankedPlan* found = limited.best();
  const double time = found ? found->evaluation.batchTime.value() : std::numeric_limits<double>::infinity();
  if (limited.status == OutcomeStatus::Failed) return "failed";
  if (time < best * (1 - 1e-9)) return "found " + timed(found) + ", which is none of the plans";
  if (limited.status == OutcomeStatus::Optimal && !same(time, best)) return timed(found) + " is not optimal";
  if (limited.status == OutcomeStatus::Infeasible && truth.best()) return "some plans fit";
  if (limited.status != OutcomeStatus::Infeasible && limited.lowerBound.value() > best * (1 + 1e-9))
    return "its bound is above the optimum";
  return {};
}

/// All ways to solve one instance against the enumeration of everything.
std::string mistakeOf(const Problem& p, std::uint64_t seed, Coverage& coverage) {
  const Outcome truth = solveExhaustively(p);
  coverage.add(p, truth.best());
  Dice dice(seed ^ 0x7a11);
  const auto of = [&](const Outcome& o) {
    std::string what = mistake(p, o, truth);
    return what.empty() ? mistakeBesides(p, o, truth) : what;
  };
  if (std::string what = of(solve(p)); !what.empty()) return what;
  Problem patient = p;
  if (dice.chance(0.5)) patient.search.deadlineSeconds = 3600;
  if (std::string what = of(solve(patient, {}, nullptr, mixedTuning(dice))); !what.empty())
    return what + ", as if large";
  Control limited;
  limited.work = std::make_shared<WorkLimit>(dice.between(1, 60));
  if (std::string what = mistakeOfLimited(solve(p, limited, nullptr, mixedTuning(dice)), truth);
      !what.empty())
    return what + ", with a work limit";
  const Outcome even = solveOnEvenHosts(p);
  if (even.status == OutcomeStatus::Failed) return "failed on even hosts";
  for (const RankedPlan& r : even.plans)
    if (!evaluate(p, r.plan).feasible()) return "a plan on even hosts breaks a rule";
  // Under the preset "runnable" tensor groups of the parts of hosts are on offer there alone.
  if (p.search.preset == SearchPreset::Free && truth.best() &&
      even.best()->evaluation.batchTime.value() > truth.best()->evaluation.batchTime.value() * (1 + 1e-9))
    return "slower on even hosts";
  return {};
}

/// The problem without one of the options that the plan uses.
Problem without(const Plan& plan, int option, Problem p) {
  SearchOptions& s = p.search;
  const bool plain = plan.schedule == ScheduleKind::OneForwardOneBackward;
  switch (option) {
    case 0:
      s.zeroStages = {plan.zero == 0 ? 1 : 0};
      break;
    case 1: {
      const bool none = plan.stages.front().recompute == Recompute::None;
      s.recompute = {!none, none, false};
      break;
    }
    case 2:
      s.schedules = {plain ? ScheduleKind::ZbH1 : ScheduleKind::OneForwardOneBackward};
      break;
    case 3:
      s.chunksPerStage = {plan.chunksPerStage() + 1};
      break;
    case 4:
      s.strategyPerStage = false;
      break;
    case 5:
      s.shardGroups = ShardGroups::All;
      break;
    case 6:
      if (p.job.microbatches.size() > 1) std::erase(p.job.microbatches, plan.microbatch);
      break;
    default:
      s.padLastMicrobatch = false;
      break;
  }
  return p;
}

int wrongOf(Problem (*instance)(std::uint64_t), double share) {
  int bad = 0;
  const int count = instances(share);
  Coverage coverage;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const Problem p = instance(seed);
    const std::string what = mistakeOf(p, seed, coverage);
    if (what.empty()) continue;
    if (++bad <= 5)
      qWarning("seed %llu: %s (%s)", static_cast<unsigned long long>(seed), what.c_str(),
               describe(p).c_str());
  }
  qInfo("%d instances, %d wrong", count, bad);
  InstanceFeatures all;
  all.schedules = all.shardGroups = true;
  if (const std::string missing = instance == mixedInstance ? coverage.missing(all) : ""; !missing.empty()) {
    qWarning("too few optima with %s", missing.c_str());
    ++bad;
  }
  return bad;
}

}  // namespace

/// Everything at once: best plans, runners-up, fronts and what is said after an early end, against the
/// enumeration of everything.
class TestSolverCombinations : public QObject {
  Q_OBJECT
private slots:
  void instancesOfEveryMixture() { QCOMPARE(wrongOf(mixedInstance, 0.4), 0); }
  /// What people write in scenarios, from the file to the plan: measured on analytic profiles, where layers
  /// are alike.
  void scenariosOfAnyFields() { QCOMPARE(wrongOf(scenarioOfAnyFields, 0.2), 0); }
  /// A plan to begin from that the options or constraints rule out by now is none of the plans.
  void plansThatAreNoLongerSearchedAreForgotten() {
    int ruledOut = 0, kept = 0;
    const int count = instancesFrom(100);
    for (int k = 0; k < count; ++k) {
      const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
      const Problem before = mixedInstance(seed);
      const Outcome known = solve(before);
      if (!known.best()) continue;
      const Plan& start = known.best()->plan;
      const Outcome again = solve(before, {}, &start);
      QCOMPARE(mistake(before, again, solveExhaustively(before)), std::string());
      Control none;
      none.work = std::make_shared<WorkLimit>(0);
      kept += solve(before, none, &start).best() != nullptr;
      for (int option = 0; option < 8; ++option) {
        const Problem p = without(start, option, before);
        const std::string what = mistake(p, solve(p, {}, &start), solveExhaustively(p));
        QVERIFY2(what.empty(), (std::to_string(seed) + ", " + std::to_string(option) + ": " + what).c_str());
        ruledOut += !(p.search == before.search && p.job == before.job);
      }
    }
    QVERIFY(kept > count / 2 && ruledOut > count);
  }
  /// ZeRO on one device that nothing is sharded over is none of the plans, packed stages included.
  void packedStagesShardSomething() {
    for (const std::uint64_t seed : {85, 806, 1725}) {
      Problem p = mixedInstance(seed);
      Tuning t;
      t.guesses = {.far = 1, .states = 3, .width = 1, .layers = 1};
      QCOMPARE(mistake(p, solve(p, {}, nullptr, t), solveExhaustively(p)), std::string());
    }
  }
  /// The best plan's largest load is a billionth of what the plans known so far would allow.
  void loadsFarBelowThoseKnown() {
    for (const std::uint64_t seed : {12161, 14670}) {
      const Problem p = mixedInstance(seed);
      Tuning t;
      t.longChain = 0;
      const Outcome truth = solveExhaustively(p), solved = solve(p, {}, nullptr, t);
      QCOMPARE(mistake(p, solved, truth), std::string());
      QCOMPARE(mistakeBesides(p, solved, truth), std::string());
    }
  }
  /// The last layer's work is lost in that of the others: the only stage there is room for holds it as well.
  void lastLayersWithoutWork() {
    const Problem p = mixedInstance(14670);
    Tuning t;
    t.longChain = 0;
    t.firstStates = 5;
    QCOMPARE(mistake(p, solve(p, {}, nullptr, t), solveExhaustively(p)), std::string());
  }
  /// A second copy of shared parameters in a block is gathered beside what is in no block.
  void copiesOfSharedParametersAreGathered() {
    const Problem p = mixedInstance(1508);
    QVERIFY(p.profile->tied && p.assumptions.gathersGroups);
    QCOMPARE(mistakeBesides(p, solve(p), solveExhaustively(p)), std::string());
  }
};
NEST_TEST(TestSolverCombinations)
#include "test_solver_combinations.moc"
