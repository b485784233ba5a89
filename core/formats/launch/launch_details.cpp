// What a model computes beside its sizes, under the names of Megatron's core.
#include "formats/launch/launch_parts.h"

namespace nest {
namespace {

/// Of these families every model scores experts by sigmoids, with a bias for balance.
bool scoresBySigmoid(const TransformerArchitecture& m) {
  return m.family == "deepseek_v3" || m.family == "glm4_moe";
}

void addRouter(const TransformerArchitecture& m, std::vector<LaunchSetting>& out) {
  if (scoresBySigmoid(m)) {
    out.push_back({"moe_router_score_function", "sigmoid", true});
    out.push_back({"moe_router_enable_expert_bias", "true"});
  }
  if (m.experts->groups <= 1 || m.experts->groupsPerToken <= 0) return;
  out.push_back({"moe_router_num_groups", std::to_string(m.experts->groups)});
  out.push_back({"moe_router_group_topk", std::to_string(m.experts->groupsPerToken)});
}

/// The flags have defaults where a recipe of the family has the model's own values.
void warnOfDefaults(const TransformerArchitecture& m, LaunchPlan& p) {
  std::string keys, flags;
  const auto add = [&](const char* key, const char* flag) {
    keys += (keys.empty() ? "" : ", ") + std::string(key);
    flags += (flags.empty() ? "" : ", ") + std::string(flag);
  };
  if (!m.learnedPositions) {
    add("rope_theta", "--rotary-base (10000)");
    add("rope_scaling", m.latent
                            ? "--rope-type (yarn), --rotary-scaling-factor (1), --mscale, --mscale-all-dim"
                            : "--use-rope-scaling (off), --rope-scaling-factor");
  }
  if (m.experts && scoresBySigmoid(m))
    add("routed_scaling_factor", "--moe-router-topk-scaling-factor (none)");
  else if (m.experts)
    add("norm_topk_prob", "--moe-router-pre-softmax (off: normalized)");
  if (keys.empty()) return;
  p.warn("model-details",
         "the plan's model holds no " + keys + "; the flags leave these at Megatron-LM's defaults: " + flags,
         "set them as the model's config.json says");
}

}  // namespace

std::vector<LaunchSetting> modelDetails(LaunchPlan& p) {
  std::vector<LaunchSetting> out;
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return out;
  if (m->family == "gpt_neox") out.push_back({"rotary_percent", "0.25"});
  if (m->latent || m->queryKeyNorm) out.push_back({"qk_layernorm", "true"});
  if (m->experts) addRouter(*m, out);
  if (p.target == LaunchTarget::Megatron) warnOfDefaults(*m, p);
  return out;
}

}  // namespace nest
