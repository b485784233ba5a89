// What a model computes beside its sizes, under the names of Megatron's core.
#include <fmt/format.h>

#include <optional>

#include "formats/launch/launch_parts.h"

namespace nest {
namespace {

/// The keys of a model's configuration that change no cost, and those of them that it lacks.
class Details {
public:
  explicit Details(const TransformerArchitecture& m) : m_all(m.details) {}
  std::optional<double> number(const char* key) const {
    const auto it = m_all.find(key);
    const double* v = it == m_all.end() ? nullptr : std::get_if<double>(&it->second);
    return v ? std::optional(*v) : std::nullopt;
  }
  std::string word(const char* key) const {
    const auto it = m_all.find(key);
    const auto* v = it == m_all.end() ? nullptr : std::get_if<std::string>(&it->second);
    return v ? *v : std::string();
  }
  std::optional<bool> flag(const char* key) const {
    const auto it = m_all.find(key);
    const bool* v = it == m_all.end() ? nullptr : std::get_if<bool>(&it->second);
    return v ? std::optional(*v) : std::nullopt;
  }
  /// As number(), or the key is noted as missing.
  std::optional<double> needed(const char* key) {
    const auto v = number(key);
    if (!v) missing += (missing.empty() ? "" : ", ") + std::string(key);
    return v;
  }
  std::string missing, unsaid;

private:
  const std::map<std::string, ModelDetail>& m_all;
};

LaunchSetting setting(const char* name, double value) {
  return {name, fmt::format("{}", value)};
}
LaunchSetting setting(const char* name, bool value) {
  return {name, value ? "true" : "false"};
}

/// YaRN as latent attention has it: Megatron's core takes it unless it is told otherwise.
void addLatentRotary(Details& d, std::vector<LaunchSetting>& out) {
  if (d.word("rope_type") != "yarn") {
    out.push_back({"rope_type", "rope", true});
    out.push_back(setting("apply_rope_fusion", false));
    return;
  }
  out.push_back({"rope_type", "yarn", true});
  if (const auto v = d.needed("rope_factor")) out.push_back(setting("rotary_scaling_factor", *v));
  out.push_back(setting("mscale", d.number("rope_mscale").value_or(1)));
  out.push_back(setting("mscale_all_dim", d.number("rope_mscale_all_dim").value_or(0)));
  if (d.number("rope_beta_fast").value_or(32) != 32 || d.number("rope_beta_slow").value_or(1) != 1 ||
      d.number("rope_original_positions").value_or(4096) != 4096)
    d.unsaid = "beta_fast, beta_slow or original_max_position_embeddings of rope_scaling";
}

void addRotary(const TransformerArchitecture& m, Details& d, std::vector<LaunchSetting>& out) {
  if (const auto base = d.needed("rope_theta")) out.push_back(setting("rotary_base", *base));
  const double share = d.number("partial_rotary_factor").value_or(m.family == "gpt_neox" ? 0.25 : 1);
  if (share != 1) out.push_back(setting("rotary_percent", share));
  if (m.latent) return addLatentRotary(d, out);
  const std::string kind = d.word("rope_type");
  if (kind.empty() || kind == "default") return;
  const bool isLlama = kind == "llama3" && d.number("rope_low_freq_factor").value_or(1) == 1 &&
                       d.number("rope_high_freq_factor").value_or(4) == 4 &&
                       d.number("rope_original_positions").value_or(8192) == 8192;
  if (!isLlama) {
    d.unsaid = "rope_scaling (" + kind + ")";
    return;
  }
  out.push_back(setting("rope_scaling", true));
  if (const auto v = d.needed("rope_factor")) out.push_back(setting("rope_scaling_factor", *v));
}

void addRouter(const TransformerArchitecture& m, Details& d, std::vector<LaunchSetting>& out) {
  const bool sigmoid = d.word("scoring_func") == "sigmoid";
  if (sigmoid) out.push_back({"moe_router_score_function", "sigmoid", true});
  if (d.word("topk_method") == "noaux_tc") out.push_back(setting("moe_router_enable_expert_bias", true));
  if (m.experts->groups > 1 && m.experts->groupsPerToken > 0) {
    out.push_back({"moe_router_num_groups", std::to_string(m.experts->groups)});
    out.push_back({"moe_router_group_topk", std::to_string(m.experts->groupsPerToken)});
  }
  const bool scales = m.family.starts_with("deepseek") || m.family == "glm4_moe";
  const auto scale = scales ? d.needed("routed_scaling_factor") : d.number("routed_scaling_factor");
  if (scale && *scale != 1) out.push_back(setting("moe_router_topk_scaling_factor", *scale));
  // Megatron's core normalizes the weights of a token's experts, but where the softmax comes first.
  if (!sigmoid && d.flag("norm_topk_prob") == false) out.push_back(setting("moe_router_pre_softmax", true));
}

}  // namespace

std::vector<LaunchSetting> modelDetails(LaunchPlan& p) {
  std::vector<LaunchSetting> out;
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return out;
  Details d(*m);
  if (!m->learnedPositions) addRotary(*m, d, out);
  if (m->experts) addRouter(*m, d, out);
  if (m->latent || m->queryKeyNorm) out.push_back(setting("qk_layernorm", true));
  if (const auto v = d.number("norm_eps")) out.push_back(setting("layernorm_epsilon", *v));
  const bool fromRecipe = p.target != LaunchTarget::Megatron;
  if (!d.missing.empty() && !fromRecipe)
    p.warn(
        "model-details",
        "the model's file does not give " + d.missing + ", which the flags leave at Megatron-LM's defaults",
        "add them to its config.json and import it again, or give the flags yourself");
  if (!d.unsaid.empty() && !fromRecipe)
    p.warn("model-details", "the flags leave out " + d.unsaid + " of the model's file",
           "add it as the framework's own recipe for the family does");
  return out;
}

}  // namespace nest
