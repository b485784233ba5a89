#include <algorithm>

#include "analytic/block_shape.h"
#include "cluster/devices/device_facts.h"
#include "formats/launch/launch_assumptions.h"
#include "formats/launch/launch_parts.h"
#include "text/decimal.h"

namespace nest {
namespace {

class ShellArray {
public:
  void add(const std::string& flag, const std::string& value = {}) {
    m_text += "  " + flag + (value.empty() ? "" : ' ' + value) + '\n';
  }
  void add(const std::string& flag, int value) { add(flag, std::to_string(value)); }
  /// A yes is the flag, a no the flag that switches off what is on unless it is told otherwise.
  void add(const LaunchSetting& s) {
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"apply_rope_fusion", "rope-fusion"},
        {"layernorm_epsilon", "norm-epsilon"},
        {"layernorm_zero_centered_gamma", "apply-layernorm-1p"},
        {"rope_scaling", "use-rope-scaling"}};
    // On unless it is told otherwise.
    const bool isOn = s.name == "gradient_accumulation_fusion" || s.name == "apply_rope_fusion";
    std::string name = s.name;
    std::replace(name.begin(), name.end(), '_', '-');
    for (const auto& [own, flag] : kNames)
      if (s.name == own) name = flag;
    const bool isYes = !s.isWord && s.value == "true", isNo = !s.isWord && s.value == "false";
    if (!isYes && !isNo)
      add("--" + name, s.value);
    else if (isYes != isOn)
      add((isNo ? "--no-" : "--") + name);
  }
  std::string text() const { return m_text; }

private:
  std::string m_text;
};

/// "[0]*3+[1]*58": which layers have experts.
std::string expertPattern(const TransformerArchitecture& m) {
  std::string out;
  for (int l = 0; l < m.layers;) {
    int end = l + 1;
    while (end < m.layers && m.hasExperts(end) == m.hasExperts(l)) ++end;
    out += (out.empty() ? "[" : "+[") + std::string(m.hasExperts(l) ? "1" : "0") + "]*" +
           std::to_string(end - l);
    l = end;
  }
  return out;
}

void addExperts(ShellArray& a, const TransformerArchitecture& m) {
  a.add("--num-experts", m.experts->experts);
  a.add(
      "--moe-grouped-gemm");  // one product for all experts of a rank; the default takes one after the other
  if (m.experts->sharedGate) a.add("--moe-shared-expert-gate");
  bool all = true;
  for (int l = 0; l < m.layers; ++l) all = all && m.hasExperts(l);
  if (!all) a.add("--moe-layer-freq", '"' + expertPattern(m) + '"');
}

void addModel(ShellArray& a, const LaunchPlan& p) {
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return;
  if (m->latent) {
    a.add("--multi-latent-attention");
  } else {
    if (m->keyValueHeads != m->heads && m->keyValueHeads > 0) {
      a.add("--group-query-attention");
      a.add("--num-query-groups", m->keyValueHeads);
    }
    if (m->headDim > 0 && m->headDim * m->heads != m->hidden) a.add("--kv-channels", m->headDim);
  }
  a.add("--max-position-embeddings", std::max(m->maxPositions, p.job().sequenceLength));
  a.add("--position-embedding-type", m->learnedPositions ? "learned_absolute" : "rope");
  if (m->gatedMlp) a.add("--swiglu");
  if (!m->gatedMlp && m->activation == "relu2") a.add("--squared-relu");
  if (!m->layerNorm) a.add("--normalization", "RMSNorm");
  if (!m->projectionBias) a.add("--disable-bias-linear");
  if (!m->projectionBias && m->attentionBias) a.add("--add-qkv-bias");
  if (!m->tiedEmbeddings) a.add("--untie-embeddings-and-output-weights");
  if (m->experts) addExperts(a, *m);
}

void addSharding(ShellArray& a, const LaunchPlan& p) {
  if (p.plan.zero == 0) return;
  a.add("--use-distributed-optimizer");
  if (p.hasShardGroups()) a.add("--num-distributed-optimizer-instances", p.data() / p.plan.shardDegree());
  if (p.plan.zero == 1) return;
  a.add("--use-megatron-fsdp");
  a.add("--data-parallel-sharding-strategy", megatronSharding(p.plan.zero));
  a.add("--ckpt-format", "fsdp_dtensor");  // the only one that Megatron's FSDP takes
}

void addPrecision(ShellArray& a, const LaunchPlan& p) {
  const NumberFormat format = p.job().format;
  if (format == NumberFormat::Fp16) {
    a.add("--fp16");
    if (p.job().optimizer.gradientBytes > 2) a.add("--accumulate-allreduce-grads-in-fp32");
  }
  if (format != NumberFormat::Bf16 && !specOf(format).isNarrow()) return;
  a.add("--bf16");
  if (p.job().optimizer.gradientBytes <= 2) a.add("--grad-reduce-in-bf16");  // the default is fp32
  if (format == NumberFormat::Bf16) return;
  if (specOf(format).rate == ProductRate::Fp4) {
    a.add("--fp4-format", "e2m1");
    a.add("--fp4-recipe", nameOf(format));
    return;
  }
  a.add("--fp8-format", "hybrid");
  a.add("--fp8-recipe", fp8Recipe(p));
}

void addOptimizer(ShellArray& a, LaunchPlan& p) {
  if (p.job().optimizer.id != "sgd") return;
  a.add("--optimizer", "sgd");
  a.add("--sgd-momentum", "0.0");
  if (p.job().format != NumberFormat::Fp32)
    p.warn("master-weights",
           "Megatron-LM keeps an fp32 copy of 16-bit parameters with SGD, too: 4 bytes a "
           "parameter that the plan does not count");
}

/// As Megatron-LM takes them, apart by blanks.
const char* recomputeModules(SelectiveRecompute kind) {
  return kind == SelectiveRecompute::Activations        ? "layernorm moe_act"
         : kind == SelectiveRecompute::LatentProjection ? "mla_up_proj"
                                                        : "core_attn";
}

/// Modules that Megatron cannot recompute as the plan counts them.
void checkRecompute(LaunchPlan& p) {
  if (p.recompute != Recompute::Selective) return;
  const std::string otherKind =
      "choose another kind of selective recompute (model.analytic.selective_recompute)";
  p.require(p.selective() != SelectiveRecompute::EverySecondProduct, "recompute-modules",
            "it recomputes every second matrix product, for which Megatron has no module", otherKind);
  if (p.selective() != SelectiveRecompute::Activations) return;
  const TransformerArchitecture* m = p.source.architecture;
  p.require(m && m->experts, "recompute-modules",
            "it recomputes norms and activations, which Megatron does in layers with experts only",
            otherKind);
  p.require(
      p.job().format != NumberFormat::Fp8 || fp8Recipe(p) != std::string_view("delayed"), "recompute-modules",
      "it recomputes norms and activations, which Megatron refuses together with fp8 and delayed scaling",
      "`job.format = bf16`, or " + otherKind);
}

void warnOfRecompute(LaunchPlan& p) {
  if (p.recompute != Recompute::Selective) return;
  if (!p.recomputesParts())
    p.warn("recompute", p.selective() == SelectiveRecompute::AttentionCore
                            ? "the plan's fused attention keeps no scores, so that selective recompute has "
                              "nothing to repeat; the file switches it off"
                            : "the model has no latent attention whose projections selective recompute "
                              "would repeat; the file switches it off");
  const TransformerArchitecture* m = p.source.architecture;
  if (p.selective() != SelectiveRecompute::Activations || !m || !m->experts) return;
  int dense = 0;
  for (int l = 0; l < m->layers; ++l) dense += m->hasExperts(l) ? 0 : 1;
  if (dense > 0)
    p.warn("recompute", "Megatron recomputes norms and activations in layers with experts only; the " +
                            std::to_string(dense) + " without take more memory than planned");
}

/// A norm in another stage than the head runs beside the head in Megatron.
void warnOfNorm(LaunchPlan& p) {
  for (const auto& part : p.parts()) {
    const bool norm =
        std::any_of(part.begin(), part.end(), [&](LayerIndex l) { return p.kindOf(l) == LayerKind::Norm; });
    const bool head =
        std::any_of(part.begin(), part.end(), [&](LayerIndex l) { return p.kindOf(l) == LayerKind::Head; });
    if (norm && !head)
      p.warn("final-norm",
             "the final norm runs in the stage of the loss, not where the plan has it; its cost is small");
  }
}

}  // namespace

const char* megatronSharding(int zero) {
  static constexpr const char* kStrategies[] = {"no_shard", "optim", "optim_grads", "optim_grads_params"};
  return kStrategies[zero];
}

std::vector<LaunchSetting> megatronSettings(LaunchPlan& p) {
  std::vector<LaunchSetting> out = assumedSettings(p);
  const auto unlessSaid = [&out](const char* name, const char* value, bool isWord) {
    if (valueOf(out, name).empty()) out.push_back({name, value, isWord});
  };
  unlessSaid("tp_comm_overlap", "false", false);  // which CommOverlapConfig cannot be without
  if (p.strategy.context > 1) unlessSaid("cp_comm_type", "p2p", true);
  for (LaunchSetting& s : modelDetails(p)) out.push_back(std::move(s));
  const auto size = [&out](const char* name, int value) { out.push_back({name, std::to_string(value)}); };
  const auto word = [&out](const char* name, const char* value) { out.push_back({name, value, true}); };
  const auto sizeOrNone = [&](const char* name, int value) {  // over a recipe that may have it
    if (value > 0)
      size(name, value);
    else if (p.target.program->recipe)
      out.push_back({name, "null"});
  };
  if (p.recompute == Recompute::Full) {
    word("recompute_granularity", "full");
    word("recompute_method", "uniform");
    size("recompute_num_layers", 1);
  } else if (p.recomputesParts()) {
    word("recompute_granularity", "selective");
    out.push_back({"recompute_modules", recomputeModules(p.selective())});
  }
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return out;
  size("num_layers", m->layers);
  size("hidden_size", m->hidden);
  size("ffn_hidden_size", m->intermediate);
  size("num_attention_heads", m->heads);
  if (m->latent) {
    sizeOrNone("q_lora_rank", m->latent->queryRank);
    size("kv_lora_rank", m->latent->keyValueRank);
    size("qk_head_dim", m->latent->nopeHeadDim);
    size("qk_pos_emb_head_dim", m->latent->ropeHeadDim);
    size("v_head_dim", m->latent->valueHeadDim);
  }
  // The default is 0.1, whatever the model.
  for (const char* name : {"attention_dropout", "hidden_dropout"})
    out.push_back({name, hasDropout(*m) ? "0.1" : "0.0"});
  if (!m->experts) return out;
  size("moe_router_topk", m->experts->perToken);
  unlessSaid("moe_token_dispatcher_type", "alltoall", true);
  if (m->experts->intermediate > 0) size("moe_ffn_hidden_size", m->experts->intermediate);
  sizeOrNone("moe_shared_expert_intermediate_size", m->experts->sharedIntermediate);
  return out;
}

std::string megatronLayout(LaunchPlan& p) {
  std::string layout;
  for (const auto& part : p.parts()) {
    if (!layout.empty()) layout += '|';
    int blocks = 0;
    const auto flush = [&] {
      if (blocks > 0) layout += blocks == 1 ? "t" : "t*" + std::to_string(blocks);
      blocks = 0;
    };
    for (const LayerIndex l : part) {
      switch (p.kindOf(l)) {
        case LayerKind::Embedding:
          flush(), layout += 'E';
          break;
        case LayerKind::Block:
          ++blocks;
          break;
        case LayerKind::Head:
          flush(), layout += 'L';
          break;
        case LayerKind::Norm:
          break;  // goes with the loss
        case LayerKind::Other:
          p.refuse("layer-kind", "its layer \"" + p.source.problem->graph->layers[l.at()].name +
                                     "\" is neither embedding, block nor head");
          return {};
      }
    }
    flush();
  }
  return layout;
}

void warnOfMegatronModel(LaunchPlan& p) {
  warnOfNorm(p);
  warnOfRecompute(p);
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return;
  if (!m->causal)
    p.warn("encoder",
           "the model is an encoder: start it with examples/bert/pretrain_bert.py, not pretrain_gpt.py");
  if (m->family == "gpt_neox")
    p.warn("parallel-residual",
           "GPT-NeoX adds attention and MLP to one residual; Megatron-LM runs them one after the other, with "
           "two all-reduces per block instead of one, as the plan counts them");
  if (m->gatedMlp && (m->family.starts_with("gemma") || m->activation.starts_with("gelu")))
    p.warn("activation",
           "the model gates its MLP with GELU; --swiglu gates it with SiLU, which costs the same");
  if ((m->projectionBias && !m->attentionBias) || (m->attentionOutputBias && !m->projectionBias))
    p.warn("bias",
           "Megatron-LM has biases in all projections, in queries, keys and values only, or nowhere; the "
           "model has others");
  if (!m->gatedMlp && m->activation == "relu")
    p.warn("activation", "the model's MLP has ReLU; Megatron-LM's flags give it GELU, which costs the same");
  if (m->slidingWindow > 0)
    p.warn("window",
           "the flags leave the sliding window of " + std::to_string(m->slidingWindow) + " tokens out",
           "add --window-size if the training uses it");
}

void checkMegatron(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp16, NumberFormat::Fp8, NumberFormat::Fp32,
                    numberFormatNamed("mxfp8").value(), numberFormatNamed("nvfp4").value()});
  p.checkDecoder();
  p.require(p.plan.zero <= 1 || p.stages() == 1, "zero-with-pipeline",
            "ZeRO-" + std::to_string(p.plan.zero) + " does not go with a pipeline",
            "`search.zero_stages := 0, 1`");
  p.require(p.plan.pipelineSchedule().isInMegatron(), "schedule",
            "it runs " + std::string(p.plan.pipelineSchedule().label()) +
                ", and Megatron-LM has 1F1B and interleaved 1F1B",
            "`search.schedules := 1f1b, interleaved`");
  checkRecompute(p);
  const bool experts = p.source.architecture && p.source.architecture->experts;
  p.require(!experts || p.strategy.tensor == 1 || p.strategy.sequence, "experts-without-sequence",
            "experts with tensor parallelism need sequence parallelism", "`search.sequence_parallel = true`");
}

const char* fp8Recipe(const LaunchPlan& p) {
  if (p.job().format != NumberFormat::Fp8) return nameOf(p.job().format);
  return factsOf(p.source.problem->cluster->device().id).architecture >= 100 ? "mxfp8" : "delayed";
}

namespace {

Reading<std::string> writeMegatron(LaunchPlan& p) {
  checkMegatron(p);
  const std::string layout = !hasErrors(p.out) && p.stages() > 1 ? megatronLayout(p) : std::string();
  if (hasErrors(p.out)) return p.finish({});
  warnOfMegatronModel(p);
  if (p.strategy.expert > 1 && p.strategy.context > 1 && !p.strategy.foldedExperts)
    p.warn("expert-groups",
           "Megatron-LM takes the context ranks of a replica into its expert groups first; the plan groups "
           "replicas");
  p.warnOfPlacement();

  ShellArray a;
  a.add("--tensor-model-parallel-size", p.strategy.tensor);
  a.add("--pipeline-model-parallel-size", p.stages());
  if (!layout.empty()) a.add("--pipeline-model-parallel-layout", "'" + layout + "'");
  if (p.strategy.context > 1) a.add("--context-parallel-size", p.strategy.context);
  if (p.source.architecture && p.source.architecture->experts) {
    a.add("--expert-model-parallel-size", p.strategy.expert);
    a.add("--expert-tensor-parallel-size", p.strategy.expertTensor());
  }
  if (p.strategy.sequence) a.add("--sequence-parallel");
  addSharding(a, p);
  for (const LaunchSetting& x : megatronSettings(p)) a.add(x);
  a.add("--micro-batch-size", p.plan.microbatch);
  a.add("--global-batch-size", p.job().globalBatch);
  a.add("--seq-length", p.job().sequenceLength);
  addPrecision(a, p);
  addOptimizer(a, p);
  addModel(a, p);
  // Megatron-LM refuses to start without it before Blackwell, and with it where FSDP shards.
  const bool oneQueue = p.plan.zero <= 1 && (p.strategy.tensor > 1 || p.strategy.context > 1);
  return p.finish(p.head() + "# For Megatron-LM d98e8a64; model flags are those that the plan knows of.\n" +
                  (oneQueue ? "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" : "") + "MEGATRON_ARGS=(\n" +
                  a.text() + ")\n");
}

/// Megatron's optimizer on two devices needs the one that is aware of formats, which needs a distributed one.
void megatronHostOptimizer(Assumed& a) {
  LaunchPlan& p = a.plan;
  p.require(p.plan.zero >= 1, "host-optimizer",
            "it keeps optimizer state in host memory, which Megatron does for a distributed optimizer only",
            "`search.zero_stages := 1`");
  p.require(p.job().optimizer.id != "sgd", "host-optimizer",
            "it keeps the state of SGD in host memory, which Megatron does for Adam only",
            "`assumptions.offloaded_optimizer_share = 0`");
  a.say("optimizer_cpu_offload", true);
  a.say({"optimizer_offload_fraction", writeDecimal(a.number())});
  a.say("use_precision_aware_optimizer", true);
  if (a.isSetOf("/assumptions/overlaps_optimizer_copies")) a.say("overlap_cpu_optimizer_d2h_h2d", true);
}

}  // namespace

const LaunchTarget& megatronTarget() {
  static const LaunchProgram program = {
      .name = "Megatron-LM",
      .train = "pretrain_gpt.py",
      .arguments = "\"${MEGATRON_ARGS[@]}\"",
      .stepPattern = R"(s/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p)",
      .stepUnit = 1e-3,
      .write = writeMegatron,
      .assumes = megatronAssumptions(
          {{"/assumptions/offloaded_optimizer_share", Encoding::by(megatronHostOptimizer)}})};
  static const LaunchTarget target = {
      .id = "megatron",
      .label = "Megatron-LM",
      .about = "flags of Megatron-LM as a shell array",
      .help = "flags of Megatron-LM as a shell array, with the pipeline layout (\"Et*8|t*8|…|tL\")",
      .file = "megatron.sh",
      .program = &program};
  return target;
}

}  // namespace nest
