#include "formats/models/model_details.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "units/letters.h"

namespace nest {
namespace {

using nlohmann::json;
using Words = std::span<const std::string_view>;

constexpr std::string_view kScores[] = {"softmax", "sigmoid", "sqrtsoftplus"};
constexpr std::string_view kChoices[] = {"greedy", "group_limited_greedy", "noaux_tc"};
constexpr std::string_view kRotary[] = {"default",       "linear",       "dynamic", "yarn",
                                        "deepseek_yarn", "longrope",     "su",      "llama3",
                                        "mrope",         "proportional", "ntk",     "none"};
constexpr std::string_view kActivations[] = {
    "silu",       "swish",   "gelu",         "gelu_new", "gelu_fast",     "gelu_python", "gelu_pytorch_tanh",
    "quick_gelu", "gelu_10", "gelu_tanh",    "relu",     "relu2",         "relu6",       "squared_relu",
    "tanh",       "sigmoid", "leaky_relu",   "mish",     "linear",        "swiglu",      "swigluoai",
    "geglu",      "xielu",   "silu_and_mul", "laplace",  "gelu_accurate", "approx_gelu", "prelu"};
constexpr std::string_view kFormats[] = {"float32", "float", "float16", "half",          "bfloat16",
                                         "float64", "auto",  "fp8",     "float8_e4m3fn", "float8_e5m2",
                                         "int8",    "fp32",  "fp16",    "bf16"};
constexpr const char* kDropouts[] = {
    "attention_dropout", "hidden_dropout",     "hidden_dropout_prob",
    "attn_pdrop",        "resid_pdrop",        "embd_pdrop",
    "attn_dropout",      "classifier_dropout", "attention_probs_dropout_prob",
    "dropout",           "dropout_rate",       "activation_dropout",
    "resid_dropout",     "embedding_dropout",  "ffn_dropout"};

/// A number from `least` to `most`, a word, or true and false where both are absent.
struct Rule {
  std::string_view name;
  double least = 0, most = 0;
  Words words = {};
};
constexpr double kTiny = 1e-30;  // above 0
constexpr Rule kRules[] = {{"norm_eps", kTiny, 0.1},
                           {"rope_theta", 1, 1e15},
                           {"partial_rotary_factor", kTiny, 1},
                           {"rope_factor", 1e-3, 1e6},
                           {"rope_low_freq_factor", 1e-3, 1e3},
                           {"rope_high_freq_factor", 1e-3, 1e3},
                           {"rope_original_positions", 1, 1e8},
                           {"rope_beta_fast", 0, 1e4},
                           {"rope_beta_slow", 0, 1e4},
                           {"rope_mscale", 0, 100},
                           {"rope_mscale_all_dim", 0, 100},
                           {"routed_scaling_factor", kTiny, 1e3},
                           {"scoring_func", 0, 0, kScores},
                           {"topk_method", 0, 0, kChoices},
                           {"rope_type", 0, 0, kRotary},
                           {"norm_topk_prob"}};

std::optional<std::string> readWord(JsonFields& f, std::string_view key, Words words, const char* effect) {
  auto word = f.string(key);
  if (!word) return std::nullopt;
  const std::string plain = text::lower(*word);
  if (!word->empty() && std::find(words.begin(), words.end(), plain) == words.end()) {
    std::string list;
    for (const std::string_view w : words) list += (list.empty() ? "" : ", ") + std::string(w);
    f.report(Severity::Warning, "detail-unknown", key,
             '"' + std::string(key) + "\" is \"" + word->substr(0, 40) + "\", which is not known; " + effect,
             "expected one of: " + list);
  }
  return word;
}

}  // namespace

std::optional<ModelDetail> readDetail(std::string_view name, JsonFields& f, std::string_view key) {
  const auto rule =
      std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.name == name; });
  if (rule == std::end(kRules)) {
    f.any(key);
    f.report(Severity::Warning, "json-unknown-key", key, '"' + std::string(key) + "\" is not known here");
    return std::nullopt;
  }
  if (!rule->words.empty()) {
    auto word = readWord(f, key, rule->words, "launch files leave it out");
    return word && !word->empty() ? std::optional<ModelDetail>(std::move(*word)) : std::nullopt;
  }
  if (rule->most == 0) {
    const auto flag = f.boolean(key);
    return flag ? std::optional<ModelDetail>(*flag) : std::nullopt;
  }
  const auto number = f.number(key, rule->least, rule->most);
  return number ? std::optional<ModelDetail>(*number) : std::nullopt;
}

std::string readActivation(JsonFields& f, std::string_view key) {
  return readWord(f, key, kActivations, "its MLP is priced by its sizes").value_or("");
}

void checkBesideSizes(JsonFields& f) {
  for (const char* key : {"torch_dtype", "dtype"}) {
    const auto word = f.string(key);
    if (!word) continue;
    const std::string plain = word->starts_with("torch.") ? word->substr(6) : *word;
    if (std::find(std::begin(kFormats), std::end(kFormats), text::lower(plain)) == std::end(kFormats))
      f.report(Severity::Warning, "detail-unknown", key,
               '"' + std::string(key) + "\" is \"" + word->substr(0, 40) + "\", which is not a number format",
               "the number format of the training is job.format");
  }
  for (const char* key : kDropouts)
    if (const json* v = f.any(key); v && !v->is_boolean()) f.number(key, 0, 1);
  for (const char* key : {"sliding_window", "sliding_window_size"})
    if (const json* v = f.any(key); v && !v->is_boolean() && !v->is_array() && *v != -1)
      f.integer(key, 0, 100'000'000);
}

}  // namespace nest
