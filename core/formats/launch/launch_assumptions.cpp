#include "formats/launch/launch_assumptions.h"

#include <algorithm>

#include "fields/field_text.h"
#include "fields/program_setting.h"

namespace nest {
namespace {

using EncodingKind = Encoding::Kind;
constexpr Encoding kAlways = Encoding::always(), kOnlyVersion = Encoding::version();

bool splitsTensors(const LaunchPlan& p) {
  return p.strategy.tensor > 1;
}
bool splitsContext(const LaunchPlan& p) {
  return p.strategy.context > 1;
}
bool spreadsExperts(const LaunchPlan& p) {
  return p.source.architecture && p.source.architecture->experts && p.strategy.expert > 1;
}
bool replicates(const LaunchPlan& p) {
  return p.data() > 1;
}
bool sharesGradients(const LaunchPlan& p) {
  return replicates(p) && p.plan.zero > 1;
}
bool hasStages(const LaunchPlan& p) {
  return p.stages() > 1;
}
bool recomputesAll(const LaunchPlan& p) {
  return p.recompute == Recompute::Full;
}
bool recomputesSome(const LaunchPlan& p) {
  return p.recompute == Recompute::Selective;
}
bool sendsWholeBoundaries(const LaunchPlan& p) {
  return hasStages(p) && splitsTensors(p) && !p.strategy.sequence;
}

void noExperts(Assumed& a) {
  if (a.option() == "per-host") a.leave("for which it has no option: the model's own layers exchange tokens");
}
void noNarrowDispatch(Assumed& a) {
  if (a.number() < 1) a.leave("for which its dispatchers have no option: they send 16-bit numbers");
}

void noPrediction(Assumed& a) {
  if (a.number() > 0) a.leave("which its files leave out: set it where the model is built");
}

void noFrozen(Assumed& a) {
  if (a.number() > 0) a.leave("which its files leave out: freeze and adapt the model where it is built");
}
void noHostOptimizer(Assumed& a) {
  if (a.number() > 0) a.leave("which its files leave out: set it where the optimizer is made");
}
bool offloadsTheOptimizer(const LaunchPlan& p) {
  return p.source.problem->assumptions.offloadedOptimizer > 0;
}

constexpr LaunchAssumption kAssumptions[] = {
    {"/assumptions/overlap/tensor", splitsTensors, Encoding::by(noOverlap)},
    {"/assumptions/overlap/context", splitsContext},
    {"/assumptions/overlap/expert", spreadsExperts, Encoding::by(noOverlap)},
    {"/assumptions/overlap/pipeline", hasStages, Encoding::by(noOverlap)},
    {"/assumptions/overlap/data", sharesGradients},
    {"/assumptions/overlap/sync", replicates},
    {"/assumptions/flat_exchange"},
    {"/assumptions/zero_all_reduces", nullptr, kAlways},
    {"/assumptions/held_gradient_bytes_per_parameter"},
    {"/assumptions/offloaded_optimizer_share", offloadsTheOptimizer, Encoding::by(noHostOptimizer)},
    {"/assumptions/overlaps_optimizer_copies", offloadsTheOptimizer, Encoding::by(inTheFile)},
    {"/assumptions/host_update_parameters_per_s"},
    {"/assumptions/gathers_groups"},
    {"/assumptions/allocator_factor"},
    {"/assumptions/headroom"},
    {"/job/optimizer/gradient_bytes_per_parameter", replicates, Encoding::by(inTheFile)},
    {"/job/optimizer/optimizer_bytes_per_parameter"},
    {"/model/analytic/flash_attention", nullptr, kAlways},
    {"/model/analytic/attention_kernel", nullptr, kOnlyVersion},
    {"/model/analytic/selective_recompute", recomputesSome, Encoding::by(inTheFile)},
    {"/model/analytic/recompute_stops_early", recomputesAll, kAlways},
    {"/model/analytic/expert_exchange", spreadsExperts, Encoding::by(noExperts)},
    {"/model/analytic/expert_dispatch_share", spreadsExperts, Encoding::by(noNarrowDispatch)},
    {"/model/analytic/context_exchange", splitsContext, kAlways},
    {"/model/analytic/eager_elementwise", nullptr, kAlways},
    {"/model/analytic/boundary_in_parts", sendsWholeBoundaries, kAlways},
    {"/model/analytic/keeps_gathered_inputs", splitsTensors, kAlways},
    {"/model/analytic/reorders_exchanges", splitsTensors, kAlways},
    {"/model/analytic/keeps_whole_projection", nullptr, kAlways},
    {"/model/analytic/sums_each_input", splitsTensors, kAlways},
    {"/model/analytic/whole_logits", splitsTensors, kAlways},
    {"/model/analytic/separate_gradient_sums"},
    {"/model/analytic/loss_traffic_bytes_per_logit"},
    {"/model/analytic/loss_backward_traffic_bytes_per_logit"},
    {"/model/analytic/loss_workspace_bytes_per_logit"},
    {"/model/analytic/shared_loss_workspace_bytes_per_logit"},
    {"/model/analytic/gradient_workspace_bytes_per_parameter"},
    {"/model/analytic/prediction_layers", nullptr, Encoding::by(noPrediction)},
    {"/model/analytic/offloaded_share", nullptr, kAlways},
    {"/model/analytic/frozen_embedding_share", nullptr, Encoding::by(noFrozen)},
    {"/model/analytic/frozen_block_share", nullptr, Encoding::by(noFrozen)},
    {"/model/analytic/frozen_head_share", nullptr, Encoding::by(noFrozen)},
    {"/model/analytic/lora_rank", nullptr, Encoding::by(noFrozen)},
    {"/model/analytic/host_time_per_block_s"},
    {"/model/analytic/eager_norm_traffic_bytes"},
    {"/model/analytic/score_traffic_bytes"},
    {"/model/analytic/score_backward_traffic_bytes"},
    {"/model/analytic/stored_scores"},
    {"/model/analytic/context_merge_traffic_bytes"},
    {"/model/analytic/expert_bias_traffic_bytes"},
    {"/model/analytic/expert_bias_backward_traffic_bytes"},
    {"/model/analytic/scaled_rotary_traffic_bytes"},
    {"/model/analytic/scaled_rotary_backward_traffic_bytes"},
    {"/model/analytic/routing_gradient_traffic_bytes"},
    {"/model/analytic/matrix_tile"},
    {"/model/analytic/clamp_traffic_bytes"},
    {"/model/analytic/clamp_backward_traffic_bytes"},
    {"/model/analytic/grouped_half_size"},
    {"/model/analytic/grouped_gradient_half_size"},
    {"/model/analytic/fp8_input_bytes"},
    {"/model/analytic/fp8_gather_bytes"},
    {"/model/analytic/fp8_cast_traffic_bytes_per_element"},
    {"/model/analytic/fp8_expert_overhead_s"},
    {"/model/analytic/activation_factor"},
    {"/model/analytic/workspace_factor"},
};

std::string shown(const Setting& setting, const Field& field) {
  return field.label + " = " + valueText(setting, FieldAt{&field});
}

/// What a program that reads the target's files does.
bool isUsualOf(const LaunchTarget& target, const Field& field, const FieldValue& value) {
  return std::any_of(programs().begin(), programs().end(), [&](const Program& p) {
    const bool reads = std::find(p.launches.begin(), p.launches.end(), target.id) != p.launches.end();
    return (reads || p.id == kIdealProgram) && field.access.get(usualSetting(p.id), 0) == value;
  });
}

}  // namespace

std::span<const LaunchAssumption> launchAssumptions() {
  return kAssumptions;
}

const Encoding& LaunchAssumption::encoding(const LaunchTarget& t) const {
  for (const OwnEncoding& own : t.program->assumes)
    if (own.field == field) return own.encoding;
  return usual;
}

void inTheFile(Assumed&) {}
void noOverlap(Assumed& a) {
  if (a.number() > 0) a.leave("for which it has no option");
}

std::string_view Assumed::option() const {
  return field.options.at(static_cast<std::size_t>(number()));
}

double Assumed::numberOf(std::string_view key) const {
  const FieldValue value = findField(key)->access.get(setting, 0);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::get<double>(value);
}

void Assumed::say(LaunchSetting s) {
  const auto it = std::find_if(settings.begin(), settings.end(),
                               [&](const LaunchSetting& x) { return x.name == s.name; });
  if (it == settings.end())
    settings.push_back(std::move(s));
  else
    *it = std::move(s);
}

void Assumed::leave(const std::string& why, std::string remedy) {
  plan.warn("assumption", "the prediction assumes " + shown(setting, field) + ", " + why, std::move(remedy));
}

std::vector<LaunchSetting> assumedSettings(LaunchPlan& p) {
  Setting priced;
  priced.assumptions = p.source.problem->assumptions;
  priced.job = p.job();
  if (p.source.kernels) priced.model.analytic = *p.source.kernels;
  std::vector<LaunchSetting> out;
  std::string without;
  for (const LaunchAssumption& a : kAssumptions) {
    const Field& field = *findField(a.field);
    const bool isKernel = field.key.starts_with("/model/");
    if ((isKernel && !p.source.kernels) || (a.matters && !a.matters(p))) continue;
    const Encoding& encoding = a.encoding(p.target);
    if (encoding.kind == EncodingKind::Option) {
      Assumed assumed{p, priced, field, out};
      encoding.write(assumed);
    } else if (encoding.kind == EncodingKind::Always &&
               !isUsualOf(p.target, field, field.access.get(priced, 0))) {
      without += (without.empty() ? "" : "; ") + shown(priced, field);
    }
  }
  if (!without.empty())
    p.warn("assumption",
           "the prediction assumes what " + std::string(p.target.id) + " has no option for: " + without,
           "choose the program that will run the plan with --program, or in the scenario");
  return out;
}

std::string valueOf(const std::vector<LaunchSetting>& all, std::string_view name) {
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const LaunchSetting& s) { return s.name == name; });
  return it == all.end() ? std::string() : it->value;
}

}  // namespace nest
