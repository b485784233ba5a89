#include <iterator>

#include "formats/launch/launch_assumptions.h"

namespace nest {
namespace {

std::string joined(const std::vector<std::string>& all) {
  std::string out;
  for (const std::string& s : all) out += (out.empty() ? "" : ", ") + s;
  return out;
}

/// Module names of torchtitan's transformers, part by part; `head`: the output layer's.
std::string modulesOf(LaunchPlan& p, const char* head) {
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
          names.push_back('"' + std::string(head) + '"');
          break;
        case LayerKind::Other:
          p.refuse("layer-kind", "its layer \"" + p.source.problem->graph->layers[l.at()].name +
                                     "\" is not a module of a transformer");
          return {};
      }
    }
    out += "  [" + joined(names) + "],\n";
  }
  return "[\n" + out + "]";
}

/// "name = value" of those of a table, a line each.
std::string tomlLines(const std::vector<LaunchSetting>& all, std::string_view table) {
  std::string out;
  for (const LaunchSetting& s : all)
    if (s.name.starts_with(table) && s.name.find('.') == table.size())
      out += s.name.substr(table.size() + 1) + " = " + (s.isWord ? '"' + s.value + '"' : s.value) + '\n';
  return out;
}

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

/// Expert groups take in whole replicas there.
void checkFoldedExperts(LaunchPlan& p) {
  p.require(!p.strategy.foldedExperts || p.strategy.expert % p.strategy.width() == 0, "folded-experts",
            "expert groups of " + std::to_string(p.strategy.expert) +
                " ranks do not take in whole replicas of " + std::to_string(p.strategy.width()),
            "`search.folded_experts = no`");
}

void warnOfSelective(LaunchPlan& p) {
  if (p.recompute != Recompute::Selective || p.selective() == SelectiveRecompute::EverySecondProduct) return;
  const char* what = p.selective() == SelectiveRecompute::Activations ? "norms and activations"
                     : p.selective() == SelectiveRecompute::LatentProjection
                         ? "the up projections of latent attention"
                         : "the core of attention";
  p.warn("recompute", std::string("the plan recomputes ") + what +
                          "; torchtitan's selective mode recomputes every second matrix product, which takes "
                          "more time and less memory");
}

void requireSchedule(LaunchPlan& p) {
  const PipelineSchedule& schedule = p.plan.pipelineSchedule();
  p.require(p.stages() == 1 || !schedule.torchTitanName().empty(), "schedule",
            "it runs " + std::string(schedule.label()) + ", which torchtitan has no name for",
            "offer only others in `search.schedules`");
}

/// FSDP scatters gradients with each backward pass. In a pipeline PyTorch's stages keep parameters gathered
/// and gradients whole until the last microbatch: states alone are sharded.
void checkShards(LaunchPlan& p, bool mayReplicate) {
  if (p.stages() > 1)
    p.require(p.plan.zero <= 1, "zero-pipeline",
              "it shards more than the optimizer (ZeRO " + std::to_string(p.plan.zero) +
                  ") in a pipeline, whose stages sum gradients whole there",
              "`search.zero_stages := 1`");
  else
    p.require(p.plan.zero != 1, "zero-1", "it shards the optimizer alone (ZeRO 1) without a pipeline",
              mayReplicate ? "`search.zero_stages := 0, 2, 3`" : "`search.zero_stages := 2, 3`");
}

/// The stages of ZeRO to offer in place of none.
const char* shardRemedy(const LaunchPlan& p) {
  return p.stages() > 1 ? "`search.zero_stages := 1`" : "`search.zero_stages := 2, 3`";
}

/// Of files of either kind.
void checkBoth(LaunchPlan& p) {
  requireSchedule(p);
  const bool sharded = p.plan.zero >= 1;  // what is wrong with ZeRO 1 stands above
  const char* const shard = shardRemedy(p);
  p.require(p.strategy.expert == 1 || sharded, "experts-unsharded",
            "its experts are spread over replicas that hold all else in full (ZeRO 0)", shard);
  checkFoldedExperts(p);
  p.require(p.strategy.expert == 1 || p.strategy.context == 1 || p.strategy.foldedExperts, "expert-groups",
            "there the context ranks of a replica belong to one expert group",
            "`search.context_parallel = false`");
  p.require(sharded || p.strategy.context == 1, "context-shards",
            "its context ranks hold whole parameters (ZeRO 0), and there FSDP shards over them", shard);
  p.require(p.job().optimizer.id != "sgd", "optimizer", "it trains with SGD, and there are Adam and AdamW",
            "`job.optimizer = adam-fp32-grads`");
}

void checkTorchTitan(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp8, NumberFormat::Fp32});
  const bool isSplit = p.strategy.width() > 1 || p.stages() > 1;
  checkShards(p, !isSplit && p.strategy.expert == 1);
  checkBoth(p);
  p.require(p.plan.zero >= 1 || p.data() == 1 || !isSplit, "ddp-mesh",
            "it replicates (ZeRO 0) a model that is split over devices, and torchtitan's DDP takes no other "
            "parallelism with it",
            shardRemedy(p));
  const bool experts = p.source.architecture && p.source.architecture->experts;
  p.require(!experts || p.job().format != NumberFormat::Fp8, "fp8-experts",
            "its experts multiply in fp8, which is a prototype there", "`job.format = bf16`");
}

Reading<std::string> writeTorchTitan(LaunchPlan& p) {
  p.checkDecoder();
  checkTorchTitan(p);
  const std::string modules = !hasErrors(p.out) ? modulesOf(p, "output") : std::string();
  if (hasErrors(p.out)) return p.finish({});
  if (!p.strategy.sequence && p.strategy.tensor > 1)
    p.warn("sequence", "torchtitan runs tensor parallelism with sequence parallelism; the plan has it off");
  warnOfSelective(p);
  const std::vector<LaunchSetting> assumed = assumedSettings(p);
  p.warnOfPlacement();
  const bool sharded = p.plan.zero >= 1;
  const bool fsdp = (sharded && p.data() > 1) || p.strategy.context > 1;
  const bool fp8 = p.job().format == NumberFormat::Fp8;
  std::string t = p.head() +
                  "# For torchtitan v0.2.2, the last release that reads TOML. Model, data and learning rate "
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
    t += "expert_tensor_parallel_degree = " + std::to_string(p.strategy.expertTensor()) + '\n';
  t += "pipeline_parallel_degree = " + std::to_string(p.stages()) + '\n';
  if (p.stages() > 1) {
    t += "pipeline_parallel_schedule = \"" + std::string(p.plan.pipelineSchedule().torchTitanName()) + "\"\n";
    t += "pipeline_parallel_microbatch_size = " + std::to_string(p.plan.microbatch) + '\n';
    t += "module_fqns_per_model_part = " + modules + '\n';
  }
  t += tomlLines(assumed, "parallelism");
  t += std::string("\n[activation_checkpoint]\nmode = \"") + nameOf(p.recompute) + "\"\n";
  if (p.recompute == Recompute::Selective) t += "selective_ac_option = \"op\"\n";  // not every second layer
  t += tomlLines(assumed, "activation_checkpoint");
  if (fp8)
    t += "\n[quantize.linear.float8]\nrecipe_name = \"tensorwise\"\nfilter_fqns = [\"output\"]\n"
         "\n[compile]\nenable = true  # fuses the casts to fp8\n";
  else if (const std::string compile = tomlLines(assumed, "compile"); !compile.empty())
    t += "\n[compile]\n" + compile;
  return p.finish(std::move(t));
}

/// torchtitan of 2026 installs FSDP, of one device if need be, around every model: replication goes with all
/// other degrees. Expert groups there take the tensor ranks in.
void checkTorchTitanPython(LaunchPlan& p) {
  p.checkPrecision({NumberFormat::Bf16, NumberFormat::Fp32});
  checkShards(p, true);
  checkBoth(p);
  const bool experts = p.source.architecture && p.source.architecture->experts;
  p.require(!experts || p.strategy.expertTensor() == 1, "expert-tensor",
            "it splits experts over tensor ranks, which form expert groups there",
            "`constraints.tensor = 1`");
}

/// The model's own configuration to begin with, where torchtitan has its family.
const char* baseOf(const TransformerArchitecture* a) {
  if (!a) return nullptr;
  if (a->family == "llama" && !a->experts) return "torchtitan.models.llama3.config_registry:llama3_8b";
  if (a->family == "qwen3" && !a->experts) return "torchtitan.models.qwen3.config_registry:qwen3_8b";
  return nullptr;
}

Reading<std::string> writeTorchTitanPython(LaunchPlan& p) {
  p.checkDecoder();
  checkTorchTitanPython(p);
  const std::string modules = !hasErrors(p.out) ? modulesOf(p, "lm_head") : std::string();
  if (hasErrors(p.out)) return p.finish({});
  warnOfSelective(p);
  const char* base = baseOf(p.source.architecture);
  p.warn("base",
         base ? "the model is that of " + std::string(base) + ": its layers and sizes are not in this file"
              : std::string("the file carries no model"),
         "name the model's own configuration in BASE, as module:function");
  const std::vector<LaunchSetting> assumed = assumedSettings(p);
  p.warnOfPlacement();
  const int shards = p.plan.zero >= 1 ? p.plan.shardDegree() : 1;
  const long long sequence = p.job().sequenceLength;
  std::string t =
      p.head() +
      "# For torchtitan of August 2026 (b5bcd76c6): python -m torchtitan.train --module "
      "torchtitan_plan --config plan,\n# with this file as torchtitan_plan.py where Python finds it. BASE: "
      "the model's own configuration.\n\nimport importlib\nimport os\n\n"
      "from torchtitan.config import ParallelismConfig\n";
  if (p.recompute != Recompute::None)
    t += std::string("from torchtitan.distributed.activation_checkpoint import ") +
         (p.recompute == Recompute::Full ? "FullAC" : "SelectiveAC") + '\n';
  t += "\n\ndef plan():\n    module, name = os.environ" +
       (base ? ".get(\"BASE\", \"" + std::string(base) + "\")" : std::string("[\"BASE\"]")) +
       ".split(\":\")\n    config = getattr(importlib.import_module(module), name)()\n";
  const auto set = [&](const char* name, const std::string& value) {
    t += "    config." + std::string(name) + " = " + value + '\n';
  };
  set("training.num_tokens_per_microbatch_per_dp_rank", std::to_string(p.plan.microbatch * sequence));
  set("training.num_tokens_per_train_step", std::to_string(p.job().globalBatch * sequence));
  set("training.max_context_length", std::to_string(sequence));
  set("training.mixed_precision_param",
      p.job().format == NumberFormat::Fp32 ? "\"float32\"" : "\"bfloat16\"");
  t += "    config.parallelism = ParallelismConfig(\n";
  const auto give = [&](const char* name, const std::string& value) {
    t += "        " + std::string(name) + '=' + value + ",\n";
  };
  give("data_parallel_replicate_degree", std::to_string(p.data() / shards));
  give("data_parallel_shard_degree", std::to_string(shards));
  if (p.plan.zero >= 1) give("fsdp_reshard_after_forward", p.plan.zero == 3 ? "\"always\"" : "\"never\"");
  give("tensor_parallel_degree", std::to_string(p.strategy.tensor));
  if (p.strategy.tensor > 1) give("enable_sequence_parallel", p.strategy.sequence ? "True" : "False");
  give("context_parallel_degree", std::to_string(p.strategy.context));
  give("expert_parallel_degree", std::to_string(p.strategy.expert));
  give("pipeline_parallel_degree", std::to_string(p.stages()));
  if (p.stages() > 1) {
    give("pipeline_parallel_schedule", '"' + std::string(p.plan.pipelineSchedule().torchTitanName()) + '"');
    give("num_pp_microbatches", std::to_string(p.microbatchCount));
    give("module_fqns_per_model_part", modules);
  }
  t += "    )\n";
  set("activation_checkpoint", p.recompute == Recompute::None   ? "None"
                               : p.recompute == Recompute::Full ? "FullAC.Config()"
                                                                : "SelectiveAC.Config()");
  for (const LaunchSetting& s : assumed) set(s.name.c_str(), s.value == "true" ? "True" : "False");
  return p.finish(t + "    return config\n");
}

void titanCompile(Assumed& a) {
  a.say("compile.enable", !a.isSet());
}

/// `table`: where the option stands; `needsSequence`: it does nothing without sequence parallelism.
void overlapTensor(Assumed& a, const std::string& table, bool needsSequence) {
  const bool wanted = a.number() > 0, compiled = !a.isSetOf("/model/analytic/eager_elementwise");
  const bool can = compiled && (!needsSequence || a.plan.strategy.sequence);
  a.say(table + ".enable_async_tensor_parallel", wanted && can);
  if (wanted && !can)
    a.leave(std::string("which torchtitan's async tensor parallelism does ") +
            (compiled ? "with sequence parallelism only" : "in compiled models only"));
}
void titanTensorOverlap(Assumed& a) {
  overlapTensor(a, "parallelism", false);
}
void pythonTensorOverlap(Assumed& a) {
  overlapTensor(a, "compile", true);
}

void titanExperts(Assumed& a) {
  const bool wanted = a.option() == "per-host", can = a.plan.strategy.expertTensor() == 1;
  a.say("parallelism.expert_parallel_comm_backend", wanted && can ? "deepep" : "standard");
  if (wanted && !can) a.leave("which torchtitan's DeepEP does where experts are not split over tensor ranks");
}
void pythonExperts(Assumed& a) {
  if (a.option() == "per-host")
    a.leave("which is an option of the model's own configuration",
            "give its routed experts the DeepEPTokenDispatcher in BASE");
}

void titanEarlyStop(Assumed& a) {
  a.say("activation_checkpoint.early_stop", a.isSet());
}
void pythonEarlyStop(Assumed& a) {
  if (a.isSet() == a.isSetOf("/model/analytic/eager_elementwise"))
    a.leave("and torchtitan of 2026 does so in compiled models, and in these alone");
}

void titanContext(Assumed& a) {
  a.say("parallelism.context_parallel_rotate_method", a.option() == "gather" ? "allgather" : "alltoall");
}
void pythonContext(Assumed& a) {
  if (a.option() != "gather") a.leave("and torchtitan of 2026 gathers keys and values");
}

void titanGradients(Assumed& a) {
  if (a.number() <= 2)
    a.leave("and torchtitan reduces gradients in fp32", "`job.optimizer = adam-fp32-grads`");
}

/// The program of files of either kind; `own`: the assumptions in which they differ.
LaunchProgram titanProgram(const char* arguments, decltype(LaunchProgram::write) write,
                           std::vector<OwnEncoding> own) {
  constexpr auto by = Encoding::by;
  static constexpr OwnEncoding kAll[] = {{"/job/optimizer/gradient_bytes_per_parameter", by(titanGradients)},
                                         {"/model/analytic/eager_elementwise", by(titanCompile)},
                                         {"/model/analytic/keeps_gathered_inputs", Encoding::version()},
                                         {"/model/analytic/reorders_exchanges", Encoding::version()}};
  own.insert(own.end(), std::begin(kAll), std::end(kAll));
  return {.name = "torchtitan",
          .train = "-m torchtitan.train",
          .arguments = arguments,
          .stepPattern = R"(s/.*tps: \([0-9,]*\).*/\1/p)",
          .stepUnit = 0,
          .write = write,
          .assumes = std::move(own)};
}

}  // namespace

const LaunchTarget& torchTitanTarget() {
  constexpr auto by = Encoding::by;
  static const LaunchProgram program =
      titanProgram("--job.config_file torchtitan.toml", writeTorchTitan,
                   {{"/assumptions/overlap/tensor", by(titanTensorOverlap)},
                    {"/model/analytic/recompute_stops_early", by(titanEarlyStop)},
                    {"/model/analytic/expert_exchange", by(titanExperts)},
                    {"/model/analytic/context_exchange", by(titanContext)}});
  static const LaunchTarget target = {.id = "torchtitan",
                                      .label = "torchtitan",
                                      .about = "torchtitan configuration, TOML (to v0.2.2)",
                                      .help = "configuration of torchtitan v0.2.2, TOML",
                                      .file = "torchtitan.toml",
                                      .program = &program};
  return target;
}

const LaunchTarget& torchTitanPythonTarget() {
  constexpr auto by = Encoding::by;
  static const LaunchProgram program =
      titanProgram("--module torchtitan_plan --config plan", writeTorchTitanPython,
                   {{"/assumptions/overlap/tensor", by(pythonTensorOverlap)},
                    {"/model/analytic/recompute_stops_early", by(pythonEarlyStop)},
                    {"/model/analytic/expert_exchange", by(pythonExperts)},
                    {"/model/analytic/context_exchange", by(pythonContext)}});
  static const LaunchTarget target = {
      .id = "torchtitan-py",
      .label = "torchtitan (Python)",
      .about = "torchtitan configuration, Python (of August 2026)",
      .help =
          "configuration of torchtitan since August 2026, Python: settings for the model's own configuration",
      .file = "torchtitan_plan.py",
      .program = &program};
  return target;
}

}  // namespace nest
