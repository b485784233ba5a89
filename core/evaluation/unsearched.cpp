#include "evaluation/unsearched.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cluster/levels/scale_up.h"
#include "evaluation/plan_check.h"
#include "problem/runs_schedule.h"
#include "program/program.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

using Kind = NotSearched::Kind;

bool has(const auto& all, const auto& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 < all.size() ? ", " : " and ") + all[i];
  return out;
}

std::string addTo(const char* field, const std::vector<std::string>& values) {
  std::string out = std::string("`search.") + field + " += ";
  for (std::size_t i = 0; i < values.size(); ++i) out += (i == 0 ? "" : ", ") + values[i];
  return out + '`';
}

const ProgramValue* ownValue(const Problem& p, std::string_view field) {
  if (!p.program.program || p.search.preset != SearchPreset::Runnable) return nullptr;
  return p.program.program->valueOf(field);
}

bool switchesOff(const Problem& p, std::string_view field) {
  const ProgramValue* own = ownValue(p, field);
  const bool* value = own ? std::get_if<bool>(&own->value) : nullptr;
  return value && !*value;
}

bool programIsMegatron(const Problem& p) {
  const ProgramValue* own = ownValue(p, "/constraints/megatron_expressible");
  const bool* value = own ? std::get_if<bool>(&own->value) : nullptr;
  return p.constraints.megatronExpressible && value && *value;
}

int blocksOf(const LayerGraph& graph) {
  return static_cast<int>(std::count_if(graph.layers.begin(), graph.layers.end(),
                                        [](const Layer& l) { return l.kind == LayerKind::Block; }));
}

bool allowsAbove(const Bound& b, int value) {
  return !b.most || *b.most > value;
}

/// Why stages have one strategy even where they may differ; empty: they do not.
std::string keepsStagesEqual(const Problem& p) {
  if (!p.deviceWeights) return {};
  const char* goal = p.search.goal == Goal::Money    ? "money"
                     : p.search.goal == Goal::Energy ? "energy"
                                                     : "days";
  return std::string("for the goal ") + goal + " all stages of a plan have one strategy";
}

/// Lists the properties of one plan that are outside the search.
class Reader {
public:
  Reader(const Problem& problem, const Plan& plan)
      : m_problem(problem), m_search(problem.search), m_plan(plan) {}

  std::vector<NotSearched> run() {
    zero();
    shardGroup();
    recompute();
    schedule();
    strategies();
    return std::move(m_out);
  }

private:
  void add(Kind kind, const char* option, std::string what, std::string change,
           const std::string& refusing = {}) {
    const bool refused = !refusing.empty() || change.empty();
    m_out.push_back({kind, std::string("/search/") + option, std::move(what),
                     refused ? std::string() : std::move(change),
                     refusing.empty() ? std::string() : refusing + " does not run it"});
  }

  void zero() {
    if (has(m_search.zeroStages, m_plan.zero)) return;
    const std::string z = std::to_string(m_plan.zero);
    add(Kind::Option, "zero_stages", "ZeRO-" + z, addTo("zero_stages", {z}),
        refusesZero(m_problem, m_plan.zero));
  }

  void shardGroup() {
    const int h = m_plan.shardReplicas;
    if (m_plan.zero > 0 && h > 0 && h != m_plan.dataDegree() && m_search.shardGroups == ShardGroups::All)
      add(Kind::Option, "shard_groups", "shard groups of " + std::to_string(h) + " replicas",
          "`search.shard_groups = every`");
  }

  void recompute() {
    std::vector<Recompute> told;
    for (const StagePlan& s : m_plan.stages) {
      if (m_search.recompute[at(s.recompute)] || has(told, s.recompute)) continue;
      told.push_back(s.recompute);
      add(Kind::Option, "recompute", std::string("recompute policy ") + nameOf(s.recompute),
          addTo("recompute", {nameOf(s.recompute)}));
    }
  }

  void schedule() {
    const PipelineSchedule& schedule = m_plan.pipelineSchedule();
    if (!has(m_search.schedules, schedule.kind()))
      add(Kind::Schedule, "schedules", std::string(schedule.label()),
          schedule.isPlanned() ? addTo("schedules", {std::string(schedule.id())}) : std::string(),
          whoRefuses(schedule));
    const int chunks = m_plan.chunksPerStage();
    if (schedule.fixedChunks() == 0 && !has(m_search.chunksPerStage, chunks))
      add(Kind::Degree, "chunks_per_stage",
          std::to_string(chunks) + (chunks == 1 ? " chunk" : " chunks") + " per stage",
          addTo("chunks_per_stage", {std::to_string(chunks)}));
  }

  std::string whoRefuses(const PipelineSchedule& schedule) const {
    const std::string megatron = schedule.isInMegatron() ? std::string() : megatronName(m_problem);
    return megatron.empty() && !runsSchedule(m_problem, schedule) ? m_problem.program.program->name
                                                                  : megatron;
  }

  void strategies() {
    const std::string equal = keepsStagesEqual(m_problem);
    if (m_search.strategyPerStage && equal.empty()) return;
    const Strategy& first = m_plan.stages.front().strategy;
    if (std::all_of(m_plan.stages.begin(), m_plan.stages.end(),
                    [&](const StagePlan& s) { return s.strategy == first; }))
      return;
    if (equal.empty())
      add(Kind::Option, "strategy_per_stage", "a strategy per stage", "`search.strategy_per_stage = true`");
    else
      m_out.push_back({Kind::Option, "/search/goal", "a strategy per stage", {}, equal});
  }

  const Problem& m_problem;
  const SearchOptions& m_search;
  const Plan& m_plan;
  std::vector<NotSearched> m_out;
};

/// Lists what a whole search leaves out.
class Lister {
public:
  Lister(const Problem& p, const Plan* best)
      : m_p(p),
        m_search(p.search),
        m_c(p.constraints),
        m_best(best && !best->stages.empty() ? best : nullptr),
        m_blocks(blocksOf(*p.graph)) {}

  std::vector<NotSearched> run() {
    const int devices = m_p.cluster->deviceCount();
    if (devices > 1) {
      pipelines();
      degrees();
      options();
      deviceSets();
    }
    microbatches();
    programs();
    if (devices > 1) rankOrders();
    return std::move(m_out);
  }

private:
  void add(Kind kind, const char* field, std::string what, std::string change, std::string reason = {}) {
    m_out.push_back({kind, field, std::move(what), std::move(change), std::move(reason)});
  }
  void refused(std::string what) { m_refused.push_back(std::move(what)); }

  bool mayPipeline() const {
    return m_p.graph->layerCount() > 1 && allowsAbove(m_c.stages, 1) && m_p.runs(PlanFeature::Pipeline);
  }
  /// Whether some number of chunks that the schedule supports is allowed.
  bool allowsChunksOf(const PipelineSchedule& s) const {
    if (const int fixed = s.fixedChunks(); fixed > 0)
      return m_c.chunks.allows(fixed) && m_blocks >= 2 * fixed && (fixed == 1 || m_p.graph->isChain());
    if (s.kind() == ScheduleKind::Interleaved)
      return allowsAbove(m_c.chunks, 1) && m_blocks >= 4 && m_p.graph->isChain();
    return m_c.chunks.allows(1);
  }

  void pipelines() {
    if (!mayPipeline()) return;
    std::vector<std::string> labels, ids, kept, keptIds;
    const std::string megatron = megatronName(m_p);
    for (const PipelineSchedule* s : plannedSchedules()) {
      const bool isNamed = has(m_search.schedules, s->kind());
      if (s->kind() == ScheduleKind::Interleaved && !m_p.runs(PlanFeature::Interleaving)) continue;
      if (!allowsChunksOf(*s)) continue;
      if (m_c.megatronExpressible && !s->isInMegatron()) {
        kept.emplace_back(s->label());
        if (!isNamed) keptIds.emplace_back(s->id());
      } else if (!runsSchedule(m_p, *s)) {
        refused(std::string(s->label()));
      } else if (!isNamed) {
        labels.emplace_back(s->label());
        ids.emplace_back(s->id());
      }
    }
    if (!labels.empty()) {
      const bool withoutPipeline = has(ids, std::string("1f1b")) && m_c.stages.allows(1);
      add(Kind::Schedule, "/search/schedules",
          listed(labels) + (withoutPipeline ? ", and plans without a pipeline, which run under 1F1B" : ""),
          addTo("schedules", ids));
    }
    if (!kept.empty()) {
      const std::string it = kept.size() > 1 ? "them" : "it";
      if (programIsMegatron(m_p))
        add(Kind::Schedule, "/search/schedules", listed(kept), {}, megatron + " does not run " + it);
      else
        add(Kind::Schedule, "/constraints/megatron_expressible",
            listed(kept) + ", which Megatron-LM does not run",
            "`constraints.megatron_expressible = false`" +
                (keptIds.empty() ? std::string() : " and " + addTo("schedules", keptIds)));
    }
    chunks();
  }

  void chunks() {
    const auto& counts = m_search.chunksPerStage;
    const bool tries1f1b = has(m_search.schedules, ScheduleKind::OneForwardOneBackward);
    if (tries1f1b && !has(counts, 1) && m_c.chunks.allows(1))
      add(Kind::Degree, "/search/chunks_per_stage",
          "plans without a pipeline and VPP 1, which run under 1F1B", addTo("chunks_per_stage", {"1"}));
    const int most = counts.empty() ? 1 : *std::max_element(counts.begin(), counts.end());
    const int stages = m_best && m_best->stageCount() > 1 ? m_best->stageCount() : 2;
    const bool isAtMost = !m_best || m_best->stageCount() == 1 || m_best->chunksPerStage() >= most;
    if (has(m_search.schedules, ScheduleKind::Interleaved) && m_p.runs(PlanFeature::Interleaving) &&
        m_p.graph->isChain() && isAtMost && 2LL * most * stages <= m_blocks && m_c.chunks.allows(2 * most))
      add(Kind::Degree, "/search/chunks_per_stage", "VPP above " + std::to_string(most),
          addTo("chunks_per_stage", {std::to_string(2 * most)}));
  }

  void degrees() {
    if (m_p.couldSplitContext && !m_search.contextParallel && m_c.context.allows(2) &&
        m_p.runs(PlanFeature::Context))
      add(Kind::Degree, "/search/context_parallel", "CP", "`search.context_parallel = true`");
    if (m_p.couldSplitExperts && !m_search.expertParallel && m_c.expert.allows(2)) {
      if (refusesExperts(m_p).empty())
        add(Kind::Degree, "/search/expert_parallel", "EP", "`search.expert_parallel = true`");
      else
        refused("EP");
    }
    const int host = scaleUpSize(*m_p.cluster);
    if (m_search.preset == SearchPreset::Runnable && m_p.runs(PlanFeature::Tensor) && !m_p.isMeasured &&
        m_p.cluster->deviceCount() > host && allowsAbove(m_c.tensor, host))
      add(Kind::Degree, "/search/preset",
          "TP beyond a " + scaleUpName(*m_p.cluster) + " of " + text::count(host) +
              (host == 1 ? " device" : " devices"),
          "`search.preset = free`");
    padding();
  }

  /// Adds degrees that divide the devices but not the batch.
  void padding() {
    int odd = m_p.cluster->deviceCount();
    while (odd % 2 == 0) odd /= 2;
    const bool isAsked = m_search.padLastMicrobatch;
    if ((!m_p.batchChoices(1, odd).empty() && !isAsked) || (isAsked && !m_c.megatronExpressible)) return;
    if (programIsMegatron(m_p))
      refused("DP that does not divide the global batch");
    else
      add(Kind::Degree, "/search/pad_last_microbatch", "DP that does not divide the global batch",
          m_c.megatronExpressible
              ? "`constraints.megatron_expressible = false` and `search.pad_last_microbatch = true`"
              : "`search.pad_last_microbatch = true`");
  }

  void microbatches() {
    if (m_p.isMeasured || m_p.job.microbatches.empty()) return;
    const auto& sizes = m_p.job.microbatches;
    const int most = *std::max_element(sizes.begin(), sizes.end());
    const long long replicas = m_best ? m_best->dataDegree() : 1;
    if ((!m_best || m_best->microbatch == most) && 2LL * most * replicas <= m_p.mostBatch() &&
        m_c.microbatch.allows(2 * most))
      add(Kind::Degree, "/job/microbatches", "MBS above " + std::to_string(most),
          "`job.microbatches += " + std::to_string(2 * most) + '`');
  }

  void options() {
    std::vector<std::string> stages;
    for (int z = 0; z <= 3; ++z) {
      if (has(m_search.zeroStages, z) || !m_c.zero.allows(z)) continue;
      if (refusesZero(m_p, z).empty())
        stages.push_back(std::to_string(z));
      else
        refused("ZeRO-" + std::to_string(z));
    }
    if (!stages.empty())
      add(Kind::Option, "/search/zero_stages", "ZeRO " + listed(stages), addTo("zero_stages", stages));
    const bool shards = std::any_of(m_search.zeroStages.begin(), m_search.zeroStages.end(),
                                    [&](int z) { return z > 0 && m_c.zero.allows(z); });
    if (shards && m_search.shardGroups != ShardGroups::Every && (!m_best || m_best->dataDegree() > 1))
      add(Kind::Option, "/search/shard_groups",
          m_search.shardGroups == ShardGroups::All
              ? "ZeRO over a part of the replicas"
              : "ZeRO over other parts of the replicas than network groups",
          "`search.shard_groups = every`");
    std::vector<std::string> policies;
    for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
      if (!m_search.recompute[r] &&
          !(r == Recompute::Selective && !m_p.runs(PlanFeature::SelectiveRecompute)))
        policies.emplace_back(nameOf(r));
    if (!policies.empty())
      add(Kind::Option, "/search/recompute",
          listed(policies) + (policies.size() > 1 ? " recompute policies" : " recompute"),
          addTo("recompute", policies));
    stageStrategies();
    experts();
  }

  void stageStrategies() {
    const std::string equal = keepsStagesEqual(m_p);
    if (!mayPipeline() || (equal.empty() && m_search.strategyPerStage && !m_c.megatronExpressible)) return;
    if (!m_p.runs(PlanFeature::DifferingStages)) return;  // listed with what the program does not run
    if (programIsMegatron(m_p)) return refused("a strategy per stage");
    if (!equal.empty()) return add(Kind::Option, "/search/goal", "a strategy per stage", {}, equal);
    add(Kind::Option, "/search/strategy_per_stage", "a strategy per stage",
        m_c.megatronExpressible
            ? "`constraints.megatron_expressible = false` and `search.strategy_per_stage = true`"
            : "`search.strategy_per_stage = true`");
  }

  void experts() {
    const auto& strategies = m_p.profile->strategies();
    const bool hasTensor =
        std::any_of(strategies.begin(), strategies.end(), [](const Strategy& s) { return s.tensor > 1; });
    if (!hasTensor || m_p.isMeasured) return;
    if (m_p.couldSplitExperts && m_search.expertParallel && m_search.expertFolding == ExpertFolding::No)
      add(Kind::Option, "/search/folded_experts", "experts folded over tensor ranks",
          "`search.folded_experts = also`");
    if (m_search.sequenceParallel) return;
    if (switchesOff(m_p, "/search/sequence_parallel"))
      refused("sequence parallelism");
    else
      add(Kind::Option, "/search/sequence_parallel", "sequence parallelism",
          "`search.sequence_parallel = true`");
  }

  /// Adds what the program cannot run, whatever the options are.
  void programs() {
    const auto cannot = [&](PlanFeature f, bool counts, const char* what) {
      if (counts && !m_p.runs(f)) m_refused.emplace_back(what);
    };
    const bool several = m_p.cluster->deviceCount() > 1;
    const bool pipelines = several && mayPipeline();
    cannot(PlanFeature::Context, several && m_p.couldSplitContext, "CP");
    cannot(PlanFeature::ContextBesideExperts,
           several && m_p.couldSplitContext && m_p.couldSplitExperts && m_p.runs(PlanFeature::Context),
           "CP with EP that does not include the context ranks");
    cannot(PlanFeature::Tensor, several, "TP");
    cannot(PlanFeature::TensorInPipeline, pipelines && m_p.runs(PlanFeature::Tensor), "TP in a pipeline");
    cannot(PlanFeature::TensorUnderZero3, several && m_p.runs(PlanFeature::Tensor), "TP under ZeRO-3");
    cannot(PlanFeature::Pipeline, several, "pipelines");
    cannot(PlanFeature::ShardedPipeline, pipelines, "pipelines under ZeRO-2 or 3");
    cannot(PlanFeature::OneStageUnderZero1, several, "ZeRO-1 without a pipeline");
    cannot(PlanFeature::Interleaving, pipelines && m_blocks >= 4, "VPP");
    cannot(PlanFeature::DifferingStages, pipelines, "a strategy or recompute policy per stage");
    cannot(PlanFeature::SelectiveRecompute, true, "selective recompute");
    if (m_refused.empty()) return;
    add(Kind::Option, "/program", listed(m_refused), {},
        m_p.program.program->name + " does not run " + (m_refused.size() > 1 ? "them" : "it"));
  }

  void deviceSets() {
    const Hierarchy& cluster = *m_p.cluster;
    bool isUneven = false;
    for (int l = 0; l + 1 < cluster.levelCount(); ++l)
      isUneven = isUneven || cluster.uniformGroupSize(l) == 0;
    if (!isUneven && cluster.hasUniformDevices()) return;
    add(Kind::DeviceSet, "/constraints/excluded_devices", "other sets of idle devices", {},
        std::string("the planner uses all devices, leaves idle those that make ") +
            (isUneven ? "hosts uneven" : "devices differ") +
            ", and builds other sets and orders of hosts for plans that may be faster there; it does not try "
            "every set");
  }

  void rankOrders() {
    if (m_p.cluster->levelCount() < 2 && m_p.cluster->hasUniformDevices()) return;
    add(Kind::RankOrder, "", "other orders of ranks and stages", {},
        "the planner keeps the ranks of a tensor group next to each other, then those of context groups and "
        "replicas, and places the stages one after the other");
  }

  const Problem& m_p;
  const SearchOptions& m_search;
  const Constraints& m_c;
  const Plan* m_best;
  int m_blocks;
  std::vector<std::string> m_refused;  ///< not supported by the program
  std::vector<NotSearched> m_out;
};

}  // namespace

const char* nameOf(NotSearched::Kind k) {
  switch (k) {
    case Kind::Schedule:
      return "schedule";
    case Kind::Degree:
      return "degree";
    case Kind::Option:
      return "option";
    case Kind::DeviceSet:
      return "device-set";
    case Kind::RankOrder:
      break;
  }
  return "rank-order";
}

std::string megatronName(const Problem& p) {
  if (!p.constraints.megatronExpressible) return {};
  return programIsMegatron(p) ? p.program.program->name : "Megatron-LM";
}

std::string refusesZero(const Problem& p, int zero) {
  const ProgramValue* own = ownValue(p, "/search/zero_stages");
  const auto* stages = own ? std::get_if<std::vector<double>>(&own->value) : nullptr;
  return stages && !has(*stages, double(zero)) ? p.program.program->name : std::string();
}

std::string refusesExperts(const Problem& p) {
  return switchesOff(p, "/search/expert_parallel") ? p.program.program->name : std::string();
}

std::vector<NotSearched> notSearched(const Problem& problem, const Plan* best) {
  return Lister(problem, best).run();
}

std::vector<NotSearched> outsideSearch(const Problem& problem, const Plan& plan) {
  return Reader(problem, plan).run();
}

int optionsIn(const std::vector<NotSearched>& all) {
  return static_cast<int>(
      std::count_if(all.begin(), all.end(), [](const NotSearched& n) { return !n.change.empty(); }));
}

Diagnostic noteOn(const NotSearched& n) {
  return note(kNotSearched, {"", 0, 0, n.field},
              "the search leaves out " + n.what + (n.reason.empty() ? "" : ": " + n.reason), n.change);
}

Diagnostics unsearched(const Problem& problem, const Plan& plan) {
  if (!checkPlan(problem, plan).violations.empty()) return {};
  Diagnostics out;
  for (const NotSearched& n : outsideSearch(problem, plan))
    out.push_back(note(kNotSearched, {"", 0, 0, n.field},
                       "the search does not try " + n.what + ", so this plan may be faster than its best" +
                           (n.reason.empty() ? "" : ": " + n.reason),
                       n.change.empty() ? n.change : n.change + " to search it"));
  return out;
}

}  // namespace nest
