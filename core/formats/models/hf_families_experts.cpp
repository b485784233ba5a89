#include "formats/models/hf_family_lists.h"

#include <iterator>

namespace nest {
namespace {

constexpr auto kLayer = FamilyNorm::Layer;
constexpr auto kLayerWithoutBias = FamilyNorm::LayerWithoutBias;
constexpr auto kPerHead = QueryKeyNorm::PerHead;
constexpr auto kWhole = QueryKeyNorm::Whole;
constexpr auto kWidth = SharedExperts::Width;
constexpr auto kCount = SharedExperts::Count;

void miMoV2(ConfigFields& f, TransformerArchitecture& a) {
  a.valueHeadDim = f.optional({"v_head_dim"}, a.headDim, 1, kMostWidth);
}

/// transformers, minimax_m3_vl: a width for each shared expert, and attention to blocks of keys that an
/// indexer chooses, but in the first blocks.
void miniMaxM3(ConfigFields& f, TransformerArchitecture& a) {
  if (a.experts) a.experts->sharedIntermediate *= f.shape({"n_shared_experts"}, 1, 0, 1024);
  if (f.value("sparse_attention_config"))
    f.fields().report(
        Severity::Warning, "config-not-modelled", "sparse_attention_config",
        "attention to chosen blocks of keys is costed as attention to all, without its indexer");
}

const ConfigFamily qwen3Moe = {
    .type = "qwen3_moe",
    .className = "Qwen3Moe",
    .sizes = {151936, 2048, 6144, 24, 32, 4},
    .positions = 32768,
    .attentionBias = kAttentionBias,
    .outputBias = kAttentionBias,
    .queryKeyNorm = kPerHead,
    .pattern = BlockPattern::WindowIfUsed,
    .window = 4096,
    .experts = {.count = 128, .perToken = 8, .width = 768, .period = "decoder_sparse_step"}};

const ConfigFamily deepseekV3 = {
    .type = "deepseek_v3",
    .className = "DeepseekV3",
    .sizes = {129280, 7168, 18432, 61, 128, 128},
    .positions = 4096,
    .attentionBias = kAttentionBias,
    .outputBias = kAttentionBias,
    .experts =
        {.count = 256, .perToken = 8, .width = 2048, .shared = kCount, .sharedDefault = 1, .firstDense = 3},
    .latent = true};

const ConfigFamily miniMaxM3Text = {.type = "minimax_m3_vl_text",
                                    .className = "MiniMaxM3Sparse",
                                    .sizes = {200064, 6144, 3072, 60, 64, 4},
                                    .positions = 524288,
                                    .headDim = 128,
                                    .queryKeyNorm = kPerHead,
                                    .experts = {.count = 128,
                                                .perToken = 4,
                                                .ownWidth = false,
                                                .mayHaveWidth = true,
                                                .shared = kWidth,
                                                .sharedDefault = 3072,
                                                .denseWidth = "dense_intermediate_size"},
                                    .clampedGate = true,
                                    .more = miniMaxM3};

const ConfigFamily bailing = {.type = "bailing_moe_v2",
                              .className = "BailingMoeV2",
                              .positions = 32768,
                              .attentionBias = {false, "use_qkv_bias"},
                              .outputBias = {false, "use_bias"},
                              .queryKeyNorm = kPerHead,
                              .queryKeyNormKey = "use_qk_norm",
                              .experts = {.shared = kCount}};

}  // namespace

void addExpertFamilies(std::vector<ConfigFamily>& all) {
  const ConfigFamily families[] = {
      {.type = "mixtral",
       .className = "Mixtral",
       .sizes = {32000, 4096, 14336, 32, 32, 8},
       .positions = 131072,
       .pattern = BlockPattern::Window,
       .experts = {.count = 8, .perToken = 2, .ownWidth = false}},
      {.type = "qwen2_moe",
       .className = "Qwen2Moe",
       .sizes = {151936, 2048, 5632, 24, 16, 16},
       .positions = 32768,
       .attentionBias = {true, "qkv_bias"},
       .pattern = BlockPattern::WindowIfUsed,
       .window = 4096,
       .experts = {.count = 60,
                   .perToken = 4,
                   .width = 1408,
                   .shared = kWidth,
                   .sharedDefault = 5632,
                   .sharedGate = true,
                   .period = "decoder_sparse_step"}},
      qwen3Moe,
      {.type = "deepseek",
       .className = "Deepseek",
       .sizes = {102400, 4096, 11008, 30, 32},
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .experts = {.count = 64, .width = 1407, .shared = kCount, .isOptional = true}},
      {.type = "deepseek_v2",
       .className = "DeepseekV2",
       .sizes = {32000, 4096, 11008, 32, 32},
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .experts = {.count = 64, .width = 1407, .shared = kCount, .sharedDefault = 2},
       .latent = true},
      deepseekV3,
      {.type = "llama4_text",
       .className = "Llama4",
       .sizes = {202048, 5120, 8192, 48, 40, 8},
       .positions = 131072,
       .headDim = 128,
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .pattern = BlockPattern::ChunkPeriod,
       .period = 4,
       .experts = {.count = 16,
                   .perToken = 1,
                   .ownWidth = false,
                   .shared = SharedExperts::One,
                   .period = "interleave_moe_layer_step",
                   .denseWidth = "intermediate_size_mlp"}},
      {.type = "gpt_oss",
       .className = "GptOss",
       .headDim = 64,
       .attentionBias = kYes,
       .outputBias = kYes,
       .projectionBias = kYes,
       .pattern = BlockPattern::WindowPeriod,
       .window = 128,
       .period = 2,
       .experts = {.ownWidth = false, .routerBias = true},
       .sinks = true,
       .clampedGate = true,
       .scaledRotary = true},
      {.type = "minimax_m2",
       .className = "MiniMaxM2",
       .headDim = 128,
       .queryKeyNorm = kWhole,
       .queryKeyNormKey = "use_qk_norm",
       .experts = {.ownWidth = false}},
      miniMaxM3Text,
      like(miniMaxM3Text, "minimax_m3", "MiniMaxM3"),
      {.type = "glm4_moe",
       .className = "Glm4Moe",
       .headDim = 128,
       .attentionBias = kAttentionBias,
       .queryKeyNorm = kPerHead,
       .queryKeyNormKey = "use_qk_norm",
       .experts = {.shared = kCount, .sharedDefault = 1, .firstDense = 1}},
      {.type = "olmoe",
       .className = "Olmoe",
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .queryKeyNorm = kWhole,
       .experts = {.ownWidth = false}},
      {.type = "granitemoe",
       .className = "GraniteMoe",
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .experts = {.ownWidth = false}},
      {.type = "granitemoeshared",
       .className = "GraniteMoeShared",
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .experts = {.ownWidth = false, .shared = kWidth}},
      {.type = "phimoe",
       .className = "PhiMoE",
       .norm = kLayer,
       .attentionBias = {true, "attention_bias"},
       .outputBias = {true, "attention_bias"},
       .pattern = BlockPattern::Window,
       .experts = {.ownWidth = false},
       .headBias = {false, "lm_head_bias"},
       .withoutDropout = true},
      bailing,
      like(bailing, "bailing_moe", "BailingMoe"),
      {.type = "ernie4_5_moe",
       .className = "Ernie4_5_Moe",
       .tied = kYes,
       .attentionBias = {false, "use_bias"},
       .projectionBias = {false, "use_bias"},
       .experts = {.shared = kCount, .firstDense = 1}},
      {.type = "hunyuan_v1_moe",
       .className = "HunYuanMoEV1",
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .queryKeyNorm = kPerHead,
       .experts = {.shared = kCount, .sharedDefault = 1}},
      {.type = "mimo_v2_flash",
       .className = "MiMoV2Flash",
       .attentionBias = kAttentionBias,
       .pattern = BlockPattern::MiMo,
       .window = 128,
       .experts = {.shared = kCount},
       .more = miMoV2},
      {.type = "dbrx",
       .className = "Dbrx",
       .norm = kLayerWithoutBias,
       .experts = {.ownWidth = false},
       .withoutDropout = true},
      {.type = "grok-1",
       .className = "Grok1",
       .tied = kYes,
       .blockNorms = 4,
       .experts = {.ownWidth = false, .mayHaveWidth = true, .residual = "residual_moe"}},
      like(qwen3Moe, "qwen3_vl_moe_text", ""),
      like(deepseekV3, "deepseek_v32", "DeepseekV32"),
      like(deepseekV3, "kimi_k2", ""),
      like(deepseekV3, "glm_moe_dsa", "GlmMoeDsa"),
  };
  all.insert(all.end(), std::begin(families), std::end(families));
}

}  // namespace nest
