#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "core/formats/launch_fixture.h"

using namespace nest;
using namespace nest::test;

class TestLaunchMegatron : public QObject {
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
          "--use-distributed-optimizer", "--recompute-granularity full", "--micro-batch-size 1\n",
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
  /// Flags of Megatron-LM, overrides of Megatron-Bridge, Python of NeMo: what each repeats selectively.
  void selectiveRecomputeNamesWhatWasCounted() {
    struct Recomputed {
      LaunchTarget target;
      const char *core, *activations, *latent, *nothing;
    };
    for (const Recomputed& t :
         {Recomputed{LaunchTarget::Megatron, "--recompute-modules core_attn\n",
                     "--recompute-modules layernorm moe_act\n", "--recompute-modules mla_up_proj\n",
                     "--micro-batch-size"},
          Recomputed{LaunchTarget::MegatronBridge, "model.recompute_modules=[core_attn]\n",
                     "model.recompute_modules=[layernorm,moe_act]\n",
                     "model.recompute_modules=[mla_up_proj]\n", "model.recompute_granularity=null\n"},
          Recomputed{LaunchTarget::Nemo, "recipe.model.config.recompute_modules = [\"core_attn\"]\n",
                     "recipe.model.config.recompute_modules = [\"layernorm\", \"moe_act\"]\n",
                     "recipe.model.config.recompute_modules = [\"mla_up_proj\"]\n",
                     "recipe.model.config.recompute_granularity = None\n"}}) {
      Fixture f = teaching([](Scenario& c) { c.cluster.device = *findDevice("h100"); });
      TransformerArchitecture& m = *f.scenario.model.architecture;
      AnalyticOptions& kernels = f.scenario.model.analytic;
      m.family = "llama";
      Plan p = plan(1, 1);
      for (auto& s : p.stages) s.recompute = Recompute::Selective;
      const auto written = [&] { return writeLaunch(t.target, f.source(), p); };
      const auto warned = [&] {
        return codes(written().diagnostics, Severity::Warning).find("recompute") != std::string::npos;
      };
      const auto errors = [&] { return codes(written().diagnostics, Severity::Error); };
      kernels.flashAttention = false;
      QVERIFY2(has(written(), t.core) && !warned(), nameOf(t.target));
      kernels.flashAttention = true;
      QVERIFY2(has(written(), t.nothing) && !has(written(), "recompute-") && !has(written(), "core_attn"),
               nameOf(t.target));
      QVERIFY(warned());
      kernels.selectiveRecompute = SelectiveRecompute::LatentProjection;
      QVERIFY2(has(written(), t.nothing) && !has(written(), "mla_up_proj") && warned(), nameOf(t.target));
      kernels.selectiveRecompute = SelectiveRecompute::EverySecondProduct;
      QCOMPARE(errors(), std::string("recompute-modules"));
      kernels.selectiveRecompute = SelectiveRecompute::Activations;
      QCOMPARE(errors(), std::string("recompute-modules"));
      m.family = "mixtral";
      m.experts = ExpertLayers{};
      QVERIFY2(has(written(), t.activations) && !warned(), nameOf(t.target));
      m.experts->firstDense = 2;
      QVERIFY(has(written(), t.activations) && warned());
      f.problem.job.format = NumberFormat::Fp8;
      QCOMPARE(errors(), std::string("recompute-modules"));  // delayed scaling
      kernels.selectiveRecompute = SelectiveRecompute::LatentProjection;
      m.family = "deepseek_v3";
      m.latent = LatentAttention{};
      QVERIFY2(has(written(), t.latent) && !warned(), nameOf(t.target));
    }
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
             std::string("experts"));
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
  void megatronGetsNoDefaultThatThePlanDoesNotPrice() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    const Plan p = plan(1, 1);
    const auto write = [&] { return writeLaunch(LaunchTarget::Megatron, f.source(), p); };
    QVERIFY(has(write(), "--attention-dropout 0.0\n") && has(write(), "--hidden-dropout 0.0\n"));
    QVERIFY(!has(write(), "--moe-grouped-gemm") && !has(write(), "--optimizer"));
    m.layerNorm = true;
    QVERIFY(has(write(), "--attention-dropout 0.1\n"));
    m.experts = ExpertLayers{};
    m.experts->sharedIntermediate = 512, m.experts->sharedGate = true;
    QVERIFY(has(write(), "--moe-grouped-gemm\n") && has(write(), "--moe-shared-expert-gate\n"));
    f.problem.job.optimizer = OptimizerRegime::sgd();
    QVERIFY(has(write(), "--optimizer sgd\n"));
    QVERIFY(codes(write().diagnostics, Severity::Warning).find("master-weights") != std::string::npos);
    const auto deepSpeed = writeLaunch(LaunchTarget::DeepSpeed, f.source(), p);
    QVERIFY(deepSpeed);
    QCOMPARE(nlohmann::json::parse(*deepSpeed)["optimizer"]["type"].get<std::string>(), std::string("SGD"));
  }
};
NEST_TEST(TestLaunchMegatron)
#include "test_launch_megatron.moc"
