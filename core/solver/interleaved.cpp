// Interleaved schedules: cuts follow from s·v, so nothing is left to choose but each stage's policy, and T
// grows in every load: the fastest policy that fits is the best one.
#include "solver/interleaved.h"

#include <algorithm>
#include <numeric>

namespace nest::planner {
namespace {

std::vector<int> countedLayers(const LayerGraph& graph) {
  std::vector<int> counted;
  for (int x = 0; x < graph.layerCount(); ++x)
    if (graph.layers[static_cast<std::size_t>(x)].kind == LayerKind::Block) counted.push_back(x);
  if (!counted.empty()) return counted;
  counted.resize(graph.layers.size());
  std::iota(counted.begin(), counted.end(), 0);
  return counted;
}

}  // namespace

bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages) {
  for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
    if (!rules.mayForm(cuts[part], cuts[part + 1])) return false;
  return rules.pinsHold([&](int layer) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), layer);
    return static_cast<int>(after - cuts.begin() - 1) % stages;
  });
}

bool interleaves(const Problem& problem, const LayerOrder& order, int stages, int chunks,
                 int microbatchCount) {
  if (!order.isChain() || stages < 2 || microbatchCount % stages != 0) return false;
  const auto counted = static_cast<long long>(countedLayers(*problem.graph).size());
  return counted % (static_cast<long long>(stages) * chunks) == 0;
}

std::vector<int> interleavedCuts(const Problem& problem, int stages, int chunks) {
  const auto counted = countedLayers(*problem.graph);
  const std::size_t parts = static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks),
                    each = counted.size() / parts;
  std::vector<int> cuts = {0};
  for (std::size_t p = 1; p < parts; ++p) cuts.push_back(counted[p * each]);
  cuts.push_back(problem.graph->layerCount());
  return cuts;
}

bool solveInterleaved(const StageCosts::Context& given, const CutRules& rules, const BlockLayout& layout,
                      Found& found) {
  StageCosts::Context context = given;
  const Problem& problem = *context.problem;
  const LayerSums& sums = *context.sums;
  const int stages = context.stages;
  const int width = layout.inner * sums.strategy().width();
  found.layout = layout;
  found.cut.cuts = interleavedCuts(problem, stages, found.chunks);
  const auto& cuts = found.cut.cuts;
  if (!obeys(rules, cuts, stages)) return false;

  const auto reach = [&](int i, int j) {
    return context.shapes->reach(std::min(i, j) * width, width, std::abs(i - j) * width, layout.outer,
                                 layout.stride);
  };
  if (const auto& tied = problem.profile->tied) {
    const auto stageOf = [&](LayerIndex x) {
      return static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), x.value) - cuts.begin() - 1) %
             stages;
    };
    const int i = stageOf(tied->first), j = stageOf(tied->second);
    if (i != j) context.tied = TiedPlace{i, j, reach(i, j), -1};
  }
  const auto sites = placeStages(*context.shapes, sums.strategy(), layout, stages);
  const int wrapLevel = reach(0, stages - 1);
  bool fits = false;
  for (const auto& policy : context.space->sharedPolicies()) {
    context.sharedPolicy = policy;
    const StageCosts costs(context, sites);
    double sum = 0, most = 0, tail = 0, covered = 0, memory = 0;
    std::vector<int> policies;
    for (int i = 0; i < stages; ++i) {
      const auto f = costs.bestOfChunks(i, cuts, wrapLevel);
      if (f.policy < 0) break;
      policies.push_back(f.policy);
      sum += f.load;
      most = std::max(most, f.load);
      tail = std::max(tail, std::max(0.0, f.sync - covered) + f.step);
      const auto part = static_cast<std::size_t>(i);
      covered += (sums.backward[static_cast<std::size_t>(cuts[part + 1])] -
                  sums.backward[static_cast<std::size_t>(cuts[part])]) /
                 costs.speed(i);
      memory = std::max(memory, costs.memoryOfChunks(i, cuts, f.policy));
    }
    if (static_cast<int>(policies.size()) < stages) continue;
    const auto weights =
        objectiveWeights(problem.search.objective, context.microbatchCount, stages, found.chunks);
    const double time = weights.time(sum, most, tail);
    if (fits && time >= found.time) continue;
    fits = true;
    found.time = found.cut.time = time;
    found.cut.policies = std::move(policies);
    found.memory = memory;
  }
  return fits;
}

}  // namespace nest::planner
