// Megatron's rule: every part has q blocks, and the first and the last may have one less, because embedding
// and loss count as a layer there. So s·v·q exceeds the number of blocks by at most two, which determines q.
#include "solver/space/chunk_cuts.h"
#include "units/at.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace nest::solver {
namespace {

std::size_t countOf(const LayerGraph& graph) {
  const auto blocks = std::count_if(graph.layers.begin(), graph.layers.end(),
                                    [](const Layer& l) { return l.kind == LayerKind::Block; });
  return blocks > 0 ? static_cast<std::size_t>(blocks) : graph.layers.size();
}

std::vector<int> countedLayers(const LayerGraph& graph) {
  std::vector<int> counted;
  for (int x = 0; x < graph.layerCount(); ++x)
    if (graph.layers[at(x)].kind == LayerKind::Block) counted.push_back(x);
  if (!counted.empty()) return counted;
  counted.resize(graph.layers.size());
  std::iota(counted.begin(), counted.end(), 0);
  return counted;
}

}  // namespace

namespace {
int stageOfLayer(const std::vector<int>& cuts, int layer, int stages, const PipelineSchedule& schedule) {
  const auto after = std::upper_bound(cuts.begin(), cuts.end(), layer);
  return schedule.stageOf(static_cast<int>(after - cuts.begin() - 1), stages);
}
}  // namespace

std::vector<std::vector<Part>> chunkParts(const std::vector<int>& cuts, int stages,
                                          const PipelineSchedule& schedule) {
  std::vector<std::vector<Part>> parts(stages);
  for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
    parts[at(schedule.stageOf(static_cast<int>(k), stages))].push_back({cuts[k], cuts[k + 1]});
  return parts;
}

bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages,
           const PipelineSchedule& schedule) {
  for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
    if (!rules.mayForm(cuts[part], cuts[part + 1])) return false;
  return rules.pinsHold([&](int layer) { return stageOfLayer(cuts, layer, stages, schedule); });
}

std::optional<std::pair<int, int>> tiedStagesOf(const Problem& problem, const std::vector<int>& cuts,
                                                int stages, const PipelineSchedule& schedule) {
  const auto& tied = problem.profile->tied;
  if (!tied) return std::nullopt;
  const int i = stageOfLayer(cuts, tied->first.value, stages, schedule),
            j = stageOfLayer(cuts, tied->second.value, stages, schedule);
  if (i == j) return std::nullopt;
  return std::pair(i, j);
}

std::vector<std::vector<int>> interleavedCuts(const Problem& problem, int stages, int chunks) {
  const auto parts = static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks);
  std::vector<std::vector<int>> all;
  const std::size_t count = countOf(*problem.graph), missing = (parts - count % parts) % parts,
                    each = (count + missing) / parts;
  if (missing > 2) return all;
  const auto counted = countedLayers(*problem.graph);
  for (const std::size_t less : {1, 0}) {  // number of blocks that the first part lacks
    if (missing < less || missing - less > 1) continue;
    std::vector<int> cuts = {0};
    for (std::size_t p = 1; p < parts; ++p) {
      const std::size_t before = p * each - less;
      cuts.push_back(before < counted.size() ? counted[before] : counted.back() + 1);
    }
    cuts.push_back(problem.graph->layerCount());
    const bool allHold = std::adjacent_find(cuts.begin(), cuts.end(), std::greater_equal<>()) == cuts.end();
    if (allHold) all.push_back(std::move(cuts));
  }
  return all;
}

}  // namespace nest::solver
