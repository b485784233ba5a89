#include <QtTest/QTest>

#include "calibration/measurement.h"
#include "core/formats/launch_fixture.h"
#include "fields/program_setting.h"
#include "formats/format.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Two stages on two replicas, which torchtitan shards.
Plan shardedPlan() {
  Plan p = plan(2, 1);
  p.zero = 1;
  return p;
}
Reading<std::string> torchtitan(const Fixture& f, const Plan& p) {
  return writeLaunch(to("torchtitan"), f.source(), p);
}
RunSettings readBack(const std::string& text) {
  const auto read = std::get<ReadMeasurement>(findFormat("torchtitan-config")->read)(text, "t.toml");
  return read ? std::get<TrainingRun>(read->of).settings : RunSettings{};
}

}  // namespace

class TestLaunchTorchtitan : public QObject {
  Q_OBJECT
private slots:
  void expertsOfWholeReplicasAreNotForTorchTitan() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    for (auto& s : p.stages) s.strategy = {1, false, 1, 2};
    QCOMPARE(codes(torchtitan(f, p).diagnostics, Severity::Error), std::string("experts-unsharded ddp-mesh"));
    p.zero = 1;
    const auto r = torchtitan(f, p);
    QVERIFY(r);
    QVERIFY(r->find("expert_tensor_parallel_degree = 1\n") != std::string::npos);
  }
  void torchTitanNamesItsModules() {
    const Fixture f = teaching();
    Plan p = shardedPlan();
    const auto r = torchtitan(f, p);
    QVERIFY(r);
    QVERIFY(r->find("[\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\"]") != std::string::npos);
    QVERIFY(r->find("[\"layers.3\", \"layers.4\", \"layers.5\", \"norm\", \"output\"]") != std::string::npos);
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    // Other than torchtitan's, unless the plan was priced as torchtitan does it.
    const Fixture there = teaching(
        [](Scenario& s) { s.model.analytic.selectiveRecompute = SelectiveRecompute::EverySecondProduct; });
    QVERIFY(codes(torchtitan(f, p).diagnostics, Severity::Warning).find("recompute") != std::string::npos);
    QVERIFY(codes(torchtitan(there, p).diagnostics, Severity::Warning).find("recompute") ==
            std::string::npos);
    QVERIFY(!writeLaunch(to("nanotron"), f.source(), p));
  }
  void torchTitanRunsInThePlansFormat() {
    const Fixture f = teaching();
    const auto errors = [&](const Plan& p) { return codes(torchtitan(f, p).diagnostics, Severity::Error); };
    Plan split = plan(1, 1);
    QVERIFY(has(torchtitan(f, split), "\ndtype = \"bfloat16\"\n"));
    QCOMPARE(codes(torchtitan(f, split).diagnostics, Severity::Warning), std::string("full-bf16"));
    QVERIFY(has(torchtitan(f, split), "torchtitan v0.2.2"));
    QCOMPARE(errors(plan(2, 1)), std::string("ddp-mesh"));
    Plan alone = plan(2, 1);
    alone.stages.resize(1);
    for (int l = 4; l < 9; ++l) alone.stages[0].chunks[0].push_back(LayerIndex(l));
    QVERIFY(has(torchtitan(f, alone), "mixed_precision_param = \"bfloat16\""));
    alone.zero = 3;
    QVERIFY(has(torchtitan(f, alone), "mixed_precision_param = \"bfloat16\""));
    // Context parallelism of any degree runs under FSDP, which one replica alone does not.
    const Fixture wide = teaching([](Scenario& s) {
      s.search.contextParallel = true;
      s.cluster.network = LevelsSource{{{"host", 8, BytesPerSecond(100e9), {}, Seconds(1e-6)}}, {}, {}, {}};
    });
    for (const int context : {1, 2, 4}) {
      Plan shared = plan(1, 1);
      for (auto& s : shared.stages) s.strategy = {1, false, context, 1};
      shared.blockStride = 2 * context;
      shared.zero = 1;
      const auto r = torchtitan(wide, shared);
      QVERIFY2(r, codes(r.diagnostics, Severity::Error).c_str());
      QCOMPARE(has(r, "mixed_precision_param = \"bfloat16\""), context > 1);
      QCOMPARE(has(r, "\ndtype = \"bfloat16\"\n"), context == 1);
    }
  }
  /// Lists over several lines, as every pipeline has them.
  void itsConfigurationIsReadBack() {
    const Fixture f = teaching();
    const auto text = torchtitan(f, shardedPlan());
    QVERIFY(text);
    const RunSettings s = readBack(*text);
    QCOMPARE(s.pipeline.value_or(0), 2);
    QCOMPARE(s.data.value_or(0), 2);
    QCOMPARE(s.microbatch.value_or(0), 1);
    QCOMPARE(s.globalBatch.value_or(0), f.problem.job.globalBatch);
    QCOMPARE(s.sequenceLength.value_or(0), f.problem.job.sequenceLength);
  }
  /// A plan that is written and read back is priced as before.
  void theProgramIsReadBack() {
    for (const char* id : {"torchtitan-2024", "torchtitan-2024-compiled", "torchtitan-2026"})
      for (const int tensor : {1, 2}) {
        Fixture f = teaching();
        setProgram(f.scenario, *findProgram(id));
        f.problem.assumptions = f.scenario.assumptions;
        Plan p = shardedPlan();
        for (StagePlan& stage : p.stages) stage.strategy = {tensor, tensor > 1, 1, 1};
        const auto text = torchtitan(f, p);
        QVERIFY2(text, id);
        const Program* read = findProgram(readBack(*text).program);
        QVERIFY2(read, text->c_str());
        // The file is of the recent release, which compiles the loss, too.
        QCOMPARE(read->id, std::string(id == std::string("torchtitan-2024") ? id : "torchtitan-2026"));
        if (tensor > 1 && read->id == "torchtitan-2026")
          QCOMPARE(readBack(*text).overlapsTensor, std::optional(id == std::string("torchtitan-2026")));
      }
  }
  void selectiveRecomputeIsOfProducts() {
    const Fixture f = teaching(
        [](Scenario& s) { s.model.analytic.selectiveRecompute = SelectiveRecompute::EverySecondProduct; });
    Plan p = shardedPlan();
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    QVERIFY(has(torchtitan(f, p), "mode = \"selective\"\nselective_ac_option = \"op\"\n"));
    for (auto& s : p.stages) s.recompute = Recompute::Full;
    QVERIFY(has(torchtitan(f, p), "mode = \"full\"\nearly_stop = false\n"));
  }
  /// torchtitan has one selective mode: a warning names what the plan would recompute.
  void otherSelectiveRecomputeIsNamed() {
    for (const auto& [what, name] : {std::pair{SelectiveRecompute::Activations, "norms and activations"},
                                     std::pair{SelectiveRecompute::AttentionCore, "the core of attention"}}) {
      const Fixture f = teaching([what = what](Scenario& s) { s.model.analytic.selectiveRecompute = what; });
      Plan p = shardedPlan();
      for (auto& s : p.stages) s.recompute = Recompute::Selective;
      const auto written = torchtitan(f, p);
      QVERIFY(std::any_of(written.diagnostics.begin(), written.diagnostics.end(), [&](const Diagnostic& d) {
        return d.message.find(std::string("the plan recomputes ") + name) != std::string::npos;
      }));
    }
  }
  /// In a pipeline parameters stay gathered and gradients whole there; else each microbatch's are scattered.
  void pipelinesShardStatesAlone() {
    const Fixture f = teaching();
    Plan p = shardedPlan();
    for (const LaunchTarget& target : {to("torchtitan"), to("torchtitan-py")}) {
      const auto written = writeLaunch(target, f.source(), p);
      QVERIFY(has(written, target.id == "torchtitan" ? "fsdp_reshard_after_forward = \"never\""
                                                     : "fsdp_reshard_after_forward=\"never\""));
      QVERIFY(has(written, target.id == "torchtitan" ? "data_parallel_shard_degree = 2\n"
                                                     : "data_parallel_shard_degree=2,\n"));
      for (const int zero : {2, 3}) {
        Plan more = p;
        more.zero = zero;
        const auto r = writeLaunch(target, f.source(), more);
        QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("zero-pipeline"));
        QCOMPARE(r.diagnostics.front().remedy, std::string("`search.zero_stages := 1`"));
      }
      Plan alone = p;
      alone.stages.resize(1);
      for (int l = 4; l < 9; ++l) alone.stages[0].chunks[0].push_back(LayerIndex(l));
      const auto r = writeLaunch(target, f.source(), alone);
      QCOMPARE(codes(r.diagnostics, Severity::Error), std::string("zero-1"));
      QCOMPARE(r.diagnostics.front().remedy, std::string("`search.zero_stages := 0, 2, 3`"));
    }
  }
};
NEST_TEST(TestLaunchTorchtitan)
#include "test_launch_torchtitan.moc"
