#include <QtTest/QTest>
#include <map>
#include <nlohmann/json.hpp>

#include "fields/field.h"
#include "fields/program_setting.h"
#include "formats/import_files.h"
#include "formats/launch/launch_export.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/setting_terms.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

Reading<Scenario> read(const std::string& text) {
  const std::string folder = std::string(NEST_SOURCE_DIR) + "/samples/";
  return readScenario(text, "s.nest.json", [folder](const std::string& path) {
    return Reading<std::string>{test::readFile(folder + path), {}};
  });
}

Scenario jobOf(const char* name) {
  return std::move(*read(test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/" + name)).value);
}

}  // namespace

/// A program's values stand in the scenario's own fields.
class TestProgramSetting : public QObject {
  Q_OBJECT
private slots:
  void programsSayWhatTheyCannotRun() {
    for (const Program& p : programs()) {
      for (const Program::Inability& one : p.cannot) QVERIFY2(!one.citation.empty(), nameOf(one.feature));
    }
    QVERIFY(!findProgram("torchtitan-2026")->runs(PlanFeature::DifferingStages));
    QVERIFY(!findProgram("megatron-2022")->runs(PlanFeature::Context));
    QVERIFY(findProgram("nemo-2024")->runs(PlanFeature::Context));
    QVERIFY(!findProgram("megatron-bridge-2025")->runsOn("tpu-v7") &&
            findProgram("maxtext")->runsOn("tpu-v7"));
    QVERIFY(findProgram(kIdealProgram)->runsOn("gaudi3") && findProgram(kIdealProgram)->cannot.empty());
    const auto wrong = readProgram(
        R"({"id": "x", "name": "X", "expresses": {"flying": {"value": false, "source": "y"}}})", "f", {});
    QVERIFY(!wrong);
    QCOMPARE(wrong.diagnostics.front().code, std::string("program-feature"));
  }
  void theCatalogIsWhole() {
    const auto file =
        nlohmann::json::parse(test::readFile(NEST_SOURCE_DIR "/resources/programs.json")).at("programs");
    std::map<std::string, Program> above;
    for (std::size_t i = 0; i < file.size(); ++i) {
      const std::string id = file[i].at("id"), like = file[i].value("like", "");
      QVERIFY2(like.empty() || above.contains(like), id.c_str());
      const auto p = readProgram(file[i].dump(), "programs.json", like.empty() ? Program{} : above.at(like));
      QVERIFY2(p && p.diagnostics.empty(), id.c_str());
      QVERIFY2(above.emplace(id, *p).second, id.c_str());
      QCOMPARE(programs().at(i), *p);
      QCOMPARE(programNames().at(i).id, id);
      QCOMPARE(programNames().at(i).name, p->name);
    }
    QCOMPARE(programs().size(), file.size());
    QCOMPARE(programs().front().id, std::string(kIdealProgram));
    QVERIFY(programs().front().values.empty());
    const auto faults = faultsOfPrograms(programs());
    QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().c_str());
    for (const char* id :
         {"megatron-2021", "megatron-2022", "megatron-core-2023", "megatron-core-2025",
          "megatron-bridge-2025", "torchtitan-2024", "torchtitan-2024-compiled", "torchtitan-2026",
          "deepspeed-zero3-2021", "deepspeed-2025", "nanotron", "maxtext", "ideal"}) {
      const Program* p = findProgram(id);
      QVERIFY2(p, id);
      for (const std::string& launch : p->launches) QVERIFY2(findLaunchTarget(launch), launch.c_str());
      QVERIFY2(p->id == kIdealProgram || (!p->version.empty() && !p->about.empty()), id);
    }
  }
  void faultsAreTold_data() {
    QTest::addColumn<QString>("value");
    QTest::newRow("no field")
        << R"("/assumptions/nothing": {"value": 1, "origin": "measured", "source": "s"})";
    QTest::newRow("out of range")
        << R"("/assumptions/overlap/data": {"value": 2, "origin": "measured", "source": "s"})";
    QTest::newRow("wrong kind")
        << R"("/assumptions/overlap/data": {"value": true, "origin": "measured", "source": "s"})";
    QTest::newRow("no such choice")
        << R"("/model/analytic/attention_kernel": {"value": "best", "origin": "measured", "source": "s"})";
    QTest::newRow("no source")
        << R"("/assumptions/overlap/data": {"value": 1, "origin": "measured", "source": ""})";
  }
  void faultsAreTold() {
    QFETCH(QString, value);
    const auto p =
        readProgram(R"({"id": "x", "name": "X", "values": {)" + value.toStdString() + "}}", "p.json", {});
    QVERIFY(p);
    QCOMPARE(faultsOfPrograms({*p}).size(), std::size_t(1));
  }
  void likeTakesTheFactsOfRunsToo() {
    const auto x = readProgram(R"({"id": "x", "name": "X", "cuts": "by_weight", "logs_first_stage": true,
                                   "holds_exchange_buffers": true, "values": {}})",
                               "p.json", {});
    QVERIFY(x && x->cuts == StageCut::ByWeight && x->logsFirstStage);
    const auto y = readProgram(
        R"({"id": "y", "name": "Y", "like": "x", "logs_first_stage": false, "values": {}})", "p.json", *x);
    QVERIFY(y && y->cuts == StageCut::ByWeight && !y->logsFirstStage);
    QVERIFY(y->holdsExchangeBuffers && !findProgram("scaling-2023")->holdsExchangeBuffers);
    QVERIFY(!readProgram(R"({"id": "z", "name": "Z", "cuts": "by_luck"})", "p.json", {}));
    QCOMPARE(y->name, std::string("Y"));
  }
  void likeTakesWhatIsNotSaid() {
    const Program &older = *findProgram("megatron-core-2023"), &newer = *findProgram("megatron-core-2024");
    QCOMPARE(newer.valueOf("/assumptions/overlap/sync")->value,
             older.valueOf("/assumptions/overlap/sync")->value);
    QVERIFY(newer.valueOf("/model/analytic/attention_kernel")->value !=
            older.valueOf("/model/analytic/attention_kernel")->value);
  }

  /// Without a program, and under the one that says nothing, every sample costs what it did before there were
  /// any.
  void idealCostsAsBefore_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<double>("seconds");
    QTest::newRow("gpt3") << "gpt3-175b-h100-1024.nest.json" << 7.739626073418798;
    QTest::newRow("llama2") << "llama2-7b-h100-128.nest.json" << 1.1167927811389755;
    QTest::newRow("llama3") << "llama3-70b-h100-1024.nest.json" << 16.934898100261744;
    QTest::newRow("mixtral") << "mixtral-8x7b-tpuv4-512.nest.json" << 4.741565969624115;
    QTest::newRow("teaching") << "teaching-6-layers-2x2.nest.json" << 0.4802766864873412;
  }
  void idealCostsAsBefore() {
    QFETCH(QString, name);
    QFETCH(double, seconds);
    Scenario s = jobOf(name.toUtf8().constData());
    setProgram(s, *findProgram("nanotron"));
    setProgram(s, *findProgram(kIdealProgram));
    QCOMPARE(toText(programUse(s)), std::string("ideal"));
    const auto problem = buildProblem(s);
    QVERIFY(problem);
    QCOMPARE(solve(*problem, {}).best()->evaluation.batchTime.value(), seconds);
  }

  void choosingSetsWhatWasNotChanged() {
    Scenario s = jobOf("llama3-70b-h100-1024.nest.json");
    s.assumptions.overlap[0] = 0.1;
    setProgram(s, *findProgram("megatron-core-2025"));
    QCOMPARE(s.assumptions.overlap[0], 0.1);
    QCOMPARE(s.assumptions.syncOverlap, 0.8);
    QVERIFY(s.constraints.megatronExpressible);
    QCOMPARE(s.search.zeroStages, (std::vector<int>{0, 1}));
    QCOMPARE(toText(programUse(s)), std::string("megatron-core-2025, changed"));
    s.assumptions.overlap[0] = 0.32;
    QCOMPARE(toText(programUse(s)), std::string("megatron-core-2025"));
    setProgram(s, *findProgram("torchtitan-2026"));
    QCOMPARE(s.assumptions.overlap[0], 0.5);
    QVERIFY(!s.constraints.megatronExpressible);
  }
  void filesNameTheProgramAndWhatIsChanged() {
    Scenario s = jobOf("llama3-70b-h100-1024.nest.json");
    setProgram(s, *findProgram("torchtitan-2024"));
    s.assumptions.syncOverlap = 0.5;
    const std::string text = writeScenario(s);
    QVERIFY(text.find("\"program\": \"torchtitan-2024\"") != std::string::npos);
    QVERIFY(text.find("\"sync\": 0.5") != std::string::npos);
    QVERIFY2(text.find("attention_kernel") == std::string::npos, "the program says it");
    const auto back = read(text);
    QVERIFY(back);
    QCOMPARE(*back, s);
    QCOMPARE(toText(programUse(*back)), std::string("torchtitan-2024, changed"));
  }
  /// A value that is usual without a program is a change under one that sets another.
  void usualValuesCanBeChanges() {
    Scenario s = jobOf("llama3-70b-h100-1024.nest.json");
    setProgram(s, *findProgram("nanotron"));
    s.assumptions.headroom = 0;
    s.model.analytic.activationFactor = 1;
    const auto back = read(writeScenario(s));
    QVERIFY(back);
    QCOMPARE(*back, s);
  }
  void keptPlansKeepTheirProgram() {
    Scenario s = jobOf("llama2-7b-h100-128.nest.json");
    Setting other = s;
    setProgram(other, *findProgram("nanotron"));
    Plan plan;
    plan.stages.resize(1);
    plan.stages[0].chunks = {{LayerIndex(0)}};
    s.keptPlans.push_back(
        {"kept", std::make_shared<const Setting>(other), std::make_shared<const Plan>(plan)});
    const auto back = read(writeScenario(s));
    QVERIFY(back);
    QCOMPARE(*back->keptPlans.front().setting, other);
  }
  void unknownProgramsAreErrors() {
    std::string text = test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/llama2-7b-h100-128.nest.json");
    text.insert(text.find("\"cluster\""), "\"program\": \"megatron-2044\", ");
    const auto s = read(text);
    QVERIFY(!s);
    QCOMPARE(s.diagnostics.front().code, std::string("program-unknown"));
    QVERIFY(s.diagnostics.front().remedy.find("megatron-core-2025") != std::string::npos);
    QVERIFY(s.diagnostics.front().where.line > 0);
  }
  /// Another model is computed as the program computes it, whatever way it comes.
  void anotherModelKeepsTheProgram() {
    Scenario s = jobOf("gpt3-175b-h100-1024.nest.json");
    QVERIFY(s.program != "ideal" && changedFromProgram(s).empty());
    s.model.calibration = 1.5;
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/models/mixtral-8x7b.json";
    const auto imported = importFiles({{path, test::readFile(path), {}}}, s.cluster.device, {});
    QVERIFY(imported);
    const auto made = assemble(*imported, &s);
    QVERIFY(made);
    QVERIFY(changedFromProgram(*made).empty());
    QVERIFY(made->model.analytic == s.model.analytic);
    QCOMPARE(made->model.calibration, 1.0);
  }
  /// A constant that is a field is told with its source, without a list of its own.
  void everyConstantOpensToItsSource() {
    const Scenario s = jobOf("llama3-70b-h100-1024.nest.json");
    CostTerm root;
    addConstants(root, s);
    const auto& inputs = root.children.front().inputs;
    int kernels = 0;
    for (const Field& f : fields()) {
      if (!f.key.starts_with("/model/analytic/") || !f.access.figure || !f.access.figure(s)) continue;
      ++kernels;
      const auto in =
          std::find_if(inputs.begin(), inputs.end(), [&](const TermInput& i) { return i.symbol == f.label; });
      QVERIFY2(in != inputs.end() && !in->citation.empty(), f.key.c_str());
      QCOMPARE(in->value, f.access.figure(s)->value);
    }
    QVERIFY(kernels > 20);
    for (const TermInput& in : inputs)
      QVERIFY2(in.symbol != "Device memory", "it holds, and computes nothing");
  }
  void everyValueOpensToItsSource() {
    Scenario s = jobOf("llama3-70b-h100-1024.nest.json");
    setProgram(s, *findProgram("torchtitan-2024"));
    s.assumptions.overlap[4] = 0.9;
    CostTerm root;
    addProgram(root, s);
    const CostTerm& t = root.children.front();
    QVERIFY(t.label.find("torchtitan 2024, eager, changed") != std::string::npos);
    QCOMPARE(t.inputs.size(), findProgram("torchtitan-2024")->values.size());
    for (const TermInput& in : t.inputs) QVERIFY2(!in.citation.empty(), in.symbol.c_str());
    const auto data = std::find_if(t.inputs.begin(), t.inputs.end(),
                                   [](const TermInput& in) { return in.symbol == "Data overlap"; });
    QVERIFY(data != t.inputs.end());
    QCOMPARE(data->value, 0.9);
    QVERIFY(data->citation.starts_with("changed; the program sets 60 %"));
    // A choice is shown by its name, not by its number.
    QVERIFY(std::any_of(t.inputs.begin(), t.inputs.end(), [](const TermInput& in) {
      return in.symbol == "Selective recompute" && toText(in).find("product") != std::string::npos;
    }));
  }
};
NEST_TEST(TestProgramSetting)
#include "test_program_setting.moc"
