#include "formats/launch/launch_assumptions.h"

namespace nest {
namespace {

const char* yes(bool b) {
  return b ? "true" : "false";
}

void checkNanotron(LaunchPlan& p) {
  const TransformerArchitecture* a = p.source.architecture;
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp32});
  p.require(p.plan.schedule != ScheduleKind::Interleaved, "interleaved", "its stages are interleaved",
            "`search.chunks_per_stage := 1`");
  p.requireUsualSchedule();
  p.require(p.plan.zero <= 1, "zero", "ZeRO " + std::to_string(p.plan.zero) + " is not known there",
            "`search.zero_stages := 0, 1`");
  p.require(!p.hasShardGroups(), "shard-groups", "it shards over groups of its replicas",
            "`search.shard_groups = all`");
  p.require(p.recompute != Recompute::Selective, "recompute-selective", "it recomputes selectively",
            "`search.recompute := none, full`");
  p.require(
      !a || !a->experts, "experts",
      "it has experts, which nanotron's releases (to v0.5) and main branch (to April 2026) lay out in a "
      "dimension of their own; only the unmerged branch dev_qwen_moe_with_ep spreads them over replicas",
      "export as megatron");
  p.require(!a || p.strategy.tensor <= a->keyValueHeads, "key-value-heads",
            "its tensor degree " + std::to_string(p.strategy.tensor) + " exceeds the " +
                std::to_string(a ? a->keyValueHeads : 0) + " key-value heads, which nanotron does not copy",
            "bound `constraints.tensor`");
}

Reading<std::string> writeNanotron(LaunchPlan& p) {
  p.checkDecoder();
  checkNanotron(p);
  if (p.stages() > 1)
    p.warn("cuts", "nanotron places the cuts between the " + std::to_string(p.stages()) +
                       " stages itself, by its own estimate of each block's cost");
  const std::vector<LaunchSetting> assumed = assumedSettings(p);
  p.warnOfPlacement();
  std::string t = p.head() +
                  "# For nanotron's main branch of April 2026 (2411b02). Model, data, steps and learning "
                  "rate are yours to add.\nparallelism:\n";
  t += "  dp: " + std::to_string(p.data()) + "\n  pp: " + std::to_string(p.stages()) +
       "\n  tp: " + std::to_string(p.strategy.tensor) + '\n';
  t += "  context_parallel_size: " + std::to_string(p.strategy.context) + "\n  expert_parallel_size: 1\n";
  t += std::string("  pp_engine: 1f1b\n  tp_mode: ") +
       (p.strategy.sequence ? "REDUCE_SCATTER" : "ALL_REDUCE") + '\n';
  for (const LaunchSetting& s : assumed)
    t += "  " + s.name.substr(s.name.find('.') + 1) + ": " + s.value + '\n';
  t += std::string("  recompute_layer: ") + yes(p.recompute == Recompute::Full) + '\n';
  t += std::string("model:\n  dtype: ") + (p.job().format == NumberFormat::Fp32 ? "float32" : "bfloat16") +
       '\n';
  t += "optimizer:\n  zero_stage: " + std::to_string(p.plan.zero) +
       "\n  accumulate_grad_in_fp32: " + yes(p.job().optimizer.gradientBytes > 2) + '\n';
  if (p.job().optimizer.id == "sgd") t += "  optimizer_factory:\n    name: sgd\n";
  t += "tokens:\n  micro_batch_size: " + std::to_string(p.plan.microbatch) +
       "\n  batch_accumulation_per_replica: " + std::to_string(p.microbatchCount) +
       "\n  sequence_length: " + std::to_string(p.job().sequenceLength) + '\n';
  return p.finish(std::move(t));
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

}  // namespace

const LaunchTarget& nanotronTarget() {
  static const LaunchProgram program = {
      .name = "nanotron",
      .train = "run_train.py",
      .arguments = "--config-file nanotron.yaml",
      .stepPattern = R"(s/.*elapsed_time_per_iteration_ms: \([0-9.]*K*\).*/\1/p)",
      .stepUnit = 1e-3,
      .write = writeNanotron,
      .assumes = {{"/assumptions/overlap/tensor", Encoding::by(nanotronTensorOverlap)},
                  {"/model/analytic/attention_kernel", Encoding::always()},
                  {"/model/analytic/keeps_gathered_inputs", Encoding::by(nanotronGatheredInputs)}}};
  static const LaunchTarget target = {.id = "nanotron",
                                      .label = "nanotron",
                                      .about = "nanotron configuration, YAML",
                                      .help = "nanotron configuration, YAML",
                                      .file = "nanotron.yaml",
                                      .program = &program};
  return target;
}

}  // namespace nest
