#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/models/hf_families.h"
#include "formats/models/hf_patterns.h"
#include "formats/models/model_details.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr int kMostExperts = 65'536;

constexpr Names kExpertCounts = {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts",
                                 "num_moe_experts"};
constexpr Names kExpertsPerToken = {
    "num_experts_per_tok", "num_experts_per_token", "experts_per_token",   "moe_topk", "moe_k",
    "moe_top_k",           "top_k_experts",         "num_selected_experts"};
constexpr Names kExpertWidths = {"moe_intermediate_size", "expert_ffn_hidden_size"};
constexpr Names kSharedExpertCounts = {"n_shared_experts", "num_shared_experts", "moe_num_shared_experts",
                                       "num_shared_expert"};

bool valueOf(ConfigFields& f, const FamilyFlag& flag) {
  return flag.key ? f.flag({flag.key}, flag.byDefault) : flag.byDefault;
}

/// Classes that an image may belong to.
int labels(ConfigFields& f) {
  const json* names = f.value("id2label");
  const int listed = names && names->is_object() ? static_cast<int>(names->size()) : 0;
  return f.optional({"num_labels"}, listed > 0 ? listed : 1000, 1, kMostTokens);
}

/// Names of one size, as families have come to call it. Left out are those that also mean something else: the
/// length of a generated text, the layers of a decoder next to an encoder.
void checkAliases(const ConfigFamily& e, ConfigFields& f) {
  f.checkAgreement({"hidden_size", "n_embd", "n_embed", "d_model", "emb_dim", "model_dim"});
  if (e.pattern != BlockPattern::Shortcut)
    f.checkAgreement({"num_hidden_layers", "n_layer", "n_layers", "num_layers"});
  f.checkAgreement({"num_attention_heads", "n_head", "n_heads"});
  f.checkAgreement({"vocab_size", "n_vocab"});
  f.checkAgreement({"max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len"});
  f.checkAgreement({"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads",
                    "multi_query_group_num", "num_query_groups"});
  f.checkAgreement({"intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size", "d_ff", "mlp_hidden_size",
                    "block_ff_dim"});
  f.checkAgreement({"head_dim", "kv_channels", "attention_head_dim"});
  f.checkAgreement(kExpertCounts);
  f.checkAgreement(kExpertsPerToken);
  f.checkAgreement(kExpertWidths);
  f.checkAgreement(kSharedExpertCounts);
}

void readSizes(const ConfigFamily& e, ConfigFields& f, TransformerArchitecture& a) {
  const FamilySizes& d = e.sizes;
  a.hidden = f.size({"hidden_size", "n_embd", "n_embed", "d_model", "emb_dim", "model_dim"}, d.hidden, 1,
                    kMostWidth);
  if (e.pattern == BlockPattern::Hybrid && !f.isGiven({"num_hidden_layers"}))
    a.layers = hybridLayers(f);
  else if (e.pattern == BlockPattern::Shortcut)  // newer files count both halves of a layer, too
    a.layers = 2 * f.size({"num_layers"}, d.layers, 1, kMostLayers / 2);
  else
    a.layers = f.size({"num_hidden_layers", "n_layer", "n_layers", "num_layers", "decoder_layers"}, d.layers,
                      1, kMostLayers);
  f.setLayers(a.layers);
  if (e.pattern == BlockPattern::StateOnly)
    a.heads = 1;  // until the state's heads are known
  else
    a.heads = f.size({"num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"},
                     d.heads, 1, kMostWidth);
  a.vocabulary = e.images
                     ? labels(f)
                     : f.size({"vocab_size", "padded_vocab_size", "n_vocab"}, d.vocabulary, 1, kMostTokens);
  a.maxPositions = f.shape({"max_position_embeddings", "n_positions", "max_sequence_length", "max_seq_len",
                            "seq_length", "n_ctx", "max_length"},
                           e.positions, 1, kMostTokens);
  const bool groupsAreNull = f.isNull("num_key_value_heads");
  a.keyValueHeads =
      f.optional({"num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "kv_n_heads",
                  "multi_query_group_num", "num_query_groups"},
                 d.keyValueHeads > 0 && !groupsAreNull ? d.keyValueHeads : a.heads, 1, kMostWidth);
  a.tiedEmbeddings = e.tied.key ? f.flag({e.tied.key, "tie_word_embeddings"}, e.tied.byDefault)
                                : f.flag({"tie_word_embeddings"}, e.tied.byDefault);
}

void readIntermediate(const ConfigFamily& e, ConfigFields& f, TransformerArchitecture& a) {
  const Names names = {"intermediate_size", "ffn_dim",         "n_inner",     "ffn_hidden_size", "d_ff",
                       "decoder_ffn_dim",   "mlp_hidden_size", "block_ff_dim"};
  if (e.intermediateFactor > 0) {
    a.intermediate = f.optional(names, e.intermediateFactor * a.hidden, 1, kMostWidth * 8);
    return;
  }
  // A model whose blocks all have experts need not name the width of a dense one.
  const bool isNeeded = !e.hasExperts() || !e.experts.ownWidth || e.experts.firstDense > 0;
  if (isNeeded || f.isGiven(names)) a.intermediate = f.size(names, e.sizes.intermediate, 1, kMostWidth * 8);
}

/// Head width: given, or hidden ÷ heads, which then has to come out even.
void readHeadDim(const ConfigFamily& e, ConfigFields& f, TransformerArchitecture& a) {
  const Names names = {"head_dim", "kv_channels", "attention_head_dim", "d_kv"};
  if (f.isGiven(names)) {
    a.headDim = f.optional(names, 1, 1, kMostWidth);
  } else if (e.headDim > 0) {
    a.headDim = f.shape(names, e.headDim, 1, kMostWidth);
  } else {
    if (a.hidden % a.heads != 0 && !f.lacksSizes())
      f.fields().report(Severity::Error, "config-heads",
                        f.isGiven({"n_head"}) ? "n_head" : "num_attention_heads",
                        "hidden_size " + std::to_string(a.hidden) + " is not a multiple of the " +
                            std::to_string(a.heads) + " attention heads",
                        "correct one of them, or give head_dim");
    a.headDim = std::max(1, a.hidden / a.heads);
  }
}

/// YaRN scales queries and keys by 1 + ln(factor)/10, or as the file says; two values of "mscale" cancel.
void readRotaryScale(ConfigFields& f, TransformerArchitecture& a) {
  const json* rotary = f.value("rope_scaling");
  if (!rotary || !rotary->is_object()) rotary = f.value("rope_parameters");
  if (!rotary || !rotary->is_object()) return;
  const auto number = [&](const char* key) {
    const auto it = rotary->find(key);
    return it != rotary->end() && it->is_number() ? it->get<double>() : 0;
  };
  const auto is = [&](const char* key) {
    const auto it = rotary->find(key);
    return it != rotary->end() && it->is_string() && it->get<std::string>() == "yarn";
  };
  if (!is("rope_type") && !is("type")) return;
  if (const double given = number("attention_factor"); given != 0)
    a.scaledRotary = given != 1;
  else
    a.scaledRotary = number("factor") > 1 &&
                     (number("mscale_all_dim") == 0 || number("mscale") != number("mscale_all_dim"));
}

void readShape(const ConfigFamily& e, ConfigFields& f, TransformerArchitecture& a) {
  a.gatedMlp = e.gated;
  a.layerNorm = e.norm == FamilyNorm::Layer || e.norm == FamilyNorm::LayerWithoutBias;
  a.normBias = e.norm != FamilyNorm::LayerWithoutBias;
  a.blockNorms = e.blockNorms;
  a.parallelBlock = valueOf(f, e.parallel);
  if (a.parallelBlock && e.parallel.key && a.blockNorms == 2) a.blockNorms = 1;
  a.attentionBias = valueOf(f, e.attentionBias);
  a.attentionOutputBias = valueOf(f, e.outputBias);
  a.projectionBias = valueOf(f, e.projectionBias);
  a.queryKeyNorm = e.queryKeyNorm != QueryKeyNorm::No;
  if (e.queryKeyNormKey)
    a.queryKeyNorm = f.flag({e.queryKeyNormKey}, false);
  else if (a.queryKeyNorm)
    a.queryKeyNorm = f.flag({"use_qk_norm"}, true);
  a.wideQueryKeyNorm = a.queryKeyNorm && e.queryKeyNorm == QueryKeyNorm::Whole;
  a.learnedPositions = e.learnedPositions;
  a.embeddingNorm = e.embeddingNorm;
  a.headBias = valueOf(f, e.headBias);
  a.attentionGate = e.attentionGate;
  a.attentionSinks = e.sinks;
  a.clampedGate = e.clampedGate;
  a.scaledRotary = e.scaledRotary;
  readRotaryScale(f, a);
  if (e.withoutDropout) a.dropout = false;
  for (const char* key : {"hidden_act", "hidden_activation", "activation_function", "mlp_hidden_act"}) {
    f.value(key);
    if (const std::string named = readActivation(f.fields(), key); a.activation.empty()) a.activation = named;
  }
}

void readLatent(ConfigFields& f, TransformerArchitecture& a) {
  a.keyValueHeads = a.heads;
  LatentAttention l;
  l.queryRank = f.isNull("q_lora_rank") ? 0 : f.shape({"q_lora_rank"}, 1536, 1, kMostWidth);
  l.keyValueRank = f.shape({"kv_lora_rank"}, 512, 1, kMostWidth);
  l.nopeHeadDim = f.shape({"qk_nope_head_dim"}, 128, 1, kMostWidth);
  l.ropeHeadDim = f.shape({"qk_rope_head_dim"}, 64, 0, kMostWidth);
  l.valueHeadDim = f.shape({"v_head_dim"}, 128, 1, kMostWidth);
  a.latent = l;
  a.headDim = l.nopeHeadDim + l.ropeHeadDim;
  if (!f.isGiven({"index_topk"})) return;
  a.sparse = SparseAttention{f.optional({"index_n_heads"}, 64, 1, kMostWidth),
                             f.optional({"index_head_dim"}, 128, 1, kMostWidth),
                             f.optional({"index_topk"}, 2048, 1, kMostTokens)};
}

void readDenseLayers(ConfigFields& f, const TransformerArchitecture& a, ExpertLayers& e) {
  if (const json* list = f.array("mlp_only_layers")) {
    for (const auto& v : *list) {
      if (v.is_number_integer() && v.get<double>() >= 0 && v.get<double>() < a.layers)
        e.denseLayers.push_back(v.get<int>());
      else if (!f.lacksSizes())
        f.fields().report(
            Severity::Error, "json-range", "mlp_only_layers",
            "mlp_only_layers must list layer numbers from 0 to " + std::to_string(a.layers - 1));
    }
  }
  const json* frequency = f.value("moe_layer_freq");
  if (frequency && frequency->is_array()) {  // a 1 for each block with experts
    for (std::size_t i = 0; i < frequency->size(); ++i)
      if ((*frequency)[i] == 0) e.denseLayers.push_back(static_cast<int>(i));
    return;
  }
  // Experts stand in the layers whose number is a multiple of the frequency.
  const int every = f.optional({"moe_layer_freq"}, 1, 1, kMostLayers);
  for (int i = e.firstDense; every > 1 && i < a.layers; ++i)
    if (i % every != 0) e.denseLayers.push_back(i);
}

void readShared(const FamilyExperts& d, ConfigFields& f, const TransformerArchitecture& a, ExpertLayers& e) {
  switch (d.shared) {
    case SharedExperts::None:
      break;
    case SharedExperts::Width:
      e.sharedIntermediate = f.shape({"shared_expert_intermediate_size", "shared_intermediate_size",
                                      "moe_shared_expert_intermediate_size"},
                                     d.sharedDefault, 0, kMostWidth * 8);
      break;
    case SharedExperts::Count: {
      const bool none = f.isNull("n_shared_experts");
      e.sharedIntermediate =
          (none ? 0 : f.shape(kSharedExpertCounts, d.sharedDefault, 0, 1024)) * e.intermediate;
      // Some files name the width of all shared experts as well.
      e.sharedIntermediate =
          f.optional({"moe_shared_expert_intermediate_size"}, e.sharedIntermediate, 0, kMostWidth * 8);
      break;
    }
    case SharedExperts::One:
      e.sharedIntermediate = e.intermediate;
      break;
    case SharedExperts::DenseMlp:
      e.sharedIntermediate = a.intermediate;
      break;
  }
  e.sharedGate = d.sharedGate && e.sharedIntermediate > 0;
}

void readExperts(const FamilyExperts& d, ConfigFields& f, TransformerArchitecture& a) {
  if (d.isOptional && f.optional(kExpertCounts, 0, 0, kMostExperts) == 0) {
    if (d.shared == SharedExperts::Width)  // what the experts share is then all there is
      a.intermediate = f.optional({"shared_intermediate_size"}, a.intermediate, 1, kMostWidth * 8);
    return;
  }
  if (f.isNull("n_routed_experts")) return;
  ExpertLayers e;
  e.experts = f.size(kExpertCounts, d.count, 1, kMostExperts);
  e.perToken = f.size(kExpertsPerToken, d.perToken, 1, kMostExperts);
  if (e.perToken > e.experts && !f.lacksSizes())
    f.fields().report(Severity::Error, "config-experts-per-token", *kExpertsPerToken.begin(),
                      std::to_string(e.perToken) + " experts per token, but only " +
                          std::to_string(e.experts) + " experts");
  e.intermediate = d.ownWidth || (d.mayHaveWidth && f.isGiven(kExpertWidths))
                       ? f.size(kExpertWidths, d.width, 1, kMostWidth * 8)
                       : a.intermediate;
  readShared(d, f, a, e);
  if (d.residual && f.flag({d.residual}, false)) e.sharedIntermediate = a.intermediate;
  if (d.denseWidth) a.intermediate = f.shape({d.denseWidth}, 16384, 1, kMostWidth * 8);
  if (d.period) e.period = f.optional({d.period}, 1, 1, kMostLayers);
  const Names firstDense = {"first_k_dense_replace", "moe_layer_start_index", "num_dense_layers"};
  e.firstDense = d.firstDense > 0 ? f.shape(firstDense, d.firstDense, 0, kMostLayers)
                                  : f.optional(firstDense, 0, 0, kMostLayers);
  e.routerBias = d.routerBias;
  e.groups = f.optional({"n_group"}, 0, 0, kMostExperts);
  e.groupsPerToken = f.optional({"topk_group"}, 0, 0, kMostExperts);
  e.latent = f.optional({"moe_latent_size"}, 0, 1, kMostWidth);
  readDenseLayers(f, a, e);
  a.experts = e;
}

}  // namespace

void readFamily(const ConfigFamily& e, ConfigFields& f, TransformerArchitecture& a) {
  readSizes(e, f, a);
  checkAliases(e, f);
  readShape(e, f, a);
  if (e.pattern != BlockPattern::StateOnly) {
    readIntermediate(e, f, a);
    if (e.latent)
      readLatent(f, a);
    else
      readHeadDim(e, f, a);
  }
  if (e.hasExperts()) readExperts(e.experts, f, a);
  const int extra =
      f.optional({"num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers"}, 0, 0, kMostLayers);
  if (extra > 0)
    f.fields().report(Severity::Note, "config-extra-layers",
                      f.isGiven({"num_nextn_predict_layers"}) ? "num_nextn_predict_layers" : "",
                      std::to_string(extra) + " multi-token prediction " +
                          (extra == 1 ? "layer is" : "layers are") + " left out of the model",
                      "`model.analytic.prediction_layers = " + std::to_string(extra) + "` counts " +
                          (extra == 1 ? "it" : "them"));
  if (e.more) e.more(f, a);
  readDetails(f, a);
  if (!f.lacksSizes()) readBlocks(e, f, a);
}

}  // namespace nest
