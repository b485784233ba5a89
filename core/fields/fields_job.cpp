// The fields of job, search and constraints. One entry is all that a new one takes besides its
// use in the cost model.
#include "fields/field_access.h"
#include "fields/field_tables.h"

namespace nest {
namespace {

using field_access::as;
using field_access::at;
using field_access::by;

constexpr double kLargestBatch = 1 << 24;
constexpr double kLargestBound = 1 << 30;

/// Other bytes than those of its name give the optimizer the name that has them, or make it a custom one.
FieldAccess custom(FieldAccess a) {
  a.set = [set = a.set, get = a.get](Setting& s, int i, const FieldValue& v) {
    const bool changes = get(s, i) != v;
    set(s, i, v);
    if (!changes) return;
    OptimizerRegime& now = s.job.optimizer;
    now.id = "custom";
    for (const OptimizerRegime& known :
         {OptimizerRegime::megatron(), OptimizerRegime::zeroPaper(), OptimizerRegime::sgd()}) {
      OptimizerRegime named = now;
      named.id = known.id;
      if (named == known) now.id = known.id;
    }
  };
  return a;
}

/// Of every schedule that plans may name, in the order of their kinds.
std::vector<std::string> ofSchedules(std::string_view (PipelineSchedule::*text)() const) {
  std::vector<std::string> out;
  for (const PipelineSchedule* s : plannedSchedules()) out.emplace_back((s->*text)());
  return out;
}

}  // namespace

void addJobFields(std::vector<Field>& all) {
  const char* const group = "Job";
  all.insert(all.end(),
             {
                 {.key = "/job/global_batch",
                  .group = group,
                  .label = "Global batch",
                  .meaning = "sequences per optimizer step",
                  .access = at<&Setting::job, &Job::globalBatch>(),
                  .least = 1,
                  .most = kLargestBatch,
                  .noun = "sequences",
                  .required = true,
                  .isOftenMoved = true,
                  .slide = Slide::Doubling,
                  .reach = 64},
                 {.key = "/job/batch_tolerance",
                  .group = group,
                  .label = "Batch tolerance",
                  .meaning = "share by which a plan may take a smaller or larger global batch; plans are "
                             "then ranked by time per token",
                  .access = as(Measure::Share, at<&Setting::job, &Job::batchTolerance>()),
                  .least = 0,
                  .most = 0.5,
                  .stored = Stored::Changed,
                  .slide = Slide::Linear},
                 {.key = "/job/sequence_length",
                  .group = group,
                  .label = "Sequence length",
                  .meaning = "tokens per sequence",
                  .access = at<&Setting::job, &Job::sequenceLength>(),
                  .least = 1,
                  .most = 1 << 26,
                  .noun = "tokens",
                  .required = true,
                  .isOftenMoved = true,
                  .slide = Slide::Doubling,
                  .reach = 64,
                  .matters = isComputed},
                 {.key = "/job/microbatches",
                  .group = group,
                  .label = "Microbatch sizes",
                  .meaning = "microbatch sizes to try, ascending",
                  .access = at<&Setting::job, &Job::microbatches>(),
                  .least = 1,
                  .most = kLargestBatch,
                  .noun = "sequences",
                  .term = "microbatch",
                  .numberLabel = "Largest microbatch",
                  .isOftenMoved = true,
                  .slide = Slide::Doubling,
                  .reach = 64,
                  .matters = isComputed},
                 {.key = "/job/optimizer",
                  .group = group,
                  .label = "Optimizer",
                  .meaning = "bytes per parameter",
                  .term = "optimizer precision"},
                 {.key = "/job/optimizer/weight_bytes_per_parameter",
                  .group = group,
                  .label = "Weight bytes",
                  .meaning = "bytes per parameter for weights",
                  .access = custom(at<&Setting::job, &Job::optimizer, &OptimizerRegime::weightBytes>()),
                  .least = 0.01,
                  .most = 64,
                  .term = "optimizer precision",
                  .slide = Slide::Linear,
                  .better = Better::Smaller},
                 {.key = "/job/optimizer/gradient_bytes_per_parameter",
                  .group = group,
                  .label = "Gradient bytes",
                  .meaning = "bytes per parameter for gradients",
                  .access = custom(at<&Setting::job, &Job::optimizer, &OptimizerRegime::gradientBytes>()),
                  .least = 0,
                  .most = 64,
                  .term = "optimizer precision",
                  .slide = Slide::Linear,
                  .better = Better::Smaller},
                 {.key = "/job/optimizer/optimizer_bytes_per_parameter",
                  .group = group,
                  .label = "Optimizer bytes",
                  .meaning = "bytes per parameter for optimizer state",
                  .access = custom(at<&Setting::job, &Job::optimizer, &OptimizerRegime::optimizerBytes>()),
                  .least = 0,
                  .most = 64,
                  .term = "optimizer precision",
                  .slide = Slide::Linear,
                  .better = Better::Smaller},
                 {.key = "/job/format",
                  .group = group,
                  .label = "Number format",
                  .meaning = "format of the matrix products",
                  .access = at<&Setting::job, &Job::format>(),
                  .term = "number format",
                  .options = numberFormatNames(),
                  .matters = isComputed},
                 {.key = "/job/training_tokens",
                  .group = group,
                  .label = "Training tokens",
                  .meaning = "total tokens of the run, for training days and device-hours",
                  .access = as(Measure::Tokens, at<&Setting::job, &Job::trainingTokens>()),
                  .least = 1,
                  .most = 1e18,
                  .stored = Stored::Changed},
             });
}

void addSearchFields(std::vector<Field>& all) {
  const char* const group = "Search";
  all.insert(
      all.end(),
      {
          {.key = "/search/preset",
           .group = group,
           .label = "Preset",
           .meaning = "runnable: only what training frameworks accept; free: everything",
           .access = at<&Setting::search, &SearchOptions::preset>(),
           .options = {"runnable", "free"},
           .optionLabels = {"Runnable", "Free"}},
          {.key = "/search/objective",
           .group = group,
           .label = "Objective",
           .meaning = "the formula that is minimized",
           .access = at<&Setting::search, &SearchOptions::objective>(),
           .options = {"pipeline", "nest"},
           .optionLabels = {"Pipeline", "Nest"}},
          {.key = "/search/goal",
           .group = group,
           .label = "Goal",
           .meaning = "what the best plan has least of: time for a token, or days, money or energy of the "
                      "whole run, with its failures as far as they are given",
           .access = at<&Setting::search, &SearchOptions::goal>(),
           .options = {"time-per-token", "days", "money", "energy"},
           .optionLabels = {"Time per token", "Days", "Money", "Energy"},
           .stored = Stored::Changed},
          {.key = "/search/strategy_per_stage",
           .group = group,
           .label = "Free strategy per stage",
           .meaning = "each stage may have its own tensor, context and expert degrees; takes longer",
           .access = at<&Setting::search, &SearchOptions::strategyPerStage>()},
          {.key = "/search/pad_last_microbatch",
           .group = group,
           .label = "Pad the last microbatch",
           .meaning = "the global batch need not divide into microbatches and replicas",
           .access = at<&Setting::search, &SearchOptions::padLastMicrobatch>()},
          {.key = "/search/zero_stages",
           .group = group,
           .label = "ZeRO",
           .meaning = "ZeRO stages to try",
           .access = at<&Setting::search, &SearchOptions::zeroStages>(),
           .least = 0,
           .most = 3},
          {.key = "/search/shard_groups",
           .group = group,
           .label = "ZeRO shards over",
           .meaning =
               "replicas that share one copy of the sharded state: all; also as many as share a group of a "
               "network level (hybrid sharding); or any number",
           .access = at<&Setting::search, &SearchOptions::shardGroups>(),
           .term = "shard group",
           .options = {"all", "levels", "every"},
           .optionLabels = {"All replicas", "Level groups", "Any number"},
           .stored = Stored::Changed},
          {.key = "/search/recompute",
           .group = group,
           .label = "Recompute",
           .meaning = "recompute policies to try",
           .access = at<&Setting::search, &SearchOptions::recompute>(),
           .options = {"none", "selective", "full"}},
          {.key = "/search/chunks_per_stage",
           .group = group,
           .label = "Virtual pipeline stages (VPP)",
           .meaning = "VPP values to try; 1: no interleaving",
           .access = at<&Setting::search, &SearchOptions::chunksPerStage>(),
           .least = 1,
           .most = 1024,
           .term = "interleaving",
           .numberLabel = "Largest VPP",
           .slide = Slide::Doubling,
           .reach = 8},
          {.key = "/search/schedules",
           .group = group,
           .label = "Schedules",
           .meaning = "pipeline schedules to try; 1F1B and ZB-H1 need VPP 1, interleaved 1F1B VPP 2 or "
                      "more; ZB-V and DualPipeV always have two chunks per stage",
           .access = at<&Setting::search, &SearchOptions::schedules>(),
           .term = "schedule",
           .options = ofSchedules(&PipelineSchedule::id),
           .optionLabels = ofSchedules(&PipelineSchedule::label),
           .stored = Stored::Changed},
          {.key = "/search/sequence_parallel",
           .group = group,
           .label = "Offer sequence parallelism",
           .meaning = "norms and dropouts split along the sequence over the tensor group",
           .access = at<&Setting::search, &SearchOptions::sequenceParallel>(),
           .term = "sequence parallelism"},
          {.key = "/search/context_parallel",
           .group = group,
           .label = "Offer context degrees",
           .meaning = "try context degrees above 1",
           .access = at<&Setting::search, &SearchOptions::contextParallel>(),
           .term = "context degree"},
          {.key = "/search/expert_parallel",
           .group = group,
           .label = "Offer expert degrees",
           .meaning = "try expert degrees above 1",
           .access = at<&Setting::search, &SearchOptions::expertParallel>(),
           .term = "expert degree"},
          {.key = "/search/folded_experts",
           .group = group,
           .label = "Fold experts",
           .meaning =
               "experts whole on a rank, expert groups across the ranks of TP and CP (expert tensor degree "
               "1), instead of split over TP ranks: no, also, or only",
           .access = at<&Setting::search, &SearchOptions::expertFolding>(),
           .term = "folded experts",
           .options = {"no", "also", "only"},
           .optionLabels = {"No", "Also", "Only"},
           .stored = Stored::Changed},
          {.key = "/search/top_plans",
           .group = group,
           .label = "Plans to return",
           .meaning = "distinct plans to return",
           .access = at<&Setting::search, &SearchOptions::topPlans>(),
           .least = 1,
           .most = 1000,
           .noun = "plans",
           .isInPanel = false},
          {.key = "/search/deadline_s",
           .group = group,
           .label = "Deadline",
           .meaning = "when to stop with the best plan so far; 0 is never",
           .access = as(Measure::Time, at<&Setting::search, &SearchOptions::deadlineSeconds>()),
           .least = 0,
           .most = 1e8,
           .isInPanel = false},
          {.key = "/search/threads",
           .group = group,
           .label = "Threads",
           .meaning =
               "kept for files that have it: one solve runs on one thread, a sweep solves several at once",
           .access = at<&Setting::search, &SearchOptions::threads>(),
           .least = 1,
           .most = 1024,
           .noun = "threads",
           .isInPanel = false},
      });
}

void addConstraintFields(std::vector<Field>& all) {
  struct Degree {
    const char *key, *label, *noun, *one, *aliases, *term;
    Bound Constraints::*member;
    bool inPanel;
  };
  static const Degree kDegrees[] = {
      {"tensor", "Tensor degree", "TP", "", "t tp tensor", "", &Constraints::tensor, true},
      {"context", "Context degree", "CP", "", "c cp context", "", &Constraints::context, true},
      {"expert", "Expert degree", "EP", "", "e ep expert", "", &Constraints::expert, true},
      {"data", "Data degree", "DP", "", "d dp data", "", &Constraints::data, true},
      {"data_inner", "Replicas in a block", "replicas inside a block", "replica inside a block", "d_in",
       "replica", &Constraints::dataInner, false},
      {"stages", "Pipeline degree", "PP", "", "p pp s stages pipeline", "", &Constraints::stages, true},
      {"microbatch", "Microbatch size", "MBS", "", "b mbs microbatch", "microbatch", &Constraints::microbatch,
       false},
      {"devices", "Devices used", "devices", "device", "n devices gpus", "device", &Constraints::devices,
       true},
      {"chunks", "Virtual pipeline stages (VPP)", "VPP", "", "v vpp chunks", "interleaving",
       &Constraints::chunks, false},
      {"zero", "ZeRO stage", "ZeRO", "", "z zero", "ZeRO", &Constraints::zero, false},
      {"shard", "Shard group", "replicas in a shard group", "replica in a shard group", "h shard hsdp",
       "shard group", &Constraints::shard, false}};
  for (const Degree& d : kDegrees) {
    const bool isZero = d.member == &Constraints::zero;
    all.push_back({.key = std::string("/constraints/") + d.key,
                   .group = "Degrees allowed",
                   .label = d.label,
                   .meaning = std::string("fixed, or the least and the most that a plan may have") +
                              (d.member == &Constraints::shard ? "; of plans with ZeRO 1 to 3" : ""),
                   .access = by([member = d.member](auto& s, int) -> auto& { return s.constraints.*member; }),
                   .least = isZero ? 0.0 : 1.0,
                   .most = isZero ? 3.0 : kLargestBound,
                   .noun = d.noun,
                   .one = d.one,
                   .aliases = d.aliases,
                   .term = d.term,
                   .isInPanel = d.inPanel,
                   .stored = Stored::Changed,
                   .slide = isZero ? Slide::Linear : Slide::Doubling,
                   .reach = 64});
  }
  const char* const group = "Constraints";
  const auto cuts = [&](const char* key, const char* label, const char* meaning, FieldAccess access) {
    all.push_back({.key = key,
                   .group = group,
                   .label = label,
                   .meaning = meaning,
                   .access = std::move(access),
                   .least = 0,
                   .most = 1e6,
                   .noun = "layers",
                   .term = "cut",
                   .isFromOne = true,
                   .stored = Stored::Changed});
  };
  cuts("/constraints/required_cuts", "Stages begin at", "a stage begins at these layers",
       at<&Setting::constraints, &Constraints::requiredCuts>());
  cuts("/constraints/forbidden_cuts", "No stage begins at", "no stage begins at these layers",
       at<&Setting::constraints, &Constraints::forbiddenCuts>());
  all.insert(all.end(),
             {
                 {.key = "/constraints/layer_pins",
                  .group = group,
                  .label = "Layer pins",
                  .meaning = "these layers must be in these stages"},
                 {.key = "/constraints/stage_pins",
                  .group = group,
                  .label = "Stage pins",
                  .meaning = "recompute policy or strategy of single stages"},
                 {.key = "/constraints/excluded_devices",
                  .group = group,
                  .label = "Excluded devices",
                  .meaning = "devices that no plan may use, by their input number",
                  .access = at<&Setting::constraints, &Constraints::excludedDevices>(),
                  .least = 0,
                  .most = 1e7,
                  .noun = "devices",
                  .term = "device",
                  .stored = Stored::Changed},
                 {.key = "/constraints/megatron_expressible",
                  .group = group,
                  .label = "Only what Megatron-LM can say",
                  .meaning = "one strategy for all stages, devices in its default order, a layer split its "
                             "layout can name",
                  .access = at<&Setting::constraints, &Constraints::megatronExpressible>()},
             });
}

}  // namespace nest
