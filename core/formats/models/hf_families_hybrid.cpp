#include "formats/models/hf_family_lists.h"

#include <iterator>

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
      {.type = "falcon_mamba", .className = "FalconMamba", .tied = kYes, .pattern = BlockPattern::StateOnly},
  };
  all.insert(all.end(), std::begin(families), std::end(families));
}

}  // namespace nest
