#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "formats/launch/launch_export.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Fixture {
  Scenario scenario;
  Problem problem;
  ReportSource source() const { return {scenario.name, &problem, &*scenario.model.architecture}; }
};

Fixture teaching() {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
  Fixture f;
  f.scenario = *readScenario(nest::test::readFile(path), path, {}).value;
  f.problem = *buildProblem(f.scenario).value;
  return f;
}

/// Two stages of one device each, two replicas; layers 0–3 and 4–8.
Plan plan(int inner, int outer) {
  Plan p;
  p.dataInner = inner;
  p.dataOuter = outer;
  p.blockStride = 2 * inner;
  p.stages.resize(2);
  for (auto& s : p.stages) s.chunks.resize(1);
  for (int l = 0; l < 9; ++l) p.stages[l < 4 ? 0 : 1].chunks[0].push_back(LayerIndex(l));
  return p;
}

std::string codes(const Diagnostics& all, Severity severity) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == severity) out += (out.empty() ? "" : " ") + d.code;
  return out;
}

}  // namespace

class TestLaunchExport : public QObject {
  Q_OBJECT
private slots:
  void megatronGetsEveryDecision() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1}, s.recompute = Recompute::Full;
    p.zero = 1;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    for (const char* part :
         {"--tensor-model-parallel-size 2", "--pipeline-model-parallel-size 2",
          "--pipeline-model-parallel-layout 'Et*3|t*3L'", "--sequence-parallel",
          "--use-distributed-optimizer", "--recompute-granularity full", "--micro-batch-size 1",
          "--global-batch-size 16", "--seq-length 2048", "--num-layers 6", "--swiglu"})
      QVERIFY2(r->find(part) != std::string::npos, part);
    QCOMPARE(codes(r.diagnostics, Severity::Warning), std::string());
  }
  void megatronHidesSyncWhereThatWasAssumed() {
    Fixture f = teaching();
    Plan p = plan(2, 1);
    p.zero = 1;
    const auto has = [&](const char* flag) {
      const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
      return r && r->find(flag) != std::string::npos;
    };
    QVERIFY(!has("--overlap-grad-reduce") && !has("--overlap-param-gather"));
    f.problem.assumptions.syncOverlap = 0.8;
    QVERIFY(has("--overlap-grad-reduce") && has("--overlap-param-gather"));
    p.zero = 0;
    QVERIFY(has("--overlap-grad-reduce") && !has("--overlap-param-gather"));
    p = plan(1, 1);  // one replica has nobody to exchange with
    QVERIFY(!has("--overlap-grad-reduce"));
  }
  void megatronGetsWhatTheModelIs() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1};
    m.attentionBias = m.queryKeyNorm = true, m.projectionBias = false;
    m.headDim = m.hidden / m.heads * 2;
    m.experts = ExpertLayers{};
    m.experts->firstDense = 2;
    m.experts->sharedIntermediate = 512;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    for (const char* part :
         {"export CUDA_DEVICE_MAX_CONNECTIONS=1\n", "--disable-bias-linear", "--add-qkv-bias",
          "--qk-layernorm", "--kv-channels", "--moe-token-dispatcher-type alltoall",
          "--moe-layer-freq \"[0]*2+[1]*4\"", "--moe-shared-expert-intermediate-size 512"})
      QVERIFY2(r->find(part) != std::string::npos, part);
    for (auto& s : p.stages) s.strategy.sequence = false;
    QCOMPARE(codes(writeLaunch(LaunchTarget::Megatron, f.source(), p).diagnostics, Severity::Error),
             std::string("experts-without-sequence"));
    QCOMPARE(codes(writeLaunch(LaunchTarget::Nanotron, f.source(), p).diagnostics, Severity::Error),
             std::string("expert-ranks"));
  }
  void megatronShardsWithItsOwnFormat() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    p.stages[0].strategy = {2, true, 1, 1};
    p.zero = 3;
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("--ckpt-format fsdp_dtensor") != std::string::npos);
    QVERIFY(r->find("CUDA_DEVICE_MAX_CONNECTIONS") == std::string::npos);
  }
  void expertsOfWholeReplicasAreNotForTorchTitan() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    for (auto& s : p.stages) s.strategy = {1, false, 1, 2};
    QCOMPARE(codes(writeLaunch(LaunchTarget::TorchTitan, f.source(), p).diagnostics, Severity::Error),
             std::string("experts-unsharded"));
    p.zero = 2;
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("expert_tensor_parallel_degree = 1\n") != std::string::npos);
  }
  void interleavedLayoutsListPartsInTheOrderOfData() {
    const Fixture f = teaching();
    Plan p = plan(1, 1);
    p.stages[0].chunks = {{LayerIndex(0), LayerIndex(1)}, {LayerIndex(4), LayerIndex(5)}};
    p.stages[1].chunks = {{LayerIndex(2), LayerIndex(3)}, {LayerIndex(6), LayerIndex(7), LayerIndex(8)}};
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
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
    const auto r = writeLaunch(LaunchTarget::Megatron, f.source(), p);
    QVERIFY(!r);
    QCOMPARE(codes(r.diagnostics, Severity::Error),
             std::string("strategy-per-stage recompute-per-stage padded-batch zero-with-pipeline"));
  }
  void ranksFollowTheFrameworksOrder() {
    const Fixture f = teaching();
    // d_in = 2: stage 0 on devices 0 and 1, stage 1 on 2 and 3. d_in = 1: the blocks {0, 1} and {2, 3} hold a
    // pipeline each.
    const auto inner = writeLaunch(LaunchTarget::SlurmHostFile, f.source(), plan(2, 1));
    const auto outer = writeLaunch(LaunchTarget::SlurmHostFile, f.source(), plan(1, 2));
    QVERIFY(inner && outer);
    QCOMPARE(*inner, std::string("host0\nhost0\nhost1\nhost1\n"));
    QCOMPARE(*outer, std::string("host0\nhost1\nhost0\nhost1\n"));
    QCOMPARE(
        *writeLaunch(LaunchTarget::RankFile, f.source(), plan(1, 2)),
        std::string("rank 0=host0 slot=0\nrank 1=host1 slot=0\nrank 2=host0 slot=1\nrank 3=host1 slot=1\n"));
    // A slot of that file is no device, and is said to be none.
    QCOMPARE(codes(writeLaunch(LaunchTarget::RankFile, f.source(), plan(1, 2)).diagnostics, Severity::Note),
             std::string("rankfile-slot"));
    QVERIFY(std::string(describe(LaunchTarget::RankFile)).find("CPU core") != std::string::npos);
    QCOMPARE(*writeLaunch(LaunchTarget::HostFile, f.source(), plan(2, 1)),
             std::string("host0 slots=2\nhost1 slots=2\n"));
    const auto refused = writeLaunch(LaunchTarget::HostFile, f.source(), plan(1, 2));
    QVERIFY(!refused);
    QCOMPARE(codes(refused.diagnostics, Severity::Error), std::string("hosts-interleave"));
    QCOMPARE(
        codes(writeLaunch(LaunchTarget::Megatron, f.source(), plan(1, 2)).diagnostics, Severity::Warning),
        std::string("placement"));
  }
  void aPlanBeyondTheClusterIsRefused() {
    const Fixture f = teaching();
    for (const LaunchTarget t : {LaunchTarget::HostFile, LaunchTarget::SlurmHostFile, LaunchTarget::RankFile})
      QVERIFY(!writeLaunch(t, f.source(), plan(8, 1)));
  }
  void deepSpeedsBatchAddsUp() {
    const Fixture f = teaching();
    const auto r = writeLaunch(LaunchTarget::DeepSpeed, f.source(), plan(2, 1));
    QVERIFY(r);
    const auto j = nlohmann::json::parse(*r);
    QCOMPARE(j["train_batch_size"].get<int>(), j["train_micro_batch_size_per_gpu"].get<int>() *
                                                   j["gradient_accumulation_steps"].get<int>() * 2);
    Plan z = plan(2, 1);
    z.zero = 2;
    QVERIFY(!writeLaunch(LaunchTarget::DeepSpeed, f.source(), z));
  }
  void torchTitanNamesItsModules() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    const auto r = writeLaunch(LaunchTarget::TorchTitan, f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("[\"tok_embeddings\", \"layers.0\", \"layers.1\", \"layers.2\"]") != std::string::npos);
    QVERIFY(r->find("[\"layers.3\", \"layers.4\", \"layers.5\", \"norm\", \"output\"]") != std::string::npos);
    p.zero = 1;
    QVERIFY(!writeLaunch(LaunchTarget::TorchTitan, f.source(), p));
    for (auto& s : p.stages) s.recompute = Recompute::Selective;
    QVERIFY(!writeLaunch(LaunchTarget::Nanotron, f.source(), p));
  }
  void tracesNestOnEachThread() {
    const Fixture f = teaching();
    const auto r = writeLaunch(LaunchTarget::ChromeTrace, f.source(), plan(2, 1));
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
  void namesReadBack() {
    for (int t = 0; t < kLaunchTargetCount; ++t) {
      const auto target = static_cast<LaunchTarget>(t);
      QVERIFY(launchTargetNamed(nameOf(target)) == target);
    }
    QVERIFY(!launchTargetNamed("megaton"));
  }
};
NEST_TEST(TestLaunchExport)
#include "test_launch_export.moc"
