#include "plan/unsearched.h"

#include <algorithm>
#include <string>
#include <vector>

#include "plan/plan_check.h"
#include "units/at.h"

namespace nest {
namespace {

class Reader {
public:
  Reader(const SearchOptions& search, const Plan& plan) : m_search(search), m_plan(plan) {}

  Diagnostics run() {
    zero();
    shardGroup();
    recompute();
    schedule();
    strategies();
    return std::move(m_out);
  }

private:
  /// `remedy`: empty where no option makes the search try it.
  void add(const char* option, const std::string& what, const std::string& remedy) {
    m_out.push_back(note("not-searched", {"", 0, 0, std::string("/search/") + option},
                         "the search does not try " + what + ", so this plan may be faster than its best",
                         remedy.empty() ? remedy : remedy + " to search it"));
  }
  static bool has(const auto& all, auto one) { return std::find(all.begin(), all.end(), one) != all.end(); }

  void zero() {
    if (!has(m_search.zeroStages, m_plan.zero))
      add("zero_stages", "ZeRO-" + std::to_string(m_plan.zero),
          "`search.zero_stages += " + std::to_string(m_plan.zero) + "`");
  }

  void shardGroup() {
    const int h = m_plan.shardReplicas;
    if (m_plan.zero > 0 && h > 0 && h != m_plan.dataDegree() && m_search.shardGroups == ShardGroups::All)
      add("shard_groups", "shard groups of " + std::to_string(h) + " replicas",
          "`search.shard_groups = every`");
  }

  void recompute() {
    std::vector<Recompute> told;
    for (const StagePlan& s : m_plan.stages) {
      if (m_search.recompute[at(s.recompute)] || has(told, s.recompute)) continue;
      told.push_back(s.recompute);
      add("recompute", std::string("recompute policy ") + nameOf(s.recompute),
          std::string("`search.recompute += ") + nameOf(s.recompute) + "`");
    }
  }

  void schedule() {
    const PipelineSchedule& schedule = m_plan.pipelineSchedule();
    if (!has(m_search.schedules, schedule.kind()))
      add("schedules", std::string(schedule.label()),
          schedule.isPlanned() ? "`search.schedules += " + std::string(schedule.id()) + "`" : std::string());
    const int chunks = m_plan.chunksPerStage();
    if (schedule.fixedChunks() == 0 && !has(m_search.chunksPerStage, chunks))
      add("chunks_per_stage", std::to_string(chunks) + (chunks == 1 ? " chunk" : " chunks") + " per stage",
          "`search.chunks_per_stage += " + std::to_string(chunks) + "`");
  }

  void strategies() {
    if (m_search.strategyPerStage) return;
    const Strategy& first = m_plan.stages.front().strategy;
    if (std::any_of(m_plan.stages.begin(), m_plan.stages.end(),
                    [&](const StagePlan& s) { return !(s.strategy == first); }))
      add("strategy_per_stage", "a strategy per stage", "`search.strategy_per_stage = true`");
  }

  const SearchOptions& m_search;
  const Plan& m_plan;
  Diagnostics m_out;
};

}  // namespace

Diagnostics unsearched(const Problem& problem, const Plan& plan) {
  if (!checkPlan(problem, plan).violations.empty()) return {};
  return Reader(problem.search, plan).run();
}

}  // namespace nest
