#include <QtTest/QTest>

#include "calibration/calibration.h"
#include "formats/scenario/scenario_json.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

/// A sample with the plan that is best for it.
struct Run {
  Scenario scenario;
  Plan plan;
  Evaluation evaluation;

  Run() {
    const std::string dir = std::string(NEST_SOURCE_DIR) + "/samples/";
    const std::string file = dir + "llama2-7b-h100-128.nest.json";
    scenario =
        *readScenario(test::readFile(file), file, [&](const std::string& path) -> Reading<std::string> {
           return {test::readFile(dir + path), {}};
         }).value;
    scenario.model.reference.clear();
    const Problem problem = *buildProblem(scenario).value;
    const Outcome outcome = solve(problem);
    plan = outcome.best()->plan;
    evaluation = outcome.best()->evaluation;
  }

  TrainingRun log(Seconds step) const {
    TrainingRun r;
    r.step = step;
    r.lines = 20;
    r.leftOut = 2;
    return r;
  }
  LayerTimes trace(Seconds forward, Seconds backward, int layers = 32) const {
    LayerTimes t;
    t.annotation = "layer";
    for (int i = 0; i < layers; ++i) t.layers.push_back({i, forward, backward, 1});
    return t;
  }
};

bool says(const std::vector<std::string>& told, const char* part) {
  for (const std::string& line : told)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

class TestCalibration : public QObject {
  Q_OBJECT
private slots:
  /// Weight gradients are part of the backward pass, whatever that takes.
  void weightGradientsGoWithTheBackwardPass() {
    Run run;
    const Problem before = *buildProblem(run.scenario).value;
    run.scenario.model.calibration = 2;
    const Problem after = *buildProblem(run.scenario).value;
    const auto traced =
        calibrationFor(run.scenario, run.plan, Measurement{run.trace(Seconds(1e-3), Seconds(1e-3))});
    QVERIFY(traced);
    const Problem measured = *buildProblem(traced.value->scenario).value;
    int blocks = 0;
    for (const Layer& layer : before.graph->layers) {
      const LayerCost *one = before.profile->cost(layer.classId, 0, 0),
                      *two = after.profile->cost(layer.classId, 0, 0),
                      *third = measured.profile->cost(layer.classId, 0, 0);
      if (!one || !one->weightGradient) continue;
      QCOMPARE(two->weightGradient->value(), 2 * one->weightGradient->value());
      QVERIFY(third->weightGradient && *third->weightGradient <= third->backward);
      ++blocks;
    }
    QVERIFY(blocks > 0);
  }
  void aLogCalibratesAsATypedTimeDoes() {
    const Run run;
    const Seconds slower = run.evaluation.batchTime * 1.2;
    const auto typed = calibrationFor(run.scenario, run.plan, slower);
    TrainingRun log = run.log(slower);
    log.reserved = Bytes(70e9);
    const auto read = calibrationFor(run.scenario, run.plan, Measurement{log});
    QVERIFY(typed && read);
    QCOMPARE(read.value->factor, typed.value->factor);
    QVERIFY(read.value->scenario == typed.value->scenario);
    QCOMPARE(read.value->scenario.model.calibration, read.value->factor);
    QVERIFY(std::abs(read.value->rescaled / slower - 1) < 1e-9);
    QVERIFY(read.value->predicted == run.evaluation.batchTime);
    QVERIFY(says(read.value->notes, "20 lines, 2 left out (warm-up"));
    QVERIFY(says(read.value->notes, "bias that all plans share"));
    QVERIFY(says(read.value->notes, "65.2 GiB reserved (predicted "));
  }
  /// A trace in a wrong unit, a step time that no device reaches; what the model estimates is no such time.
  void computeBeyondThePeakIsTold() {
    const Run run;
    const auto isDoubted = [&](const Reading<Calibration>& c) {
      return c && c->isDoubtful && says(c->notes, "which no program can: check the unit of the file");
    };
    const auto traced = [&](double milliseconds) {
      return calibrationFor(
          run.scenario, run.plan,
          Measurement{run.trace(Seconds(milliseconds * 1e-3), Seconds(milliseconds * 2e-3))});
    };
    QVERIFY(isDoubted(traced(0.01)));
    QVERIFY(!isDoubted(traced(10)));
    QVERIFY(isDoubted(calibrationFor(run.scenario, run.plan, run.evaluation.batchTime * 0.4)));
    QVERIFY(!isDoubted(calibrationFor(run.scenario, run.plan, run.evaluation.batchTime)));
  }
  void aLineOfWarmUpIsTold() {
    const Run run;
    TrainingRun log = run.log(run.evaluation.batchTime);
    log.lines = 1;
    log.leftOut = 0;
    const auto isTold = [&] {
      const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
      return c && says(c->notes, "the run's first, which is warm-up");
    };
    QVERIFY(!isTold());
    log.isWarmUp = true;
    QVERIFY(isTold());
  }
  void aLogOfAnotherModelIsRefused() {
    const Run run;
    TrainingRun log = run.log(run.evaluation.batchTime);
    log.settings.layers = run.scenario.model.architecture->layers;
    log.settings.hidden = run.scenario.model.architecture->hidden;
    QVERIFY(calibrationFor(run.scenario, run.plan, Measurement{log}));
    log.settings.layers = 80;
    log.settings.hidden = 8192;
    const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
    QVERIFY(!c);
    QCOMPARE(c.diagnostics.front().code, std::string("run-differs"));
    QVERIFY(c.diagnostics.front().message.find("layers 80, not 32; hidden size 8,192, not 4,096") !=
            std::string::npos);
  }
  void aLogOfAnotherProgramIsTold() {
    Run run;
    TrainingRun log = run.log(run.evaluation.batchTime);
    const auto isTold = [&](const char* ran, const char* set) {
      log.settings.program = ran;
      run.scenario.program = set;
      const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
      return c && says(c->notes, "choose what ran in the field Program");
    };
    QVERIFY(isTold("torchtitan-2026", "megatron-core-2025"));
    QVERIFY(isTold("megatron-core-2025", "ideal"));
    QVERIFY(!isTold("megatron-core-2023", "megatron-core-2025"));  // its arguments tell no more
    QVERIFY(!isTold("torchtitan-2026", "torchtitan-2026"));
    QVERIFY(!isTold("", "megatron-core-2025"));
  }
  void aTraceOfAnotherDeviceIsRefused() {
    const Run run;
    LayerTimes trace = run.trace(Seconds(5e-3), Seconds(1e-2));
    trace.device = "NVIDIA H200";  // of the family
    QVERIFY(calibrationFor(run.scenario, run.plan, Measurement{trace}));
    trace.device = "NVIDIA A100-SXM4-80GB";
    QVERIFY(!calibrationFor(run.scenario, run.plan, Measurement{trace}));
  }
  /// No factor makes a step of 30 years of this plan.
  void aTimeBeyondAnyFactorIsRefused() {
    const Run run;
    const auto c = calibrationFor(run.scenario, run.plan, Seconds(1e9));
    QVERIFY(!c);
    QVERIFY(c.diagnostics.front().message.find("times as slow") != std::string::npos);
    QVERIFY(!c.diagnostics.front().remedy.empty());
  }
  /// A scenario that is no problem says why, in place of a calibration.
  void aScenarioWithoutAModelIsReported() {
    const Run run;
    Scenario empty = run.scenario;
    empty.model = {};
    const auto c = calibrationFor(empty, run.plan, Seconds(10));
    QVERIFY(!c);
    QVERIFY(!c.diagnostics.empty());
    QCOMPARE(c.diagnostics.front().code, std::string("no-model"));
  }
  /// A trace with fewer layers than the model has blocks may be of one stage, else it is told.
  void aTraceOfFewerLayersIsToldUnlessAStageHoldsSoMany() {
    const Run run;
    const auto traceOf = [&](int layers) {
      return calibrationFor(run.scenario, run.plan,
                            Measurement{run.trace(Seconds(1e-3), Seconds(2e-3), layers)});
    };
    const auto few = traceOf(3);
    QVERIFY(few && says(few.value->notes, "3 layers, the model 32 blocks"));
    const auto all = traceOf(32);
    QVERIFY(all && !says(all.value->notes, "the model 32 blocks"));
    const int held = static_cast<int>(run.plan.stages[1].layers().size());
    QVERIFY(held > 3 && held < 32);
    const auto stage = traceOf(held);
    QVERIFY(stage && !says(stage.value->notes, "the model 32 blocks"));
  }
  void tokensOfADeviceGiveTheStepOfThisPlan() {
    const Run run;
    TrainingRun log;
    log.lines = 1;
    log.tokensPerDevice = 1000;
    const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
    QVERIFY(c);
    const Job& job = run.scenario.job;
    QCOMPARE(c.value->measured->value(),
             double(job.globalBatch) * job.sequenceLength / (1000.0 * run.plan.devicesUsed()));
  }
  /// Each degree of a log is compared with the plan's.
  void eachDegreeOfALogIsCompared() {
    const Run run;
    const StagePlan& stage = run.plan.stages.front();
    struct Row {
      const char* name;
      std::optional<int> RunSettings::*of;
      int planned;
    };
    for (const Row& row : {Row{"TP", &RunSettings::tensor, stage.strategy.tensor},
                           Row{"CP", &RunSettings::context, stage.strategy.context},
                           Row{"EP", &RunSettings::expert, stage.strategy.expert},
                           Row{"DP", &RunSettings::data, run.plan.dataDegree()},
                           Row{"MBS", &RunSettings::microbatch, run.plan.microbatch}}) {
      TrainingRun log = run.log(Seconds(10));
      log.settings.*row.of = row.planned;
      QVERIFY2(calibrationFor(run.scenario, run.plan, Measurement{log}), row.name);
      log.settings.*row.of = row.planned + 1;
      const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
      QVERIFY2(!c && c.diagnostics.front().message.find(row.name) != std::string::npos, row.name);
    }
  }
  void aLogOfAnotherPlanIsRefused() {
    const Run run;
    TrainingRun log = run.log(Seconds(10));
    log.settings.tensor = run.plan.stages.front().strategy.tensor + 1;
    log.settings.globalBatch = run.scenario.job.globalBatch * 2;
    const auto c = calibrationFor(run.scenario, run.plan, Measurement{log});
    QVERIFY(!c);
    QCOMPARE(c.diagnostics.front().code, std::string("run-differs"));
    QVERIFY(c.diagnostics.front().message.find("TP") != std::string::npos);
    QVERIFY(c.diagnostics.front().message.find("global batch") != std::string::npos);
    const auto settings = calibrationFor(run.scenario, run.plan, Measurement{TrainingRun{}});
    QVERIFY(!settings);  // a configuration has no time
  }

  // A table of blocks without tensor parallelism: a shape for plans without it, else one factor.
  void aTableOfBlocksIsLaidOverOrGivesAFactor() {
    const Run run;
    Scenario alone = run.scenario;
    alone.constraints.tensor = {1, 1};
    alone.search.recompute = {true, true, true};
    const Problem problem = *buildProblem(alone).value;
    const Plan plan = solve(problem).best()->plan;
    const int s = problem.profile->strategyIndex(Strategy{});
    BlockTable table;
    for (const int b : problem.profile->microbatches()) {
      const LayerCost* block = nullptr;
      for (const Layer& l : problem.graph->layers)
        if (l.kind == LayerKind::Block)
          block = problem.profile->cost(l.classId, s, problem.profile->microbatchIndex(b));
      table.times.push_back({b, alone.job.sequenceLength, block->forward * 1.25});
    }
    const auto shape = calibrationFor(alone, plan, Measurement{table});
    QVERIFY2(shape, shape.diagnostics.empty() ? "" : shape.diagnostics.front().message.c_str());
    QCOMPARE(shape->scenario.model.calibration, 1.0);
    QVERIFY(shape->scenario.model.profile && shape->rescaled > shape->predicted * 1.1);
    QVERIFY(says(shape->notes, "backward changes in the same ratio"));

    QVERIFY(run.plan.stages.front().strategy.tensor > 1);
    const auto bias = calibrationFor(run.scenario, run.plan, Measurement{table});
    QVERIFY(bias);
    QVERIFY(std::abs(bias->scenario.model.calibration - 1.25) < 1e-9);
    QVERIFY(bias->rescaled > bias->predicted && says(bias->notes, "bias that all plans share"));

    QVERIFY(!says(bias->notes, "named for"));
    table.model = "llama2-7b";
    QVERIFY(!says(calibrationFor(run.scenario, run.plan, Measurement{table})->notes, "named for"));
    table.model = "gpt3-175b";
    QVERIFY(says(calibrationFor(run.scenario, run.plan, Measurement{table})->notes, "named for gpt3-175b"));

    for (auto& t : table.times) t.sequenceLength *= 2;
    const auto other = calibrationFor(run.scenario, run.plan, Measurement{table});
    QVERIFY(!other && other.diagnostics.front().message.find("8,192") != std::string::npos);
  }
  void measuredActivationsChangeMemory() {
    const Run run;
    const Strategy own = run.plan.stages.front().strategy;
    BlockTable table;
    table.memory = {{own.tensor, run.scenario.job.sequenceLength, own.sequence, Bytes(50e6)}};
    const auto c = calibrationFor(run.scenario, run.plan, Measurement{table});
    QVERIFY2(c, c.diagnostics.empty() ? "" : c.diagnostics.front().message.c_str());
    QVERIFY(c->rescaled == c->predicted && says(c->notes, "for the backward pass (estimated "));
    QVERIFY(says(c->notes, "the fullest stage needs "));
    const Problem after = *buildProblem(c->scenario).value;
    const int s = after.profile->strategyIndex(own), b = after.profile->microbatchIndex(run.plan.microbatch);
    for (const Layer& l : after.graph->layers)
      if (l.kind == LayerKind::Block)
        QCOMPARE(after.profile->cost(l.classId, s, b)->recompute[0].stash, Bytes(50e6) * run.plan.microbatch);
    table.memory[0].tensor *= 2;
    const auto none = calibrationFor(run.scenario, run.plan, Measurement{table});
    QVERIFY(!none && none.diagnostics.front().remedy.find("it has TP") != std::string::npos);
  }

  // With the times that the model has itself, nothing changes; with others the step takes them in.
  void layersAreLaidOverTheAnalyticProfile() {
    const Run run;
    const Problem problem = *buildProblem(run.scenario).value;
    const Profile& profile = *problem.profile;
    const int s = profile.strategyIndex(run.plan.stages.front().strategy),
              b = profile.microbatchIndex(run.plan.microbatch);
    const LayerCost* block = nullptr;
    for (const Layer& l : problem.graph->layers)
      if (l.kind == LayerKind::Block) block = profile.cost(l.classId, s, b);
    QVERIFY(block);
    const auto same =
        calibrationFor(run.scenario, run.plan, Measurement{run.trace(block->forward, block->backward)});
    QVERIFY(same);
    QVERIFY(std::abs(same.value->rescaled / same.value->predicted - 1) < 1e-12);
    const auto slower = calibrationFor(
        run.scenario, run.plan, Measurement{run.trace(block->forward * 1.5, block->backward * 1.5, 8)});
    QVERIFY(slower);
    QVERIFY(slower.value->rescaled > slower.value->predicted * 1.2);
    QVERIFY(says(slower.value->notes, "others stay estimated"));
    // What is written reads back as the same scenario, and costs the same.
    const auto again = readScenario(writeScenario(slower.value->scenario), "f", {});
    QVERIFY2(again, again.diagnostics.empty() ? "" : again.diagnostics.front().message.c_str());
    QVERIFY(evaluate(*buildProblem(*again.value).value, run.plan).batchTime == slower.value->rescaled);
    int measured = 0;
    const Problem with = *buildProblem(slower.value->scenario).value;
    for (const Layer& l : with.graph->layers)
      if (const LayerCost* c =
              with.profile->cost(l.classId, with.profile->strategyIndex(run.plan.stages.front().strategy),
                                 with.profile->microbatchIndex(run.plan.microbatch)))
        measured += c->origin == Origin::Measured;
    QCOMPARE(measured, 32);
  }
  void moreLayersThanBlocksAreRefused() {
    const Run run;
    const auto c =
        calibrationFor(run.scenario, run.plan, Measurement{run.trace(Seconds(1e-3), Seconds(2e-3), 40)});
    QVERIFY(!c);
    QVERIFY(c.diagnostics.front().message.find("40 layers") != std::string::npos);
  }

  // The link efficiency is for data sheets: a level that was measured counts in full, and none further out
  // with more than those inside sustain.
  void whatWasMeasuredCountsInFull() {
    const Run run;
    Scenario s = run.scenario;
    LevelsSource levels;
    levels.levels = {{"host", 8, BytesPerSecond(100e9), {}, Seconds(1e-6)},
                     {"rack", 4, BytesPerSecond(90e9), {}, Seconds(2e-6)}};
    s.cluster.network = levels;
    s.assumptions.linkEfficiency = 0.5;
    const auto sustained = [&s](int l) {
      return buildProblem(s).value->cluster->level(l).sustained().value();
    };
    QCOMPARE(sustained(0), 50e9);
    QCOMPARE(sustained(1), 45e9);
    std::get<LevelsSource>(s.cluster.network).levels[0].origin = Origin::Measured;
    QCOMPARE(sustained(0), 100e9);
    QCOMPARE(sustained(1), 45e9);
    std::get<LevelsSource>(s.cluster.network).levels[0].origin = Origin::Typed;
    std::get<LevelsSource>(s.cluster.network).levels[1].origin = Origin::Measured;
    QCOMPARE(sustained(0), 50e9);
    QCOMPARE(sustained(1), 50e9);
  }
};
NEST_TEST(TestCalibration)
#include "test_calibration.moc"
