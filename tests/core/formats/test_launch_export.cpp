#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "core/formats/launch_fixture.h"

using namespace nest;
using namespace nest::test;

class TestLaunchExport : public QObject {
  Q_OBJECT
private slots:
  void degreesStandUnderTheirOwnFlags() {
    Fixture f = teaching();
    f.scenario.model.architecture->experts = ExpertLayers{};
    Plan p = plan(4, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    const auto text = [&](const LaunchTarget& target, const Strategy& s) {
      p.stages[0].strategy = s;
      return writeLaunch(target, f.source(), p).value.value_or("refused");
    };
    const auto has = [](const std::string& all, const char* part) {
      return all.find(part) != std::string::npos;
    };
    const std::string megatron = text(to("megatron"), {2, true, 1, 4});
    QVERIFY(has(megatron, "--tensor-model-parallel-size 2\n"));
    QVERIFY(has(megatron, "--expert-model-parallel-size 4\n"));
    QVERIFY(has(megatron, "--expert-tensor-parallel-size 2\n"));
    QVERIFY(has(megatron, "--sequence-parallel\n"));
    QVERIFY(!has(megatron, "--context-parallel-size"));
    const std::string folded = text(to("megatron"), {2, true, 1, 8, true});
    QVERIFY(has(folded, "--expert-model-parallel-size 8\n"));
    QVERIFY(has(folded, "--expert-tensor-parallel-size 1\n"));
    QCOMPARE(text(to("deepspeed"), {2, true, 1, 8, true}), std::string("refused"));
    QVERIFY(has(text(to("megatron"), {1, false, 8, 1}), "--context-parallel-size 8\n"));
    QVERIFY(!has(text(to("megatron"), {1, false, 8, 1}), "--sequence-parallel"));
    f.scenario.model.architecture->experts.reset();
    QVERIFY(!has(text(to("megatron"), {2, false, 1, 1}), "--sequence-parallel"));
    QVERIFY(has(text(to("nanotron"), {2, false, 8, 1}),
                "  dp: 4\n  pp: 1\n  tp: 2\n  context_parallel_size: 8\n  expert_parallel_size: 1\n"));
    QVERIFY(has(text(to("nanotron"), {2, false, 1, 1}), "  tp_mode: ALL_REDUCE\n"));
    // Four replicas: as they are, or sharded.
    for (const int zero : {0, 2, 3}) {
      p.zero = zero;
      const std::string torchtitan = text(to("torchtitan"), {1, false, 1, 1});
      QVERIFY(has(torchtitan, zero == 0
                                  ? "data_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 1\n"
                                  : "data_parallel_replicate_degree = 1\ndata_parallel_shard_degree = 4\n"));
    }
    // Two shard groups of two: what each program calls them, or that it has none.
    p.shardReplicas = 2;
    QVERIFY(has(text(to("torchtitan"), {1, false, 1, 1}),
                "data_parallel_replicate_degree = 2\ndata_parallel_shard_degree = 2\n"));
    QVERIFY(has(text(to("deepspeed"), {1, false, 1, 1}), "\"mics_shard_size\": 2"));
    p.zero = 1;
    QVERIFY(has(text(to("megatron"), {1, false, 1, 1}),
                "--use-distributed-optimizer\n  --num-distributed-optimizer-instances 2\n"));
    QCOMPARE(text(to("deepspeed"), {1, false, 1, 1}), std::string("refused"));
    QCOMPARE(text(to("nanotron"), {1, false, 1, 1}), std::string("refused"));
    p.shardReplicas = 0;
    p.zero = 0;
    QVERIFY(has(text(to("nanotron"), {2, true, 1, 1}), "  tp_mode: REDUCE_SCATTER\n"));
  }
  /// Llama 3 405B's way: embedding and loss count as a layer each.
  void endsWithoutBlocksAreNamed() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.schedule = ScheduleKind::Interleaved;
    p.stages[0].chunks = {{LayerIndex(0)}, {LayerIndex(2)}, {LayerIndex(4)}, {LayerIndex(6)}};
    p.stages[1].chunks = {{LayerIndex(1)}, {LayerIndex(3)}, {LayerIndex(5)}, {LayerIndex(7), LayerIndex(8)}};
    const auto r = writeLaunch(to("megatron"), f.source(), p);
    QVERIFY2(has(r, "--pipeline-model-parallel-layout 'E|t|t|t|t|t|t|L'"), r ? r->c_str() : "refused");
  }
  /// torchtitan runs what Megatron-LM cannot say.
  void schedulesByTheirNames() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    const auto titan = [&] { return writeLaunch(to("torchtitan"), f.source(), p); };
    QVERIFY(has(titan(), "pipeline_parallel_schedule = \"1F1B\""));
    p.stages[0].chunks = {{LayerIndex(0), LayerIndex(1)}, {LayerIndex(6), LayerIndex(7), LayerIndex(8)}};
    p.stages[1].chunks = {{LayerIndex(2), LayerIndex(3)}, {LayerIndex(4), LayerIndex(5)}};
    p.schedule = ScheduleKind::DualPipeV;
    const auto folded = titan();
    QVERIFY(has(folded, "pipeline_parallel_schedule = \"DualPipeV\""));
    QVERIFY(folded->find("\"layers.3\"") < folded->find("\"layers.5\""));
    p.schedule = ScheduleKind::ZbV;
    QVERIFY(has(titan(), "pipeline_parallel_schedule = \"ZBVZeroBubble\""));
    for (const LaunchTarget& other : {to("megatron"), to("deepspeed"), to("nanotron")}) {
      const auto refused = writeLaunch(other, f.source(), p);
      QVERIFY(!refused);
      const std::string why = codes(refused.diagnostics, Severity::Error);
      QVERIFY(why.find("schedule") != std::string::npos && why.find("interleaved") == std::string::npos);
    }
    p = plan(1, 1);
    p.schedule = ScheduleKind::ZbH1;
    QCOMPARE(codes(titan().diagnostics, Severity::Error), std::string("schedule"));
  }
  void interleavedLayoutsListPartsInTheOrderOfData() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.stages[0].chunks = {{LayerIndex(0), LayerIndex(1)}, {LayerIndex(4), LayerIndex(5)}};
    p.stages[1].chunks = {{LayerIndex(2), LayerIndex(3)}, {LayerIndex(6), LayerIndex(7), LayerIndex(8)}};
    const auto r = writeLaunch(to("megatron"), f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("'Et|t*2|t*2|tL'") != std::string::npos);
  }
  void everyReasonForARefusalIsNamed() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.zero = 3;
    p.microbatch = 3;
    p.stages[1].strategy.tensor = 2;
    p.stages[1].recompute = Recompute::Full;
    const auto r = writeLaunch(to("megatron"), f.source(), p);
    QVERIFY(!r);
    QCOMPARE(codes(r.diagnostics, Severity::Error),
             std::string("strategy-per-stage recompute-per-stage padded-batch zero-with-pipeline"));
  }
  void deepSpeedsBatchAddsUp() {
    const Fixture f = teaching();
    const auto r = writeLaunch(to("deepspeed"), f.source(), plan(2, 1));
    QVERIFY(r);
    const auto j = nlohmann::json::parse(*r);
    QCOMPARE(j["train_batch_size"].get<int>(), j["train_micro_batch_size_per_gpu"].get<int>() *
                                                   j["gradient_accumulation_steps"].get<int>() * 2);
    Plan z = plan(2, 1);
    z.zero = 1;
    const auto sharded = writeLaunch(to("deepspeed"), f.source(), z);
    QVERIFY(sharded);
    QCOMPARE(nlohmann::json::parse(*sharded)["zero_optimization"]["stage"].get<int>(), 1);
    z.zero = 2;
    QVERIFY(!writeLaunch(to("deepspeed"), f.source(), z));
  }
  void tracesNestOnEachThread() {
    const Fixture f = teaching();
    const auto r = writeLaunch(to("chrome-trace"), f.source(), plan(2, 1));
    QVERIFY(r);
    const auto j = nlohmann::json::parse(*r);
    std::map<int, std::vector<std::pair<double, double>>> threads;
    for (const auto& e : j["traceEvents"])
      if (e["ph"] == "X" && e["name"] != "recompute")
        threads[e["tid"].get<int>()].emplace_back(e["ts"].get<double>(), e["dur"].get<double>());
    QVERIFY(threads.size() >= 2);
    for (auto& [tid, events] : threads) {
      std::sort(events.begin(), events.end());
      for (std::size_t i = 1; i < events.size(); ++i)
        QVERIFY2(events[i].first >= events[i - 1].first + events[i - 1].second - 1e-6,
                 qPrintable(QString("thread %1").arg(tid)));
    }
  }
  void fp8IsAskedForOrRefused() {
    const auto fp8On = [](const char* device) {
      return teaching(
          [&](Scenario& s) { s.job.format = NumberFormat::Fp8, s.cluster.device = *findDevice(device); });
    };
    const Fixture hopper = fp8On("h100-sxm"), blackwell = fp8On("b200"), ampere = fp8On("a100-80");
    const Plan p = plan(1, 1);
    for (const char* flag : {"--bf16\n", "--fp8-format hybrid\n", "--fp8-recipe delayed\n"})
      QVERIFY2(has(writeLaunch(to("megatron"), hopper.source(), p), flag), flag);
    QVERIFY(has(writeLaunch(to("megatron"), blackwell.source(), p), "--fp8-recipe mxfp8\n"));
    QVERIFY(
        has(writeLaunch(to("torchtitan"), hopper.source(), p), "converters = [\"quantize.linear.float8\"]"));
    const auto refusal = [&](const LaunchTarget& t, const Fixture& f) {
      return codes(writeLaunch(t, f.source(), p).diagnostics, Severity::Error);
    };
    QCOMPARE(refusal(to("megatron"), ampere), std::string("fp8-device"));
    QCOMPARE(refusal(to("deepspeed"), hopper), std::string("format"));
    QCOMPARE(refusal(to("nanotron"), hopper), std::string("format"));
    const Fixture volta = teaching([](Scenario& s) { s.cluster.device = *findDevice("v100"); });
    QCOMPARE(refusal(to("megatron"), volta), std::string("bf16-device"));
    QCOMPARE(refusal(to("deepspeed"), volta), std::string("bf16-device"));
    const Fixture half = teaching([](Scenario& s) { s.job.format = NumberFormat::Fp16; });
    QCOMPARE(refusal(to("torchtitan"), half), std::string("format"));
    QVERIFY(!has(writeLaunch(to("megatron"), teaching().source(), p), "fp8"));
  }
  /// What the frameworks do unless told otherwise is not what the plan counts.
  void gradientsAreSummedAsThePlanCounts() {
    const Plan p = plan(1, 1);
    Fixture f = teaching([](Scenario& s) { s.job.format = NumberFormat::Fp16; });
    const char* flag = "--accumulate-allreduce-grads-in-fp32\n";
    QVERIFY(has(writeLaunch(to("megatron"), f.source(), p), flag));
    QVERIFY(!has(writeLaunch(to("megatron"), teaching().source(), p), flag));
    f.problem.job.optimizer = OptimizerRegime::zeroPaper();
    QVERIFY(!has(writeLaunch(to("megatron"), f.source(), p), flag));

    Fixture deep = teaching();
    Plan sharded = p;
    sharded.zero = 1;
    const auto settings = [&] {
      const auto text = writeLaunch(to("deepspeed"), deep.source(), sharded);
      return text ? nlohmann::json::parse(*text) : nlohmann::json();
    };
    QVERIFY(settings()["data_types"]["grad_accum_dtype"] == "fp32");
    QVERIFY(settings()["communication_data_type"] == "fp32");
    QVERIFY(!settings().contains("zero_allow_untested_optimizer"));
    deep.problem.job.optimizer = OptimizerRegime::sgd();
    QVERIFY(!settings().contains("data_types"));
    QVERIFY(settings()["zero_allow_untested_optimizer"] == true);
    const auto whole = writeLaunch(to("deepspeed"), teaching().source(), p);
    QVERIFY(codes(whole.diagnostics, Severity::Warning).find("gradients") != std::string::npos);
  }
  void standInsAreTold() {
    Fixture f = teaching([](Scenario& s) { s.cluster.device = *findDevice("tpu-v4"); });
    f.problem.job.optimizer = {"custom", 2, 2, 2};
    for (const LaunchTarget& t : {to("megatron"), to("deepspeed"), to("nanotron")}) {
      const auto told = codes(writeLaunch(t, f.source(), plan(1, 1)).diagnostics, Severity::Warning);
      QVERIFY2(told.find("optimizer accelerator") != std::string::npos, told.c_str());
    }
    f.scenario.model.architecture->gatedMlp = false;
    f.scenario.model.architecture->activation = "relu";
    const auto told =
        codes(writeLaunch(to("megatron"), f.source(), plan(1, 1)).diagnostics, Severity::Warning);
    QVERIFY2(told.find("activation") != std::string::npos, told.c_str());
  }
  void namesReadBack() {
    for (const LaunchTarget* t : launchTargets()) {
      QCOMPARE(findLaunchTarget(t->id), t);
      QVERIFY2(!t->about.empty() && !t->help.empty() && !t->file.empty(), t->id.data());
      QVERIFY2((t->program != nullptr) != (t->write != nullptr), t->id.data());
    }
    QVERIFY(!findLaunchTarget("megaton"));
  }
};
NEST_TEST(TestLaunchExport)
#include "test_launch_export.moc"
