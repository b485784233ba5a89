#include <nlohmann/json.hpp>

#include "formats/launch/launch_parts.h"
#include "text/json_layout.h"

namespace nest {
namespace {

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& s : all) out += (out.empty() ? "" : ", ") + s;
  return out;
}

/// Module names of torchtitan's transformers, part by part.
std::string modulesOf(LaunchPlan& p) {
  std::string out;
  int block = 0;
  for (const auto& part : p.parts()) {
    std::vector<std::string> names;
    for (const LayerIndex l : part) {
      switch (p.kindOf(l)) {
        case LayerKind::Embedding:
          names.push_back("\"tok_embeddings\"");
          break;
        case LayerKind::Block:
          names.push_back("\"layers." + std::to_string(block++) + '"');
          break;
        case LayerKind::Norm:
          names.push_back("\"norm\"");
          break;
        case LayerKind::Head:
          names.push_back("\"output\"");
          break;
        case LayerKind::Other:
          p.refuse("layer-kind", "its layer \"" + p.source.problem->graph->layers[l.at()].name +
                                     "\" is no module of a transformer");
          return {};
      }
    }
    out += "  [" + joined(names) + "],\n";
  }
  return "[\n" + out + "]";
}

const char* yes(bool b) {
  return b ? "true" : "false";
}

/// Gradients of 16-bit training are summed and exchanged in the format of the weights unless it is told
/// otherwise, and without ZeRO it cannot be.
void addDeepSpeedGradients(nlohmann::ordered_json& j, LaunchPlan& p) {
  if (p.job().format == NumberFormat::Fp32 || p.job().optimizer.gradientBytes <= 2) return;
  if (p.plan.zero == 0) {
    p.warn("gradients",
           "without ZeRO DeepSpeed sums gradients in the format of the weights, the plan counts fp32 ones",
           "offer 1 in search.zero_stages");
    return;
  }
  j["data_types"] = {{"grad_accum_dtype", "fp32"}};
  j["communication_data_type"] = "fp32";
}

}  // namespace

Reading<std::string> writeDeepSpeed(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp16, NumberFormat::Fp32});
  p.require(p.chunks() == 1, "interleaved", "its stages are interleaved",
            "offer only 1 in search.chunks_per_stage");
  p.require(p.strategy.context == 1, "context", "it splits the context",
            "set search.context_parallel to false");
  p.require(p.plan.zero <= 1 || p.stages() == 1, "zero-with-pipeline",
            "ZeRO " + std::to_string(p.plan.zero) + " does not go with a pipeline",
            "offer only 0 and 1 in search.zero_stages");
  p.require(!p.hasShardGroups() || p.plan.zero == 3, "shard-groups",
            "ZeRO-" + std::to_string(p.plan.zero) + " shards over groups of " +
                std::to_string(p.plan.shardDegree()) +
                " replicas, which DeepSpeed (MiCS) does for ZeRO-3 only",
            "set search.shard_groups to all");
  if (p.stages() > 1)
    p.warn("pipeline", "the configuration does not carry the " + std::to_string(p.stages()) +
                           " stages: give them to PipelineModule");
  if (p.strategy.tensor > 1)
    p.warn("tensor", "the model's own parallel layers carry the tensor degree " +
                         std::to_string(p.strategy.tensor) +
                         ", or tensor_parallel.autotp_size, which runs "
                         "without sequence parallelism");
  if (p.strategy.expert > 1)
    p.warn("expert", "the configuration does not carry the expert degree " +
                         std::to_string(p.strategy.expert) + ": the MoE layers do (ep_size)");
  if (p.recompute != Recompute::None)
    p.warn("recompute", std::string("the configuration does not switch ") + nameOf(p.recompute) +
                            " recomputation on: the model's code does");
  p.warnOfPlacement();
  nlohmann::ordered_json j;
  j["train_batch_size"] = p.job().globalBatch;
  j["train_micro_batch_size_per_gpu"] = p.plan.microbatch;
  j["gradient_accumulation_steps"] = p.microbatchCount;
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
  if (p.plan.zero >= 2) {
    j["zero_optimization"]["overlap_comm"] =
        p.source.problem->assumptions.overlap[static_cast<std::size_t>(Exchange::Data)] > 0;
    j["zero_optimization"]["reduce_scatter"] = true;
    j["zero_optimization"]["contiguous_gradients"] = true;
  }
  return p.finish(layOut(j));
}

namespace {

/// torchtitan v0.2.2 runs a mixed precision under FSDP and in pure data parallelism only.
std::string torchTitanPrecision(LaunchPlan& p, bool fsdp) {
  if (p.job().format == NumberFormat::Fp32) return "mixed_precision_param = \"float32\"\n";
  if (fsdp || (p.strategy.tensor == 1 && p.stages() == 1)) return "mixed_precision_param = \"bfloat16\"\n";
  p.warn("full-bf16",
         "without FSDP torchtitan trains tensor and pipeline parallel models in one format: weights, "
         "gradients and "
         "optimizer states are all bf16, less memory than planned and coarser updates");
  return "dtype = \"bfloat16\"\n";
}

void checkTorchTitan(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp8, NumberFormat::Fp32});
  const bool isSplit = p.strategy.width() > 1 || p.stages() > 1;
  p.require(p.plan.zero != 1, "zero-1", "it shards the optimizer alone (ZeRO 1)",
            isSplit || p.strategy.expert > 1 ? "offer 2 and 3 in search.zero_stages"
                                             : "offer 0, 2 and 3 in search.zero_stages");
  const bool sharded = p.plan.zero >= 1;  // what is wrong with ZeRO 1 stands above
  p.require(p.strategy.expert == 1 || sharded, "experts-unsharded",
            "its experts are spread over replicas that hold all else in full (ZeRO 0)",
            "offer 2 and 3 in search.zero_stages");
  p.require(p.strategy.expert == 1 || p.strategy.context == 1, "expert-groups",
            "there the context ranks of a replica belong to one expert group",
            "set search.context_parallel to false");
  p.require(sharded || p.data() == 1 || !isSplit, "ddp-mesh",
            "it replicates (ZeRO 0) a model that is split over devices, and torchtitan's DDP takes no other "
            "parallelism beside it",
            "offer 2 and 3 in search.zero_stages");
  p.require(sharded || p.strategy.context == 1, "context-shards",
            "its context ranks hold whole parameters (ZeRO 0), and there FSDP shards over them",
            "offer 2 and 3 in search.zero_stages");
  p.require(p.job().optimizer.id != "sgd", "optimizer", "it trains with SGD, and there are Adam and AdamW",
            "set job/optimizer to adam-fp32-grads");
  const bool experts = p.source.architecture && p.source.architecture->experts;
  p.require(!experts || p.job().format != NumberFormat::Fp8, "fp8-experts",
            "its experts multiply in fp8, which is a prototype there", "set job/format to bf16");
}

}  // namespace

Reading<std::string> writeTorchTitan(LaunchPlan& p) {
  p.checkDecoder();
  checkTorchTitan(p);
  const std::string modules = !hasErrors(p.out) ? modulesOf(p) : std::string();
  if (hasErrors(p.out)) return p.finish({});
  if (!p.strategy.sequence && p.strategy.tensor > 1)
    p.warn("sequence", "torchtitan runs tensor parallelism with sequence parallelism; the plan has it off");
  if (p.recompute == Recompute::Selective)
    p.warn("recompute",
           "the plan recomputes the core of attention; torchtitan's selective mode recomputes every second "
           "matrix "
           "product, which takes more time and less memory");
  p.warnOfPlacement();
  const bool sharded = p.plan.zero >= 2;
  const bool fsdp = (sharded && p.data() > 1) || p.strategy.context > 1;
  const bool fp8 = p.job().format == NumberFormat::Fp8;
  std::string t =
      "# " + summaryOf(p.plan) + "; " + std::to_string(p.worldSize) +
      " ranks\n# For torchtitan v0.2.2, the last release that reads TOML. Model, data and learning rate "
      "are yours to add.\n\n";
  if (fp8) t += "[model]\nconverters = [\"quantize.linear.float8\"]\n\n";
  t += "[training]\n" + torchTitanPrecision(p, fsdp);
  t += "local_batch_size = " + std::to_string(p.plan.microbatch * (p.stages() > 1 ? p.microbatchCount : 1)) +
       '\n';
  t += "global_batch_size = " + std::to_string(p.job().globalBatch) + '\n';
  t += "seq_len = " + std::to_string(p.job().sequenceLength) + "\n\n[parallelism]\n";
  const int shards = sharded ? p.plan.shardDegree() : 1;
  t += "data_parallel_replicate_degree = " + std::to_string(p.data() / shards) + '\n';
  t += "data_parallel_shard_degree = " + std::to_string(shards) + '\n';
  if (sharded)
    t += std::string("fsdp_reshard_after_forward = \"") + (p.plan.zero == 3 ? "always" : "never") + "\"\n";
  t += "tensor_parallel_degree = " + std::to_string(p.strategy.tensor) + '\n';
  t += "context_parallel_degree = " + std::to_string(p.strategy.context) + '\n';
  t += "expert_parallel_degree = " + std::to_string(p.strategy.expert) + '\n';
  if (p.strategy.expert > 1)
    t += "expert_tensor_parallel_degree = " + std::to_string(p.strategy.tensor) + '\n';
  t += "pipeline_parallel_degree = " + std::to_string(p.stages()) + '\n';
  if (p.stages() > 1) {
    t += std::string("pipeline_parallel_schedule = \"") + (p.chunks() > 1 ? "Interleaved1F1B" : "1F1B") +
         "\"\n";
    t += "pipeline_parallel_microbatch_size = " + std::to_string(p.plan.microbatch) + '\n';
    t += "module_fqns_per_model_part = " + modules + '\n';
  }
  t += std::string("\n[activation_checkpoint]\nmode = \"") + nameOf(p.recompute) + "\"\n";
  if (fp8)
    t += "\n[quantize.linear.float8]\nrecipe_name = \"tensorwise\"\nfilter_fqns = [\"output\"]\n"
         "\n[compile]\nenable = true  # fuses the casts to fp8\n";
  return p.finish(std::move(t));
}

namespace {

void checkNanotron(LaunchPlan& p) {
  const TransformerArchitecture* a = p.source.architecture;
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp32});
  p.require(p.chunks() == 1, "interleaved", "its stages are interleaved",
            "offer only 1 in search.chunks_per_stage");
  p.require(p.plan.zero <= 1, "zero", "ZeRO " + std::to_string(p.plan.zero) + " is not known there",
            "offer 0 and 1 in search.zero_stages");
  p.require(!p.hasShardGroups(), "shard-groups", "it shards over groups of its replicas",
            "set search.shard_groups to all");
  p.require(p.recompute != Recompute::Selective, "recompute-selective", "it recomputes selectively",
            "offer none and full in search.recompute");
  p.require(
      !a || !a->experts, "experts",
      "it has experts, which nanotron's releases (to v0.5) and main branch (to April 2026) lay out in a "
      "dimension of their own; only the unmerged branch dev_qwen_moe_with_ep spreads them over replicas",
      "export as megatron");
  p.require(!a || p.strategy.tensor <= a->keyValueHeads, "key-value-heads",
            "its tensor degree " + std::to_string(p.strategy.tensor) + " exceeds the " +
                std::to_string(a ? a->keyValueHeads : 0) + " key-value heads, which nanotron does not copy",
            "bound constraints/tensor");
}

}  // namespace

Reading<std::string> writeNanotron(LaunchPlan& p) {
  p.checkDecoder();
  checkNanotron(p);
  if (p.stages() > 1)
    p.warn("cuts", "nanotron places the cuts between the " + std::to_string(p.stages()) +
                       " stages itself, by its own estimate of each block's cost");
  p.warnOfPlacement();
  std::string t =
      "# " + summaryOf(p.plan) + "; " + std::to_string(p.worldSize) +
      " ranks\n# For nanotron's main branch of April 2026 (2411b02). Model, data, steps and learning "
      "rate are yours to add.\nparallelism:\n";
  t += "  dp: " + std::to_string(p.data()) + "\n  pp: " + std::to_string(p.stages()) +
       "\n  tp: " + std::to_string(p.strategy.tensor) + '\n';
  t += "  context_parallel_size: " + std::to_string(p.strategy.context) + "\n  expert_parallel_size: 1\n";
  t += std::string("  pp_engine: 1f1b\n  tp_mode: ") +
       (p.strategy.sequence ? "REDUCE_SCATTER" : "ALL_REDUCE") + '\n';
  t += std::string("  tp_linear_async_communication: ") +
       yes(p.strategy.sequence && p.source.problem->assumptions.overlap[0] > 0) + '\n';
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

}  // namespace nest
