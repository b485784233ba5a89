#include "plan/stage_work.h"
#include "units/at.h"

#include <algorithm>

namespace nest {
namespace {

std::size_t policyIndex(Recompute r) {
  return static_cast<std::size_t>(std::clamp(static_cast<int>(r), 0, kRecomputeCount - 1));
}

bool isLayer(const Problem& problem, LayerIndex x) {
  return x.value >= 0 && x.value < problem.graph->layerCount();
}

/// Parameters of `layer` that `stage` holds only because its partner layer is in another stage.
double tiedCopy(const Problem& problem, const std::vector<int>& stageOf, int strategy, LayerIndex layer) {
  const auto& tied = problem.profile->tied;
  if (!tied || tied->second != layer || !isLayer(problem, tied->first)) return 0;
  const int other = stageOf[tied->first.at()];
  if (other < 0 || other == stageOf[layer.at()]) return 0;
  return static_cast<std::size_t>(strategy) < tied->parameters.size() ? tied->parameters[at(strategy)] : 0;
}

void addLayer(const LayerCost& cost, Recompute policy, double copy, double frozenCopy, bool gathersAlone,
              StageWork& stage, std::size_t q) {
  ChunkWork& chunk = stage.chunks[q];
  const RecomputeCost& r = cost.recompute[policyIndex(policy)];
  chunk.forward += cost.forward.value();
  chunk.backward += cost.backward.value();
  chunk.weightGradient += cost.weightGradientSeconds().value();
  chunk.recompute += r.extraBackward.value();
  chunk.stash += r.stash.value();
  addLayerMessages(cost, policy, static_cast<int>(q), stage.groups);
  stage.dense += cost.denseParameters + copy;
  stage.expert += cost.expertParameters;
  stage.frozenDense += cost.frozenDense + frozenCopy;
  stage.frozenExpert += cost.frozenExpert;
  stage.tied += copy;
  const double parameters = cost.denseParameters + cost.expertParameters + copy;
  if (gathersAlone)
    stage.largestLayer = std::max(stage.largestLayer, parameters);
  else
    stage.outsideBlocks += parameters;
  stage.workspace = std::max(stage.workspace, r.workspace.value());
}

}  // namespace

ModelState modelStateOf(const Plan& plan, int stage, const StageWork& work) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const double replicas = plan.shardDegree();
  return {work.dense,
          work.expert,
          replicas * s.context,
          replicas * (s.foldedExperts ? s.width() : s.context) / s.expert,
          work.largestLayer + work.outsideBlocks,
          work.frozenDense,
          work.frozenExpert};
}

std::vector<int> partOfLayers(const Problem& problem, const Plan& plan) {
  std::vector<int> part(problem.graph->layers.size(), -1);
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  for (int i = 0; i < plan.stageCount(); ++i) {
    const auto& chunks = plan.stages[at(i)].chunks;
    for (std::size_t q = 0; q < chunks.size(); ++q) {
      const int own = schedule.partOf(i, static_cast<int>(q), plan.stageCount());
      for (const LayerIndex x : chunks[q])
        if (isLayer(problem, x)) part[x.at()] = own;
    }
  }
  return part;
}

std::vector<int> stageOfLayers(const Problem& problem, const Plan& plan) {
  std::vector<int> stage = partOfLayers(problem, plan);
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  for (int& p : stage)
    if (p >= 0) p = schedule.stageOf(p, plan.stageCount());
  return stage;
}

std::vector<StageWork> stageWorks(const Problem& problem, const Plan& plan, int microbatch) {
  const std::vector<int> stageOf = problem.profile->tied ? stageOfLayers(problem, plan) : std::vector<int>();
  const std::vector<char> isBlock = problem.graph->blocks();
  std::vector<StageWork> works;
  works.reserve(plan.stages.size());
  for (const StagePlan& s : plan.stages) {
    StageWork& work = works.emplace_back();
    work.strategy = problem.profile->strategyIndex(s.strategy);
    work.chunks.resize(s.chunks.size());
    std::size_t layers = 0;
    for (const auto& chunk : s.chunks) layers += chunk.size();
    work.groups = layerGroups(s.strategy, layers);
    for (std::size_t q = 0; q < s.chunks.size() && work.strategy >= 0; ++q) {
      for (const LayerIndex x : s.chunks[q]) {
        if (!isLayer(problem, x)) continue;
        const LayerCost* cost =
            problem.profile->cost(problem.graph->layers[x.at()].classId, work.strategy, microbatch);
        if (!cost) continue;
        const double copy = tiedCopy(problem, stageOf, work.strategy, x);
        addLayer(*cost, s.recompute, copy, problem.profile->tied ? copy * problem.profile->tied->frozen : 0,
                 isBlock[x.at()] || !problem.assumptions.gathersGroups, work, q);
      }
      work.largestStash = std::max(work.largestStash, work.chunks[q].stash);
      work.wholeStash += work.chunks[q].stash;
    }
    addGradientMessages(modelStateOf(plan, static_cast<int>(works.size()) - 1, work),
                        static_cast<double>(plan.dataDegree()) / plan.shardDegree(), plan.zero,
                        problem.job.optimizer, problem.assumptions, work.groups);
  }
  return works;
}

namespace {

/// The bytes that one rank sends from part to part + 1.
std::vector<double> boundaryBytes(const Problem& problem, const Plan& plan,
                                  const std::vector<StageWork>& works, int microbatch) {
  const std::vector<int> part = partOfLayers(problem, plan);
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  const int stages = plan.stageCount();
  const int parts = stages * static_cast<int>(works.front().chunks.size());
  std::vector<double> bytes(at(std::max(0, parts - 1)), 0.0);
  const auto& tensors = problem.graph->tensors;
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const int from = part[tensors[k].producer.at()];
    int to = -1;
    for (const LayerIndex c : tensors[k].consumers) to = std::max(to, part[c.at()]);
    for (int p = from; from >= 0 && p < to; ++p) {
      const int strategy = works[at(schedule.stageOf(p, stages))].strategy;
      if (strategy >= 0)
        bytes[at(p)] += problem.profile->tensorBytes(static_cast<int>(k), strategy, microbatch).value();
    }
  }
  return bytes;
}

/// Adds the gradients of shared parameters if two stages hold them.
void addTied(const Problem& problem, const Plan& plan, const std::vector<StageWork>& works,
             std::vector<PairMessages>& out) {
  const auto& tied = problem.profile->tied;
  if (!tied || !isLayer(problem, tied->first) || !isLayer(problem, tied->second)) return;
  const std::vector<int> stageOf = stageOfLayers(problem, plan);
  const int first = stageOf[tied->first.at()], second = stageOf[tied->second.at()];
  if (first < 0 || second < 0 || first == second) return;
  const auto bytes = [&](int stage) {
    const int s = works[at(stage)].strategy;
    const bool known = s >= 0 && at(s) < tied->parameters.size();
    return Bytes(known ? tied->trained(at(s)) * problem.job.optimizer.gradientBytes : 0);
  };
  out.push_back({Exchange::Data, first, second, 0, 0, bytes(first), bytes(second)});
}

}  // namespace

std::vector<PairMessages> pairMessages(const Problem& problem, const Plan& plan,
                                       const std::vector<StageWork>& works, int microbatch) {
  std::vector<PairMessages> out;
  const int count = plan.stageCount();
  const bool even = std::all_of(works.begin(), works.end(), [&](const StageWork& w) {
    return w.chunks.size() == works.front().chunks.size();
  });
  if (even && microbatch >= 0) {
    const PipelineSchedule& schedule = plan.pipelineSchedule();
    const std::vector<double> bytes = boundaryBytes(problem, plan, works, microbatch);
    for (int p = 0; p < static_cast<int>(bytes.size()); ++p)
      if (const int from = schedule.stageOf(p, count), to = schedule.stageOf(p + 1, count);
          bytes[at(p)] > 0 && from != to)
        out.push_back({Exchange::Pipeline, from, to, p / count, (p + 1) / count, Bytes(bytes[at(p)]),
                       Bytes(bytes[at(p)])});
  }
  addTied(problem, plan, works, out);
  return out;
}

}  // namespace nest
