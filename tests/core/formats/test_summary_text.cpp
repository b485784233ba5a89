#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
#include "formats/results/outcome_json.h"
#include "formats/results/summary_text.h"
#include "formats/scenario/scenario_json.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "words/metric_words.h"

using namespace nest;

namespace {

Scenario readSample(const char* name) {
  const std::string folder = std::string(NEST_SOURCE_DIR) + "/samples/", path = folder + name;
  return *readScenario(test::readFile(path), path, [&](const std::string& beside) {
            return Reading<std::string>{test::readFile(folder + beside), {}};
          }).value;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

/// The text for people and the JSON for programs say the same of one outcome.
class TestSummaryText : public QObject {
  Q_OBJECT
private slots:
  /// Whatever a scenario is called, a line that nobody wrote does not look like one of the program's.
  void namesCannotForgeLines() {
    const Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    const Problem p = *buildProblem(s).value;
    const Outcome o = solve(p);
    const char* const forged = "x\n1.00 ms per step\n\n  plan            TP1";
    const std::string shown = "x\\u000a1.00 ms per step\\u000a\\u000a  plan            TP1";
    const std::string text = summaryText({forged, &p, nullptr}, o);
    QVERIFY2(text.starts_with(shown), text.c_str());
    const std::string evaluated = evaluationText({forged, &p, nullptr}, *o.best());
    QVERIFY2(evaluated.starts_with(shown), evaluated.c_str());
  }
  void aPlanIsToldAlikeInTextAndJson() {
    const Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    Problem p = *buildProblem(s).value;
    p.assumptions.overlap = {0, 0, 0, 1, 0};  // the pipeline's alone is hidden
    const ReportSource source{s.name, &p, &*s.model.architecture};
    const Outcome o = solve(p);
    const PlanMetrics m = metricsOf(p, source.architecture, *o.best());
    const std::string text = summaryText(source, o);
    QVERIFY2(text.starts_with(s.name + "\n"), text.c_str());
    QVERIFY2(holds(text, "\n  idle            " + words::of(m.bubble) + "\n"), text.c_str());
    const std::string shares = words::of(m.shares(), words::kOfStep, kTimePartCount);
    QVERIFY2(holds(text, "\n  time goes to    " + shares + "\n"), text.c_str());
    QVERIFY2(holds(text, words::mfuConvention(m)), text.c_str());
    QVERIFY2(holds(text, "  result          Optimal in "), text.c_str());
    QVERIFY2(!holds(text, "PP communication"), text.c_str());
    QVERIFY2(holds(text, "time goes to    compute "), text.c_str());
    const char* const adds = "time = compute + recompute + communication − overlap)\n";
    QVERIFY2(holds(text, adds) && holds(text, "  overlap  DP reduce"), text.c_str());
    Problem shown = p;
    shown.assumptions.overlap = {};
    const std::string plain = summaryText({s.name, &shown, source.architecture}, solve(shown));
    QVERIFY2(!holds(plain, adds) && !holds(plain, "overlap"), plain.c_str());

    const auto j = nlohmann::json::parse(writeOutcome(source, o));
    QCOMPARE(j["idle"]["share"].get<double>(), m.bubble.idle());
    QCOMPARE(j["idle"]["fill_and_drain_share"].get<double>(), m.bubble.fillAndDrain);
    double sum = 0;
    for (const auto& [part, seconds] : j["time_split_s"].items()) sum += seconds.get<double>();
    QVERIFY(std::abs(sum / j["batch_time_s"].get<double>() - 1) < 1e-9);
    QVERIFY(!j["time_split_s"].contains("pipeline exchange"));
    QVERIFY(j["bound_by"].is_string() && j["largest_overhead"].is_string());
    QVERIFY(j["bound_by_share"].get<double>() > 0 && j["largest_overhead_share"].get<double>() > 0);
    QCOMPARE(j["mfu_peak_flops_per_s"].get<double>(), 100e12);
    QVERIFY(!j.contains("stopped_by"));
  }
  /// A plan is within the error where it is slower than the best by no more than predicted ratios err by.
  void plansWithinTheErrorAreMarked() {
    Scenario s = readSample("llama2-7b-h100-128.nest.json");
    setProgram(s, *findProgram("nemo-2024"));
    Problem p = *buildProblem(s).value;
    p.search.topPlans = 40;
    const Outcome o = solve(p);
    const auto j = nlohmann::json::parse(writeOutcome({s.name, &p, &*s.model.architecture}, o));
    const PredictionError error = metricsOf(p, &*s.model.architecture, *o.best()).error;
    QVERIFY(words::isKnown(error));
    int within = 0;
    for (const auto& a : j["alternatives"]) {
      const bool near = a["batch_time_s"].get<double>() <=
                        j["batch_time_s"].get<double>() * (1 + words::ratioError(p.program, error));
      QCOMPARE(a["within_error"].get<bool>(), near);
      within += near;
    }
    QVERIFY(within > 0 && within < static_cast<int>(j["alternatives"].size()));
  }
  /// What is predicted and the headroom that stays free beside it are two numbers, in all that is written.
  void headroomIsToldApart() {
    Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    const auto outcomeOf = [&](double headroom) {
      s.assumptions.headroom = headroom;
      const Problem p = *buildProblem(s).value;
      const ReportSource source{s.name, &p, &*s.model.architecture};
      const Outcome o = solve(p);
      return std::pair(summaryText(source, o), nlohmann::json::parse(writeOutcome(source, o)));
    };
    const auto [plainText, plain] = outcomeOf(0);
    const auto [text, j] = outcomeOf(0.01);
    QVERIFY(plain["summary"] == j["summary"]);
    QCOMPARE(plain["headroom_kept_bytes"].get<double>(), 0.0);
    const double kept = 0.01 * j["memory_capacity_bytes"].get<double>();
    QCOMPARE(j["headroom_kept_bytes"].get<double>(), kept);
    const auto near = [](const auto& a, const auto& b) {
      return std::abs(a.template get<double>() - b.template get<double>()) < 1;  // a byte
    };
    QVERIFY(near(j["peak_memory_bytes"], plain["peak_memory_bytes"]));
    const auto &before = plain["stages"][0]["memory"], &after = j["stages"][0]["memory"];
    for (const char* same : {"total_bytes", "reserve_bytes"}) QVERIFY(near(after[same], before[same]));
    QVERIFY(std::abs(after["total_bytes"].get<double>() + after["headroom_kept_bytes"].get<double>() +
                     after["headroom_bytes"].get<double>() - after["capacity_bytes"].get<double>()) < 1);
    QVERIFY2(holds(text, " GiB (+ 30.7 MiB headroom), in stage"), text.c_str());
    QVERIFY2(holds(text, "  headroom  capacity"), text.c_str());
    QVERIFY2(!holds(plainText, "headroom"), plainText.c_str());
  }
  /// Of a plan that nothing prices no figure is shown.
  void aPlanWithoutCostsHasNoTables() {
    const Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    const Problem p = *buildProblem(s).value;
    const ReportSource source{s.name, &p, &*s.model.architecture};
    Plan plan = solve(p).best()->plan;
    for (StagePlan& stage : plan.stages) stage.strategy.tensor = 97;
    const std::string text = evaluationText(source, {plan, evaluate(p, plan), Seconds(0)});
    QVERIFY2(holds(text, "This plan cannot run:") && holds(text, "No stage of it has costs."), text.c_str());
    QVERIFY2(!holds(text, "0 s"), text.c_str());
  }
  void outcomesWithoutAPlan_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("says");
    QTest::newRow("stopped")
        << int(OutcomeStatus::Stopped)
        << "Stopped without a plan. The search ended at the deadline after 20 ms, before it "
           "found a plan; whether one fits is not known. Allow more time.\n";
    QTest::newRow("infeasible") << int(OutcomeStatus::Infeasible)
                                << "No plan. No plan meets the batch size, the device count and the "
                                   "constraints together.\n";
    QTest::newRow("failed") << int(OutcomeStatus::Failed) << "The search failed.\n";
  }
  void outcomesWithoutAPlan() {
    QFETCH(int, status);
    QFETCH(QString, says);
    const Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    const Problem p = *buildProblem(s).value;
    const ReportSource source{"", &p, &*s.model.architecture};
    Outcome o;
    o.status = OutcomeStatus(status);
    if (o.status == OutcomeStatus::Stopped) o.stopCause = StopCause::Deadline;
    o.statistics.elapsed = Seconds(0.02);
    const std::string text = summaryText(source, o);
    QVERIFY2(text.starts_with(says.toStdString()), text.c_str());
    const auto j = nlohmann::json::parse(writeOutcome(source, o));
    QCOMPARE(j["status"].get<std::string>(), std::string(nameOf(o.status)));
    QVERIFY(j["gap"].is_null());
    QVERIFY(j["lower_bound_s"].is_null());
  }
  void aSearchThatWasCutOffSaysHowFarItMayBe() {
    const Scenario s = readSample("teaching-6-layers-2x2.nest.json");
    const Problem p = *buildProblem(s).value;
    const ReportSource source{"", &p, &*s.model.architecture};
    Outcome o = solve(p);
    o.status = OutcomeStatus::BestSoFar;
    o.stopCause = StopCause::Request;
    o.statistics.elapsed = Seconds(1.5);
    o.lowerBound = o.best()->evaluation.batchTime * 0.9;
    QVERIFY(holds(summaryText(source, o), "Best so far, stopped by request after 1.5 s, gap 10"));
    o.lowerBound = Seconds(0);
    const std::string text = summaryText(source, o);
    QVERIFY2(holds(text, "Best so far, stopped by request after 1.5 s\n"), text.c_str());
    QVERIFY2(holds(text, "  lower bound     none yet\n"), text.c_str());
  }
};
NEST_TEST(TestSummaryText)
#include "test_summary_text.moc"
