#include <QtTest/QTest>
#include <algorithm>

#include "cluster/devices/device_catalog.h"
#include "formats/scenario/scenario_json.h"
#include "problem/device_count.h"
#include "solver/even_hosts.h"
#include "solver/solve.h"
#include "study/improvements.h"
#include "study/sensitivity.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

/// A setting whose problem is that instance's: its cluster as levels, its graph and profile as measured ones.
std::optional<Setting> settingOf(const Problem& p) {
  const Hierarchy& h = *p.cluster;
  if (!h.hasUniformDevices()) return std::nullopt;
  Setting s;
  LevelsSource levels;
  int inner = 1;
  for (int l = 0; l < h.levelCount(); ++l) {
    const int size = l + 1 == h.levelCount() ? h.deviceCount() : h.uniformGroupSize(l);
    if (size == 0 || size % inner != 0) return std::nullopt;
    LevelSpec level;
    level.name = h.level(l).name, level.fanout = size / inner;
    level.bandwidth = h.level(l).bandwidth, level.latency = h.level(l).latency;
    levels.levels.push_back(level);
    inner = size;
  }
  s.cluster.network = levels;
  s.cluster.device = *findDevice("h100-sxm");
  s.cluster.device.memory = h.device().memory;
  s.model.graph = p.graph, s.model.profile = p.profile;
  s.job = p.job, s.search = p.search, s.constraints = p.constraints, s.assumptions = p.assumptions;
  return buildProblem(s) ? std::optional(s) : std::nullopt;
}

struct Planned {
  Setting setting;
  Problem problem;
  RankedPlan best;
};

/// Small instances that the exact search proves optimal, as settings.
std::vector<Planned> solvedSettings(int wanted) {
  test::InstanceFeatures f = test::uniformStrategyChain();
  f.mostPlans = 1500;
  f.deviceFactors = false;
  std::vector<Planned> out;
  for (std::uint64_t seed = 100; static_cast<int>(out.size()) < wanted && seed < 1200; ++seed) {
    const auto setting = settingOf(test::randomInstance(seed, f));
    if (!setting) continue;
    Problem p = *buildProblem(*setting);
    const Outcome o = solve(p);
    if (o.status == OutcomeStatus::Optimal && p.cluster->deviceCount() > 2)
      out.push_back({*setting, std::move(p), *o.best()});
  }
  return out;
}

Parameter named(const Setting& s, const char* key) {
  return {fieldAt(s, key).value()};
}

/// The teaching sample with an outer level that is typed faster than the one inside it.
Scenario heldBack() {
  auto scenario =
      readScenario(test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json"),
                   "teaching", {});
  auto& levels = std::get<LevelsSource>(scenario->cluster.network).levels;
  levels[0].bandwidth = BytesPerSecond(10e9);
  levels[1].bandwidth = BytesPerSecond(60e9);
  levels[1].oversubscription = 2;
  levels[0].latency = Seconds(5e-6);
  levels[1].latency = Seconds(2e-6);
  return std::move(*scenario);
}

}  // namespace

class TestSensitivity : public QObject {
  Q_OBJECT
private slots:
  void theValueThatIsThereChangesNothing() {
    const auto all = solvedSettings(10);
    QCOMPARE(all.size(), std::size_t(10));
    for (const auto& [s, p, best] : all)
      for (const Parameter& parameter : parametersOf(s)) {
        const auto now = valueOf(s, p, parameter);
        if (!now) continue;
        const auto there = problemAt(s, p, parameter, *now);
        QVERIFY2(there, parameter.name().c_str());
        const Evaluation again = evaluate(*there, best.plan);
        QVERIFY2(std::abs(again.batchTime / best.evaluation.batchTime - 1) < 1e-12, parameter.name().c_str());
        QCOMPARE(again.stages.front().memory.capacity.value(),
                 best.evaluation.stages.front().memory.capacity.value());
      }
  }

  void improvementsNeverWorsen() {
    int better = 0;
    const auto all = solvedSettings(12);
    QCOMPARE(all.size(), std::size_t(12));
    for (const auto& [s, p, best] : all) {
      const auto ranked = rankImprovements(s, p, best);
      QVERIFY(ranked.size() >= 5);
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        // A cluster of uneven hosts is not the same cluster repeated.
        if (!ranked[i].parameter.isDevices()) QVERIFY2(ranked[i].change <= 1e-9, ranked[i].sentence.c_str());
        if (i > 0) QVERIFY(ranked[i - 1].change <= ranked[i].change);
        better += ranked[i].change < -1e-6 ? 1 : 0;
        QVERIFY(ranked[i].sentence.rfind(ranked[i].what, 0) == 0);
      }
    }
    QVERIFY(better > 12);
  }

  /// Any number of the scenario can be asked for, whichever way is better: judged by the time for each token.
  void everyNumberCanBeRanked() {
    const Scenario scenario = heldBack();
    const Problem p = *buildProblem(scenario);
    const Outcome now = solve(p);
    int asked = 0, moved = 0;
    for (const Parameter& parameter : parametersOf(scenario)) {
      if (!valueOf(scenario, p, parameter)) continue;
      ++asked;
      const auto ranked = rankImprovements(scenario, p, *now.best(), 0.25, {}, {parameter});
      QVERIFY(ranked.size() <= 1);
      if (ranked.empty()) continue;  // it is at its limit
      QVERIFY(ranked[0].to != ranked[0].from);
      QVERIFY2(ranked[0].what.find(parameter.name()) != std::string::npos, ranked[0].what.c_str());
      const auto there = problemAt(scenario, p, parameter, ranked[0].to);
      const Outcome o = solve(*there);
      QVERIFY(std::abs(o.best()->evaluation.batchTime / ranked[0].batchTime - 1) < 1e-12);
      ++moved;
    }
    QVERIFY(asked > 40);
    QVERIFY(moved > 30);
    // Twice the batch takes less for each sequence.
    const auto batch =
        rankImprovements(scenario, p, *now.best(), 0.25, {}, {named(scenario, "job.global_batch")});
    QCOMPARE(batch[0].to, 2 * batch[0].from);
    QVERIFY(batch[0].change < 0 && batch[0].batchTime > now.best()->evaluation.batchTime);
  }

  void aLevelHeldBackByTheOneInsideRisesWithIt() {
    const Scenario scenario = heldBack();
    const Problem p = *buildProblem(scenario);
    QCOMPARE(p.cluster->level(1).bandwidth, BytesPerSecond(10e9));
    const Parameter inner = named(scenario, "cluster.levels.0.bandwidth");
    const Parameter outer = named(scenario, "cluster.levels.1.bandwidth");
    QCOMPARE(problemAt(scenario, p, inner, 12.5e9)->cluster->level(1).bandwidth, BytesPerSecond(12.5e9));
    QCOMPARE(problemAt(scenario, p, outer, 75e9)->cluster->level(1).bandwidth, BytesPerSecond(10e9));
    QCOMPARE(*valueOf(scenario, p, outer), 60e9);
    // Both at once, and the device count with them.
    const auto both = problemAt(scenario, p, {{Parameter{}, 8}, {inner, 20e9}});
    QCOMPARE(both->cluster->deviceCount(), 8);
    QCOMPARE(both->cluster->level(1).bandwidth, BytesPerSecond(20e9));
  }

  void valuesToStudyHoldThePresentOne() {
    const Scenario scenario = heldBack();
    const Problem p = *buildProblem(scenario);
    for (const Parameter& parameter : parametersOf(scenario))
      for (const bool fine : {false, true}) {
        const auto values = studyValues(scenario, p, parameter, fine);
        QVERIFY2(values.size() > 1, parameter.name().c_str());
        QVERIFY(std::is_sorted(values.begin(), values.end()));
        const auto now = valueOf(scenario, p, parameter);
        QVERIFY2(!now || std::find(values.begin(), values.end(), *now) != values.end(),
                 parameter.name().c_str());
      }
  }

  void flipsAreWhereThePlanChanges() {
    int flips = 0;
    for (const auto& [s, p, best] : solvedSettings(12)) {
      for (const char* key : {"cluster.levels.0.bandwidth", "cluster.device.memory",
                              "assumptions.overlap.data", "job.global_batch"}) {
        const Parameter parameter = named(s, key);
        BreakEvenRange range;
        range.steps = 4;
        range.anyChange = true;
        for (const BreakEven& b : breakEvens(s, p, best, parameter, range)) {
          ++flips;
          const Problem there = *problemAt(s, p, parameter, b.at);
          const Evaluation mine = evaluate(there, best.plan), other = evaluate(there, b.plan);
          QVERIFY(other.feasible());
          QVERIFY(!mine.feasible() || other.batchTime < mine.batchTime);
          // A little closer to the present value the present plan still holds its ground.
          if (parameter.field->field->slide == Slide::Log) QVERIFY(std::abs(b.at / b.heldAt - 1) < 1.1e-4);
          const Problem near = *problemAt(s, p, parameter, b.heldAt);
          const Evaluation held = evaluate(near, best.plan);
          const Outcome o = solve(near);
          QVERIFY2(held.feasible() && o.best() &&
                       o.best()->evaluation.batchTime.value() >= held.batchTime.value() * (1 - 1e-9),
                   b.sentence.c_str());
        }
      }
    }
    QVERIFY(flips > 6);
  }

  /// Exchanges sustain all of what was measured. A level that is moved keeps that: no link efficiency falls
  /// on it.
  void aMeasuredLevelStaysMeasured() {
    int improved = 0;
    for (auto [s, p, best] : solvedSettings(12)) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      for (LevelSpec& level : levels) level.origin = Origin::Measured;
      s.assumptions.linkEfficiency = 0.6;
      const Problem measured = *buildProblem(s);
      const Outcome now = solve(measured);
      if (now.status != OutcomeStatus::Optimal) continue;
      const Parameter bandwidth = named(s, "cluster.levels.0.bandwidth");
      for (const double factor : {0.75, 1.25}) {
        const double value = levels[0].bandwidth.value() * factor;
        Setting typed = s;
        std::get<LevelsSource>(typed.cluster.network).levels[0].bandwidth = BytesPerSecond(value);
        const Problem there = *problemAt(s, measured, bandwidth, value), expected = *buildProblem(typed);
        QCOMPARE(there.cluster->level(0).sustained().value(), expected.cluster->level(0).sustained().value());
      }
      for (const Improvement& i : rankImprovements(s, measured, *now.best(), 0.25, {}, {bandwidth})) {
        QVERIFY2(i.change <= 1e-9, i.sentence.c_str());
        ++improved;
      }
    }
    QVERIFY(improved > 0);
  }

  /// What is printed is right to its digits: a little beyond it another plan is best, a little before it the
  /// present one still is.
  void breakEvensAreRightToTheirDigits() {
    int told = 0, beside = 0;
    for (const auto& [s, p, best] : solvedSettings(12))
      for (const char* key : {"cluster.levels.0.bandwidth", "assumptions.overlap.data",
                              "job.optimizer.optimizer_bytes_per_parameter"}) {
        const Parameter parameter = named(s, key);
        const double now = *valueOf(s, p, parameter);
        BreakEvenRange range;
        range.anyChange = true;
        for (const BreakEven& b : breakEvens(s, p, best, parameter, range)) {
          ++told;
          const auto isBest = [&](double value) {
            const Problem there = *problemAt(s, p, parameter, value);
            const Evaluation mine = evaluate(there, best.plan);
            const Outcome o = solve(there);
            return mine.feasible() &&
                   o.best()->evaluation.batchTime.value() >= mine.batchTime.value() * (1 - 1e-9);
          };
          const Problem beyond = *problemAt(s, p, parameter, b.at);
          const Evaluation mine = evaluate(beyond, best.plan), other = evaluate(beyond, b.plan);
          QVERIFY2(other.feasible() && (!mine.feasible() || other.batchTime < mine.batchTime),
                   b.sentence.c_str());
          QVERIFY2(isBest(b.heldAt), b.sentence.c_str());
          // Of the way from the present value to the flip nine tenths and more are known to change nothing.
          const bool isBeside = b.value.starts_with('>') || b.value.starts_with('<');
          beside += isBeside;
          QVERIFY2(isBeside || std::abs(b.heldAt - now) >= 0.95 * std::abs(b.at - now), b.sentence.c_str());
        }
      }
    qInfo("%d flips, %d of them beside the present value", told, beside);
    QVERIFY(told > 3);
  }

  /// No more digits than the search knows, and nothing that no run has.
  void flipsAreToldInFewDigits() {
    int told = 0;
    for (const auto& [s, p, best] : solvedSettings(12))
      for (const Parameter& parameter : parametersOf(s)) {
        if (parameter.isDevices() || parameter.field->field->access.measure != Measure::Number) continue;
        for (const BreakEven& b : breakEvens(s, p, best, parameter)) {
          ++told;
          QVERIFY2(b.value.size() <= 9, b.sentence.c_str());
          QVERIFY2(b.factor >= 1.0 / 16.0 - 1e-9 || b.factor == 0, b.sentence.c_str());
        }
      }
    QVERIFY(told > 0);
  }
  void failuresLoseTheirDevices() {
    int planned = 0, slowed = 0;
    for (const auto& [s, p, inOrder] : solvedSettings(8)) {
      const auto ranked = rankFailures(s, p, *solveOnEvenHosts(p).best());
      QVERIFY(!ranked.empty());
      // The costliest first; what cannot be planned at all leads.
      const auto cost = [](const Failure& f) {
        return f.status == OutcomeStatus::Infeasible ? 1e300 : f.change;
      };
      QVERIFY(std::is_sorted(ranked.begin(), ranked.end(),
                             [&](const Failure& a, const Failure& b) { return cost(a) > cost(b); }));
      bool sawHost = false;
      for (const Failure& f : ranked) {
        QVERIFY(static_cast<int>(f.positions.size()) < p.cluster->deviceCount());
        sawHost = sawHost || f.positions.size() > 0;
        // A group is called as it is drawn.
        for (int l = 1; l < p.cluster->levelCount() && !f.positions.empty(); ++l)
          if (f.what.starts_with(p.cluster->level(l).name + " "))
            QCOMPARE(f.what, p.cluster->groupName(l, p.cluster->groupOf(l, f.positions.front())));
        if (f.status != OutcomeStatus::Infeasible && f.positions.empty()) QVERIFY(f.change >= -1e-9);
        // A level at half its bandwidth costs what the scenario costs with half of it typed.
        const bool isPlanned = f.status == OutcomeStatus::Optimal || f.status == OutcomeStatus::WithinGap;
        for (int l = 0; isPlanned && l < p.cluster->levelCount(); ++l) {
          if (f.what != "half the bandwidth of level " + p.cluster->level(l).name) continue;
          Setting slow = s;
          std::get<LevelsSource>(slow.cluster.network).levels[l].bandwidth *= 0.5;
          const Outcome o = solveOnEvenHosts(*buildProblem(slow));
          QVERIFY(o.best() && std::abs(o.best()->evaluation.batchTime / f.batchTime - 1) < 1e-9);
          slowed += std::abs(f.change) > 1e-6;
        }
        if (!isPlanned || f.positions.empty()) continue;
        const Problem left = withoutDevices(p, f.positions);
        const Outcome o = solveOnEvenHosts(left);
        QVERIFY(o.best());
        QVERIFY(std::abs(o.best()->evaluation.batchTime / f.batchTime - 1) < 1e-9);
        QCOMPARE(f.devicesIdle, left.cluster->deviceCount() - o.best()->plan.devicesUsed());
        ++planned;
      }
      QVERIFY(sawHost);
    }
    QVERIFY(planned > 8);
    QVERIFY(slowed > 0);
  }

  /// A level that the one inside holds back loses half of what was typed, not of what is left of it.
  void aDegradedLevelIsHalfOfWhatWasTyped() {
    for (const auto& [setting, p, best] : solvedSettings(12)) {
      if (p.cluster->levelCount() < 2) continue;
      Setting held = setting;
      auto& levels = std::get<LevelsSource>(held.cluster.network).levels;
      levels[1].bandwidth = levels[0].bandwidth * 2;  // half of it is as fast as the one inside
      const Problem problem = *buildProblem(held);
      const Outcome o = solve(problem);
      if (!o.best()) continue;
      const std::string what = "half the bandwidth of level " + levels[1].name;
      for (const Failure& f : rankFailures(held, problem, *o.best()))
        if (f.what == what) {
          QVERIFY(std::abs(f.change) < 1e-12);
          return;
        }
    }
    QFAIL("no instance has two levels");
  }

  /// Told as they are done, one call at a time, and stopped by the caller in between.
  void failuresTellTheirProgress() {
    std::vector<double> fractions;
    std::vector<Failure> all;
    Planned most;
    for (const Planned& one : solvedSettings(12)) {
      std::vector<double> told;
      Control control;
      control.progress = [&](const Progress& q) { told.push_back(q.fraction); };
      auto ranked = rankFailures(one.setting, one.problem, one.best, control);
      if (ranked.size() <= all.size()) continue;
      all = std::move(ranked), fractions = std::move(told), most = one;
    }
    QVERIFY(all.size() > 4);
    QCOMPARE(fractions.size(), all.size() + 1);
    QVERIFY(std::is_sorted(fractions.begin(), fractions.end()));
    QCOMPARE(fractions.back(), 1.0);
    std::stop_source stop;
    Control control;
    control.stop = stop.get_token();
    control.progress = [&](const Progress& q) {
      if (q.fraction > 0) stop.request_stop();
    };
    const auto cut = rankFailures(most.setting, most.problem, most.best, control);
    QCOMPARE(cut.size(), all.size());
    QVERIFY(std::any_of(cut.begin(), cut.end(),
                        [](const Failure& f) { return f.status == OutcomeStatus::Stopped; }));
    const auto again = rankFailures(most.setting, most.problem, most.best);
    for (std::size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(again[i].what, all[i].what);
      QCOMPARE(again[i].batchTime, all[i].batchTime);
    }
  }

  void devicesAreRemovedAndRepeated() {
    const auto [s, p, best] = solvedSettings(1).front();
    const int n = p.cluster->deviceCount();
    QCOMPARE(withDeviceCount(p, 2 * n).cluster->deviceCount(), 2 * n);
    QCOMPARE(withoutDevices(p, {0, 1}).cluster->deviceCount(), n - 2);
    QCOMPARE(withDeviceCount(p, 1).cluster->deviceCount(), 1);
    // Too many: nothing would be left, so nothing is taken away.
    std::vector<int> all;
    for (int i = 0; i < n; ++i) all.push_back(i);
    QCOMPARE(withoutDevices(p, all).cluster->deviceCount(), n);
  }

  void stopsWhenAsked() {
    const auto [s, p, best] = solvedSettings(1).front();
    std::stop_source stop;
    stop.request_stop();
    Control control;
    control.stop = stop.get_token();
    for (const Improvement& i : rankImprovements(s, p, best, 0.25, control))
      QCOMPARE(i.status, OutcomeStatus::Stopped);
    for (const Failure& f : rankFailures(s, p, best, control)) QCOMPARE(f.status, OutcomeStatus::Stopped);
    bool cutShort = false;
    QVERIFY(breakEvens(s, p, best, named(s, "cluster.device.memory"), {}, control, &cutShort).empty());
    QVERIFY(cutShort);
  }
};
NEST_TEST(TestSensitivity)
#include "test_sensitivity.moc"
