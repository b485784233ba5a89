#include "plan/plan_edit.h"
#include "units/at.h"

#include <algorithm>

namespace nest {
namespace {

std::vector<LayerIndex> span(int begin, int end) {
  std::vector<LayerIndex> layers;
  for (int x = begin; x < end; ++x) layers.push_back(LayerIndex(x));
  return layers;
}

int endOf(const Plan& plan, int stage) {
  return plan.stages[at(stage)].chunks.front().back().value + 1;
}

}  // namespace

bool hasPlainCuts(const Plan& plan) {
  int next = 0;
  for (const StagePlan& s : plan.stages) {
    if (s.chunks.size() != 1 || s.chunks.front().empty()) return false;
    for (const LayerIndex x : s.chunks.front())
      if (x.value != next++) return false;
  }
  return !plan.stages.empty();
}

int firstLayerOf(const Plan& plan, int stage) {
  if (stage < 0 || stage >= plan.stageCount()) return -1;
  const auto& chunks = plan.stages[at(stage)].chunks;
  return chunks.empty() || chunks.front().empty() ? -1 : chunks.front().front().value;
}

Plan withCut(const Plan& plan, int stage, int layer) {
  if (stage < 1 || stage >= plan.stageCount() || !hasPlainCuts(plan)) return plan;
  const int begin = firstLayerOf(plan, stage - 1), end = endOf(plan, stage);
  const int cut = std::clamp(layer, begin + 1, end - 1);
  Plan changed = plan;
  changed.stages[at(stage - 1)].chunks = {span(begin, cut)};
  changed.stages[at(stage)].chunks = {span(cut, end)};
  return changed;
}

Plan withRecompute(const Plan& plan, int stage, Recompute policy) {
  Plan changed = plan;
  if (stage >= 0 && stage < plan.stageCount()) changed.stages[at(stage)].recompute = policy;
  return changed;
}

Plan withStrategy(const Plan& plan, int stage, const Strategy& strategy) {
  if (stage < 0 || stage >= plan.stageCount()) return plan;
  Plan changed = plan;
  const bool packed = plan.blockStride == plan.pipelineWidth();
  changed.stages[at(stage)].strategy = strategy;
  const int width = changed.pipelineWidth();
  changed.blockStride = packed ? width : std::max(plan.blockStride, width);
  return changed;
}

}  // namespace nest
