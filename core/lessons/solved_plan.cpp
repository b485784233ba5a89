#include "lessons/solved_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "cost/memory_parts.h"
#include "evaluation/evaluation.h"
#include "evaluation/schedule.h"
#include "evaluation/traffic.h"
#include "measures/bubble.h"
#include "study/study_quantity.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr double kGibi = 1024.0 * 1024 * 1024;

/// A study's quantity in SI units.
LessonValue ofStudy(StudyQuantity q, double v) {
  switch (q) {
    case StudyQuantity::StepTime:
      return {v, ValueKind::Time};
    case StudyQuantity::Mfu:
      return {v / 100, ValueKind::Share};
    case StudyQuantity::Memory:
      return {v * kGibi, ValueKind::Memory};
    default:
      return {v};
  }
}

/// "step-time" of a command line is step_time here: a hyphen is a minus.
std::string asName(std::string_view s) {
  std::string out(s);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

LessonValue plain(double v) {
  return {v};
}
LessonValue seconds(Seconds s) {
  return {s.value(), ValueKind::Time};
}
LessonValue bytes(Bytes b) {
  return {b.value(), ValueKind::Memory};
}
LessonValue share(double v) {
  return {v, ValueKind::Share};
}

struct PlanQuantity {
  const char *name, *meaning;
  LessonValue (*value)(const SolvedPlan&);
};

Bytes shortfallOf(const Evaluation& e) {
  Bytes most;
  for (const StageEvaluation& s : e.stages) most = std::max(most, s.memory.total() - s.memory.capacity);
  return most;
}

const StagePlan& firstStage(const SolvedPlan& s) {
  return s.plan().stages.front();
}

constexpr std::array kPlanQuantities{
    PlanQuantity{"fits", "1 if the plan fits, else 0 (the values are those of the closest plan)",
                 [](const SolvedPlan& s) { return plain(s.evaluation().feasible() ? 1 : 0); }},
    PlanQuantity{"shortfall", "memory that the fullest device lacks",
                 [](const SolvedPlan& s) { return bytes(shortfallOf(s.evaluation())); }},
    PlanQuantity{"capacity", "memory of the fullest device",
                 [](const SolvedPlan& s) { return bytes(s.metrics().capacity); }},
    PlanQuantity{"tp", "tensor parallel degree",
                 [](const SolvedPlan& s) { return plain(firstStage(s).strategy.tensor); }},
    PlanQuantity{"cp", "context parallel degree",
                 [](const SolvedPlan& s) { return plain(firstStage(s).strategy.context); }},
    PlanQuantity{"ep", "expert parallel degree",
                 [](const SolvedPlan& s) { return plain(firstStage(s).strategy.expert); }},
    PlanQuantity{"pp", "pipeline stages", [](const SolvedPlan& s) { return plain(s.plan().stageCount()); }},
    PlanQuantity{"dp", "data parallel degree (replicas)",
                 [](const SolvedPlan& s) { return plain(s.plan().dataDegree()); }},
    PlanQuantity{"zero", "ZeRO stage", [](const SolvedPlan& s) { return plain(s.plan().zero); }},
    PlanQuantity{"mbs", "sequences in a microbatch",
                 [](const SolvedPlan& s) { return plain(s.plan().microbatch); }},
    PlanQuantity{"vpp", "chunks of a stage",
                 [](const SolvedPlan& s) { return plain(s.plan().chunksPerStage()); }},
    PlanQuantity{"recompute", "recompute of stage 1: 0 none, 1 selective, 2 full",
                 [](const SolvedPlan& s) { return plain(static_cast<int>(firstStage(s).recompute)); }},
    PlanQuantity{"microbatches", "microbatches of a step",
                 [](const SolvedPlan& s) { return plain(s.evaluation().microbatchCount); }},
    PlanQuantity{"devices", "devices in use",
                 [](const SolvedPlan& s) { return plain(s.plan().devicesUsed()); }},
    PlanQuantity{"cluster_devices", "devices of the cluster",
                 [](const SolvedPlan& s) { return plain(s.metrics().deviceCount); }},
    PlanQuantity{"host_devices", "devices of a host",
                 [](const SolvedPlan& s) { return plain(s.problem().cluster->largestGroupSize(0)); }},
    PlanQuantity{"layers", "layers of the model",
                 [](const SolvedPlan& s) { return plain(s.problem().graph->layerCount()); }},
    PlanQuantity{"batch", "sequences of a step",
                 [](const SolvedPlan& s) { return plain(s.evaluation().globalBatch); }},
    PlanQuantity{"sequence", "tokens of a sequence",
                 [](const SolvedPlan& s) { return plain(s.problem().job.sequenceLength); }},
    PlanQuantity{"idle", "share of the step that devices wait",
                 [](const SolvedPlan& s) { return share(s.metrics().bubble.idle()); }},
    PlanQuantity{"fill_and_drain", "share of the step that even the busiest stage waits",
                 [](const SolvedPlan& s) { return share(s.metrics().bubble.fillAndDrain); }},
    PlanQuantity{"imbalance", "share of the step that other stages wait for the busiest",
                 [](const SolvedPlan& s) { return share(s.metrics().bubble.imbalance); }},
    PlanQuantity{"compute_time", "time of a step that an average device computes",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Compute]); }},
    PlanQuantity{"tp_time", "time of a step in tensor parallel communication",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Tensor]); }},
    PlanQuantity{"cp_time", "time of a step in context parallel communication",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Context]); }},
    PlanQuantity{"ep_time", "time of a step in expert parallel communication",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Expert]); }},
    PlanQuantity{"pp_time", "time of a step in transfers between stages",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Pipeline]); }},
    PlanQuantity{"dp_time", "time of a step in gradients and gathered weights",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Data]); }},
    PlanQuantity{"recompute_time", "time of a step that recomputes activations",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Recompute]); }},
    PlanQuantity{"idle_time", "time of a step that an average device waits",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Idle]); }},
    PlanQuantity{"optimizer_time", "time of the optimizer's step",
                 [](const SolvedPlan& s) { return seconds(s.metrics().split[TimePart::Step]); }},
    PlanQuantity{"simulated", "step time by event simulation",
                 [](const SolvedPlan& s) {
                   return seconds(simulate(s.problem(), s.plan(), s.evaluation(), false).total);
                 }},
    PlanQuantity{"slowest_stage", "number of the stage with the largest load",
                 [](const SolvedPlan& s) { return plain(s.evaluation().slowestStage() + 1); }},
    PlanQuantity{"fullest_stage", "number of the stage with the least memory left",
                 [](const SolvedPlan& s) { return plain(s.evaluation().fullestStage() + 1); }},
};

struct StageQuantity {
  const char *name, *meaning;
  LessonValue (*value)(const SolvedPlan&, std::size_t stage);
};
const StageEvaluation& stageOf(const SolvedPlan& s, std::size_t k) {
  return s.evaluation().stages[k];
}
constexpr std::array kStageQuantities{
    StageQuantity{"load", "time that a stage works on one microbatch",
                  [](const SolvedPlan& s, std::size_t k) { return seconds(stageOf(s, k).load); }},
    StageQuantity{"forward", "its forward compute",
                  [](const SolvedPlan& s, std::size_t k) { return seconds(stageOf(s, k).forward); }},
    StageQuantity{"backward", "its backward compute",
                  [](const SolvedPlan& s, std::size_t k) { return seconds(stageOf(s, k).backward); }},
    StageQuantity{"exposed", "time that its gradients take at the end of the step",
                  [](const SolvedPlan& s, std::size_t k) { return seconds(stageOf(s, k).exposed); }},
    StageQuantity{"stage_layers", "number of its layers",
                  [](const SolvedPlan& s, std::size_t k) {
                    return plain(static_cast<double>(s.plan().stages[k].layers().size()));
                  }},
    StageQuantity{"first_layer", "number of its first layer",
                  [](const SolvedPlan& s, std::size_t k) {
                    const auto layers = s.plan().stages[k].layers();
                    return plain(layers.empty() ? 0 : layers.front().value + 1);
                  }},
    StageQuantity{"in_flight", "microbatches whose activations it holds at its peak",
                  [](const SolvedPlan& s, std::size_t k) { return plain(stageOf(s, k).inFlight); }},
    StageQuantity{"stage_memory", "predicted peak memory of its devices",
                  [](const SolvedPlan& s, std::size_t k) { return bytes(stageOf(s, k).memory.predicted()); }},
    StageQuantity{
        "weights", "memory of the weights",
        [](const SolvedPlan& s, std::size_t k) { return bytes(stageOf(s, k).memory[MemoryPart::Weights]); }},
    StageQuantity{"gradients", "memory of the gradients",
                  [](const SolvedPlan& s, std::size_t k) {
                    return bytes(stageOf(s, k).memory[MemoryPart::Gradients]);
                  }},
    StageQuantity{"optimizer", "memory of the optimizer's state",
                  [](const SolvedPlan& s, std::size_t k) {
                    return bytes(stageOf(s, k).memory[MemoryPart::Optimizer]);
                  }},
    StageQuantity{
        "activations", "memory of the activations kept for backward",
        [](const SolvedPlan& s, std::size_t k) { return bytes(stageOf(s, k).memory[MemoryPart::Stash]); }},
    StageQuantity{"boundary", "bytes that one device sends to the next stage with a microbatch",
                  [](const SolvedPlan& s, std::size_t k) {
                    // The receiver has them; with chunks, the last stage sends to the first one.
                    return bytes(stageOf(s, (k + 1) % s.plan().stages.size()).activationBytes);
                  }},
};

struct LevelQuantity {
  const char *name, *meaning;
  LessonValue (*value)(const SolvedPlan&, int level);
};
template <Exchange E>
LessonValue trafficOf(const SolvedPlan& s, int level) {
  return bytes(Traffic(s.problem(), s.plan()).total(E, level));
}
constexpr std::array kLevelQuantities{
    LevelQuantity{"traffic", "bytes of a step that cross a level, over all devices",
                  [](const SolvedPlan& s, int level) {
                    const Traffic traffic(s.problem(), s.plan());
                    Bytes sum;
                    for (int k = 0; k < kExchangeCount; ++k)
                      sum += traffic.total(static_cast<Exchange>(k), level);
                    return bytes(sum);
                  }},
    LevelQuantity{"tp_traffic", "those of tensor parallel communication", trafficOf<Exchange::Tensor>},
    LevelQuantity{"cp_traffic", "those of context parallel communication", trafficOf<Exchange::Context>},
    LevelQuantity{"ep_traffic", "those of expert parallel communication", trafficOf<Exchange::Expert>},
    LevelQuantity{"pp_traffic", "those of transfers between stages", trafficOf<Exchange::Pipeline>},
    LevelQuantity{"dp_traffic", "those of gradients and gathered weights", trafficOf<Exchange::Data>},
    LevelQuantity{"bandwidth", "GB/s that a device sustains to a partner there",
                  [](const SolvedPlan& s, int level) {
                    return plain(s.problem().cluster->level(level).sustained().value() / 1e9);
                  }},
    LevelQuantity{
        "group_devices", "devices that the level joins",
        [](const SolvedPlan& s, int level) { return plain(s.problem().cluster->largestGroupSize(level)); }},
};

/// What not every scenario has.
struct KnownQuantity {
  const char *name, *meaning, *needs;
  std::optional<LessonValue> (*value)(const SolvedPlan&);
};
std::optional<LessonValue> ofRun(const SolvedPlan& s, LessonValue (*value)(const RunPrediction&)) {
  const auto& run = s.metrics().run;
  return run && run->prediction ? std::optional(value(*run->prediction)) : std::nullopt;
}
constexpr const char* kNeedsFailures = "needs failure rates and training tokens";
constexpr std::array kKnownQuantities{
    KnownQuantity{"parameters", "parameters of the model", "needs a model with an architecture",
                  [](const SolvedPlan& s) {
                    return s.parameters() ? std::optional(plain(s.parameters()->all)) : std::nullopt;
                  }},
    KnownQuantity{"active_parameters", "parameters that one token uses", "needs a model with an architecture",
                  [](const SolvedPlan& s) {
                    return s.parameters() ? std::optional(plain(s.parameters()->active)) : std::nullopt;
                  }},
    KnownQuantity{"training_time", "time of the whole run, with what is known of failures",
                  "needs the number of training tokens",
                  [](const SolvedPlan& s) {
                    const auto& t = s.metrics().trainingTime;
                    return t ? std::optional(seconds(*t)) : std::nullopt;
                  }},
    KnownQuantity{"failures", "failures during the run", kNeedsFailures,
                  [](const SolvedPlan& s) {
                    return ofRun(s, [](const RunPrediction& p) { return plain(p.failures); });
                  }},
    KnownQuantity{"checkpoint_interval", "work between two checkpoints", kNeedsFailures,
                  [](const SolvedPlan& s) {
                    return ofRun(s, [](const RunPrediction& p) { return seconds(p.interval); });
                  }},
    KnownQuantity{"lost_work_time", "time of the run in steps that are run again", kNeedsFailures,
                  [](const SolvedPlan& s) {
                    return ofRun(s, [](const RunPrediction& p) { return seconds(p.lostWork); });
                  }},
    KnownQuantity{"restart_time", "time of the run in which nothing runs after a failure", kNeedsFailures,
                  [](const SolvedPlan& s) {
                    return ofRun(s, [](const RunPrediction& p) { return seconds(p.restarts); });
                  }},
    KnownQuantity{"checkpoint_time", "time of the run in which steps wait for checkpoints", kNeedsFailures,
                  [](const SolvedPlan& s) {
                    return ofRun(s, [](const RunPrediction& p) { return seconds(p.checkpoints); });
                  }},
};

constexpr const char *kCellName = "best_from", *kReachedName = "reached", *kStageCostName = "cost_of",
                     *kLackName = "lack_of";

/// The number of a stage, layer or level that an expression gives, from 0.
std::optional<int> indexIn(double given, int count, const char* what, std::string& why) {
  if (given == std::round(given) && given >= 1 && given <= count) return static_cast<int>(given) - 1;
  why = std::string("there is no ") + what + ' ' + valueText(LessonValue{given});
  return std::nullopt;
}

std::optional<int> cutBefore(const DpProbe& probe, int layer) {
  for (int c = 0; c < probe.cutCount(); ++c)
    if (probe.firstLayer(c) == layer) return c;
  return std::nullopt;
}

}  // namespace

std::shared_ptr<const SolvedPlan> SolvedPlan::of(std::shared_ptr<const Problem> problem,
                                                 const TransformerArchitecture* architecture,
                                                 const Outcome& outcome) {
  const Plan* plan = outcome.shownPlan();
  if (!plan || plan->stages.empty()) return nullptr;
  return std::make_shared<const SolvedPlan>(std::move(problem), architecture, *plan);
}

SolvedPlan::SolvedPlan(std::shared_ptr<const Problem> problem, const TransformerArchitecture* architecture,
                       Plan plan)
    : m_problem(std::move(problem)),
      m_plan(std::move(plan)),
      m_evaluation(evaluate(*m_problem, m_plan)),
      m_metrics(metricsOf(*m_problem, architecture, m_plan, m_evaluation)) {
  if (architecture) m_parameters = {parameterCount(*architecture), activeParameterCount(*architecture)};
}

std::optional<LessonValue> SolvedPlan::quantity(std::string_view name, const std::vector<double>& in,
                                                std::string& why) const {
  auto& known = m_quantities[{std::string(name), in}];
  if (!known) {
    std::string reason;
    auto value = computed(name, in, reason);
    known.emplace(std::move(value), std::move(reason));
  }
  if (!known->first) why = known->second;
  return known->first;
}

std::optional<LessonValue> SolvedPlan::computed(std::string_view name, const std::vector<double>& in,
                                                std::string& why) const {
  const LessonQuantity* known = lessonQuantityNamed(name);
  if (!known) {
    why = "there is no quantity \"" + std::string(name) + '"';
    return std::nullopt;
  }
  const std::size_t needed =
      known->arguments.empty()
          ? 0
          : 1 + static_cast<std::size_t>(std::count(known->arguments.begin(), known->arguments.end(), ','));
  if (in.size() != needed) {
    why = known->arguments.empty() ? known->name + " takes no number in parentheses"
                                   : "write " + known->name + '(' + known->arguments + ')';
    return std::nullopt;
  }
  for (int k = 0; k < kStudyQuantityCount; ++k)
    if (const auto q = static_cast<StudyQuantity>(k); name == asName(nameOf(q))) {
      const auto v = valueOf(q, m_metrics);
      if (!v) return why = known->name + ' ' + whyUnknown(q), std::nullopt;
      return ofStudy(q, *v);
    }
  for (const PlanQuantity& q : kPlanQuantities)
    if (name == q.name) return q.value(*this);
  for (const StageQuantity& q : kStageQuantities)
    if (name == q.name) {
      const auto stage = indexIn(in[0], m_plan.stageCount(), "stage", why);
      return stage ? std::optional(q.value(*this, at(*stage))) : std::nullopt;
    }
  for (const LevelQuantity& q : kLevelQuantities)
    if (name == q.name) {
      const auto level = indexIn(in[0], m_problem->cluster->levelCount(), "level", why);
      return level ? std::optional(q.value(*this, *level)) : std::nullopt;
    }
  for (const KnownQuantity& q : kKnownQuantities)
    if (name == q.name) {
      const auto v = q.value(*this);
      if (!v) why = known->name + ' ' + q.needs;
      return v;
    }
  // Of the table that proves the plan.
  if (!m_probe) {
    m_probe = DpProbe::of(*m_problem, m_plan, why);
    if (!m_probe) return std::nullopt;
  }
  const auto stage = indexIn(in[0], m_plan.stageCount(), "stage", why);
  const auto layer = indexIn(in[1], m_problem->graph->layerCount(), "layer", why);
  if (!stage || !layer) return std::nullopt;
  const auto cut = cutBefore(*m_probe, *layer);
  if (!cut) return why = "no stage can begin there", std::nullopt;
  const DpCell& cell = m_probe->cell(*stage, *cut);
  if (name == kReachedName) return LessonValue{cell.reached ? 1.0 : 0.0};
  if (name == kCellName) {
    if (!cell.reached) return why = "no way to cut the layers from there fits", std::nullopt;
    return LessonValue{cell.time, ValueKind::Time};
  }
  const auto last = indexIn(in[2], m_problem->graph->layerCount(), "layer", why);
  if (!last) return std::nullopt;
  for (const DpAlternative& a : m_probe->alternatives(*stage, *cut)) {
    const int next = m_probe->firstLayer(a.to);
    if ((next < 0 ? m_problem->graph->layerCount() : next) != *last + 1) continue;
    if (name == kLackName) return bytes(Bytes(a.policy < 0 ? a.shortfall : 0));
    if (a.policy < 0) return why = "a stage of these layers does not fit", std::nullopt;
    return LessonValue{a.load, ValueKind::Time};
  }
  return why = "there is no stage of these layers", std::nullopt;
}

const std::vector<LessonQuantity>& lessonQuantities() {
  static const std::vector<LessonQuantity> all = [] {
    std::vector<LessonQuantity> out;
    for (int k = 0; k < kStudyQuantityCount; ++k) {
      const auto q = static_cast<StudyQuantity>(k);
      out.push_back({asName(nameOf(q)), labelOf(q), {}});
    }
    for (const PlanQuantity& q : kPlanQuantities) out.push_back({q.name, q.meaning, {}});
    for (const StageQuantity& q : kStageQuantities) out.push_back({q.name, q.meaning, "stage"});
    for (const KnownQuantity& q : kKnownQuantities) out.push_back({q.name, q.meaning, {}});
    for (const LevelQuantity& q : kLevelQuantities) out.push_back({q.name, q.meaning, "level"});
    out.push_back({kCellName,
                   "least time of this and the later stages if it begins with that layer: a cell of "
                   "the DP table",
                   "stage, first layer"});
    out.push_back({kReachedName,
                   "1 if that cell has a value: some way to cut the layers from there fits, else 0",
                   "stage, first layer"});
    out.push_back({kLackName, "memory that a stage of these layers lacks; 0 if it fits",
                   "stage, first layer, last layer"});
    out.push_back({kStageCostName, "load of a stage of these layers in the DP table",
                   "stage, first layer, last layer"});
    return out;
  }();
  return all;
}

const LessonQuantity* lessonQuantityNamed(std::string_view name) {
  const auto& all = lessonQuantities();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const LessonQuantity& q) { return q.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace nest
