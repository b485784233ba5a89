#include "formats/models/hf_families.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace nest {

bool ConfigFields::isNull(const char* key) const {
  const auto it = m_object.find(key);
  return it != m_object.end() && it->is_null();
}

int ConfigFields::shape(std::initializer_list<const char*> names, int byDefault, long long least,
                        long long most) {
  for (const char* name : names)
    if (m_fields.has(name)) return static_cast<int>(m_fields.integer(name, least, most).value_or(byDefault));
  m_defaulted +=
      (m_defaulted.empty() ? "" : ", ") + std::string(*names.begin()) + " = " + std::to_string(byDefault);
  return byDefault;
}

int ConfigFields::optional(const char* name, int byDefault, long long least, long long most) {
  return static_cast<int>(m_fields.integer(name, least, most).value_or(byDefault));
}

void ConfigFields::noteDefaults(const std::string& family) {
  if (m_defaulted.empty()) return;
  m_fields.report(Severity::Note, "config-default", "",
                  "Absent keys got the defaults of transformers for " + family + ": " + m_defaulted);
}

namespace {

using nlohmann::json;

constexpr long long kMostWidth = 1 << 20, kMostLayers = 10'000, kMostVocabulary = 100'000'000,
                    kMostExperts = 65'536;

/// Sizes that all families share, under their usual names, with the family's defaults.
struct Defaults {
  int vocabulary, hidden, intermediate, layers, heads, keyValueHeads /* 0 = heads */, positions;
  bool tied;
};

void readSizes(ConfigFields& f, const Defaults& d, TransformerArchitecture& a) {
  a.hidden = f.shape({"hidden_size", "n_embd"}, d.hidden, 1, kMostWidth);
  a.layers = f.shape({"num_hidden_layers", "n_layer"}, d.layers, 1, kMostLayers);
  a.heads = f.shape({"num_attention_heads", "n_head"}, d.heads, 1, kMostWidth);
  a.vocabulary = f.shape({"vocab_size"}, d.vocabulary, 1, kMostVocabulary);
  a.maxPositions = f.shape({"max_position_embeddings", "n_positions", "max_sequence_length"}, d.positions, 1,
                           kMostVocabulary);
  a.intermediate = f.shape({"intermediate_size"}, d.intermediate, 1, kMostWidth * 8);
  const int groups = d.keyValueHeads > 0 && !f.isNull("num_key_value_heads") ? d.keyValueHeads : a.heads;
  a.keyValueHeads = f.optional("num_key_value_heads", groups, 1, kMostWidth);
  a.tiedEmbeddings = f.flag("tie_word_embeddings", d.tied);
}

/// Head width: given, or hidden ÷ heads, which then has to come out even.
void readHeadDim(ConfigFields& f, TransformerArchitecture& a, int byDefault = 0) {
  if (f.isGiven("head_dim")) {
    a.headDim = f.optional("head_dim", 1, 1, kMostWidth);
  } else if (byDefault > 0) {
    a.headDim = f.shape({"head_dim"}, byDefault, 1, kMostWidth);
  } else {
    if (a.hidden % a.heads != 0)
      f.fields().report(Severity::Error, "config-heads",
                        f.isGiven("n_head") ? "n_head" : "num_attention_heads",
                        "hidden_size " + std::to_string(a.hidden) + " is not a multiple of the " +
                            std::to_string(a.heads) + " attention heads",
                        "Correct one of them, or give head_dim");
    a.headDim = std::max(1, a.hidden / a.heads);
  }
}

/// How many layers the file gives a window: by layer_types where it lists them, else those from
/// max_window_layers on (of the families that have it).
int windowedLayers(ConfigFields& f, const TransformerArchitecture& a, bool onlyIfUsed) {
  if (const json* types = f.fields().array("layer_types"))
    return static_cast<int>(std::count_if(types->begin(), types->end(), [](const json& t) {
      return t.is_string() && t.get_ref<const std::string&>() == "sliding_attention";
    }));
  if (!onlyIfUsed) return a.layers;
  if (!f.flag("use_sliding_window", false)) return 0;
  return std::max(0, a.layers - f.optional("max_window_layers", 28, 0, kMostLayers));
}

void readWindow(ConfigFields& f, TransformerArchitecture& a, bool onlyIfUsed, int byDefault) {
  const int layers = windowedLayers(f, a, onlyIfUsed);
  const int window =
      f.isNull("sliding_window") ? 0 : f.optional("sliding_window", byDefault, 0, kMostVocabulary);
  if (layers == 0 || window == 0 || window >= a.maxPositions) return;
  // One window stands for all layers: that of most of them.
  if (2 * layers > a.layers) a.slidingWindow = window;
  if (layers < a.layers)
    f.fields().report(Severity::Warning, "config-window-mixed", "sliding_window",
                      std::to_string(layers) + " of " + std::to_string(a.layers) +
                          " layers have a sliding window; all are costed " +
                          (a.slidingWindow > 0 ? "with it" : "without one"));
}

void llama(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {32000, 4096, 11008, 32, 32, 0, 2048, false}, a);
  readHeadDim(f, a);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  a.projectionBias = f.flag("mlp_bias", false);
}

/// Llama's shape with embeddings tied by default; the layers without positions cost the same.
void smollm3(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {128256, 2048, 11008, 36, 16, 4, 32768, true}, a);
  readHeadDim(f, a);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  a.projectionBias = f.flag("mlp_bias", false);
}

void mistral(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {32000, 4096, 14336, 32, 32, 8, 131072, false}, a);
  readHeadDim(f, a);
  readWindow(f, a, false, 4096);
}

void qwen2(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {151936, 4096, 22016, 32, 32, 32, 32768, false}, a);
  readHeadDim(f, a);
  a.attentionBias = true;
  readWindow(f, a, true, 4096);
}

void qwen3(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {151936, 4096, 22016, 32, 32, 32, 32768, false}, a);
  readHeadDim(f, a, 128);
  a.queryKeyNorm = true;
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  readWindow(f, a, true, 4096);
}

void readPerToken(ConfigFields& f, ExpertLayers& e, int byDefault) {
  e.perToken = f.shape({"num_experts_per_tok"}, byDefault, 1, kMostExperts);
  if (e.perToken > e.experts)
    f.fields().report(Severity::Error, "config-experts-per-token", "num_experts_per_tok",
                      std::to_string(e.perToken) + " experts per token, but only " +
                          std::to_string(e.experts) + " experts");
}

void mixtral(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {32000, 4096, 14336, 32, 32, 8, 131072, false}, a);
  readHeadDim(f, a);
  readWindow(f, a, false, 0);
  ExpertLayers e;
  e.experts = f.shape({"num_local_experts"}, 8, 1, kMostExperts);
  readPerToken(f, e, 2);
  e.intermediate = a.intermediate;
  a.experts = e;
}

void readQwenExperts(ConfigFields& f, TransformerArchitecture& a, int experts, int perToken, int width) {
  ExpertLayers e;
  e.experts = f.shape({"num_experts", "num_local_experts"}, experts, 1, kMostExperts);
  readPerToken(f, e, perToken);
  e.intermediate = f.shape({"moe_intermediate_size"}, width, 1, kMostWidth * 8);
  e.period = f.optional("decoder_sparse_step", 1, 1, kMostLayers);
  if (const json* list = f.fields().array("mlp_only_layers")) {
    for (const auto& v : *list) {
      if (v.is_number_integer() && v.get<double>() >= 0 && v.get<double>() < a.layers)
        e.denseLayers.push_back(v.get<int>());
      else
        f.fields().report(
            Severity::Error, "json-range", "mlp_only_layers",
            "mlp_only_layers must list layer numbers from 0 to " + std::to_string(a.layers - 1));
    }
  }
  a.experts = e;
}

void qwen2Moe(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {151936, 2048, 5632, 24, 16, 16, 32768, false}, a);
  readHeadDim(f, a);
  a.attentionBias = f.flag("qkv_bias", true);
  readWindow(f, a, true, 4096);
  readQwenExperts(f, a, 60, 4, 1408);
  a.experts->sharedIntermediate = f.shape({"shared_expert_intermediate_size"}, 5632, 0, kMostWidth * 8);
  a.experts->sharedGate = a.experts->sharedIntermediate > 0;
}

void qwen3Moe(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {151936, 2048, 6144, 24, 32, 4, 32768, false}, a);
  readHeadDim(f, a);
  a.queryKeyNorm = true;
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  readWindow(f, a, true, 4096);
  readQwenExperts(f, a, 128, 8, 768);
}

void readLayerNormFamily(TransformerArchitecture& a) {
  a.gatedMlp = false;
  a.layerNorm = true;
  a.attentionBias = a.projectionBias = true;
  a.keyValueHeads = a.heads;
}

void gpt2(ConfigFields& f, TransformerArchitecture& a) {
  a.hidden = f.shape({"n_embd", "hidden_size"}, 768, 1, kMostWidth);
  a.layers = f.shape({"n_layer", "num_hidden_layers"}, 12, 1, kMostLayers);
  a.heads = f.shape({"n_head", "num_attention_heads"}, 12, 1, kMostWidth);
  a.vocabulary = f.shape({"vocab_size"}, 50257, 1, kMostVocabulary);
  a.maxPositions = f.shape({"n_positions", "max_position_embeddings"}, 1024, 1, kMostVocabulary);
  a.intermediate = f.optional("n_inner", 4 * a.hidden, 1, kMostWidth * 8);
  a.tiedEmbeddings = f.flag("tie_word_embeddings", true);
  readLayerNormFamily(a);
  readHeadDim(f, a);
  a.learnedPositions = true;
}

void gptNeox(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {50432, 6144, 24576, 44, 64, 0, 2048, false}, a);
  readLayerNormFamily(a);
  readHeadDim(f, a);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", true);
}

void opt(ConfigFields& f, TransformerArchitecture& a) {
  a.hidden = f.shape({"hidden_size", "d_model"}, 768, 1, kMostWidth);
  a.layers = f.shape({"num_hidden_layers"}, 12, 1, kMostLayers);
  a.heads = f.shape({"num_attention_heads"}, 12, 1, kMostWidth);
  a.intermediate = f.shape({"ffn_dim"}, 3072, 1, kMostWidth * 8);
  a.vocabulary = f.shape({"vocab_size"}, 50272, 1, kMostVocabulary);
  a.maxPositions = f.shape({"max_position_embeddings"}, 2048, 1, kMostVocabulary);
  a.tiedEmbeddings = f.flag("tie_word_embeddings", true);
  readLayerNormFamily(a);
  readHeadDim(f, a);
  a.attentionBias = a.projectionBias = f.flag("enable_bias", true);
  a.learnedPositions = true;
  a.positionRows = a.maxPositions + 2;
  const int width = f.optional("word_embed_proj_dim", a.hidden, 1, kMostWidth);
  a.embeddingWidth = width == a.hidden ? 0 : width;
  a.finalNorm = f.flag("do_layer_norm_before", true) && !f.flag("_remove_final_layer_norm", false);
}

void bert(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {30522, 768, 3072, 12, 12, 0, 512, true}, a);
  readLayerNormFamily(a);
  readHeadDim(f, a);
  a.causal = f.flag("is_decoder", false);
  a.learnedPositions = a.embeddingNorm = a.pooler = true;
  a.finalNorm = false;
  a.tokenTypes = f.shape({"type_vocab_size"}, 2, 0, kMostVocabulary);
}

struct DeepSeekDefaults {
  int experts, shared, perToken, width, firstDense;
};

void readLatent(ConfigFields& f, TransformerArchitecture& a) {
  a.keyValueHeads = a.heads;
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  LatentAttention l;
  l.queryRank = f.isNull("q_lora_rank") ? 0 : f.shape({"q_lora_rank"}, 1536, 1, kMostWidth);
  l.keyValueRank = f.shape({"kv_lora_rank"}, 512, 1, kMostWidth);
  l.nopeHeadDim = f.shape({"qk_nope_head_dim"}, 128, 1, kMostWidth);
  l.ropeHeadDim = f.shape({"qk_rope_head_dim"}, 64, 0, kMostWidth);
  l.valueHeadDim = f.shape({"v_head_dim"}, 128, 1, kMostWidth);
  a.latent = l;
  a.headDim = l.nopeHeadDim + l.ropeHeadDim;
}

void readRouted(ConfigFields& f, TransformerArchitecture& a, const DeepSeekDefaults& d) {
  if (f.isNull("n_routed_experts")) return;
  ExpertLayers e;
  e.experts = f.shape({"n_routed_experts"}, d.experts, 1, kMostExperts);
  if (d.perToken == 0) f.fields().requireKey("num_experts_per_tok", "the experts that each token passes");
  readPerToken(f, e, std::max(1, d.perToken));
  e.intermediate = f.shape({"moe_intermediate_size"}, d.width, 1, kMostWidth * 8);
  const int shared = f.isNull("n_shared_experts") ? 0 : f.shape({"n_shared_experts"}, d.shared, 0, 1024);
  e.sharedIntermediate = shared * e.intermediate;
  e.firstDense = f.shape({"first_k_dense_replace"}, d.firstDense, 0, kMostLayers);
  // Experts stand in the layers whose number is a multiple of the frequency.
  const int frequency = f.optional("moe_layer_freq", 1, 1, kMostLayers);
  for (int i = e.firstDense; frequency > 1 && i < a.layers; ++i)
    if (i % frequency != 0) e.denseLayers.push_back(i);
  a.experts = e;
}

/// The first DeepSeek mixture of experts: usual attention.
void deepseek(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {102400, 4096, 11008, 30, 32, 0, 2048, false}, a);
  readHeadDim(f, a);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  if (f.isGiven("n_routed_experts")) readRouted(f, a, {64, 0, 0, 1407, 0});
}

void deepseekV2(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {32000, 4096, 11008, 32, 32, 0, 2048, false}, a);
  readLatent(f, a);
  readRouted(f, a, {64, 2, 0, 1407, 0});
}

void deepseekV3(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {129280, 7168, 18432, 61, 128, 128, 4096, false}, a);
  readLatent(f, a);
  readRouted(f, a, {256, 1, 8, 2048, 3});
  const int extra = f.optional("num_nextn_predict_layers", 0, 0, kMostLayers);
  if (extra > 0)
    f.fields().report(Severity::Note, "config-extra-layers", "num_nextn_predict_layers",
                      std::to_string(extra) + " multi-token prediction layer(s) are left out of the model");
}

void gemma(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {256000, 3072, 24576, 28, 16, 16, 8192, true}, a);
  readHeadDim(f, a, 256);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
}

/// Each expert layer has one shared expert of the experts' width; dense layers have a width of their own.
void llama4(ConfigFields& f, TransformerArchitecture& a) {
  readSizes(f, {202048, 5120, 8192, 48, 40, 8, 131072, false}, a);
  readHeadDim(f, a, 128);
  a.attentionBias = a.attentionOutputBias = f.flag("attention_bias", false);
  ExpertLayers e;
  e.experts = f.shape({"num_local_experts"}, 16, 1, kMostExperts);
  readPerToken(f, e, 1);
  e.intermediate = e.sharedIntermediate = a.intermediate;
  e.period = f.optional("interleave_moe_layer_step", 1, 1, kMostLayers);
  a.intermediate = f.shape({"intermediate_size_mlp"}, 16384, 1, kMostWidth * 8);
  a.experts = e;
}

}  // namespace

const std::vector<ConfigFamily>& configFamilies() {
  static const std::vector<ConfigFamily> all = {
      {"llama", "Llama", llama},
      {"mistral", "Mistral", mistral},
      {"mixtral", "Mixtral", mixtral},
      {"qwen2", "Qwen2", qwen2},
      {"qwen3", "Qwen3", qwen3},
      {"qwen2_moe", "Qwen2Moe", qwen2Moe},
      {"qwen3_moe", "Qwen3Moe", qwen3Moe},
      {"gpt2", "GPT2", gpt2},
      {"gpt_neox", "GPTNeoX", gptNeox},
      {"opt", "OPT", opt},
      {"bert", "Bert", bert},
      {"deepseek", "Deepseek", deepseek},
      {"deepseek_v2", "DeepseekV2", deepseekV2},
      {"deepseek_v3", "DeepseekV3", deepseekV3},
      {"gemma", "Gemma", gemma},
      {"llama4_text", "Llama4", llama4},
      // Other names for the same shapes, most of them language parts of models that also see or hear.
      {"LLaMA", "LLaMA", llama, "llama"},
      {"Yi", "Yi", llama, "llama"},
      {"smollm3", "SmolLM3", smollm3, "llama"},
      {"granite", "Granite", llama, "llama"},
      {"ministral", "Ministral", mistral, "mistral"},
      {"ministral3", "Ministral3", mistral, "mistral"},
      {"phi3", "Phi3", mistral, "mistral"},
      {"qwen2_vl", "Qwen2VL", qwen2, "qwen2"},
      {"qwen2_vl_text", "", qwen2, "qwen2"},
      {"qwen2_5_vl", "Qwen2_5_VL", qwen2, "qwen2"},
      {"qwen2_5_vl_text", "", qwen2, "qwen2"},
      {"qwen3_vl_text", "", qwen3, "qwen3"},
      {"qwen3_vl_moe_text", "", qwen3Moe, "qwen3_moe"},
      {"deepseek_v32", "DeepseekV32", deepseekV3, "deepseek_v3"},
      {"kimi_k2", "", deepseekV3, "deepseek_v3"},
      {"camembert", "Camembert", bert, "bert"},
      {"roberta", "Roberta", bert, "bert"},
      {"xlm-roberta", "XLMRoberta", bert, "bert"},
  };
  return all;
}

const ConfigFamily* familyOfType(std::string_view modelType) {
  for (const ConfigFamily& f : configFamilies())
    if (modelType == f.type) return &f;
  return nullptr;
}

const ConfigFamily* familyOfClass(std::string_view className) {
  const auto isTask = [](std::string_view rest) {
    return rest.starts_with("For") || rest.starts_with("Model") || rest.starts_with("LMHead") ||
           rest.starts_with("DoubleHeads");
  };
  for (const ConfigFamily& f : configFamilies())
    if (*f.className && className.starts_with(f.className) &&
        isTask(className.substr(std::string_view(f.className).size())))
      return &f;
  return nullptr;
}

const ConfigFamily* familyOfKeys(JsonFields& f) {
  static constexpr std::pair<const char*, const char*> own[] = {
      {"n_embd", "gpt2"},         {"kv_lora_rank", "deepseek_v3"}, {"ffn_dim", "opt"},
      {"rotary_pct", "gpt_neox"}, {"type_vocab_size", "bert"},     {"num_local_experts", "mixtral"}};
  for (const auto& [key, type] : own)
    if (f.has(key)) return familyOfType(type);
  return nullptr;
}

}  // namespace nest
