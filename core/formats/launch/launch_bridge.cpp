#include <algorithm>
#include <optional>

#include "analytic/block_shape.h"
#include "formats/launch/launch_assumptions.h"
#include "formats/launch/launch_hosts.h"
#include "formats/launch/launch_recipes.h"

namespace nest {
namespace {

/// Settings of a Megatron-Bridge recipe, in order.
class Overrides {
public:
  struct Setting {
    std::string key, value;  ///< as the command line takes them
    bool isWord = false;     ///< the value is a text; else a number, a list, true, false or null
  };
  void add(const std::string& key, const char* word) { m_all.push_back({key, word, true}); }
  void add(const std::string& key, std::string value) { m_all.push_back({key, std::move(value)}); }
  void add(const std::string& key, int value) { add(key, std::to_string(value)); }
  void add(const std::string& key, bool value) { add(key, std::string(value ? "true" : "false")); }
  const std::vector<Setting>& all() const { return m_all; }

private:
  std::vector<Setting> m_all;
};

void addExperts(Overrides& o, const TransformerArchitecture& m) {
  o.add("model.num_moe_experts", m.experts->experts);
  o.add("model.moe_grouped_gemm", true);
  std::string pattern;
  for (int l = 0; l < m.layers; ++l) pattern += (l > 0 ? "," : "") + std::string(m.hasExperts(l) ? "1" : "0");
  o.add("model.moe_layer_freq", "[" + pattern + "]");  // a recipe's may be of another number of layers
}

/// One of Megatron's own settings, in the place that decides. What CommOverlapConfig names it sets in the
/// model and in data parallelism, whatever stands there.
void addSetting(Overrides& o, const LaunchSetting& s) {
  const auto is = [&](std::string_view name) { return s.name == name; };
  const bool overlapsData = is("overlap_grad_reduce") || is("overlap_param_gather");
  const bool overlaps = overlapsData || is("tp_comm_overlap") || is("overlap_moe_expert_parallel_comm");
  if (overlaps) o.add("comm_overlap." + s.name, s.value);
  if (overlapsData) return o.add("ddp." + s.name, s.value);
  if (overlaps) return;
  if (s.isWord)
    o.add("model." + s.name, s.value.c_str());
  else
    o.add("model." + s.name, s.value);
}

/// What recipes have of their own that the plan has not: stages of given sizes, layers that predict further
/// tokens.
void clearRecipe(Overrides& o) {
  for (const char* key : {"model.num_layers_in_first_pipeline_stage",
                          "model.num_layers_in_last_pipeline_stage", "model.mtp_num_layers"})
    o.add(key, std::string("null"));
  for (const char* key :
       {"model.account_for_embedding_in_pipeline_split", "model.account_for_loss_in_pipeline_split"})
    o.add(key, false);
}

void addModel(Overrides& o, LaunchPlan& p) {
  if (p.recompute != Recompute::Full && !p.recomputesParts())
    o.add("model.recompute_granularity", std::string("null"));
  for (LaunchSetting& s : megatronSettings(p)) {
    if (s.name == "recompute_modules") {
      std::replace(s.value.begin(), s.value.end(), ' ', ',');
      s.value = '[' + s.value + ']';
    }
    addSetting(o, s);
  }
  const TransformerArchitecture* m = p.source.architecture;
  if (!m) return;
  if (!m->latent) {
    o.add("model.num_query_groups", m->keyValueHeads > 0 ? m->keyValueHeads : m->heads);
    if (m->headDim > 0) o.add("model.kv_channels", m->headDim);
  }
  o.add("model.vocab_size", m->vocabulary);
  o.add("tokenizer.vocab_size", m->vocabulary);
  o.add("model.share_embeddings_and_output_weights", m->tiedEmbeddings);
  if (m->experts) addExperts(o, *m);
}

void addSharding(Overrides& o, const LaunchPlan& p) {
  o.add("ddp.use_distributed_optimizer", p.plan.zero > 0);
  if (p.hasShardGroups()) o.add("ddp.num_distributed_optimizer_instances", p.data() / p.plan.shardDegree());
  if (p.plan.zero <= 1) return;
  o.add("ddp.use_megatron_fsdp", true);
  o.add("dist.use_megatron_fsdp", true);
  o.add("ddp.data_parallel_sharding_strategy", megatronSharding(p.plan.zero));
  o.add("checkpoint.ckpt_format", "fsdp_dtensor");
}

/// Adam with fp32 states: recipes of large models have Muon, or Adam with 16-bit states. Of the two places
/// that say whether the optimizer is sharded one is enough to shard it.
void addOptimizer(Overrides& o, const LaunchPlan& p) {
  o.add("optimizer.optimizer", "adam");
  o.add("optimizer.use_distributed_optimizer", p.plan.zero > 0);
  o.add("optimizer.use_precision_aware_optimizer", false);
  for (const char* what : {"main_grads_dtype", "exp_avg_dtype", "exp_avg_sq_dtype"})
    o.add(std::string("optimizer.") + what, std::string("torch.float32"));
}

const char* mixedPrecision(const LaunchPlan& p) {
  if (p.job().format == NumberFormat::Fp16) return "fp16_mixed";
  if (p.job().format == NumberFormat::Bf16) return "bf16_mixed";
  if (specOf(p.job().format).rate == ProductRate::Fp4) return "bf16_with_nvfp4_mixed";
  return fp8Recipe(p) == std::string_view("mxfp8") ? "bf16_with_mxfp8_mixed"
                                                   : "bf16_with_fp8_delayed_scaling_mixed";
}

/// Checks that both have in common, then all settings; nothing where the plan is refused.
std::optional<Overrides> overridesFor(LaunchPlan& p) {
  checkMegatron(p);
  p.require(p.job().format != NumberFormat::Fp32, "format", "it trains in fp32, for which there is no recipe",
            "`job.format = bf16`");
  p.require(p.job().optimizer.id != "sgd", "optimizer", "it trains with SGD, and its recipes have Adam",
            "`job.optimizer = adam-fp32-grads`");
  const std::string layout = !hasErrors(p.out) && p.stages() > 1 ? megatronLayout(p) : std::string();
  if (hasErrors(p.out)) return std::nullopt;
  warnOfMegatronModel(p);
  p.warnOfPlacement();

  Overrides o;
  o.add("model.tensor_model_parallel_size", p.strategy.tensor);
  o.add("model.pipeline_model_parallel_size", p.stages());
  o.add("model.virtual_pipeline_model_parallel_size", p.chunks() > 1 ? std::to_string(p.chunks()) : "null");
  if (layout.empty())
    o.add("model.pipeline_model_parallel_layout", std::string("null"));
  else
    o.add("model.pipeline_model_parallel_layout", layout.c_str());
  clearRecipe(o);
  o.add("model.context_parallel_size", p.strategy.context);
  o.add("model.sequence_parallel", p.strategy.sequence);
  if (p.source.architecture && p.source.architecture->experts) {
    o.add("model.expert_model_parallel_size", p.strategy.expert);
    o.add("model.expert_tensor_parallel_size", p.strategy.expertTensor());
  }
  addSharding(o, p);
  addOptimizer(o, p);
  o.add("train.micro_batch_size", p.plan.microbatch);
  o.add("train.global_batch_size", p.job().globalBatch);
  o.add("dataset.seq_length", p.job().sequenceLength);
  addModel(o, p);
  return o;
}

/// Llama's scaling of rotary positions, which NeMo's configurations have by their kind.
std::string nemoRotaryScale(LaunchPlan& p, const Overrides& o, const LaunchRecipe& recipe) {
  const auto value = [&](const char* key) {
    const auto it = std::find_if(o.all().begin(), o.all().end(), [&](const auto& s) { return s.key == key; });
    return it == o.all().end() ? std::string() : it->value;
  };
  const bool scales = value("model.rope_scaling") == "true";
  if (scales && !recipe.scalesInNemo())
    p.warn(
        "model-details",
        std::string("the model scales its rotary positions, and NeMo's recipe ") + recipe.nemo + " does not",
        "begin with the model of a recipe that does, as llama31_8b");
  if (!recipe.scalesInNemo()) return {};
  return scales ? value("model.rope_scaling_factor") : "1";
}

/// Where a setting of Megatron-Bridge stands in a recipe of NeMo; empty: nowhere.
std::string nemoNameOf(const std::string& key) {
  static constexpr std::pair<std::string_view, std::string_view> kOwn[] = {
      {"model.tensor_model_parallel_size", "trainer.strategy"},
      {"model.pipeline_model_parallel_size", "trainer.strategy"},
      {"model.virtual_pipeline_model_parallel_size", "trainer.strategy"},
      {"model.pipeline_model_parallel_layout", "trainer.strategy"},
      {"model.num_layers_in_first_pipeline_stage", "trainer.strategy"},
      {"model.num_layers_in_last_pipeline_stage", "trainer.strategy"},
      {"model.account_for_embedding_in_pipeline_split", "trainer.strategy"},
      {"model.account_for_loss_in_pipeline_split", "trainer.strategy"},
      {"comm_overlap.overlap_moe_expert_parallel_comm", "model.config"},
      {"model.rope_scaling", ""},
      {"model.rope_scaling_factor", ""},
      {"model.context_parallel_size", "trainer.strategy"},
      {"model.sequence_parallel", "trainer.strategy"},
      {"model.expert_model_parallel_size", "trainer.strategy"},
      {"model.expert_tensor_parallel_size", "trainer.strategy"},
      {"ddp.num_distributed_optimizer_instances", "trainer.strategy"},
      {"ddp.use_distributed_optimizer", ""},
      {"dist.use_megatron_fsdp", ""},
      {"tokenizer.vocab_size", ""},
      {"checkpoint.ckpt_format", ""}};
  static constexpr std::pair<std::string_view, std::string_view> kRooms[] = {{"model", "model.config"},
                                                                             {"ddp", "trainer.strategy.ddp"},
                                                                             {"train", "data"},
                                                                             {"dataset", "data"},
                                                                             {"optimizer", "optim.config"}};
  const auto dot = key.find('.');
  for (const auto& [name, room] : kOwn)
    if (key == name) return room.empty() ? std::string() : std::string(room) + key.substr(dot);
  for (const auto& [name, room] : kRooms)
    if (key.substr(0, dot) == name) return std::string(room) + key.substr(dot);
  return {};
}

std::string pythonOf(const Overrides::Setting& s) {
  if (s.isWord) return '"' + s.value + '"';
  if (s.value == "true") return "True";
  if (s.value == "false") return "False";
  if (s.value == "null") return "None";
  if (s.key != "model.recompute_modules") return s.value;
  std::string list;
  for (const char c : s.value)
    list += c == '[' ? "[\"" : c == ',' ? "\", \"" : c == ']' ? "\"]" : std::string(1, c);
  return list;
}

Reading<std::string> writeMegatronBridge(LaunchPlan& p) {
  auto o = overridesFor(p);
  if (!o) return p.finish({});
  const LaunchRecipe* family = recipeOf(p.source.architecture);
  const char* recipe = family ? family->bridge : nullptr;
  if (!recipe)
    p.warn("recipe", "no recipe of this model's family is known",
           "name one in RECIPE whose layers are of the same kind");
  const bool inFp32 = p.job().format != NumberFormat::Fp16;
  if ((p.job().optimizer.gradientBytes > 2) != inFp32)
    p.warn("gradients",
           inFp32 ? "the recipes sum and reduce gradients in fp32, the plan counts 16-bit ones"
                  : "the recipes of fp16 sum and reduce gradients in 16 bits, the plan counts fp32 ones",
           std::string("set grad_reduce_in_fp32 of the recipe's mixed precision to ") +
               (inFp32 ? "false" : "true"));
  o->add("mixed_precision", mixedPrecision(p));
  // A recipe's overlap is replaced as a whole, and its model may hold its settings one level further inside:
  // ++ sets what the configuration does not name where it is looked up.
  std::string text =
      "  ++comm_overlap=null\n  "
      "++comm_overlap._target_=megatron.bridge.training.comm_overlap.CommOverlapConfig\n";
  for (const Overrides::Setting& s : o->all()) {
    const bool needsQuotes = s.value.find_first_of("|*") != std::string::npos;
    const bool isInside = s.key.starts_with("model.") || s.key.starts_with("comm_overlap.");
    text += std::string(isInside ? "  ++" : "  ") + s.key + '=' +
            (needsQuotes ? "'" + s.value + "'" : s.value) + '\n';
  }
  return p.finish(p.head() +
                  "# For Megatron-Bridge 067f987df (NeMo Framework): run_recipe.py --recipe \"$RECIPE\" "
                  "--mode pretrain "
                  "--dataset mock \"${BRIDGE_OVERRIDES[@]}\"\n" +
                  (recipe ? "RECIPE=${RECIPE:-" + std::string(recipe) + "}\n"
                          : std::string("RECIPE=${RECIPE:?a recipe of the model\\'s family}\n")) +
                  "BRIDGE_OVERRIDES=(\n" + text + ")\n");
}

Reading<std::string> writeNemo(LaunchPlan& p) {
  const auto map = mapRanks(p.source, p.plan);
  const bool isEven = !map || std::all_of(map->hosts.begin(), map->hosts.end(), [&](const HostRanks& h) {
    return h.ranks.size() == map->hosts.front().ranks.size();
  });
  p.require(
      isEven, "uneven-hosts",
      "its hosts run different numbers of ranks, and a recipe's trainer has one number of GPUs for all nodes",
      "exclude devices until all hosts have as many, or bound `constraints.devices`");
  const LaunchRecipe* family = recipeOf(p.source.architecture);
  p.require(family && family->nemo, "recipe", "NeMo has no recipe of this model's family",
            "export megatron-bridge or megatron, which take the model's sizes without one");
  p.require(specOf(p.job().format).rate != ProductRate::Fp4, "format",
            std::string("it trains in ") + nameOf(p.job().format) + ", for which NeMo has no recipe",
            "`job.format = bf16`");
  const auto o = overridesFor(p);
  if (!o) return p.finish({});
  const std::size_t perHost = map ? map->hosts.front().ranks.size() : 1;
  std::string text =
      p.head() +
      "# For NeMo 8cfedd720 (September 2025, nemo_run). Every rank runs this file, started by torchrun or "
      "srun;\n# or plan() goes to run.run() with an executor of yours.\n"
      "import nemo_run as run\nimport torch\n"
      "from nemo.collections import llm\n"
      "from nemo.collections.llm.recipes.precision import mixed_precision\n"
      "from nemo.lightning.pytorch.callbacks.deepep import DeepEPCallback\n"
      "from nemo.lightning.pytorch.callbacks.megatron_comm_overlap import MegatronCommOverlapCallback\n\n\n"
      "def plan():\n    recipe = llm." +
      std::string(family->nemo) + ".pretrain_recipe(\n        name=\"plan\", num_nodes=" +
      std::to_string(static_cast<std::size_t>(p.worldSize) / perHost) +
      ", num_gpus_per_node=" + std::to_string(perHost) + "\n    )\n";
  const auto set = [&text](const std::string& name, const std::string& value) {
    text += "    recipe." + name + " = " + value + '\n';
  };
  const std::string_view precision = mixedPrecision(p);
  set("trainer.plugins",
      "mixed_precision." +
          std::string(precision == "bf16_with_fp8_delayed_scaling_mixed" ? "bf16_with_fp8_mixed"
                                                                         : precision) +
          "()");
  set("trainer.plugins.grad_reduce_in_fp32", p.job().optimizer.gradientBytes > 2 ? "True" : "False");
  set("trainer.strategy.ddp.grad_reduce_in_fp32", p.job().optimizer.gradientBytes > 2 ? "True" : "False");
  if (p.plan.zero > 1) {
    set("trainer.strategy.fsdp", "\"megatron\"");
    set("trainer.strategy.save_ckpt_format", "\"fsdp_dtensor\"");
  }
  if (p.stages() > 1)
    set("trainer.strategy.pipeline_dtype",
        p.job().format == NumberFormat::Fp16 ? "torch.float16" : "torch.bfloat16");
  std::string overlap;
  for (const Overrides::Setting& s : o->all()) {
    if (const std::string name = nemoNameOf(s.key); !name.empty())
      set(name, pythonOf(s));
    else if (s.key.starts_with("comm_overlap."))
      overlap += ", " + s.key.substr(s.key.find('.') + 1) + '=' + pythonOf(s);
  }
  set("model.config.seq_length", std::to_string(p.job().sequenceLength));
  if (const std::string scale = nemoRotaryScale(p, *o, *family); !scale.empty())
    set("model.config.scale_factor", scale);
  text +=
      "    # In place of the recipe's own callbacks, which would set these again.\n"
      "    own = (DeepEPCallback, MegatronCommOverlapCallback)\n"
      "    recipe.trainer.callbacks = [c for c in recipe.trainer.callbacks or [] if c.__fn_or_cls__ not in "
      "own]\n"
      "    recipe.trainer.callbacks.append(run.Config(MegatronCommOverlapCallback" +
      overlap + "))\n";
  return p.finish(text +
                  "    return recipe\n\n\nif __name__ == \"__main__\":\n    run.run(plan(), direct=True)\n");
}

void recipeAttention(Assumed& a) {
  if (!a.isSet()) a.leave("and its recipes fuse attention", "`model.analytic.flash_attention = true`");
}
void recipeContext(Assumed& a) {
  a.say("cp_comm_type", a.option() == "gather" ? "all_gather" : "p2p");
}
void nemoExperts(Assumed& a) {
  dispatchExperts(a, true);
}

constexpr OwnEncoding kFlashAttention = {"/model/analytic/flash_attention", Encoding::by(recipeAttention)};
constexpr OwnEncoding kContext = {"/model/analytic/context_exchange", Encoding::by(recipeContext)};
constexpr OwnEncoding kNemoExperts = {"/model/analytic/expert_exchange", Encoding::by(nemoExperts)};

}  // namespace

const LaunchTarget& megatronBridgeTarget() {
  static const LaunchProgram program = {
      .name = "Megatron-Bridge",
      .train = "scripts/training/run_recipe.py",
      .arguments = "--recipe \"$RECIPE\" --mode pretrain --dataset mock \"${BRIDGE_OVERRIDES[@]}\"",
      .stepPattern = R"(s/.*elapsed time per iteration (ms): \([0-9.]*\).*/\1/p)",
      .stepUnit = 1e-3,
      .write = writeMegatronBridge,
      .assumes = megatronAssumptions({kFlashAttention, kContext}),
      .recipe = &LaunchRecipe::bridge};
  static const LaunchTarget target = {
      .id = "megatron-bridge",
      .label = "Megatron-Bridge",
      .about = "overrides of a Megatron-Bridge recipe (NeMo Framework) as a shell array",
      .help = "overrides of a Megatron-Bridge recipe (NeMo Framework), as a shell array",
      .file = "megatron-bridge.sh",
      .program = &program};
  return target;
}

const LaunchTarget& nemoTarget() {
  static const LaunchProgram program = {
      .name = "NeMo",
      .train = "nemo_plan.py",
      .arguments = "",
      .stepPattern = R"(s/.*train_step_timing in s: \([0-9.]*\).*/\1/p)",
      .write = writeNemo,
      .assumes = megatronAssumptions({kFlashAttention, kContext, kNemoExperts}),
      .recipe = &LaunchRecipe::nemo};
  static const LaunchTarget target = {
      .id = "nemo",
      .label = "NeMo",
      .about = "recipe of NeMo, Python (nemo_run, of September 2025)",
      .help = "recipe of NeMo (nemo_run), Python: changes to the recipe of the model's family",
      .file = "nemo_plan.py",
      .program = &program};
  return target;
}

}  // namespace nest
