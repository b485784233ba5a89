#include <QtTest/QTest>

#include "formats/scenario/scenario_json.h"
#include "solver/solve.h"
#include "study/sensitivity.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Small instances that the exact search proves optimal, with a best plan.
std::vector<std::pair<Problem, RankedPlan>> solvedInstances(int wanted) {
  test::InstanceFeatures f = test::uniformStrategyChain();
  f.mostPlans = 1500;
  std::vector<std::pair<Problem, RankedPlan>> out;
  for (std::uint64_t seed = 100; static_cast<int>(out.size()) < wanted && seed < 400; ++seed) {
    Problem p = test::randomInstance(seed, f);
    const Outcome o = solve(p);
    if (o.status == OutcomeStatus::Optimal && p.cluster->deviceCount() > 2)
      out.emplace_back(std::move(p), *o.best());
  }
  return out;
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

/// As somebody would edit the scenario.
Scenario edited(Scenario s, const Lever& lever, double factor) {
  LevelSpec& level = std::get<LevelsSource>(s.cluster.network).levels[static_cast<std::size_t>(lever.level)];
  if (lever.kind == Lever::Kind::Bandwidth)
    level.bandwidth *= factor;
  else
    level.latency *= factor;
  return s;
}

}  // namespace

class TestSensitivity : public QObject {
  Q_OBJECT
private slots:
  void leversAreIdentitiesAtOne() {
    for (const auto& [p, best] : solvedInstances(10))
      for (const Lever& lever : leversOf(p)) {
        const Evaluation again = evaluate(pulled(p, lever, 1), best.plan);
        QVERIFY2(std::abs(again.batchTime / best.evaluation.batchTime - 1) < 1e-12, nameOf(p, lever).c_str());
        QCOMPARE(again.stages.front().memory.capacity.value(),
                 best.evaluation.stages.front().memory.capacity.value());
      }
  }

  void improvementsNeverWorsen() {
    int better = 0;
    for (const auto& [p, best] : solvedInstances(12)) {
      const auto ranked = rankImprovements(p, best);
      QCOMPARE(ranked.size(), leversOf(p).size());
      for (std::size_t i = 0; i < ranked.size(); ++i) {
        // A cluster that grows by less than a host stays as it is; one of uneven hosts is not the same
        // cluster repeated.
        if (ranked[i].lever.kind != Lever::Kind::Devices)
          QVERIFY2(ranked[i].change <= 1e-9, ranked[i].sentence.c_str());
        if (i > 0) QVERIFY(ranked[i - 1].change <= ranked[i].change);
        better += ranked[i].change < -1e-6 ? 1 : 0;
        QVERIFY(ranked[i].sentence.rfind(ranked[i].what, 0) == 0);
      }
    }
    QVERIFY(better > 12);
  }

  void aLevelHeldBackByTheOneInsideRisesWithIt() {
    const Scenario scenario = heldBack();
    const auto typed = levelsAsTyped(scenario.cluster);
    const Problem p = *buildProblem(scenario);
    QCOMPARE(p.cluster->level(1).bandwidth, BytesPerSecond(10e9));
    const Outcome now = solve(p);
    QVERIFY(now.best());
    int levels = 0;
    for (const Improvement& i : rankImprovements(p, *now.best(), 0.25, {}, typed)) {
      if (i.lever.level < 0) continue;
      ++levels;
      const Problem there = *buildProblem(edited(scenario, i.lever, i.factor));
      const Problem pull = pulled(p, i.lever, i.factor, typed);
      for (int l = 0; l < 2; ++l) QVERIFY(pull.cluster->level(l) == there.cluster->level(l));
      const Outcome other = solve(there);
      QVERIFY(std::abs(i.batchTime / other.best()->evaluation.batchTime - 1) < 1e-12);
    }
    QCOMPARE(levels, 4);
    const Lever inner{Lever::Kind::Bandwidth, 0}, outer{Lever::Kind::Bandwidth, 1};
    QCOMPARE(pulled(p, inner, 1.25, typed).cluster->level(1).bandwidth, BytesPerSecond(12.5e9));
    QCOMPARE(pulled(p, outer, 1.25, typed).cluster->level(1).bandwidth, BytesPerSecond(10e9));
    QCOMPARE(valueOf(p, outer, typed), 30e9);
    // Figures of another state of the scenario are none of this problem's.
    auto others = typed;
    others[0].bandwidth = BytesPerSecond(7e9);
    QCOMPARE(pulled(p, inner, 1.25, others).cluster->level(1).bandwidth, BytesPerSecond(10e9));
  }

  void flipsAreWhereThePlanChanges() {
    int flips = 0;
    for (const auto& [p, best] : solvedInstances(12)) {
      for (const Lever& lever : {Lever{Lever::Kind::Bandwidth, 0}, Lever{Lever::Kind::Memory, -1}}) {
        BreakEvenRange range;
        range.steps = 4;
        range.anyChange = true;
        for (const BreakEven& b : breakEvens(p, best, lever, range)) {
          ++flips;
          const Problem there = pulled(p, lever, b.factor);
          const Evaluation mine = evaluate(there, best.plan), other = evaluate(there, b.plan);
          QVERIFY(other.feasible());
          QVERIFY(!mine.feasible() || other.batchTime < mine.batchTime);
          // A little closer to the present value the present plan still holds its ground.
          QVERIFY(std::abs(b.factor / b.heldAt - 1) < 0.011);
          const Problem near = pulled(p, lever, b.heldAt);
          const Evaluation held = evaluate(near, best.plan);
          const Outcome o = solve(near);
          QVERIFY2(held.feasible() && o.best() &&
                       o.best()->evaluation.batchTime.value() >= held.batchTime.value() * (1 - 1e-9),
                   b.sentence.c_str());
        }
      }
    }
    QVERIFY(flips > 3);
  }

  void failuresLoseTheirDevices() {
    int planned = 0;
    for (const auto& [p, best] : solvedInstances(8)) {
      const auto ranked = rankFailures(p, best);
      QVERIFY(!ranked.empty());
      bool sawHost = false;
      for (const Failure& f : ranked) {
        QVERIFY(static_cast<int>(f.positions.size()) < p.cluster->deviceCount());
        sawHost = sawHost || f.positions.size() > 0;
        // A group is called as it is drawn.
        for (int l = 1; l < p.cluster->levelCount() && !f.positions.empty(); ++l)
          if (f.what.starts_with(p.cluster->level(l).name + " "))
            QCOMPARE(f.what, p.cluster->groupName(l, p.cluster->groupOf(l, f.positions.front())));
        if (f.status != OutcomeStatus::Infeasible && f.positions.empty()) QVERIFY(f.change >= -1e-9);
        if (f.status != OutcomeStatus::Optimal || f.positions.empty()) continue;
        const Problem left = withoutDevices(p, f.positions);
        const Outcome o = solve(left);
        QVERIFY(o.best());
        QVERIFY(std::abs(o.best()->evaluation.batchTime / f.batchTime - 1) < 1e-9);
        QCOMPARE(f.devicesIdle, left.cluster->deviceCount() - o.best()->plan.devicesUsed());
        ++planned;
      }
      QVERIFY(sawHost);
    }
    QVERIFY(planned > 8);
  }

  /// A level that the one inside holds back loses half of what was typed, not of what is left of it.
  void aDegradedLevelIsHalfOfWhatWasTyped() {
    for (const auto& [p, best] : solvedInstances(12)) {
      if (p.cluster->levelCount() < 2) continue;
      std::vector<NetworkLevel> typed;
      for (int l = 0; l < p.cluster->levelCount(); ++l) typed.push_back(p.cluster->level(l));
      typed[1].bandwidth = typed[0].bandwidth * 4;
      Problem held = p;
      held.cluster = std::make_shared<const Hierarchy>(p.cluster->withLevels(typed));
      const Outcome o = solve(held);
      if (!o.best()) continue;
      const std::string what = "half the bandwidth of level " + typed[1].name;
      for (const Failure& f : rankFailures(held, *o.best(), {}, typed))
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
    Problem p;
    RankedPlan best;
    for (const auto& [problem, plan] : solvedInstances(12)) {
      std::vector<double> told;
      Control control;
      control.progress = [&](const Progress& q) { told.push_back(q.fraction); };
      auto ranked = rankFailures(problem, plan, control);
      if (ranked.size() <= all.size()) continue;
      all = std::move(ranked), fractions = std::move(told), p = problem, best = plan;
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
    const auto cut = rankFailures(p, best, control);
    QCOMPARE(cut.size(), all.size());
    QVERIFY(std::any_of(cut.begin(), cut.end(),
                        [](const Failure& f) { return f.status == OutcomeStatus::Stopped; }));
    const auto again = rankFailures(p, best);
    for (std::size_t i = 0; i < all.size(); ++i) {
      QCOMPARE(again[i].what, all[i].what);
      QCOMPARE(again[i].batchTime, all[i].batchTime);
    }
  }

  void devicesAreRemovedAndRepeated() {
    const auto [p, best] = solvedInstances(1).front();
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
    const auto [p, best] = solvedInstances(1).front();
    std::stop_source stop;
    stop.request_stop();
    Control control;
    control.stop = stop.get_token();
    for (const Improvement& i : rankImprovements(p, best, 0.25, control))
      QCOMPARE(i.status, OutcomeStatus::Stopped);
    for (const Failure& f : rankFailures(p, best, control)) QCOMPARE(f.status, OutcomeStatus::Stopped);
    bool cutShort = false;
    QVERIFY(breakEvens(p, best, {Lever::Kind::Memory, -1}, {}, control, {}, &cutShort).empty());
    QVERIFY(cutShort);
  }
};
NEST_TEST(TestSensitivity)
#include "test_sensitivity.moc"
