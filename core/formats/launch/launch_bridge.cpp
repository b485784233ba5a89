#include "analytic/block_shape.h"
#include "formats/launch/launch_parts.h"

namespace nest {
namespace {

/// "  key=value" lines of a shell array.
class Overrides {
public:
  void add(const std::string& key, const std::string& value) { m_text += "  " + key + '=' + value + '\n'; }
  void add(const std::string& key, const char* value) { add(key, std::string(value)); }
  void add(const std::string& key, int value) { add(key, std::to_string(value)); }
  void add(const std::string& key, bool value) { add(key, value ? "true" : "false"); }
  const std::string& text() const { return m_text; }

private:
  std::string m_text;
};

/// A recipe of the model's family to begin with: layers of the same kind, whose sizes are then set.
const char* recipeOf(const TransformerArchitecture* a) {
  if (!a) return nullptr;
  struct Known {
    std::string_view family;
    bool experts;
    const char* recipe;
  };
  static constexpr Known kRecipes[] = {
      {"llama", false, "llama3_8b_pretrain_2gpu_h100_bf16_config"},
      {"qwen2", false, "qwen2_7b_pretrain_2gpu_h100_bf16_config"},
      {"qwen3", false, "qwen3_8b_pretrain_4gpu_h100_bf16_config"},
      {"qwen3_moe", true, "qwen3_30b_a3b_pretrain_8gpu_h100_bf16_config"},
      {"gpt_oss", true, "gpt_oss_20b_pretrain_16gpu_h100_bf16_config"},
      {"deepseek_v2", true, "deepseek_v2_lite_pretrain_8gpu_h100_bf16_config"},
      {"deepseek_v3", true, "deepseek_v3_pretrain_1024gpu_h100_bf16_config"},
  };
  for (const Known& k : kRecipes)
    if (a->family == k.family && k.experts == a->experts.has_value()) return k.recipe;
  return nullptr;
}

void addExperts(Overrides& o, const TransformerArchitecture& m) {
  o.add("model.num_moe_experts", m.experts->experts);
  o.add("model.moe_router_topk", m.experts->perToken);
  o.add("model.moe_token_dispatcher_type", "alltoall");  // the exchange that the plan counts
  o.add("model.moe_grouped_gemm", true);
  if (m.experts->intermediate > 0) o.add("model.moe_ffn_hidden_size", m.experts->intermediate);
  if (m.experts->sharedIntermediate > 0)
    o.add("model.moe_shared_expert_intermediate_size", m.experts->sharedIntermediate);
  std::string pattern;
  bool all = true;
  for (int l = 0; l < m.layers; ++l) {
    pattern += (l > 0 ? "," : "") + std::string(m.hasExperts(l) ? "1" : "0");
    all = all && m.hasExperts(l);
  }
  if (!all) o.add("model.moe_layer_freq", "[" + pattern + "]");
}

void addModel(Overrides& o, const LaunchPlan& p) {
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return;
  o.add("model.num_layers", m->layers);
  o.add("model.hidden_size", m->hidden);
  o.add("model.ffn_hidden_size", m->intermediate);
  o.add("model.num_attention_heads", m->heads);
  if (m->latent) {
    if (m->latent->queryRank > 0) o.add("model.q_lora_rank", m->latent->queryRank);
    o.add("model.kv_lora_rank", m->latent->keyValueRank);
    o.add("model.qk_head_dim", m->latent->nopeHeadDim);
    o.add("model.qk_pos_emb_head_dim", m->latent->ropeHeadDim);
    o.add("model.v_head_dim", m->latent->valueHeadDim);
  } else {
    o.add("model.num_query_groups", m->keyValueHeads > 0 ? m->keyValueHeads : m->heads);
    if (m->headDim > 0) o.add("model.kv_channels", m->headDim);
  }
  o.add("model.vocab_size", m->vocabulary);
  o.add("tokenizer.vocab_size", m->vocabulary);
  o.add("model.share_embeddings_and_output_weights", m->tiedEmbeddings);
  const char* dropout = hasDropout(*m) ? "0.1" : "0.0";
  o.add("model.attention_dropout", dropout);
  o.add("model.hidden_dropout", dropout);
  if (m->experts) addExperts(o, *m);
}

void addRecompute(Overrides& o, const LaunchPlan& p) {
  o.add("model.recompute_granularity", p.recompute == Recompute::None   ? "null"
                                       : p.recompute == Recompute::Full ? "full"
                                                                        : "selective");
  if (p.recompute == Recompute::Full) {
    o.add("model.recompute_method", "uniform");
    o.add("model.recompute_num_layers", 1);
  } else if (p.recompute == Recompute::Selective) {
    o.add("model.recompute_modules", "[core_attn]");
  }
}

void addSharding(Overrides& o, const LaunchPlan& p) {
  static constexpr const char* kStrategies[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
  const bool hides = p.source.problem->assumptions.syncOverlap > 0 && p.plan.dataDegree() > 1;
  o.add("ddp.use_distributed_optimizer", p.plan.zero > 0);
  o.add("ddp.overlap_grad_reduce", hides);
  o.add("ddp.overlap_param_gather", hides && p.plan.zero > 0);
  if (p.hasShardGroups()) o.add("ddp.num_distributed_optimizer_instances", p.data() / p.plan.shardDegree());
  if (p.plan.zero <= 1) return;
  o.add("ddp.use_megatron_fsdp", true);
  o.add("dist.use_megatron_fsdp", true);
  o.add("ddp.data_parallel_sharding_strategy", kStrategies[p.plan.zero]);
  o.add("checkpoint.ckpt_format", "fsdp_dtensor");
}

const char* mixedPrecision(const LaunchPlan& p) {
  if (p.job().format == NumberFormat::Fp16) return "fp16_mixed";
  if (p.job().format == NumberFormat::Bf16) return "bf16_mixed";
  return fp8Recipe(p.source.problem->cluster->device()) == std::string_view("mxfp8")
             ? "bf16_with_mxfp8_mixed"
             : "bf16_with_fp8_delayed_scaling_mixed";
}

}  // namespace

Reading<std::string> writeMegatronBridge(LaunchPlan& p) {
  checkMegatron(p);
  p.require(p.job().format != NumberFormat::Fp32, "format", "it trains in fp32, for which there is no recipe",
            "set job/format to bf16");
  p.require(p.job().optimizer.id != "sgd", "optimizer", "it trains with SGD, and its recipes have Adam",
            "set job/optimizer to adam-fp32-grads");
  const std::string layout = !hasErrors(p.out) && p.stages() > 1 ? megatronLayout(p) : std::string();
  if (hasErrors(p.out)) return p.finish({});
  warnOfMegatronModel(p);
  const char* recipe = recipeOf(p.source.architecture);
  if (!recipe)
    p.warn("recipe", "no recipe of this model's family is known",
           "name one in RECIPE whose layers are of the same kind");
  if (p.job().optimizer.gradientBytes <= 2)
    p.warn("gradients", "the recipes sum and reduce gradients in fp32, the plan counts 16-bit ones",
           "set grad_reduce_in_fp32 of the recipe's mixed precision to false");
  p.warnOfPlacement();

  Overrides o;
  o.add("model.tensor_model_parallel_size", p.strategy.tensor);
  o.add("model.pipeline_model_parallel_size", p.stages());
  o.add("model.virtual_pipeline_model_parallel_size", p.chunks() > 1 ? std::to_string(p.chunks()) : "null");
  o.add("model.pipeline_model_parallel_layout", layout.empty() ? "null" : "'" + layout + "'");
  o.add("model.context_parallel_size", p.strategy.context);
  if (p.strategy.context > 1) o.add("model.cp_comm_type", "p2p");
  o.add("model.sequence_parallel", p.strategy.sequence);
  if (p.source.architecture && p.source.architecture->experts) {
    o.add("model.expert_model_parallel_size", p.strategy.expert);
    o.add("model.expert_tensor_parallel_size", p.strategy.expertTensor());
  }
  addRecompute(o, p);
  addSharding(o, p);
  o.add("train.micro_batch_size", p.plan.microbatch);
  o.add("train.global_batch_size", p.job().globalBatch);
  o.add("dataset.seq_length", p.job().sequenceLength);
  o.add("mixed_precision", mixedPrecision(p));
  addModel(o, p);
  return p.finish("# " + summaryOf(p.plan) + "; " + std::to_string(p.worldSize) +
                  " ranks, data-parallel degree " + std::to_string(p.data()) +
                  "\n# For Megatron-Bridge 067f987df (NeMo Framework): run_recipe.py --recipe \"$RECIPE\" "
                  "--mode pretrain "
                  "--dataset mock \"${BRIDGE_OVERRIDES[@]}\"\n" +
                  (recipe ? "RECIPE=${RECIPE:-" + std::string(recipe) + "}\n"
                          : std::string("RECIPE=${RECIPE:?a recipe of the model\\'s family}\n")) +
                  "BRIDGE_OVERRIDES=(\n" + o.text() + ")\n");
}

}  // namespace nest
