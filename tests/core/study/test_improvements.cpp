#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "run/run_forecast.h"
#include "solver/even_hosts.h"
#include "study/improvements.h"
#include "study/report_parts.h"
#include "study/study_report.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

/// The teaching sample with a run that fails.
struct RunSample {
  Scenario scenario;
  Problem problem;
  RankedPlan best;

  explicit RunSample(Goal goal = Goal::TimePerToken, bool hasRun = true) {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    scenario = *readScenario(*readText(path), path, loaderBeside(path));
    scenario.job.trainingTokens = 1e12;
    scenario.search.goal = goal;
    if (hasRun) {
      RunOptions& r = scenario.run;
      r.hostFailures = 5, r.deviceFailures = 1;
      r.detection = Seconds(60), r.replacement = Seconds(300), r.start = Seconds(120);
      r.storeWrite = BytesPerSecond(1e8);
      r.pricePerDeviceHour = 2, r.devicePower = 500, r.repair = Seconds(86400);
    }
    solveAgain();
  }

  void solveAgain() {
    problem = *buildProblem(scenario);
    best = *solveOnEvenHosts(problem).best();
  }

  Parameter called(const char* key) const { return {fieldAt(scenario, key)}; }
  double days() const { return runForecastOf(problem, best.plan, best.evaluation)->total->value(); }
  std::vector<Improvement> ranked(double fraction = 0.25, const std::vector<Parameter>& which = {}) const {
    return rankImprovements(scenario, problem, best, fraction, {}, which);
  }
};

const Improvement* named(const std::vector<Improvement>& all, const std::string& key) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const Improvement& i) {
    return i.parameter.field && i.parameter.field->pointer() == key;
  });
  return it == all.end() ? nullptr : &*it;
}

constexpr const char* kStore = "/run/store_write_bandwidth_bytes_per_s";

bool isClose(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class TestImprovements : public QObject {
  Q_OBJECT
private slots:
  /// Steps take as long as before; the run is shorter, by what the scenario with such a store has.
  void aFasterStoreIsMeasuredByDays() {
    const RunSample now;
    RunSample faster;
    faster.scenario.run.storeWrite = BytesPerSecond(2e8);
    faster.solveAgain();
    const auto ranked = now.ranked(1, {now.called(kStore)});
    QCOMPARE(ranked.size(), std::size_t(1));
    QCOMPARE(ranked[0].to, 2e8);
    QCOMPARE(ranked[0].measure, ImprovementMeasure::Days);
    QVERIFY(ranked[0].change < -1e-4);
    QVERIFY(isClose(1 + ranked[0].change, faster.days() / now.days()));
    QCOMPARE(ranked[0].batchTime.value(), now.best.evaluation.batchTime.value());
    QVERIFY(ranked[0].plan.same());
    QVERIFY2(ranked[0].sentence.ends_with(" days"), ranked[0].sentence.c_str());
  }

  /// Fields of the run stand among the others, by their gain; those that days do not count do not.
  void fieldsOfTheRunAreRankedWithTheOthers() {
    const RunSample now;
    const auto all = now.ranked();
    for (std::size_t i = 1; i < all.size(); ++i) QVERIFY(all[i - 1].change <= all[i].change);
    for (const char* key : {kStore, "/run/host_failures_per_1000h", "/run/replacement_s"}) {
      const Improvement* one = named(all, key);
      QVERIFY2(one && one->change < 0, key);
      QCOMPARE(one->measure, ImprovementMeasure::Days);
    }
    for (const char* key : {"/run/price_per_device_hour", "/run/device_power_w", "/run/repair_s"})
      QVERIFY2(!named(all, key), key);
    const Improvement* bandwidth = named(all, now.called("/cluster/levels/1/bandwidth").field->pointer());
    QVERIFY(bandwidth && bandwidth->measure == ImprovementMeasure::TimePerToken);
    QVERIFY(measuredBy(all).find("days") != std::string::npos);
    QVERIFY(measuredBy(all).find("time per token") != std::string::npos);
    // What is asked for is answered, even if it changes nothing.
    QCOMPARE(now.ranked(0.25, {now.called("/run/price_per_device_hour")})[0].change, 0.0);
  }

  void goalsDecideTheMeasure() {
    for (const auto& [goal, measure] : {std::pair(Goal::Days, ImprovementMeasure::Days),
                                        {Goal::Money, ImprovementMeasure::Money},
                                        {Goal::Energy, ImprovementMeasure::Energy}}) {
      const RunSample now(goal);
      const auto all = now.ranked();
      for (const Improvement& one : all) QCOMPARE(one.measure, measure);
      QVERIFY(named(all, kStore) && named(all, kStore)->change < 0);
      const Improvement* price = named(all, "/run/price_per_device_hour");
      QCOMPARE(price != nullptr, goal == Goal::Money);
      if (price) QVERIFY(isClose(1 + price->change, 0.8));
      const Improvement* power = named(all, "/run/device_power_w");
      QCOMPARE(power != nullptr, goal == Goal::Energy);
      if (power) QVERIFY(isClose(1 + power->change, 0.8));
    }
    // Days of the best plan with the faster network, not of its steps.
    const RunSample now(Goal::Days);
    RunSample faster(Goal::Days);
    auto& level = std::get<LevelsSource>(faster.scenario.cluster.network).levels[1];
    level.bandwidth = level.bandwidth * 2;
    faster.solveAgain();
    const auto ranked = now.ranked(1, {now.called("/cluster/levels/1/bandwidth")});
    QVERIFY(isClose(1 + ranked[0].change, faster.days() / now.days()));
  }

  void withoutARunNothingIsMeasuredByIt() {
    const RunSample now(Goal::TimePerToken, false);
    for (const Improvement& one : now.ranked()) QCOMPARE(one.measure, ImprovementMeasure::TimePerToken);
    QCOMPARE(measuredBy(now.ranked()), "Changes are those of the time per token.");
    // Rates without what a restart takes: the fields that are missing are named.
    RunSample partial;
    partial.scenario.run.detection.reset();
    partial.solveAgain();
    QVERIFY(!named(partial.ranked(), kStore));
    const auto asked = partial.ranked(0.25, {partial.called(kStore)});
    QVERIFY2(asked[0].obstacle.find("run.detection_s") != std::string::npos, asked[0].obstacle.c_str());
  }

  /// A run that never ends, and one that does with half the failures.
  void aRunThatComesToAnEnd() {
    RunSample now;
    now.scenario.run.start = Seconds(4e6);
    now.solveAgain();
    QVERIFY(!runForecastOf(now.problem, now.best.plan, now.best.evaluation)->total);
    const auto ranked = now.ranked(100, {now.called("/run/start_s"), now.called(kStore)});
    QCOMPARE(ranked[0].parameter.field->pointer(), std::string("/run/start_s"));
    QCOMPARE(ranked[0].change, -1.0);
    QVERIFY(ranked[1].obstacle.find("does not get through") != std::string::npos);
  }

  void tablesNameTheMeasure() {
    const RunSample now;
    const auto all = now.ranked();
    const auto j = report::improvementsJson(all);
    QCOMPARE(j.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      QCOMPARE(j[i]["measure"].get<std::string>(), std::string(nameOf(all[i].measure)));
    QVERIFY(report::improvementsText(all).find(measuredBy(all)) != std::string::npos);
    QCOMPARE(improvementsPart(all, 0).lines, std::vector<std::string>{measuredBy(all)});
  }
};

NEST_TEST(TestImprovements)
#include "test_improvements.moc"
