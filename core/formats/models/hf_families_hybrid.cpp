#include "formats/models/hf_family_lists.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace nest {
namespace {

const ConfigFamily qwen35 = {.type = "qwen3_5_text",
                             .className = "Qwen3_5",
                             .positions = 32768,
                             .headDim = 256,
                             .attentionBias = kAttentionBias,
                             .outputBias = kAttentionBias,
                             .queryKeyNorm = kPerHead,
                             .pattern = BlockPattern::DeltaPeriod,
                             .period = 4,
                             .attentionGate = true};

/// transformers, lfm2: the width of an MLP is two thirds of what the file says, times a factor, rounded up.
void lfm2Width(ConfigFields& f, TransformerArchitecture& a) {
  if (!f.flag({"block_auto_adjust_ff_dim"}, true)) return;
  const nlohmann::json* factor = f.value("block_ffn_dim_multiplier");
  const double times = factor && factor->is_number() ? factor->get<double>() : 1;
  const int multiple = f.optional({"block_multiple_of"}, 256, 1, kMostWidth);
  const double width = std::floor(times * (2 * a.intermediate / 3));
  if (width > 0 && width <= kMostWidth * 8)
    a.intermediate = (static_cast<int>(width) + multiple - 1) / multiple * multiple;
}

void shortConvolutions(ConfigFields& f, TransformerArchitecture& a) {
  a.shortConvolution = f.shape({"conv_L_cache"}, 3, 1, 1024);
  a.shortConvolutionBias = f.flag({"conv_bias"}, false);
  f.checkAgreement({"hidden_size", "block_dim", "conv_dim"});
  f.isGiven({"block_dim", "conv_dim", "conv_dim_out", "block_use_swiglu", "block_mlp_init_scale"});
}

void lfm2(ConfigFields& f, TransformerArchitecture& a) {
  shortConvolutions(f, a);
  lfm2Width(f, a);
}

/// moonshotai, modeling_kimi.py. Kimi K3 uses the same class with more keys.
void kimiLinear(ConfigFields& f, TransformerArchitecture& a) {
  if (!f.isGiven({"q_lora_rank"})) a.latent->queryRank = 0;
  a.attentionGate = f.flag({"mla_use_output_gate"}, false);
  if (a.experts) {
    a.experts->groups = f.optional({"num_expert_group"}, a.experts->groups, 0, kMostWidth);
    a.experts->latent = f.optional({"routed_expert_hidden_size"}, a.experts->latent, 1, kMostWidth);
  }
  if (f.optional({"attn_res_block_size"}, 0, 0, kMostLayers) > 0)
    f.fields().report(Severity::Warning, "config-not-modelled", "attn_res_block_size",
                      "attention to the residuals of earlier blocks is left out: their projections, the "
                      "residuals that are kept and what passes a stage boundary beyond one hidden state");
}

/// transformers, longcat_flash. A token's choices fall on experts with weights as often as these stand among
/// all.
void longCat(ConfigFields& f, TransformerArchitecture& a) {
  for (const char* key : {"ngram_vocab_size_ratio", "emb_neighbor_num"})
    if (f.isGiven({key}))
      f.fields().report(Severity::Error, "config-not-modelled", key,
                        "embeddings of n-grams are not modelled for longcat_flash");
  if (!a.experts) return;
  ExpertLayers& e = *a.experts;
  e.zeroExperts = f.shape({"zero_expert_num"}, 256, 0, 65'536);
  const int chosen = e.perToken;
  e.perToken = std::max(
      1, static_cast<int>(std::lround(double(chosen) * e.experts / std::max(1, e.experts + e.zeroExperts))));
  if (e.zeroExperts > 0)
    f.fields().report(Severity::Note, "config-zero-experts", "zero_expert_num",
                      "of the " + std::to_string(chosen) + " experts that a token chooses " +
                          std::to_string(e.perToken) +
                          " count: those without weights are as likely as others");
  f.fields().report(Severity::Note, "config-shortcut", "",
                    "what experts exchange counts as if nothing ran in parallel, although the second half of "
                    "their layer does (shortcut)",
                    "set `assumptions.overlap.expert = 1` if the program hides it");
}

}  // namespace

void addHybridFamilies(std::vector<ConfigFamily>& all) {
  const ConfigFamily families[] = {
      with(like(qwen35, "qwen3_next", "Qwen3Next", true),
           [](ConfigFamily& f) {
             f.experts = {.shared = kWidth, .sharedGate = true, .period = "decoder_sparse_step"};
           }),
      qwen35,
      with(like(qwen35, "qwen3_5_moe_text", "Qwen3_5Moe", true),
           [](ConfigFamily& f) { f.experts = {.shared = SharedExperts::Width, .sharedGate = true}; }),
      {.type = "granitemoehybrid",
       .className = "GraniteMoeHybrid",
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .pattern = BlockPattern::MixerTypes,
       .experts = {.ownWidth = false, .shared = kWidth, .isOptional = true}},
      {.type = "nemotron_h",
       .className = "NemotronH",
       .gated = false,
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .projectionBias = kMlpBias,
       .pattern = BlockPattern::Hybrid,
       .experts = {.shared = kCount, .isOptional = true}},
      {.type = "jamba",
       .className = "Jamba",
       .pattern = BlockPattern::Jamba,
       .experts = {.ownWidth = false, .isOptional = true}},
      {.type = "mamba", .className = "Mamba", .tied = kYes, .pattern = BlockPattern::StateOnly},
      {.type = "mamba2", .className = "Mamba2", .pattern = BlockPattern::StateOnly},
      {.type = "lfm2",
       .className = "Lfm2",
       .sizes = {65536, 2560, 12288, 32, 32, 8},
       .positions = 128000,
       .tied = {true, "tie_embedding"},
       .queryKeyNorm = kPerHead,
       .pattern = BlockPattern::Convolution,
       .more = lfm2},
      {.type = "lfm2_moe",
       .className = "Lfm2Moe",
       .sizes = {65536, 2048, 7168, 32, 32, 8},
       .positions = 128000,
       .tied = {true, "tie_embedding"},
       .queryKeyNorm = kPerHead,
       .pattern = BlockPattern::Convolution,
       .experts = {.count = 32, .perToken = 4, .width = 1792, .firstDense = 2},
       .more = shortConvolutions},
      {.type = "kimi_linear",
       .className = "KimiLinear",
       .pattern = BlockPattern::KimiDelta,
       .experts = {.shared = kCount, .isOptional = true},
       .latent = true,
       .more = kimiLinear},
      {.type = "longcat_flash",
       .className = "LongcatFlash",
       .sizes = {131072, 6144, 12288, 28, 64},
       .positions = 131072,
       .attentionBias = kAttentionBias,
       .outputBias = kAttentionBias,
       .pattern = BlockPattern::Shortcut,
       .experts = {.count = 512, .perToken = 12, .width = 2048, .shared = SharedExperts::DenseMlp},
       .latent = true,
       .more = longCat},
      {.type = "falcon_mamba", .className = "FalconMamba", .tied = kYes, .pattern = BlockPattern::StateOnly},
  };
  all.insert(all.end(), std::begin(families), std::end(families));
}

}  // namespace nest
