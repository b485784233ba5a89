#include "solver/baselines/equal_split.h"
#include "units/at.h"

#include <algorithm>

namespace nest {

std::vector<std::vector<LayerIndex>> equalParts(const LayerGraph& graph, int parts) {
  const bool blocks = std::any_of(graph.layers.begin(), graph.layers.end(),
                                  [](const Layer& l) { return l.kind == LayerKind::Block; });
  const auto counts = [&](const Layer& l) { return !blocks || l.kind == LayerKind::Block; };
  const int counted = static_cast<int>(std::count_if(graph.layers.begin(), graph.layers.end(), counts));
  if (parts < 1 || counted < parts) return {};
  std::vector<std::vector<LayerIndex>> out(parts);
  const int least = counted / parts, larger = counted % parts;
  int part = 0, taken = 0;
  for (int x = 0; x < graph.layerCount(); ++x) {
    if (counts(graph.layers[at(x)])) {
      if (taken == least + (part < larger ? 1 : 0)) {
        ++part;
        taken = 0;
      }
      ++taken;
    }
    out[at(part)].push_back(LayerIndex(x));
  }
  return out;
}

Plan equalSplitPlan(const LayerGraph& graph, int microbatch, int dataDegree, int zero, int stages, int chunks,
                    const Strategy& strategy, Recompute recompute) {
  Plan p;
  p.microbatch = microbatch;
  p.dataInner = dataDegree;
  p.zero = zero;
  p.schedule = usualSchedule(chunks);
  const auto parts = equalParts(graph, stages * chunks);
  if (parts.empty()) return p;
  for (int i = 0; i < stages; ++i) {
    StagePlan s;
    s.strategy = strategy;
    s.recompute = recompute;
    for (int q = 0; q < chunks; ++q) s.chunks.push_back(parts[at(q * stages + i)]);
    p.stages.push_back(std::move(s));
  }
  p.blockStride = p.pipelineWidth();
  return p;
}

bool isOnOffer(const Problem& problem, ScheduleKind kind) {
  const auto& all = problem.search.schedules;
  return std::find(all.begin(), all.end(), kind) != all.end();
}

std::vector<int> microbatchesOnOffer(const Problem& problem) {
  std::vector<int> out;
  for (const int b : problem.profile->microbatches())
    if (std::find(problem.job.microbatches.begin(), problem.job.microbatches.end(), b) !=
        problem.job.microbatches.end())
      out.push_back(b);
  return out;
}

std::vector<int> dataDegrees(const Problem& problem, int microbatch, int width, const Strategy& strategy) {
  std::vector<int> out;
  const int replicas = (std::max(1, problem.job.globalBatch) + microbatch - 1) / microbatch;
  const int most = std::min(problem.cluster->deviceCount() / std::max(1, width), replicas);
  for (int d = 1; d <= most; ++d)
    if (strategy.fitsExperts(d) && problem.microbatchCount(microbatch, d) > 0) out.push_back(d);
  return out;
}

}  // namespace nest
