#include <nlohmann/json.hpp>

#include "formats/launch/launch_assumptions.h"
#include "text/json_layout.h"

namespace nest {
namespace {

/// Gradients of 16-bit training are summed and exchanged in the format of the weights unless it is told
/// otherwise, and without ZeRO it cannot be.
void addDeepSpeedGradients(nlohmann::ordered_json& j, LaunchPlan& p) {
  if (p.job().format == NumberFormat::Fp32 || p.job().optimizer.gradientBytes <= 2) return;
  if (p.plan.zero == 0) {
    p.warn("gradients",
           "without ZeRO DeepSpeed sums gradients in the format of the weights, the plan counts fp32 ones",
           "`search.zero_stages := 1`");
    return;
  }
  j["data_types"] = {{"grad_accum_dtype", "fp32"}};
  j["communication_data_type"] = "fp32";
}

/// ZeRO-Offload; a share of it is ZeRO-3's (Twin-Flow, "ratio").
void addHostOptimizer(nlohmann::ordered_json& zero, LaunchPlan& p) {
  const double share = p.source.problem->assumptions.offloadedOptimizer;
  if (!(share > 0)) return;
  p.require(p.plan.zero >= 1, "host-optimizer",
            "it keeps optimizer state in host memory, which DeepSpeed does under ZeRO only",
            "`search.zero_stages := 1, 2, 3`");
  p.require(share == 1 || p.plan.zero == 3, "host-optimizer",
            "it keeps a part of the optimizer state in host memory, which DeepSpeed does for ZeRO-3 only",
            "`assumptions.offloaded_optimizer_share = 1`");
  zero["offload_optimizer"] = {{"device", "cpu"}, {"pin_memory", true}};
  if (share < 1) zero["offload_optimizer"]["ratio"] = share;
  if (p.plan.zero == 2)
    p.warn("host-gradients",
           "under ZeRO-2 DeepSpeed keeps the gradients in host memory, too, and copies them with each "
           "microbatch; the plan counts them on the device and one copy a step");
}

/// AutoTP trains Hugging Face models under ZeRO 0 to 2, in one pipeline stage, without sequence parallelism.
bool splitsAutomatically(const LaunchPlan& p) {
  return p.strategy.tensor > 1 && !p.strategy.sequence && p.stages() == 1 && p.plan.zero <= 2 &&
         !(p.source.architecture && p.source.architecture->experts);
}

Reading<std::string> writeDeepSpeed(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp16, NumberFormat::Fp32});
  p.require(p.plan.schedule != ScheduleKind::Interleaved, "interleaved", "its stages are interleaved",
            "`search.chunks_per_stage := 1`");
  p.requireUsualSchedule();
  p.require(p.strategy.context == 1, "context", "it splits the context", "`search.context_parallel = false`");
  p.require(p.plan.zero <= 1 || p.stages() == 1, "zero-with-pipeline",
            "ZeRO " + std::to_string(p.plan.zero) + " does not go with a pipeline",
            "`search.zero_stages := 0, 1`");
  p.require(!p.hasShardGroups() || p.plan.zero == 3, "shard-groups",
            "ZeRO-" + std::to_string(p.plan.zero) + " shards over groups of " +
                std::to_string(p.plan.shardDegree()) +
                " replicas, which DeepSpeed (MiCS) does for ZeRO-3 only",
            "`search.shard_groups = all`");
  if (p.stages() > 1)
    p.warn("pipeline", "the configuration does not carry the " + std::to_string(p.stages()) +
                           " stages: give them to PipelineModule");
  const bool automatic = splitsAutomatically(p);
  if (automatic)
    p.warn("autotp",
           "DeepSpeed splits the products of Hugging Face models that it knows over " +
               std::to_string(p.strategy.tensor) + " devices (AutoTP), embedding and head stay whole on each",
           "pass the model through deepspeed.initialize with this configuration");
  else if (p.strategy.tensor > 1)
    p.warn("tensor", "the model's own parallel layers have to carry the tensor degree " +
                         std::to_string(p.strategy.tensor) +
                         "; AutoTP does so only without sequence parallelism, pipeline, experts and ZeRO-3");
  p.require(!p.strategy.foldedExperts, "folded-experts",
            "its expert groups take in the tensor or context ranks of a replica",
            "`search.folded_experts = no`");
  if (p.strategy.expert > 1)
    p.warn("expert", "the configuration does not carry the expert degree " +
                         std::to_string(p.strategy.expert) + ": the MoE layers do (ep_size)");
  if (p.recompute != Recompute::None)
    p.warn("recompute", std::string("the configuration does not switch ") + nameOf(p.recompute) +
                            " recomputation on: the model's code does");
  const std::vector<LaunchSetting> assumed = assumedSettings(p);
  p.warnOfPlacement();
  nlohmann::ordered_json j;
  j["train_batch_size"] = p.job().globalBatch;
  j["train_micro_batch_size_per_gpu"] = p.plan.microbatch;
  j["gradient_accumulation_steps"] = p.microbatchCount;
  if (automatic) j["tensor_parallel"] = {{"autotp_size", p.strategy.tensor}};
  if (p.job().format == NumberFormat::Fp16) j["fp16"] = {{"enabled", true}};
  if (p.job().format == NumberFormat::Bf16) j["bf16"] = {{"enabled", true}};
  j["optimizer"] = {{"type", p.job().optimizer.id == "sgd" ? "SGD" : "AdamW"}};
  if (p.job().optimizer.id == "sgd" && p.plan.zero > 0) j["zero_allow_untested_optimizer"] = true;
  addDeepSpeedGradients(j, p);
  j["zero_optimization"] = {{"stage", p.plan.zero}};
  if (p.hasShardGroups()) {
    j["zero_optimization"]["mics_shard_size"] = p.plan.shardDegree();
    p.warn(
        "mics",
        "shard groups need the model to be made under deepspeed.zero.MiCS_Init; zero_hpz_partition_size of "
        "ZeRO++ groups the weights alone");
  }
  addHostOptimizer(j["zero_optimization"], p);
  if (p.plan.zero >= 2) {
    j["zero_optimization"]["overlap_comm"] = valueOf(assumed, "zero_optimization.overlap_comm") == "true";
    j["zero_optimization"]["reduce_scatter"] = true;
    j["zero_optimization"]["contiguous_gradients"] = true;
  }
  return p.finish(layOut(j));
}

void deepSpeedDataOverlap(Assumed& a) {
  a.say("zero_optimization.overlap_comm", a.number() > 0);
}
void modelsOwnRecompute(Assumed& a) {
  a.leave("which the model's own code has to do");
}

}  // namespace

const LaunchTarget& deepSpeedTarget() {
  static const LaunchProgram program = {
      .name = "DeepSpeed",
      .train = "train.py",
      .arguments = "--deepspeed --deepspeed_config deepspeed.json",
      .stepPattern = R"(s/.*iter time (s): \([0-9.]*\).*/\1/p)",
      .write = writeDeepSpeed,
      .assumes = {{"/assumptions/overlap/data", Encoding::by(deepSpeedDataOverlap)},
                  {"/assumptions/offloaded_optimizer_share", Encoding::by(inTheFile)},
                  {"/model/analytic/flash_attention", Encoding::version()},
                  {"/model/analytic/selective_recompute", Encoding::by(modelsOwnRecompute)},
                  {"/model/analytic/eager_elementwise", Encoding::version()}}};
  static const LaunchTarget target = {
      .id = "deepspeed",
      .label = "DeepSpeed",
      .about = "DeepSpeed configuration, JSON",
      .help = "DeepSpeed configuration, JSON; with AutoTP where the plan has TP without sequence parallelism",
      .file = "deepspeed.json",
      .program = &program};
  return target;
}

}  // namespace nest
