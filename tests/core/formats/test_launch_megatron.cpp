#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "core/formats/launch_fixture.h"
#include "formats/launch/launch_recipes.h"
#include "formats/models/hf_config.h"
#include "test_paths.h"

using namespace nest;
using namespace nest::test;

class TestLaunchMegatron : public QObject {
  Q_OBJECT
private slots:
  void megatronGetsEveryDecision() {
    Fixture f = teaching();
    f.scenario.model.architecture->details["rope_theta"] = 500000.0;
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1}, s.recompute = Recompute::Full;
    p.zero = 1;
    const auto r = writeLaunch(to("megatron"), f.source(), p);
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
      const auto r = writeLaunch(to("megatron"), f.source(), p);
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
         {Recomputed{to("megatron"), "--recompute-modules core_attn\n",
                     "--recompute-modules layernorm moe_act\n", "--recompute-modules mla_up_proj\n",
                     "--micro-batch-size"},
          Recomputed{to("megatron-bridge"), "model.recompute_modules=[core_attn]\n",
                     "model.recompute_modules=[layernorm,moe_act]\n",
                     "model.recompute_modules=[mla_up_proj]\n", "model.recompute_granularity=null\n"},
          Recomputed{to("nemo"), "recipe.model.config.recompute_modules = [\"core_attn\"]\n",
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
      QVERIFY2(has(written(), t.core) && !warned(), t.target.id.data());
      kernels.flashAttention = true;
      QVERIFY2(has(written(), t.nothing) && !has(written(), "recompute-") && !has(written(), "core_attn"),
               t.target.id.data());
      QVERIFY(warned());
      kernels.selectiveRecompute = SelectiveRecompute::LatentProjection;
      QVERIFY2(has(written(), t.nothing) && !has(written(), "mla_up_proj") && warned(), t.target.id.data());
      kernels.selectiveRecompute = SelectiveRecompute::EverySecondProduct;
      QCOMPARE(errors(), std::string("recompute-modules"));
      kernels.selectiveRecompute = SelectiveRecompute::Activations;
      QCOMPARE(errors(), std::string("recompute-modules"));
      m.family = "mixtral";
      m.experts = ExpertLayers{};
      QVERIFY2(has(written(), t.activations) && !warned(), t.target.id.data());
      m.experts->firstDense = 2;
      QVERIFY(has(written(), t.activations) && warned());
      f.problem.job.format = NumberFormat::Fp8;
      QCOMPARE(errors(), std::string("recompute-modules"));  // delayed scaling
      kernels.selectiveRecompute = SelectiveRecompute::LatentProjection;
      m.family = "deepseek_v3";
      m.latent = LatentAttention{};
      QVERIFY2(has(written(), t.latent) && !warned(), t.target.id.data());
    }
  }
  void megatronGetsWhatTheModelIs() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    Plan p = plan(1, 1);
    for (auto& s : p.stages) s.strategy = {2, true, 1, 1};
    QVERIFY(!has(writeLaunch(to("megatron"), f.source(), p), "--qk-layernorm"));
    m.attentionBias = m.queryKeyNorm = true, m.projectionBias = false;
    m.headDim = m.hidden / m.heads * 2;
    m.experts = ExpertLayers{};
    m.experts->firstDense = 2;
    m.experts->sharedIntermediate = 512;
    const auto r = writeLaunch(to("megatron"), f.source(), p);
    QVERIFY(r);
    for (const char* part :
         {"export CUDA_DEVICE_MAX_CONNECTIONS=1\n", "--disable-bias-linear", "--add-qkv-bias",
          "--qk-layernorm", "--kv-channels", "--moe-token-dispatcher-type alltoall",
          "--moe-layer-freq \"[0]*2+[1]*4\"", "--moe-shared-expert-intermediate-size 512"})
      QVERIFY2(r->find(part) != std::string::npos, part);
    for (auto& s : p.stages) s.strategy.sequence = false;
    QCOMPARE(codes(writeLaunch(to("megatron"), f.source(), p).diagnostics, Severity::Error),
             std::string("experts-without-sequence"));
    QCOMPARE(codes(writeLaunch(to("nanotron"), f.source(), p).diagnostics, Severity::Error),
             std::string("experts"));
  }
  /// A recipe starts with stages and layers of its own: the layout does not go with them.
  void recipesKeepNothingThatThePlanHasNot() {
    Fixture f = teaching();
    f.scenario.model.architecture->family = "deepseek_v3";
    f.scenario.model.architecture->experts = ExpertLayers{};
    f.scenario.model.architecture->experts->groups = f.scenario.model.architecture->experts->groupsPerToken =
        1;
    f.scenario.model.architecture->latent = LatentAttention{.queryRank = 0};
    const Plan p = plan(1, 1);
    for (const char* part :
         {"++comm_overlap.tp_comm_overlap=false\n", "++model.mtp_num_layers=null\n",
          // Some train with Muon or 16-bit moments, and either place shards the optimizer.
          "  optimizer.optimizer=adam\n", "  optimizer.use_distributed_optimizer=false\n",
          "  optimizer.use_precision_aware_optimizer=false\n", "  optimizer.main_grads_dtype=torch.float32\n",
          "  optimizer.exp_avg_dtype=torch.float32\n",
          // Moonlight has neither groups nor a rank of its queries, DeepSeek-V3 has both.
          "++model.moe_router_num_groups=null\n", "++model.moe_router_group_topk=null\n",
          "++model.q_lora_rank=null\n", "++model.moe_layer_freq=[1,1,1,1,1,1]\n",
          "++model.moe_shared_expert_intermediate_size=null\n",
          "++model.num_layers_in_first_pipeline_stage=null\n",
          "++model.num_layers_in_last_pipeline_stage=null\n",
          "++model.account_for_embedding_in_pipeline_split=false\n",
          "++model.account_for_loss_in_pipeline_split=false\n"})
      QVERIFY2(has(writeLaunch(to("megatron-bridge"), f.source(), p), part), part);
    for (const char* part :
         {"recipe.model.config.mtp_num_layers = None\n", "recipe.optim.config.optimizer = \"adam\"\n",
          "recipe.optim.config.use_precision_aware_optimizer = False\n",
          "recipe.optim.config.exp_avg_dtype = torch.float32\n",
          "recipe.model.config.moe_router_num_groups = None\n", "recipe.model.config.q_lora_rank = None\n",
          "recipe.trainer.strategy.num_layers_in_first_pipeline_stage = None\n",
          "recipe.trainer.strategy.num_layers_in_last_pipeline_stage = None\n",
          "recipe.trainer.strategy.account_for_embedding_in_pipeline_split = False\n",
          "recipe.trainer.strategy.account_for_loss_in_pipeline_split = False\n"})
      QVERIFY2(has(writeLaunch(to("nemo"), f.source(), p), part), part);
  }
  /// Of published configurations the recipe of that very model, where there is one.
  void recipesAreOfTheModelsSize() {
    struct Row {
      const char *file, *bridge, *nemo;
    };
    for (const Row& row :
         {Row{"llama-3-70b", "llama3_70b_pretrain_32gpu_h100_bf16_config", "llama3_70b"},
          Row{"llama-3.1-405b", "llama31_405b_pretrain_256gpu_h100_bf16_config", "llama31_405b"},
          Row{"llama-3-8b", "llama3_8b_pretrain_2gpu_h100_bf16_config", "llama3_8b"},
          Row{"llama-2-7b", "llama2_7b_pretrain_2gpu_h100_bf16_config", "llama2_7b"},
          Row{"qwen3-30b-a3b", "qwen3_30b_a3b_pretrain_8gpu_h100_bf16_config", "qwen3_30b_a3b"},
          Row{"deepseek-v3", "deepseek_v3_pretrain_1024gpu_h100_bf16_config", "deepseek_v3"},
          Row{"mixtral-8x22b", nullptr, "mixtral_8x22b"},
          Row{"gpt3-175b", "gpt3_175b_pretrain_32gpu_h100_bf16_config", "gpt3_175b"}}) {
      const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/models/" + row.file + ".json";
      const auto model = readHuggingFaceConfig(readFile(path), path);
      QVERIFY2(model, row.file);
      const LaunchRecipe* recipe = recipeOf(&*model);
      QVERIFY2(recipe, row.file);
      QCOMPARE(std::string(recipe->bridge ? recipe->bridge : ""), std::string(row.bridge ? row.bridge : ""));
      QCOMPARE(std::string(recipe->nemo), std::string(row.nemo));
    }
    // A recipe of the same model in another length is not the model's own.
    for (const auto& [hidden, layers, intermediate, tied, name] :
         {std::tuple{1024, 28, 3072, "true", "qwen3_600m"},
          std::tuple{4096, 36, 12288, "false", "qwen3_8b"}}) {
      const auto qwen = [&](int positions) {
        return *readHuggingFaceConfig(
                    "{\"model_type\": \"qwen3\", \"vocab_size\": 151936, \"head_dim\": 128, "
                    "\"hidden_size\": " +
                        std::to_string(hidden) + ", \"num_hidden_layers\": " + std::to_string(layers) +
                        ", \"num_attention_heads\": " + std::to_string(hidden == 1024 ? 16 : 32) +
                        ", \"num_key_value_heads\": 8, \"intermediate_size\": " +
                        std::to_string(intermediate) + ", \"max_position_embeddings\": " +
                        std::to_string(positions) + ", \"tie_word_embeddings\": " + tied + "}",
                    "config.json")
                    .value;
      };
      const TransformerArchitecture own = qwen(40960), shorter = qwen(32768);
      QCOMPARE(std::string(recipeOf(&own)->nemo), std::string(name));
      QVERIFY(recipeOf(&own)->isOf(own));
      QVERIFY(!recipeOf(&shorter)->isOf(shorter));
    }
    TransformerArchitecture kimi =
        *readHuggingFaceConfig(readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/deepseek-v3.json"),
                               "c")
             .value;
    kimi.heads = kimi.keyValueHeads = 64, kimi.vocabulary = 163840, kimi.maxPositions = 131072;
    kimi.experts->experts = 384, kimi.experts->firstDense = 1;
    QCOMPARE(std::string(recipeOf(&kimi)->bridge), std::string("kimi_k2_pretrain_512gpu_h100_bf16_config"));
    for (const auto& [experts, layers, name] :
         {std::tuple{32, 24, "gpt_oss_20b_pretrain_16gpu_h100_bf16_config"},
          std::tuple{128, 36, "gpt_oss_120b_pretrain_64gpu_h100_bf16_config"}}) {
      TransformerArchitecture oss;
      oss.family = "gpt_oss", oss.hidden = oss.intermediate = 2880, oss.layers = layers, oss.heads = 64,
      oss.keyValueHeads = 8, oss.headDim = 64, oss.vocabulary = 201088, oss.maxPositions = 131072;
      oss.experts = ExpertLayers{.experts = experts, .perToken = 4, .intermediate = 2880};
      QCOMPARE(std::string(recipeOf(&oss)->bridge), std::string(name));
      QVERIFY(!recipeOf(&oss)->nemo);  // it only fine-tunes there
    }
    TransformerArchitecture gemma = kimi;
    gemma.family = "gemma3_text", gemma.experts.reset(), gemma.latent.reset();
    QVERIFY(recipeOf(&gemma)->bridge);
    gemma.family = "of nobody";
    QVERIFY(!recipeOf(&gemma));
  }
  void whatTheConfigurationSaysIsWritten() {
    const auto written = [](const char* file, const LaunchTarget& t, Diagnostics* told = nullptr) {
      const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/models/" + file + ".json";
      Fixture f = teaching([](Scenario& s) { s.cluster.device = *findDevice("h100"); });
      f.scenario.model.architecture = *readHuggingFaceConfig(readFile(path), path).value;
      Plan p = plan(1, 1);
      p.stages.resize(1);
      for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
      auto r = writeLaunch(t, f.source(), p);
      if (told) *told = r.diagnostics;
      return r.value.value_or("refused");
    };
    const auto check = [&](const char* file, const LaunchTarget& t,
                           std::initializer_list<const char*> parts) {
      const std::string text = written(file, t);
      for (const char* part : parts) QVERIFY2(text.find(part) != std::string::npos, (part + text).c_str());
    };
    check("llama-3.1-405b", to("megatron"),
          {"--rotary-base 500000\n", "--use-rope-scaling\n", "--rope-scaling-factor 8\n",
           "--norm-epsilon 1e-05\n"});
    check("gpt-neox-20b", to("megatron"), {"--rotary-percent 0.25\n", "--rotary-base 10000\n"});
    check("deepseek-v3", to("megatron"),
          {"--qk-layernorm\n", "--rope-type yarn\n", "--rotary-scaling-factor 40\n", "--mscale 1\n",
           "--mscale-all-dim 1\n", "--moe-router-score-function sigmoid\n",
           "--moe-router-enable-expert-bias\n", "--moe-router-topk-scaling-factor 2.5\n",
           "--moe-router-num-groups 8\n", "--moe-router-group-topk 4\n"});
    check("llama-3.1-405b", to("megatron-bridge"),
          {"++model.rotary_base=500000\n", "++model.rope_scaling=true\n", "++model.rope_scaling_factor=8\n"});
    check("deepseek-v3", to("nemo"),
          {"config.rotary_base = 10000\n", "config.moe_router_score_function = \"sigmoid\"\n",
           "config.qk_layernorm = True\n"});
    check("qwen3-30b-a3b", to("megatron"), {"--rotary-base 1000000\n", "--qk-layernorm\n"});
    Diagnostics told;
    written("llama-3-70b", to("megatron"), &told);
    QVERIFY(codes(told, Severity::Warning).find("model-details") == std::string::npos);
    const Fixture silent = teaching();
    const auto r = writeLaunch(to("megatron"), silent.source(), plan(1, 1));
    const auto it = std::find_if(r.diagnostics.begin(), r.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.code == "model-details"; });
    QVERIFY(it != r.diagnostics.end() && it->message.find("rope_theta") != std::string::npos);
    QVERIFY(!has(r, "--rotary-base"));
  }
  /// A recipe brings the rotary positions of its own model along.
  void rotaryPositionsAreTheModelsNotTheRecipes() {
    const auto written = [](TransformerArchitecture m, const LaunchTarget& t) {
      Fixture f = teaching([](Scenario& s) { s.cluster.device = *findDevice("h100"); });
      f.scenario.model.architecture = std::move(m);
      Plan p = plan(1, 1);
      p.stages.resize(1);
      for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
      return writeLaunch(t, f.source(), p);
    };
    const auto told = [&](const TransformerArchitecture& m, const LaunchTarget& t) {
      std::string out;
      for (const Diagnostic& d : written(m, t).diagnostics)
        if (d.code == "model-details") out += d.message + '\n';
      return out;
    };
    const auto sample = [](const char* name) {
      const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/models/" + name + ".json";
      return *readHuggingFaceConfig(readFile(path), path).value;
    };
    const auto bridge = to("megatron-bridge"), nemo = to("nemo");
    const TransformerArchitecture scaled = sample("llama-3.1-405b");
    QVERIFY(has(written(scaled, bridge), "++model.rope_scaling=true\n"));
    QVERIFY(has(written(scaled, nemo), "recipe.model.config.scale_factor = 8\n"));
    QCOMPARE(told(scaled, bridge) + told(scaled, nemo), std::string());
    // Of Llama-2's kind, but nearest in size to a model whose positions are scaled.
    TransformerArchitecture plain = sample("llama-2-7b");
    plain.layers = 14, plain.maxPositions = 131072;
    QCOMPARE(std::string(recipeOf(&plain)->nemo), std::string("llama32_3b"));
    QVERIFY(has(written(plain, bridge), "++model.rope_scaling=false\n"));
    QVERIFY(has(written(plain, nemo), "recipe.model.config.scale_factor = 1\n"));
    QVERIFY(!has(written(plain, to("megatron")), "rope-scaling"));
    // And the other way round.
    TransformerArchitecture longer = sample("llama-2-7b");
    longer.details["rope_type"] = std::string("llama3"), longer.details["rope_factor"] = 8.0;
    QCOMPARE(std::string(recipeOf(&longer)->nemo), std::string("llama2_7b"));
    QVERIFY(told(longer, nemo).find("llama2_7b does not") != std::string::npos);
    QVERIFY(!has(written(longer, nemo), "scale_factor"));
    // What the file leaves open is the recipe's, which is told where the recipe is of another model.
    TransformerArchitecture silent = sample("llama-2-7b");
    silent.details.erase("rope_theta");
    QCOMPARE(told(silent, bridge), std::string());
    silent.layers = 24;
    QVERIFY(told(silent, bridge).find("rope_theta, which the overrides leave") != std::string::npos);
    // YaRN is in no recipe but gpt-oss'.
    TransformerArchitecture yarn = sample("qwen2-7b");
    yarn.details["rope_type"] = std::string("yarn"), yarn.details["rope_factor"] = 4.0;
    QVERIFY(told(yarn, bridge).find("rope_scaling (yarn)") != std::string::npos);
    yarn.family = "gpt_oss", yarn.details["rope_factor"] = 32.0;
    yarn.attentionSinks = true,
    yarn.experts = ExpertLayers{.experts = 32, .perToken = 4, .intermediate = 2880};
    QCOMPARE(told(yarn, bridge), std::string());  // sinks, too
    QVERIFY(told(yarn, to("megatron")).find("sinks of attention") != std::string::npos);
  }
  /// The shares of positions and norms that Nemotron's class has where its files say nothing.
  void nemotronIsWritten() {
    const auto m = readHuggingFaceConfig(
        R"({"model_type": "nemotron", "hidden_size": 18432, "num_hidden_layers": 96, "num_attention_heads": 96,
            "num_key_value_heads": 8, "intermediate_size": 73728, "vocab_size": 256000, "head_dim": 192,
            "hidden_act": "relu2", "max_position_embeddings": 4096})",
        "c");
    QVERIFY(m);
    QCOMPARE(std::string(recipeOf(&*m)->nemo), std::string("nemotron4_340b"));
    QVERIFY(recipeOf(&*m)->isOf(*m));
    Fixture f = teaching();
    f.scenario.model.architecture = *m;
    for (const char* part : {"--rotary-percent 0.5\n", "--apply-layernorm-1p\n", "--squared-relu\n"})
      QVERIFY2(has(writeLaunch(to("megatron"), f.source(), plan(1, 1)), part), part);
  }
  /// The recipes' mixed precision of 16-bit floats reduces gradients in them, that of bf16 in fp32.
  void gradientsOfRecipesAreTold() {
    Fixture f = teaching();
    f.scenario.model.architecture->family = "llama";
    for (const NumberFormat format : {NumberFormat::Bf16, NumberFormat::Fp16})
      for (const double bytes : {2.0, 4.0}) {
        f.problem.job.format = format;
        f.problem.job.optimizer.gradientBytes = bytes;
        const auto r = writeLaunch(to("megatron-bridge"), f.source(), plan(1, 1));
        QVERIFY(r);
        const bool told = codes(r.diagnostics, Severity::Warning).find("gradients") != std::string::npos;
        QCOMPARE(told, (format == NumberFormat::Bf16) == (bytes < 4));
      }
  }
  /// A share of the optimizer's state in host memory: Megatron's flags, DeepSpeed's entry, or a refusal.
  void hostOptimizersAreWritten() {
    Fixture f = teaching();
    f.problem.assumptions.offloadedOptimizer = 0.25;
    f.problem.assumptions.overlapsOptimizerCopies = true;
    Plan p = plan(2, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    p.zero = 1;
    const auto megatron = writeLaunch(to("megatron"), f.source(), p);
    for (const char* flag : {"--optimizer-cpu-offload\n", "--optimizer-offload-fraction 0.25\n",
                             "--use-precision-aware-optimizer\n", "--overlap-cpu-optimizer-d2h-h2d\n"})
      QVERIFY2(has(megatron, flag), flag);
    QVERIFY(!has(writeLaunch(to("megatron"), teaching().source(), p), "offload"));
    QVERIFY(!writeLaunch(to("deepspeed"), f.source(), p));  // a part of it is ZeRO-3's
    p.zero = 3;
    const auto part = writeLaunch(to("deepspeed"), f.source(), p);
    QVERIFY(has(part, "\"offload_optimizer\"") && has(part, "\"ratio\": 0.25"));
    f.problem.assumptions.offloadedOptimizer = 1;
    p.zero = 2;
    const auto all = writeLaunch(to("deepspeed"), f.source(), p);
    QVERIFY(has(all, "\"device\": \"cpu\"") && !has(all, "\"ratio\""));
    QVERIFY(codes(all.diagnostics, Severity::Warning).find("host-gradients") != std::string::npos);
    p.zero = 0;
    QVERIFY(!writeLaunch(to("megatron"), f.source(), p) && !writeLaunch(to("deepspeed"), f.source(), p));
  }
  void megatronShardsWithItsOwnFormat() {
    const Fixture f = teaching();
    Plan p = plan(2, 1);
    p.stages.resize(1);
    for (int l = 4; l < 9; ++l) p.stages[0].chunks[0].push_back(LayerIndex(l));
    p.stages[0].strategy = {2, true, 1, 1};
    p.zero = 3;
    const auto r = writeLaunch(to("megatron"), f.source(), p);
    QVERIFY(r);
    QVERIFY(r->find("--ckpt-format fsdp_dtensor") != std::string::npos);
    QVERIFY(r->find("CUDA_DEVICE_MAX_CONNECTIONS") == std::string::npos);
  }
  void megatronGetsNoDefaultThatThePlanDoesNotPrice() {
    Fixture f = teaching();
    TransformerArchitecture& m = *f.scenario.model.architecture;
    const Plan p = plan(1, 1);
    const auto write = [&] { return writeLaunch(to("megatron"), f.source(), p); };
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
    const auto deepSpeed = writeLaunch(to("deepspeed"), f.source(), p);
    QVERIFY(deepSpeed);
    QCOMPARE(nlohmann::json::parse(*deepSpeed)["optimizer"]["type"].get<std::string>(), std::string("SGD"));
  }
};
NEST_TEST(TestLaunchMegatron)
#include "test_launch_megatron.moc"
