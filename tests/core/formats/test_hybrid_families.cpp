#include <QtTest/QTest>
#include <cmath>

#include "cluster/devices/device_catalog.h"
#include "model_fixture.h"
#include "scenario/scenario.h"
#include "solver/solve.h"
#include "support/diagnostic_code.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Forward seconds of one microbatch through all layers on one device.
double forwardSeconds(const TransformerArchitecture& a, int sequence) {
  Job job;
  job.sequenceLength = sequence;
  job.microbatches = {1};
  const auto made = analyticProfile(a, *findDevice("h100-sxm"), job, {Strategy{}});
  double sum = 0;
  for (const Layer& l : made.graph.layers) sum += made.profile.cost(l.classId, 0, 0)->forward.value();
  return sum;
}

}  // namespace

/// Models whose layers differ: linear attention, convolutions, state spaces, windows and encoders.
class TestHybridFamilies : public QObject {
  Q_OBJECT
private slots:
  /// Two blocks a layer, the first with experts and a dense MLP; of twelve choices eight fall on experts
  /// with weights where 512 of 768 have some, and the router knows all of them.
  void longCatHasTwoBlocksALayer() {
    nlohmann::json c = modelConfig("longcat-flash");
    const auto a = readConfig(c);
    QVERIFY(a && a->experts);
    QCOMPARE(a->layers, 56);
    for (int i = 0; i < a->layers; ++i) QCOMPARE(a->hasExperts(i), i % 2 == 0);
    QCOMPARE(a->experts->perToken, 8);
    QCOMPARE(a->experts->sharedIntermediate, 12288);
    QVERIFY(findCode(a.diagnostics, "config-zero-experts") && findCode(a.diagnostics, "config-shortcut"));
    // Newer files count both halves of a layer as well.
    c["num_hidden_layers"] = 56;
    const auto newer = readConfig(c);
    QVERIFY(newer && newer->layers == 56 && !findCode(newer.diagnostics, "config-contradiction"));
    c["zero_expert_num"] = 0;
    const auto plain = readConfig(c);
    QVERIFY(plain && plain->experts->perToken == 12 && !findCode(plain.diagnostics, "config-zero-experts"));
    QCOMPARE(parameterCount(*a) - parameterCount(*plain), 28 * 6144.0 * 256);
    c["ngram_vocab_size_ratio"] = 78;
    QVERIFY(!readConfig(c));
  }
  /// Three layers with Kimi Delta Attention to one with latent attention; what Kimi K3 has besides is read or
  /// named.
  void kimiLinearMixesBothKinds() {
    nlohmann::json c = modelConfig("kimi-linear-48b-a3b");
    const auto a = readConfig(c);
    QVERIFY(a && a->latent && a->deltaNet);
    int linear = 0;
    for (const int v : a->variantOf) linear += a->variants[std::size_t(v)].mixer == Mixer::DeltaNet;
    QCOMPARE(linear, 20);
    QCOMPARE(a->latent->queryRank, 0);
    QCOMPARE(a->deltaNet->gateRank, 128);
    c["linear_attn_config"]["use_full_rank_gate"] = true;
    c["mla_use_output_gate"] = true;
    c["attn_res_block_size"] = 9;
    const auto k3 = readConfig(c);
    QVERIFY(k3 && k3->deltaNet->wholeGate && k3->attentionGate);
    QCOMPARE(findCode(k3.diagnostics, "config-not-modelled")->where.pointer,
             std::string("/attn_res_block_size"));
    // A whole gate in place of two products in 20 layers, and one of the attention's output in 7.
    const double width = 4096, h = 2304;
    QCOMPARE(parameterCount(*k3) - parameterCount(*a), 20 * (h * width - 128 * (h + width)) + 7 * h * width);
    c["linear_attn_config"]["kda_layers"] = {1, 2};
    QVERIFY(findCode(readConfig(c).diagnostics, "config-layer-types"));
  }
  /// LFM2 rounds two thirds of its width up; a convolution has no scores, whose time grows with the sequence.
  void lfm2MixesConvolutionsAndAttention() {
    const auto a = readConfig(modelConfig("lfm2-1.2b"));
    QVERIFY(a);
    QCOMPARE(a->intermediate, 8192);
    QCOMPARE(a->shortConvolution, 3);
    int convolutions = 0;
    for (const int v : a->variantOf)
      convolutions += a->variants[std::size_t(v)].mixer == Mixer::ShortConvolution;
    QCOMPARE(convolutions, 10);
    TransformerArchitecture only = a->withVariant(a->variantOf[0]);
    QVERIFY(only.mixer == Mixer::ShortConvolution);
    only.layers = 1;
    const double once = modelFlops(only, 1024, 1).value();
    QCOMPARE(modelFlops(only, 2048, 1).value(), 2 * once);
    QVERIFY(forwardSeconds(*a, 2048) > 0);
    nlohmann::json c = modelConfig("lfm2-1.2b");
    c["layer_types"][0] = "recurrent";
    QVERIFY(!readConfig(c));
  }
  /// What has no shape here is refused by what it is.
  void deepSeekV4IsRefusedByName() {
    const auto r = readConfig({{"model_type", "deepseek_v4"},
                               {"hidden_size", 4096},
                               {"num_hidden_layers", 43},
                               {"num_attention_heads", 64},
                               {"vocab_size", 129280},
                               {"compress_ratios", {0, 4, 128}},
                               {"o_lora_rank", 1024},
                               {"hc_mult", 4}});
    QVERIFY(!r);
    QVERIFY(r.diagnostics.front().message.find("DeepSeek-V4") != std::string::npos);
  }
  void hybridsHaveLayersOfTheirOwn() {
    const auto next = readConfig(modelConfig("qwen3-next-80b-a3b")),
               nemotron = readConfig(modelConfig("nemotron-3-nano"));
    QVERIFY(next && nemotron);
    QCOMPARE(next->variants.size(), std::size_t(2));
    QCOMPARE(next->variants[std::size_t(next->variantOf[0])].mixer, Mixer::DeltaNet);
    QCOMPARE(next->variants[std::size_t(next->variantOf[3])].mixer, Mixer::Attention);
    QCOMPARE(nemotron->variants.size(), std::size_t(3));
    QVERIFY(nemotron->hasExperts(1) && !nemotron->hasExperts(0));
    // State and linear attention grow with the tokens, attention with their square.
    const auto growth = [](const TransformerArchitecture& a) {
      return forwardSeconds(a, 131072) / forwardSeconds(a, 32768) / 4;
    };
    const auto dense = readConfig(modelConfig("seed-oss-36b")),
               mamba = readConfig(modelConfig("mamba2-2.7b"));
    QVERIFY(dense && mamba);
    QVERIFY2(std::abs(growth(*mamba) - 1) < 0.02, qPrintable(QString::number(growth(*mamba))));
    QVERIFY(growth(*next) < growth(*dense));
  }
  void windowsChunksAndIndexersShortenAttention() {
    const auto shorter = [](const nlohmann::json& with, const char* without) {
      nlohmann::json full = with;
      full.erase(without);
      const auto a = readConfig(with), b = readConfig(full);
      return forwardSeconds(*a, 131072) / forwardSeconds(*b, 131072);
    };
    QVERIFY(shorter(modelConfig("deepseek-v3.2-sparse"), "index_topk") < 0.9);
    nlohmann::json scout = {
        {"model_type", "llama4_text"},    {"hidden_size", 5120},      {"intermediate_size", 8192},
        {"intermediate_size_mlp", 16384}, {"num_hidden_layers", 8},   {"num_attention_heads", 40},
        {"num_key_value_heads", 8},       {"head_dim", 128},          {"vocab_size", 202048},
        {"num_local_experts", 16},        {"num_experts_per_tok", 1}, {"max_position_embeddings", 10485760},
        {"attention_chunk_size", 8192}};
    QVERIFY(shorter(scout, "attention_chunk_size") < 0.6);
    const auto a = readConfig(scout);
    QCOMPARE(a->variants.size(), std::size_t(2));
    QVERIFY(a->variants[std::size_t(a->variantOf[0])].windowIsChunk);
    QCOMPARE(a->variants[std::size_t(a->variantOf[3])].window, 0);
    // Up to the length of a chunk there is no difference.
    nlohmann::json full = scout;
    full.erase("attention_chunk_size");
    QCOMPARE(forwardSeconds(*a, 8192), forwardSeconds(*readConfig(full).value, 8192));
    nlohmann::json gemma = modelConfig("gemma-3-27b-text");
    gemma["text_config"]["sliding_window"] = nullptr;
    QVERIFY(forwardSeconds(*readConfig(modelConfig("gemma-3-27b-text")).value, 65536) <
            0.8 * forwardSeconds(*readConfig(gemma).value, 65536));
  }
  void encoderDecodersAreGraphs() {
    for (const char* name : {"t5-large", "bart-large", "whisper-small"}) {
      const auto a = readConfig(modelConfig(name));
      QVERIFY(a && a->encoder);
      const int length = a->encoder->length > 0 ? 448 : 512;
      const Scenario s = scenarioOf(*a, length);
      const auto problem = buildProblem(s);
      QVERIFY2(problem, name);
      const LayerGraph& g = *problem->graph;
      QVERIFY(!g.isChain());
      std::size_t readers = 0;
      for (const Tensor& t : g.tensors)
        if (g.layers[t.producer.at()].name == "encoder norm") readers = t.consumers.size();
      QCOMPARE(readers, std::size_t(a->layers));
      const Outcome best = solve(*problem);
      QVERIFY2(best.best(), name);
      QVERIFY(best.best()->evaluation.feasible());
    }
  }
  void hybridsAreSolved() {
    for (const char* name :
         {"granite-4.0-h-micro", "gemma-3-4b-text", "mamba2-2.7b", "phi-2", "olmoe-1b-7b"}) {
      const auto a = readConfig(modelConfig(name));
      QVERIFY(a);
      const auto problem = buildProblem(scenarioOf(*a, 4096));
      QVERIFY2(problem, name);
      const Outcome best = solve(*problem);
      QVERIFY2(best.best() && best.best()->evaluation.feasible(), name);
      double parameters = 0;
      for (const Layer& l : problem->graph->layers) {
        const LayerCost& c = *problem->profile->cost(l.classId, 0, 0);
        parameters += c.denseParameters + c.expertParameters;
      }
      QVERIFY2(std::abs(parameters / parameterCount(*a) - 1) < 1e-9, name);
    }
  }
};
NEST_TEST(TestHybridFamilies)
#include "test_hybrid_families.moc"
