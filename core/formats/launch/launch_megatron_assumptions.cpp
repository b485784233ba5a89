#include <iterator>

#include "cluster/devices/device_facts.h"
#include "formats/launch/launch_assumptions.h"

namespace nest {
namespace {

/// Which library of Megatron's flex dispatcher runs on a device (DeepEP: NVIDIA's from Ampere on; HybridEP:
/// racks of GB200 and later); nullptr: none.
const char* flexBackend(const DeviceSpec& device) {
  const DeviceFacts& facts = factsOf(device.id);
  return facts.domainSize > 0 ? "hybridep" : facts.architecture >= 80 ? "deepep" : nullptr;
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
  dispatchExperts(a, false);
}

void megatronLoss(Assumed& a) {
  constexpr double kFused = 14, kApart = 38;  // bytes per logit, of either kind
  a.say("cross_entropy_loss_fusion", a.number() < (kFused + kApart) / 2);
}

void megatronGradientSums(Assumed& a) {
  if (a.number() > 0) a.say("gradient_accumulation_fusion", false);
}

void megatronAttention(Assumed& a) {
  if (!a.isSet()) a.say("attention_backend", "unfused");
}

void megatronContext(Assumed& a) {
  a.say("cp_comm_type", a.option() == "gather" ? "allgather" : "p2p");
}

}  // namespace

void dispatchExperts(Assumed& a, bool isNemo) {
  const LaunchPlan& p = a.plan;
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

std::vector<OwnEncoding> megatronAssumptions(std::vector<OwnEncoding> own) {
  constexpr auto by = Encoding::by;
  static constexpr OwnEncoding kAll[] = {{"/assumptions/overlap/tensor", by(megatronTensorOverlap)},
                                         {"/assumptions/overlap/expert", by(megatronExpertOverlap)},
                                         {"/assumptions/overlap/pipeline", by(megatronPipelineOverlap)},
                                         {"/assumptions/overlap/data", by(megatronGradientOverlap)},
                                         {"/assumptions/overlap/sync", by(megatronGradientOverlap)},
                                         {"/model/analytic/flash_attention", by(megatronAttention)},
                                         {"/model/analytic/expert_exchange", by(megatronExperts)},
                                         {"/model/analytic/context_exchange", by(megatronContext)},
                                         {"/model/analytic/separate_gradient_sums", by(megatronGradientSums)},
                                         {"/model/analytic/loss_traffic_bytes_per_logit", by(megatronLoss)}};
  own.insert(own.end(), std::begin(kAll), std::end(kAll));
  return own;
}

}  // namespace nest
