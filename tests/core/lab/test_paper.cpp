#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "lab/lab_report.h"
#include "lab/paper.h"
#include "study/study_report.h"
#include "support/test_main.h"

using namespace nest;

namespace {

PaperOptions small() {
  PaperOptions o;
  o.models = {"BERT-large", "Llama-2 7B"};
  o.treeDevices = {64};
  o.leafDevices = {128};
  o.baselines.walks = 2;
  o.baselines.steps = 40;
  return o;
}

constexpr const char* kPublished =
    R"({"h100_readme": [{"model": "llama2", "devices": 128, "Manual": 2, "MCMC": 1, "Phaze": null, "NEST": 3}],
 "tpuv4_reference_results": {"figure5_mbs1": [{"model": "bert", "devices": 64, "Manual": 4, "Alpa-E": 2, "NEST": 5},
                                                {"model": "llama2", "devices": 64, "Manual": null, "NEST": 5}]}})";

}  // namespace

class TestPaper : public QObject {
  Q_OBJECT
private slots:
  void everyModelBuilds() {
    QCOMPARE(paperModels().size(), std::size_t(5));
    for (const std::string& model : paperModels())
      for (const bool leaf : {false, true}) {
        const auto scenario = paperScenario(model, leaf, 128);
        QVERIFY(scenario.has_value());
        const auto problem = buildProblem(*scenario);
        QVERIFY2(problem.value.has_value(),
                 problem.diagnostics.empty() ? "" : problem.diagnostics.front().message.c_str());
        QCOMPARE(problem->cluster->deviceCount(), 128);
        QCOMPARE(problem->cluster->levelCount(), 3);
      }
    QVERIFY(!paperScenario("GPT-5", false, 64));
  }

  /// The five models have their published sizes, to one in a hundred.
  void modelsHaveTheirSizes() {
    const std::map<std::string, double> published = {{"BERT-large", 0.335e9},
                                                     {"Llama-2 7B", 6.738e9},
                                                     {"Llama-3 70B", 70.55e9},
                                                     {"GPT-3 175B", 175e9},
                                                     {"Mixtral 8x7B", 46.7e9}};
    for (const auto& [name, count] : published) {
      const double ours = parameterCount(*paperScenario(name, true, 128)->model.architecture);
      QVERIFY2(std::abs(ours / count - 1) < 0.01, qPrintable(QString("%1: %2").arg(name.c_str()).arg(ours)));
    }
  }

  void noMethodBeatsTheExactSearch() {
    int shown = 0;
    const auto rows = paperStudy(small(), {}, [&](const PaperRow&) { ++shown; });
    QCOMPARE(rows.size(), std::size_t(4));
    QCOMPARE(shown, 4);
    for (const PaperRow& r : rows) {
      QCOMPARE(r.exact.status, OutcomeStatus::Optimal);
      QCOMPARE(r.ratio(BaselineKind::Manual).value_or(0), 1.0);
      QVERIFY(r.exactRatio().value_or(0) >= 1);
      for (const BaselineResult& b : r.baselines)
        if (r.ratio(b.kind) && b.plan->plan.deviceOrder.empty())
          QVERIFY2(*r.ratio(b.kind) <= *r.exactRatio() * (1 + 1e-9), nameOf(b.kind));
      QVERIFY(r.published.empty());
    }
  }

  void publishedRatiosAreOfTheirRow() {
    PaperOptions o = small();
    o.published = *readPublishedTables(kPublished, "tables.json");
    o.baselines.kinds = {BaselineKind::Manual};
    const auto rows = paperStudy(o);
    std::map<std::pair<std::string, std::string>, PublishedRatios> got;
    for (const PaperRow& r : rows) got[{r.cluster.substr(0, 4), r.model}] = r.published;
    QCOMPARE((got[{"H100", "Llama-2 7B"}]), (PublishedRatios{{"MCMC", 0.5}, {"NEST", 1.5}}));
    QCOMPARE((got[{"TPUv", "BERT-large"}]), (PublishedRatios{{"Alpa-E", 0.5}, {"NEST", 1.25}}));
    QVERIFY((got[{"TPUv", "Llama-2 7B"}].empty()));  // without Manual there is no ratio
    QVERIFY(paperTable(rows).find("[1.25]") != std::string::npos);
  }

  /// Numbers that are texts, lists that are numbers, and files of something else: told, not thrown.
  void tablesOfSomethingElseAreTold() {
    for (const char* text :
         {"not json", "[]", R"({"h100_readme": 3, "tpuv4_reference_results": 3})",
          R"({"h100_readme": [{"model": "bert", "devices": "64", "Manual": 4, "NEST": 5}, 7]})"}) {
      const auto tables = readPublishedTables(text, "tables.json");
      QVERIFY(!tables && hasErrors(tables.diagnostics));
      QCOMPARE(tables.diagnostics.front().where.file, std::string("tables.json"));
    }
    PaperOptions o = small();
    o.baselines.kinds = {BaselineKind::Manual};
    QVERIFY(paperTable(paperStudy(o)).find("In brackets") == std::string::npos);
  }

  void tablesHoldEveryRow() {
    PaperOptions o = small();
    o.baselines.kinds = {BaselineKind::Manual};
    const auto rows = paperStudy(o);
    const std::string csv = paperCsv(rows);
    QCOMPARE(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')), rows.size() + 1);
    const auto json = report::paperJson(rows);
    QCOMPARE(json.size(), rows.size());
    QVERIFY(json[0]["exact"]["plan"].is_object());
    QVERIFY(json[0]["ratio_exact"].is_number());
  }

  void stopsWhenAsked() {
    std::stop_source stop;
    Control control;
    control.stop = stop.get_token();
    int done = 0;
    const auto rows = paperStudy(small(), control, [&](const PaperRow&) {
      if (++done == 2) stop.request_stop();
    });
    QCOMPARE(rows.size(), std::size_t(2));
  }
  /// What the schema asks for: a stage and a shortfall only where there are some.
  void violationsOfAMethodsPlanSayWhatTheyAreOf() {
    const auto scenario = paperScenario("BERT-large", false, 64);
    const auto problem = buildProblem(*scenario);
    QVERIFY(problem.value.has_value());
    BaselineResult method;
    method.plan.emplace();
    Violation whole, stage;
    whole.kind = Violation::Kind::ExpertGroup;
    whole.message = "of all";
    stage.kind = Violation::Kind::Memory;
    stage.stage = 0;
    stage.shortfall = Bytes(8);
    method.plan->evaluation.violations = {whole, stage};
    const auto list = report::comparisonJson(*problem.value, {}, {method})["baselines"][0]["violations"];
    QCOMPARE(list.size(), std::size_t(2));
    QVERIFY(!list[0].contains("stage") && !list[0].contains("shortfall_bytes"));
    QCOMPARE(list[0]["message"].get<std::string>(), std::string("of all"));
    QCOMPARE(list[1]["stage"].get<int>(), 0);
    QCOMPARE(list[1]["shortfall_bytes"].get<double>(), 8.0);
  }
};
NEST_TEST(TestPaper)
#include "test_paper.moc"
