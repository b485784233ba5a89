#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "core/study/solved_instances.h"
#include "evaluation/unsearched.h"
#include "fields/program_setting.h"
#include "formats/scenario/scenario_json.h"
#include "study/conflicts.h"
#include "study/counterfactual.h"
#include "support/hand_problem.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using test::Solved;
using test::solvedInstances;

class TestCounterfactual : public QObject {
  Q_OBJECT
private slots:
  void readsDemands_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("degree") << "p=2"
                            << "PP 2";
    QTest::newRow("bounds") << "p<=3, d >= 1"
                            << "PP at most 3, DP at least 1";
    QTest::newRow("blank for =") << "stages 2 and devices 4"
                                 << "PP 2, 4 devices";
    QTest::newRow("one") << "n = 1, v<2"
                         << "1 device, VPP less than 2";
    QTest::newRow("Megatron's") << "why not pp=2 and dp=1?"
                                << "PP 2, DP 1";
    QTest::newRow("layer") << "layer 2 in stage 1?"
                           << "layer 2 in stage 1, still 3 stages";
    QTest::newRow("cuts") << "cut at layer 2, no cut at 3"
                          << "a cut at layer 2, no cut at layer 3";
    QTest::newRow("schedule") << "pp 2, ZB-H1"
                              << "PP 2, schedule ZB-H1";
    QTest::newRow("recompute") << "recompute full in stage 1"
                               << "recompute full in stage 1, still 3 stages";
  }
  void whatIsAskedAtOnceHoldsTogether() {
    const Solved s = solvedInstances(1, 2).front();
    const auto apart = readDemand(s.problem, s.best.plan, "p=1, p=2");
    QVERIFY(!apart.value);
    QVERIFY(apart.diagnostics.front().message.find("PP 2 conflicts") != std::string::npos);
    QVERIFY(!readDemand(s.problem, s.best.plan, "p>2, p<3").value);
    QVERIFY(!readDemand(s.problem, s.best.plan, "p>2147483647").value);
    const auto both = readDemand(s.problem, s.best.plan, "p=2, p<=3, p>=1");
    QVERIFY(both.value.has_value());
    QCOMPARE(both->problem.constraints.stages, (Bound{2, 2}));
  }
  void readsDemands() {
    QFETCH(QString, text);
    QFETCH(QString, words);
    const Solved s = solvedInstances(1, 2).front();
    const auto d = readDemand(s.problem, s.best.plan, text.toStdString());
    QVERIFY2(d.value.has_value(), d.diagnostics.empty() ? "" : d.diagnostics.front().message.c_str());
    QCOMPARE(QString::fromStdString(d->words), words);
  }
  void refusesWhatItDoesNotUnderstand_data() {
    QTest::addColumn<QString>("text");
    for (const char* t : {"",
                          "faster",
                          "t",
                          "t=",
                          "t=x",
                          "t=97",
                          "layer 999 in stage 1",
                          "layer 1",
                          "layer nowhere in stage 1",
                          "recompute sometimes",
                          "recompute full in stage 0",
                          "no",
                          "cut at",
                          "p==2",
                          "no cut at layer 1",
                          "zero=4",
                          "t=0",
                          "devices=0",
                          "devices=2000",
                          "layer 1 in stage 999",
                          "recompute full in stage 999"})
      QTest::newRow(t) << t;
  }
  void refusesWhatItDoesNotUnderstand() {
    QFETCH(QString, text);
    const Solved s = solvedInstances(1).front();
    const auto d = readDemand(s.problem, s.best.plan, text.toStdString());
    QVERIFY(!d);
    QCOMPARE(d.diagnostics.size(), std::size_t(1));
    QVERIFY(!d.diagnostics.front().remedy.empty());
  }

  /// No remedy is proposed that cannot be followed, and no character is cut in two.
  void saysWhatCannotBe() {
    const Solved s = solvedInstances(1).front();
    const auto answer = [&](const char* text) {
      return readDemand(s.problem, s.best.plan, text).diagnostics.front().message;
    };
    QCOMPARE(answer("zero=4"), std::string("ZeRO 4: ZeRO must be from 0 to 3"));
    const std::string devices = std::to_string(s.problem.cluster->deviceCount());
    QCOMPARE(answer("devices=2000"), "2,000 devices are asked for, and the cluster has " + devices);
    QCOMPARE(answer("no cut at layer 1"),
             std::string("layer 1 begins stage 1 in every plan: a cut there cannot be refused"));
    QCOMPARE(answer("\U0001F4A5"), std::string("\"\U0001F4A5\" is not understood"));
  }

  void saysWhyADegreeIsNotSearched() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    const auto problem = buildProblem(*readScenario(test::readFile(path), path, {}).value);
    const RankedPlan best = *solve(*problem).best();
    const auto said = [&](const char* text) {
      const auto d = readDemand(*problem, best.plan, text);
      return d ? std::string() : d.diagnostics.front().message + "; " + d.diagnostics.front().remedy;
    };
    QCOMPARE(
        said("tp 4"),
        std::string("TP 4 is not searched: a host has 2 devices; TP can be 1, 2; `search.preset = free` to "
                    "search TP across hosts"));
    QCOMPARE(said("tp 8"), std::string("TP 8 is not searched: the cluster has 4 devices; TP can be 1, 2; "
                                       "ask for no more"));
    QCOMPARE(said("ep 2"), std::string("EP 2 is not searched: the model has no experts; EP is 1; "
                                       "leave EP out"));
    QCOMPARE(said("cp=2"), std::string("CP 2 is not searched: context parallelism is off; CP is 1; "
                                       "`search.context_parallel = true` to search it"));
    QCOMPARE(said("mbs=8"), std::string("MBS 8 is not searched: MBS can be 1, 2; "
                                        "`job.microbatches += 8` to search it"));
    const auto sharded = readDemand(*problem, best.plan, "fsdp");
    QVERIFY2(sharded.value.has_value(), said("fsdp").c_str());
    QCOMPARE(sharded->problem.constraints.zero, (Bound{3, 3}));
  }
  /// A method that is faster and not searched never contradicts the optimum.
  void whatIsFasterButNotSearchedIsSaid() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    const auto problem = buildProblem(*readScenario(test::readFile(path), path, {}).value);
    const Outcome o = solve(*problem);
    QCOMPARE(o.status, OutcomeStatus::Optimal);
    const RankedPlan best = *o.best();
    int faster = 0;
    for (const char* text :
         {"zb-h1", "zb-v", "DualPipeV", "vpp=2", "vpp 3, pp 2", "recompute full", "mbs 2"}) {
      const auto demand = readDemand(*problem, best.plan, text);
      QVERIFY2(demand.value.has_value(), text);
      const Counterfactual c = whyNot(*problem, best, *demand);
      const RankedPlan* found = c.outcome.best();
      if (!found) continue;
      const bool isFaster = found->evaluation.batchTime < best.evaluation.batchTime * (1 - 1e-9);
      faster += isFaster;
      QCOMPARE(c.answer.find("; faster, but not searched: `search.") != std::string::npos, isFaster);
      QCOMPARE(c.notSearched.empty(), unsearched(*problem, found->plan).empty());
      if (isFaster)  // the list of the outcome has it as well
        QVERIFY(std::any_of(o.notSearched.begin(), o.notSearched.end(), [&](const NotSearched& n) {
          return n.field == c.notSearched.front().field && !n.change.empty();
        }));
    }
    QVERIFY(faster > 0);
    const auto demand = readDemand(*problem, best.plan, "zb-h1");
    const std::string answer = whyNot(*problem, best, *demand).answer;
    QVERIFY2(answer.find("; faster, but not searched: `search.schedules += zb-h1`.") != std::string::npos,
             answer.c_str());
  }
  void unevenChunksAreNamed() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    auto scenario = *readScenario(test::readFile(path), path, {}).value;
    scenario.search.chunksPerStage = {1, 7};
    const auto problem = buildProblem(scenario);
    const RankedPlan best = *solve(*problem).best();
    const auto demand = readDemand(*problem, best.plan, "vpp=7");
    QVERIFY(demand.value.has_value());
    const Counterfactual c = whyNot(*problem, best, *demand);
    QVERIFY2(c.answer.find(
                 "VPP 7 needs a block count that PP × 7 divides, or one or two less; 6 blocks are not") !=
                 std::string::npos,
             c.answer.c_str());
  }

  /// Each reason for which no plan meets a demand is the true one.
  void theReasonIsTheTrueOne_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* program, const char* change, const char* text,
                        const char* says) { QTest::newRow(name) << program << change << text << says; };
    row("program: schedule", "megatron-core-2025", "", "zb-h1",
        "there is no plan: Megatron-Core 2025 does not run ZB-H1.");
    row("program: split backward", "deepspeed-2025", "", "zb-h1",
        "there is no plan: DeepSpeed 2025 does not run ZB-H1.");
    row("program: schedule by name", "torchtitan-2026", "", "zb-h1",
        "there is no plan: torchtitan 2026 does not run ZB-H1.");
    row("Megatron by hand", "ideal", "megatron", "zb-h1",
        "there is no plan: the constraint \"expressible in Megatron-LM\" leaves no plan");
    row("program: degree", "nanotron", "", "vpp 2",
        "VPP 2 is not searched: nanotron does not run it; VPP is 1");
    row("program: context", "deepspeed-2025", "", "cp 2",
        "CP 2 is not searched: DeepSpeed 2025 does not run it");
    row("program: pipeline", "llm-foundry-2023", "", "pp 2",
        "PP 2 is not searched: LLM Foundry 2023 does not run it; PP is 1");
    row("program: ZeRO", "megatron-core-2025", "", "zero 3",
        "ZeRO 3 is not searched: Megatron-Core 2025 does not run it");
    row("program: recompute", "nanotron", "", "recompute selective",
        "there is no plan: nanotron does not run selective recompute.");
    row("program: both", "deepspeed-2025", "", "tp 2, pp 2",
        "there is no plan: DeepSpeed 2025 does not run TP in a pipeline.");
    row("blocks", "megatron-core-2023", "chunks 2", "pp 16",
        "there is no plan: 80 blocks do not divide into 16 × 2 = 32 equal chunks, of which the first and the "
        "last may hold one less; use PP 8 with VPP 2, or PP 16 with VPP 5.");
    row("host", "megatron-core-2025", "", "tp 16", "TP 16 is not searched: a host has 8 devices");
    row("devices", "ideal", "", "tp 8, pp 40, dp 4",
        "there is no plan: the degrees take at least 1,280 devices, and the cluster has 1,024");
    row("stages", "ideal", "", "pp 400", "PP 400 needs as many layers, and the model has 83");
    row("batch", "ideal", "", "dp 3",
        "there is no plan: DP 3 does not divide the global batch of 2,048 into microbatches of 1,024");
    row("constraint", "ideal", "data 64", "tp 8, pp 4",
        "there is no plan: the degrees take at least 2,048 devices, and the cluster has 1,024: the "
        "constraint "
        "\"DP 64\" leaves no plan; without it ");
    row("pin", "ideal", "pin", "cut at layer 4",
        "there is no plan: the constraint \"block 5 in stage 1\" leaves no plan; without it ");
    row("memory", "ideal", "", "tp 1, pp 1, recompute none, zero 0",
        "nothing fits: in the closest plan stage 1 needs ");
  }
  void theReasonIsTheTrueOne() {
    QFETCH(QString, program);
    QFETCH(QString, change);
    QFETCH(QString, text);
    QFETCH(QString, says);
    const std::string folder = std::string(NEST_SOURCE_DIR) + "/samples/";
    Scenario s = *readScenario(test::readFile(folder + "llama3-70b-h100-1024.nest.json"), "s",
                               [&](const std::string& path) {
                                 return Reading<std::string>{test::readFile(folder + path), {}};
                               })
                      .value;
    s.search.topPlans = 1;
    setProgram(s, *findProgram(program.toStdString()));
    if (change == "megatron") s.constraints.megatronExpressible = true;
    if (change == "data 64") s.constraints.data = {64, 64};
    if (change == "pin") s.constraints.layerPins = {{LayerIndex(5), StageIndex(0)}};
    if (text == "dp 3") s.job.microbatches = {1024};
    Problem problem = *buildProblem(s);
    const RankedPlan best = text == "dp 3" ? RankedPlan() : *solve(problem).best();
    if (change == "chunks 2") {  // the plan at hand is of the search before
      s.search.chunksPerStage = {2};
      problem = *buildProblem(s);
    }
    const auto demand = readDemand(problem, best.plan, text.toStdString());
    const std::string answer =
        demand ? whyNot(problem, best, *demand).answer : demand.diagnostics.front().message;
    QVERIFY2(answer.find(says.toStdString()) != std::string::npos, answer.c_str());
    QVERIFY2(says.startsWith("nothing fits") || answer.find("nothing fits") == std::string::npos,
             answer.c_str());
  }

  void whatDoesNotFitIsASentence() {
    const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
    const auto problem = buildProblem(*readScenario(test::readFile(path), path, {}).value);
    const RankedPlan best = *solve(*problem).best();
    const auto demand = readDemand(*problem, best.plan, "layer 2 in stage 2");
    QVERIFY(demand.value.has_value());
    const std::string answer = whyNot(*problem, best, *demand).answer;
    QVERIFY2(
        answer.rfind("With layer 2 in stage 2, still 2 stages, nothing fits: in the closest plan stage 2 "
                     "needs ",
                     0) == 0,
        answer.c_str());
  }

  /// Whatever is demanded, the answer meets it and is never better than the optimum.
  void answersMeetTheDemand() {
    int solvedAnew = 0, met = 0, explained = 0;
    for (const Solved& s : solvedInstances(15, 2)) {
      const int p = s.best.plan.stageCount();
      for (const std::string& text :
           {"p=" + std::to_string(p), "p=" + std::to_string(p - 1), std::string("layer 1 in stage 1"),
            std::string("layer 2 in stage 2"), std::string("recompute none"), std::string("d=1")}) {
        const auto demand = readDemand(s.problem, s.best.plan, text);
        if (!demand) continue;
        const Counterfactual c = whyNot(s.problem, s.best, *demand);
        QVERIFY(!c.answer.empty());
        if (c.alreadyMet) {
          ++met;
          continue;
        }
        const RankedPlan* best = c.outcome.best();
        QCOMPARE(best != nullptr, c.difference.has_value());
        if (!best) continue;
        ++solvedAnew;
        QVERIFY(evaluate(demand->problem, best->plan).feasible());
        QVERIFY2(c.difference->timeRatio >= 1 - 1e-9, c.answer.c_str());
        QVERIFY2(!c.difference->same(), c.answer.c_str());
        if (c.difference->timeRatio > 1 + 1e-9) {
          QVERIFY2(!c.causes.empty() && c.answer.find("What takes longer: ") != std::string::npos,
                   c.answer.c_str());
          ++explained;
        }
        for (std::size_t i = 0; i < c.causes.size(); ++i) {
          QVERIFY(c.causes[i].after > c.causes[i].before);
          if (i > 0)
            QVERIFY(c.causes[i].after - c.causes[i].before <= c.causes[i - 1].after - c.causes[i - 1].before);
        }
      }
    }
    QVERIFY(solvedAnew > 10);
    QVERIFY(met > 10);
    QVERIFY(explained > 10);
  }

  /// The evaluator takes any schedule; a question asks for one.
  void aScheduleIsMetByThePlanThatRunsIt() {
    int asked = 0;
    for (const Solved& s : solvedInstances(12, 2)) {
      Problem p = s.problem;
      p.search.schedules = {ScheduleKind::OneForwardOneBackward};
      const auto d = readDemand(p, s.best.plan, "zb-h1");
      QVERIFY(d.value.has_value());
      const Counterfactual c = whyNot(p, s.best, *d.value);
      QVERIFY(!c.alreadyMet);
      if (!c.outcome.best()) continue;
      QCOMPARE(c.outcome.best()->plan.schedule, ScheduleKind::ZbH1);
      ++asked;
    }
    QVERIFY(asked > 0);
  }
  void schedulesThatCannotRunAreTold() {
    Problem p = solvedInstances(1).front().problem;
    const auto answer = [&](std::vector<ScheduleKind> schedules, std::vector<int> chunks) {
      p.search.schedules = std::move(schedules);
      p.search.chunksPerStage = std::move(chunks);
      const Outcome o = solve(p);
      for (const Diagnostic& d : o.diagnostics)
        if (d.code == "no-schedule" && d.where.pointer == "/search/schedules") return d.remedy;
      return std::string();
    };
    QVERIFY(answer({ScheduleKind::OneForwardOneBackward}, {2}).find("`search.chunks_per_stage += 1`") == 0);
    QVERIFY(conflictsOf(p, {}).empty());
    QVERIFY(answer({ScheduleKind::Interleaved}, {1}).find("`search.chunks_per_stage += 2`") == 0);
    QVERIFY(answer({}, {1}).find("`search.schedules += 1f1b`") == 0);
    QVERIFY(answer({ScheduleKind::OneForwardOneBackward}, {1}).empty());
    p.constraints = {};
    p.constraints.stages.least = 2;
    p.job.globalBatch = p.profile->microbatches().front();  // one microbatch
    QVERIFY(answer({ScheduleKind::ZbV}, {1}).empty());
    const Diagnostics why = conflictsOf(p, {});
    QVERIFY2(!why.empty() && why.front().code == "schedule-refuses",
             why.empty() ? "" : why.front().message.c_str());
    QVERIFY(why.front().message.find("2·PP − 1") != std::string::npos);
  }
  void namedStagesKeepTheirCount() {
    const Solved s = solvedInstances(1, 2).front();
    const int p = s.best.plan.stageCount();
    const auto within = readDemand(s.problem, s.best.plan, "layer 2 in stage " + std::to_string(p));
    QCOMPARE(within->problem.constraints.stages, (Bound{p, p}));
    const int last = s.problem.graph->layerCount();  // no plan has more stages
    QVERIFY(last > p);
    const auto beyond = readDemand(s.problem, s.best.plan, "layer 2 in stage " + std::to_string(last));
    QCOMPARE(beyond->problem.constraints.stages, (Bound{last, std::nullopt}));
    const auto typed = readDemand(s.problem, s.best.plan, "p=1, recompute none in stage 1");
    QCOMPARE(typed->problem.constraints.stages, (Bound{1, 1}));
  }

  /// Rounding is no time.
  void causesAreNoNoise() {
    int seen = 0;
    for (const Solved& s : solvedInstances(20, 2)) {
      Demand demand{"one stage", s.problem};
      demand.problem.constraints.stages = {1, 1};
      const Outcome one = solve(demand.problem);
      if (!one.best()) continue;
      Demand back{"two stages", s.problem};
      back.problem.constraints.stages = {2, 2};
      for (const PartChange& c : whyNot(s.problem, *one.best(), back).causes) {
        ++seen;
        QVERIFY2(c.before.value() == 0 || c.before / one.best()->evaluation.batchTime > 1e-9, nameOf(c.part));
      }
    }
    QVERIFY(seen > 0);
  }
};
NEST_TEST(TestCounterfactual)
#include "test_counterfactual.moc"
