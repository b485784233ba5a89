#include "solver/space/searched_plan.h"

#include <algorithm>

namespace nest::solver {
namespace {

bool has(const auto& all, const auto& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// Whether the strategies are offered, and are the same for all stages unless each may have its own.
bool areSearched(const SearchSpace& space, const std::vector<StagePlan>& stages) {
  const Problem& p = space.problem();
  const bool mayDiffer = space.stagesMayDiffer(), choose = p.search.strategyPerStage && mayDiffer;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StagePlan& s = stages[i];
    if (!has(space.strategies(), p.profile->strategyIndex(s.strategy)) ||
        !space.policies(static_cast<int>(i))[s.recompute])
      return false;
    if ((!choose && s.strategy != stages.front().strategy) ||
        (!mayDiffer && s.recompute != stages.front().recompute))
      return false;
  }
  return true;
}

bool hasBatch(const Problem& p, const Plan& plan) {
  const int batch = p.batchOf(plan.globalBatch);
  return batch >= p.leastBatch() && batch <= p.mostBatch() &&
         p.microbatchCount(plan.microbatch, plan.dataDegree(), plan.globalBatch) > 0;
}

std::vector<Strategy> strategiesOf(const SearchSpace& space, const Plan& plan) {
  const Problem& p = space.problem();
  if (!p.search.strategyPerStage || !space.stagesMayDiffer()) return {plan.stages.front().strategy};
  std::vector<Strategy> all;
  for (const int k : space.strategies()) all.push_back(p.profile->strategies()[static_cast<std::size_t>(k)]);
  return all;
}

}  // namespace

bool isSearched(const SearchSpace& space, const Plan& plan) {
  const int b = space.problem().profile->microbatchIndex(plan.microbatch), s = plan.stageCount(),
            z = plan.zero;
  if (s == 0 || !plan.deviceOrder.empty() || !has(space.microbatches(), b) || !has(space.zeroStages(), z) ||
      !space.stageCountAllowed(s) || !areSearched(space, plan.stages) ||
      !has(space.dataDegrees(b, 1), plan.dataDegree()) || !hasBatch(space.problem(), plan))
    return false;
  const auto runs = [&](const ScheduleChoice& c) {
    return c.schedule->kind() == plan.schedule && c.chunks == plan.chunksPerStage();
  };
  if (std::none_of(space.schedules().begin(), space.schedules().end(), runs)) return false;
  bool shards = false;
  int width = 0;
  for (const StagePlan& stage : plan.stages) {
    if (!space.mayCombine(stage.strategy, z, s)) return false;
    shards = shards || plan.shardDegree() * stage.strategy.context > 1;
    width += stage.strategy.width();
  }
  if (!space.zeroAllowed(z, shards, s)) return false;
  BlockLayout layout{plan.dataInner, plan.dataOuter, plan.blockStride};
  if (plan.dataOuter == 1) layout.stride = plan.pipelineWidth();
  if (plan.shardDegree() != plan.dataDegree()) layout.shard = plan.shardReplicas;
  return has(space.layouts(plan.dataDegree(), width, z, strategiesOf(space, plan)), layout);
}

}  // namespace nest::solver
