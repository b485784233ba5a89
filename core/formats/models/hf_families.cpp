#include "formats/models/hf_families.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/models/hf_family_lists.h"

namespace nest {

using nlohmann::json;

const std::vector<ConfigFamily>& configFamilies() {
  static const std::vector<ConfigFamily> all = [] {
    std::vector<ConfigFamily> families;
    addDenseFamilies(families);
    addExpertFamilies(families);
    addHybridFamilies(families);
    addOlderFamilies(families);
    return families;
  }();
  return all;
}

const ConfigFamily* familyOfType(std::string_view modelType) {
  // The language part of a model of several parts may stand alone, under the name of the whole.
  for (const char* part : {"", "_text", "_vl_text"}) {
    const std::string type = std::string(modelType) + part;
    for (const ConfigFamily& f : configFamilies())
      if (type == f.type) return &f;
  }
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

const char* natureOf(const json& object) {
  const auto has = [&](std::initializer_list<const char*> keys) {
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) {
      const auto it = object.find(key);
      return it != object.end() && !it->is_null() && *it != false;
    });
  };
  if (has({"compress_ratios", "compress_rates", "o_lora_rank"}) && has({"hc_mult"}))
    return "a model that attends to compressed keys and carries several residual streams (DeepSeek-V4), "
           "neither of which this program has a shape for";
  if (has({"is_encoder_decoder", "encoder_layers", "num_decoder_layers"}))
    return "an encoder-decoder, which this program has no shape for";
  if (has({"rescale_every", "attention_hidden_size", "decay_low_rank_dim"}))
    return "a recurrent model (RWKV), which has no attention";
  if (has({"ssm_cfg", "state_size", "ssm_state_size", "mamba_d_state", "d_state", "conv_kernel",
           "mamba_n_heads"}))
    return "a state-space model or a hybrid with one";
  if (has({"linear_num_value_heads", "linear_attn_config", "full_attention_interval"}))
    return "a hybrid with linear attention";
  if (has({"patch_size", "image_size"})) return "a model of images";
  return nullptr;
}

}  // namespace nest
