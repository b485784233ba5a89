// What a model computes beside its sizes, under the names of Megatron's core.
#include <fmt/format.h>

#include <optional>

#include "formats/launch/launch_parts.h"
#include "formats/launch/launch_recipes.h"

namespace nest {
namespace {

/// What a model's configuration says beside its sizes, as settings of Megatron's core. A recipe brings the
/// values of its own model along: over one, what this model has not is said, too.
class Details {
public:
  Details(const TransformerArchitecture& m, bool overRecipe) : m_all(m.details), m_overRecipe(overRecipe) {}

  template <class T>
  std::optional<T> get(const char* key) const {
    const auto it = m_all.find(key);
    const T* v = it == m_all.end() ? nullptr : std::get_if<T>(&it->second);
    return v ? std::optional(*v) : std::nullopt;
  }
  double number(const char* key, double byDefault) const { return get<double>(key).value_or(byDefault); }
  std::string word(const char* key) const { return get<std::string>(key).value_or(""); }

  void say(const char* name, double value) { out.push_back({name, fmt::format("{}", value)}); }
  void say(const char* name, const char* word) { out.push_back({name, word, true}); }
  /// What is off unless it is told otherwise.
  void sayIf(bool holds, const char* name) {
    if (holds || m_overRecipe) out.push_back({name, holds ? "true" : "false"});
  }
  void clear(const char* name) {
    if (m_overRecipe) out.push_back({name, "null"});
  }
  /// What no default stands for: noted as missing where the configuration is silent.
  void sayNeeded(const char* name, const char* key) {
    if (const auto v = get<double>(key))
      say(name, *v);
    else
      missing += (missing.empty() ? "" : ", ") + std::string(key);
  }
  bool overRecipe() const { return m_overRecipe; }

  std::vector<LaunchSetting> out;
  std::string missing, unsaid;

private:
  const std::map<std::string, ModelDetail>& m_all;
  bool m_overRecipe;
};

/// YaRN as latent attention has it: Megatron's core takes it unless it is told otherwise.
void addLatentRotary(Details& d) {
  if (d.word("rope_type") != "yarn") {
    d.say("rope_type", "rope");
    d.out.push_back({"apply_rope_fusion", "false"});
    return;
  }
  d.say("rope_type", "yarn");
  d.sayNeeded("rotary_scaling_factor", "rope_factor");
  d.say("mscale", d.number("rope_mscale", 1));
  d.say("mscale_all_dim", d.number("rope_mscale_all_dim", 0));
  const double fast = d.number("rope_beta_fast", 32), slow = d.number("rope_beta_slow", 1),
               positions = d.number("rope_original_positions", 4096);
  if (d.overRecipe())
    d.say("beta_fast", fast), d.say("beta_slow", slow), d.say("original_max_position_embeddings", positions);
  else if (fast != 32 || slow != 1 || positions != 4096)  // for which Megatron-LM has no flags
    d.unsaid = "beta_fast, beta_slow or original_max_position_embeddings of rope_scaling";
}

/// Of gpt-oss, whose recipes have it; no other recipe scales positions by YaRN.
bool isInRecipe(const TransformerArchitecture& m, const Details& d) {
  return m.family == "gpt_oss" && d.word("rope_type") == "yarn" && d.number("rope_factor", 32) == 32 &&
         d.number("rope_original_positions", 4096) == 4096;
}

void addRotary(const TransformerArchitecture& m, Details& d) {
  d.sayNeeded("rotary_base", "rope_theta");
  if (const double share = d.number("partial_rotary_factor", 1); share != 1 || d.overRecipe())
    d.say("rotary_percent", share);
  if (m.latent) return addLatentRotary(d);
  const std::string kind = d.word("rope_type");
  const bool isLlama = kind == "llama3" && d.number("rope_low_freq_factor", 1) == 1 &&
                       d.number("rope_high_freq_factor", 4) == 4 &&
                       d.number("rope_original_positions", 8192) == 8192;
  if (isLlama || m.family == "llama") d.sayIf(isLlama, "rope_scaling");
  if (isLlama)
    d.sayNeeded("rope_scaling_factor", "rope_factor");
  else if (!kind.empty() && kind != "default" && !(d.overRecipe() && isInRecipe(m, d)))
    d.unsaid = "rope_scaling (" + kind + ")";
}

bool scalesExperts(const TransformerArchitecture& m) {
  return m.family.starts_with("deepseek") || m.family == "glm4_moe";
}

void addRouter(const TransformerArchitecture& m, Details& d) {
  const bool sigmoid = d.word("scoring_func") == "sigmoid";
  if (sigmoid || d.overRecipe()) d.say("moe_router_score_function", sigmoid ? "sigmoid" : "softmax");
  d.sayIf(d.word("topk_method") == "noaux_tc", "moe_router_enable_expert_bias");
  const ExpertLayers& e = *m.experts;
  if (e.groups > 1 && e.groupsPerToken > 0)
    d.say("moe_router_num_groups", e.groups), d.say("moe_router_group_topk", e.groupsPerToken);
  else if (e.groups == 1)
    d.clear("moe_router_num_groups"), d.clear("moe_router_group_topk");
  constexpr const char *kScale = "moe_router_topk_scaling_factor", *kScaleKey = "routed_scaling_factor";
  if (d.number(kScaleKey, 1) == 1 && (d.get<double>(kScaleKey) || !scalesExperts(m)))
    d.clear(kScale);
  else
    d.sayNeeded(kScale, kScaleKey);
  // Megatron's core normalizes the weights of a token's experts, but where the softmax comes first.
  if (const auto normalizes = d.get<bool>("norm_topk_prob"); normalizes && !sigmoid)
    d.sayIf(!*normalizes, "moe_router_pre_softmax");
}

}  // namespace

std::vector<LaunchSetting> modelDetails(LaunchPlan& p) {
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return {};
  const bool overRecipe = p.target.program->recipe != nullptr;
  Details d(*m, overRecipe);
  if (!m->learnedPositions) addRotary(*m, d);
  if (m->experts) addRouter(*m, d);
  if (m->latent || m->queryKeyNorm) d.sayIf(true, "qk_layernorm");
  if (m->family == "nemotron" || m->family.starts_with("gemma"))
    d.sayIf(true, "layernorm_zero_centered_gamma");
  if (const auto v = d.get<double>("norm_eps")) d.say("layernorm_epsilon", *v);
  const LaunchRecipe* recipe = overRecipe ? recipeOf(m) : nullptr;
  const std::string file = overRecipe ? "the overrides leave " : "the flags leave ";
  if (!d.missing.empty() && !(recipe && recipe->isOf(*m)))
    p.warn("model-details",
           "the model's file does not give " + d.missing + ", which " + file +
               (overRecipe ? "as the recipe of another model has it" : "at Megatron-LM's defaults"),
           "add them to its config.json and import it again, or set them yourself");
  if (!d.unsaid.empty())
    p.warn("model-details", file + "out " + d.unsaid + " of the model's file",
           "add it as the framework's own recipe for the family does");
  return std::move(d.out);
}

}  // namespace nest
