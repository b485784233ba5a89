#include "plan/stage_work.h"
#include "units/at.h"

#include <algorithm>

namespace nest {
namespace {

bool runs(Phase phase, Recompute policy) {
  switch (phase) {
    case Phase::Forward:
    case Phase::Backward:
      return true;
    case Phase::RecomputeSelective:
      return policy == Recompute::Selective;
    case Phase::RecomputeFull:
      break;
  }
  return policy == Recompute::Full;
}

std::size_t policyIndex(Recompute r) {
  return static_cast<std::size_t>(std::clamp(static_cast<int>(r), 0, kRecomputeCount - 1));
}

bool isLayer(const Problem& problem, LayerIndex x) {
  return x.value >= 0 && x.value < problem.graph->layerCount();
}

/// Parameters of `layer` that `stage` holds only because its partner layer stands elsewhere.
double tiedCopy(const Problem& problem, const std::vector<int>& stageOf, int strategy, LayerIndex layer) {
  const auto& tied = problem.profile->tied;
  if (!tied || tied->second != layer || !isLayer(problem, tied->first)) return 0;
  const int other = stageOf[tied->first.at()];
  if (other < 0 || other == stageOf[layer.at()]) return 0;
  return static_cast<std::size_t>(strategy) < tied->parameters.size() ? tied->parameters[at(strategy)] : 0;
}

void addLayer(const LayerCost& cost, Recompute policy, double copy, bool gathersAlone, StageWork& stage,
              ChunkWork& chunk) {
  const RecomputeCost& r = cost.recompute[policyIndex(policy)];
  chunk.forward += cost.forward.value();
  chunk.backward += cost.backward.value();
  chunk.weightGradient += cost.weightGradientSeconds().value();
  chunk.recompute += r.extraBackward.value();
  chunk.stash += r.stash.value();
  for (const Collective& c : cost.collectives)
    if (runs(c.phase, policy)) chunk.collectives.push_back(&c);
  stage.dense += cost.denseParameters + copy;
  stage.expert += cost.expertParameters;
  stage.tied += copy;
  const double parameters = cost.denseParameters + cost.expertParameters + copy;
  if (gathersAlone)
    stage.largestLayer = std::max(stage.largestLayer, parameters);
  else
    stage.outsideBlocks += parameters;
  stage.workspace = std::max(stage.workspace, r.workspace.value());
}

}  // namespace

bool isRecompute(Phase p) {
  return p == Phase::RecomputeSelective || p == Phase::RecomputeFull;
}

std::vector<int> partOfLayers(const Problem& problem, const Plan& plan) {
  std::vector<int> part(problem.graph->layers.size(), -1);
  for (int i = 0; i < plan.stageCount(); ++i) {
    const auto& chunks = plan.stages[at(i)].chunks;
    for (std::size_t q = 0; q < chunks.size(); ++q)
      for (const LayerIndex x : chunks[q])
        if (isLayer(problem, x))
          part[x.at()] = plan.pipelineSchedule().partOf(i, static_cast<int>(q), plan.stageCount());
  }
  return part;
}

std::vector<int> stageOfLayers(const Problem& problem, const Plan& plan) {
  std::vector<int> stage = partOfLayers(problem, plan);
  for (int& p : stage)
    if (p >= 0) p = plan.pipelineSchedule().stageOf(p, plan.stageCount());
  return stage;
}

std::vector<StageWork> stageWorks(const Problem& problem, const Plan& plan, int microbatch) {
  const std::vector<int> stageOf = stageOfLayers(problem, plan);
  const std::vector<char> isBlock = problem.graph->blocks();
  std::vector<StageWork> works;
  works.reserve(plan.stages.size());
  for (const StagePlan& s : plan.stages) {
    StageWork& work = works.emplace_back();
    work.strategy = problem.profile->strategyIndex(s.strategy);
    work.chunks.resize(s.chunks.size());
    for (std::size_t q = 0; q < s.chunks.size() && work.strategy >= 0; ++q) {
      for (const LayerIndex x : s.chunks[q]) {
        if (!isLayer(problem, x)) continue;
        const LayerCost* cost =
            problem.profile->cost(problem.graph->layers[x.at()].classId, work.strategy, microbatch);
        if (cost)
          addLayer(*cost, s.recompute, tiedCopy(problem, stageOf, work.strategy, x),
                   isBlock[x.at()] || !problem.assumptions.gathersGroups, work, work.chunks[q]);
      }
      work.largestStash = std::max(work.largestStash, work.chunks[q].stash);
      work.wholeStash += work.chunks[q].stash;
    }
  }
  return works;
}

std::vector<double> boundaryBytes(const Problem& problem, const Plan& plan,
                                  const std::vector<StageWork>& works, int microbatch) {
  const std::vector<int> part = partOfLayers(problem, plan);
  const int stages = plan.stageCount();
  int parts = 0;
  for (const StagePlan& s : plan.stages) parts = std::max(parts, static_cast<int>(s.chunks.size()) * stages);
  std::vector<double> bytes(std::max(0, parts - 1), 0.0);
  const auto& tensors = problem.graph->tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const int from = part[tensors[k].producer.at()];
    int to = -1;
    for (const LayerIndex c : tensors[k].consumers) to = std::max(to, part[c.at()]);
    for (int p = from; from >= 0 && p < to; ++p) {
      const int strategy = works[at(plan.pipelineSchedule().stageOf(p, stages))].strategy;
      if (strategy >= 0)
        bytes[at(p)] += problem.profile->tensorBytes(static_cast<int>(k), strategy, microbatch).value();
    }
  }
  return bytes;
}

}  // namespace nest
