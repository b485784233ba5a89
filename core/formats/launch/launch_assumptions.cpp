#include "formats/launch/launch_assumptions.h"

#include <algorithm>

#include "fields/field_text.h"
#include "fields/program_setting.h"

namespace nest {
namespace {

using TellingKind = Telling::Kind;
constexpr Telling kAlways{TellingKind::Always}, kOnlyVersion{TellingKind::Version};
constexpr Telling by(void (*say)(Assumed&)) {
  return {TellingKind::Option, say};
}

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

/// Which library of Megatron's flex dispatcher runs on a device (DeepEP: Ampere, Hopper, B200 and B300;
/// HybridEP: racks of GB200 and GB300); nullptr: none.
const char* flexBackend(const DeviceSpec& device) {
  const auto is = [&](const char* kind) { return device.name.starts_with(kind); };
  if (is("GB")) return "hybridep";
  return is("A100") || is("A800") || is("H") || is("L40") || is("B200") || is("B300") ? "deepep" : nullptr;
}

void megatronTensorOverlap(Assumed& a) {
  // Of a block's 10 exchanges 4 run beside products of weight gradients without userbuffers as well.
  constexpr double kWithoutUserbuffers = 0.4;
  const bool wanted = a.number() > kWithoutUserbuffers, can = a.plan.strategy.sequence;
  a.say("tp_comm_overlap", wanted && can);
  if (wanted && !can)
    a.leave("which userbuffers (tp_comm_overlap) do with sequence parallelism only",
            "`search.sequence_parallel = true`");
}

void megatronExpertOverlap(Assumed& a) {
  const LaunchPlan& p = a.plan;
  const char* missing = p.stages() > 1 && p.chunks() == 1      ? "virtual pipeline stages (VPP)"
                        : p.recompute == Recompute::Full       ? "recompute other than full"
                        : p.job().format == NumberFormat::Fp32 ? "16-bit training"
                                                               : nullptr;
  const bool wanted = a.number() > 0;
  a.say("overlap_moe_expert_parallel_comm", wanted && !missing);
  if (wanted && missing) a.leave(std::string("for which overlap_moe_expert_parallel_comm needs ") + missing);
}

void megatronPipelineOverlap(Assumed& a) {
  if (a.number() > 0 && a.plan.chunks() == 1)
    a.leave("which Megatron does between virtual pipeline stages (VPP) only",
            "`assumptions.overlap.pipeline = 0`");
}

/// Of both, the end of a batch and sharded data.
void megatronGradientOverlap(Assumed& a) {
  const LaunchPlan& p = a.plan;
  const bool hides = a.numberOf("/assumptions/overlap/sync") > 0 ||
                     (p.plan.zero > 1 && a.numberOf("/assumptions/overlap/data") > 0);
  a.say("overlap_grad_reduce", hides);
  a.say("overlap_param_gather", hides && p.plan.zero > 0);
}

void megatronExperts(Assumed& a) {
  const LaunchPlan& p = a.plan;
  const bool isNemo = p.target == LaunchTarget::Nemo;
  const bool wanted = a.option() == "per-host";
  const DeviceSpec& device = p.source.problem->cluster->device();
  const char* backend = flexBackend(device);
  if (isNemo && backend && (device.name.starts_with("GB") || device.name.starts_with("B"))) backend = nullptr;
  const bool flex = wanted && backend;
  a.say("moe_token_dispatcher_type", flex ? "flex" : "alltoall");
  if (isNemo) a.say("moe_enable_deepep", flex);
  if (flex) {
    if (!isNemo) a.say("moe_flex_dispatcher_backend", backend);
    a.say("moe_shared_expert_overlap", false);
    a.say("moe_router_dtype", "fp32");  // all that its kernels take
  } else if (wanted) {
    a.leave("which the flex dispatcher does not do on " + device.name,
            "set model.analytic.expert_exchange to per-expert");
  }
}

void megatronDispatchShare(Assumed& a) {
  if (a.number() < 1) a.leave("for which its dispatchers have no option: they send 16-bit numbers");
}

void megatronLoss(Assumed& a) {
  constexpr double kFused = 14, kApart = 38;  // bytes per logit, of either kind
  a.say("cross_entropy_loss_fusion", a.number() < (kFused + kApart) / 2);
}

void megatronGradientSums(Assumed& a) {
  if (a.number() > 0) a.say("gradient_accumulation_fusion", false);
}

void megatronAttention(Assumed& a) {
  if (a.isSet()) return;
  if (a.plan.target == LaunchTarget::Megatron)
    a.say("attention_backend", "unfused");
  else
    a.leave("and its recipes fuse attention", "`model.analytic.flash_attention = true`");
}

void megatronContext(Assumed& a) {
  const bool gathers = a.option() == "gather";
  a.say("cp_comm_type", !gathers                                  ? "p2p"
                        : a.plan.target == LaunchTarget::Megatron ? "allgather"
                                                                  : "all_gather");
}

void titanCompile(Assumed& a) {
  a.say("compile.enable", !a.isSet());
}

void titanTensorOverlap(Assumed& a) {
  const LaunchPlan& p = a.plan;
  const bool isPython = p.target == LaunchTarget::TorchTitanPython;
  const bool wanted = a.number() > 0, compiled = !a.isSetOf("/model/analytic/eager_elementwise");
  const bool inSequence = !isPython || p.strategy.sequence;
  a.say((isPython ? "compile." : "parallelism.") + std::string("enable_async_tensor_parallel"),
        wanted && compiled && inSequence);
  if (wanted && !(compiled && inSequence))
    a.leave(std::string("which torchtitan's async tensor parallelism does ") +
            (compiled ? "with sequence parallelism only" : "in compiled models only"));
}

void titanExperts(Assumed& a) {
  const bool wanted = a.option() == "per-host";
  if (a.plan.target == LaunchTarget::TorchTitanPython) {
    if (wanted)
      a.leave("which is an option of the model's own configuration",
              "give its routed experts the DeepEPTokenDispatcher in BASE");
    return;
  }
  const bool can = a.plan.strategy.expertTensor() == 1;
  a.say("parallelism.expert_parallel_comm_backend", wanted && can ? "deepep" : "standard");
  if (wanted && !can) a.leave("which torchtitan's DeepEP does where experts are not split over tensor ranks");
}

void titanEarlyStop(Assumed& a) {
  if (a.plan.target == LaunchTarget::TorchTitan)
    a.say("activation_checkpoint.early_stop", a.isSet());
  else if (a.isSet() == a.isSetOf("/model/analytic/eager_elementwise"))
    a.leave("and torchtitan of 2026 does so in compiled models, and in these alone");
}

void titanContext(Assumed& a) {
  const bool gathers = a.option() == "gather";
  if (a.plan.target == LaunchTarget::TorchTitan)
    a.say("parallelism.context_parallel_rotate_method", gathers ? "allgather" : "alltoall");
  else if (!gathers)
    a.leave("and torchtitan of 2026 gathers keys and values");
}

void titanGradients(Assumed& a) {
  if (a.number() <= 2)
    a.leave("and torchtitan reduces gradients in fp32", "`job.optimizer = adam-fp32-grads`");
}

void deepSpeedDataOverlap(Assumed& a) {
  a.say("zero_optimization.overlap_comm", a.number() > 0);
}

void nanotronTensorOverlap(Assumed& a) {
  const bool wanted = a.number() > 0;
  a.say("parallelism.tp_linear_async_communication", wanted && a.plan.strategy.sequence);
  if (wanted && !a.plan.strategy.sequence)
    a.leave("which nanotron does with sequence parallelism only", "`search.sequence_parallel = true`");
}

void nanotronGatheredInputs(Assumed& a) {
  a.say("parallelism.tp_recompute_allgather", !a.isSet());
}

void modelsOwnRecompute(Assumed& a) {
  a.leave("which the model's own code has to do");
}

/// Said by the writers of every target, or warned about there.
void inTheFile(Assumed&) {}
/// Of programs without the feature.
void noExperts(Assumed& a) {
  if (a.option() == "per-host") a.leave("for which it has no option: the model's own layers exchange tokens");
}
void noOverlap(Assumed& a) {
  if (a.number() > 0) a.leave("for which it has no option");
}

constexpr LaunchAssumption kAssumptions[] = {
    {"/assumptions/overlap/tensor", splitsTensors, by(megatronTensorOverlap), by(titanTensorOverlap),
     by(noOverlap), by(nanotronTensorOverlap)},
    {"/assumptions/overlap/context", splitsContext},
    {"/assumptions/overlap/expert", spreadsExperts, by(megatronExpertOverlap), by(noOverlap), by(noOverlap),
     by(noOverlap)},
    {"/assumptions/overlap/pipeline", hasStages, by(megatronPipelineOverlap), by(noOverlap), by(noOverlap),
     by(noOverlap)},
    {"/assumptions/overlap/data", sharesGradients, by(megatronGradientOverlap), {}, by(deepSpeedDataOverlap)},
    {"/assumptions/overlap/sync", replicates, by(megatronGradientOverlap)},
    {"/assumptions/flat_exchange"},
    {"/assumptions/zero_all_reduces", nullptr, kAlways, kAlways, kAlways, kAlways},
    {"/assumptions/held_gradient_bytes_per_parameter"},
    {"/assumptions/gathers_groups"},
    {"/assumptions/allocator_factor"},
    {"/assumptions/headroom"},
    {"/job/optimizer/gradient_bytes_per_parameter", replicates, by(inTheFile), by(titanGradients),
     by(inTheFile), by(inTheFile)},
    {"/job/optimizer/optimizer_bytes_per_parameter"},
    {"/model/analytic/flash_attention", nullptr, by(megatronAttention), kAlways, kOnlyVersion, kAlways},
    {"/model/analytic/attention_kernel", nullptr, kOnlyVersion, kOnlyVersion, kOnlyVersion, kAlways},
    {"/model/analytic/selective_recompute", recomputesSome, by(inTheFile), by(inTheFile),
     by(modelsOwnRecompute), by(inTheFile)},
    {"/model/analytic/recompute_stops_early", recomputesAll, kAlways, by(titanEarlyStop), kAlways, kAlways},
    {"/model/analytic/expert_exchange", spreadsExperts, by(megatronExperts), by(titanExperts), by(noExperts),
     by(noExperts)},
    {"/model/analytic/expert_dispatch_share", spreadsExperts, by(megatronDispatchShare),
     by(megatronDispatchShare), by(megatronDispatchShare), by(megatronDispatchShare)},
    {"/model/analytic/context_exchange", splitsContext, by(megatronContext), by(titanContext), kAlways,
     kAlways},
    {"/model/analytic/eager_elementwise", nullptr, kAlways, by(titanCompile), kOnlyVersion, kAlways},
    {"/model/analytic/boundary_in_parts", sendsWholeBoundaries, kAlways, kAlways, kAlways, kAlways},
    {"/model/analytic/keeps_gathered_inputs", splitsTensors, kAlways, kOnlyVersion, kAlways,
     by(nanotronGatheredInputs)},
    {"/model/analytic/reorders_exchanges", splitsTensors, kAlways, kOnlyVersion, kAlways, kAlways},
    {"/model/analytic/keeps_whole_projection", nullptr, kAlways, kAlways, kAlways, kAlways},
    {"/model/analytic/sums_each_input", splitsTensors, kAlways, kAlways, kAlways, kAlways},
    {"/model/analytic/whole_logits", splitsTensors, kAlways, kAlways, kAlways, kAlways},
    {"/model/analytic/separate_gradient_sums", nullptr, by(megatronGradientSums)},
    {"/model/analytic/loss_traffic_bytes_per_logit", nullptr, by(megatronLoss)},
    {"/model/analytic/loss_backward_traffic_bytes_per_logit"},
    {"/model/analytic/loss_workspace_bytes_per_logit"},
    {"/model/analytic/shared_loss_workspace_bytes_per_logit"},
    {"/model/analytic/gradient_workspace_bytes_per_parameter"},
    {"/model/analytic/offloaded_share", nullptr, kAlways, kAlways, kAlways, kAlways},
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
bool isUsualOf(LaunchTarget target, const Field& field, const FieldValue& value) {
  return std::any_of(programs().begin(), programs().end(), [&](const Program& p) {
    const bool reads = std::find(p.launches.begin(), p.launches.end(), nameOf(target)) != p.launches.end();
    return (reads || p.id == kIdealProgram) && field.access.get(usualSetting(p.id), 0) == value;
  });
}

}  // namespace

std::span<const LaunchAssumption> launchAssumptions() {
  return kAssumptions;
}

const Telling& LaunchAssumption::telling(LaunchTarget t) const {
  switch (t) {
    case LaunchTarget::TorchTitan:
    case LaunchTarget::TorchTitanPython:
      return torchtitan;
    case LaunchTarget::DeepSpeed:
      return deepspeed;
    case LaunchTarget::Nanotron:
      return nanotron;
    default:
      return megatron;
  }
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
    const Telling& telling = a.telling(p.target);
    if (telling.kind == TellingKind::Option) {
      Assumed assumed{p, priced, field, out};
      telling.say(assumed);
    } else if (telling.kind == TellingKind::Always &&
               !isUsualOf(p.target, field, field.access.get(priced, 0))) {
      without += (without.empty() ? "" : "; ") + shown(priced, field);
    }
  }
  if (!without.empty())
    p.warn("assumption",
           "the prediction assumes what " + std::string(nameOf(p.target)) + " has no option for: " + without,
           "choose the program that will run the plan with --program, or in the scenario");
  return out;
}

std::string valueOf(const std::vector<LaunchSetting>& all, std::string_view name) {
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const LaunchSetting& s) { return s.name == name; });
  return it == all.end() ? std::string() : it->value;
}

}  // namespace nest
