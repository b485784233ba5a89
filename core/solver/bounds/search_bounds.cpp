// The proofs are in search_bounds.h. lowerBound() prunes every (b, σ, d, s, v, z) whose bound exceeds the
// limit.
#include "solver/bounds/search_bounds.h"

#include <algorithm>

#include "solver/common.h"

namespace nest::solver {

double lowerBound(const StageFloor& floor, const Target& target, int stages) {
  const LayerSums& sums = floor.sums();
  const ObjectiveWeights& weights = target.bound;
  const double s = stages;
  const double work = sums.leastAny.back();
  const double hop = stages > 1 ? sums.leastTransfer : 0;
  const StageSize all = sizeOf(sums, Part{0, static_cast<int>(sums.dense.size()) - 1}, false);
  const double total = work + 2 * (s - 1) * hop + floor.data(all);
  const double largest = std::max(total / s, sums.slowestLayer);

  if (target.chunks > 1) return weights.time(total, largest, 0);
  if (stages == 1) return weights.time(total, largest, floor.tail(all));

  const double perLoad = floor.tailPerLoad();
  const double others =
      work + (2 * (s - 1) - 1) * hop;  // loads of all stages but the first, plus the first one's work
  const double even = std::max(0.0, others - largest * (s - 1));
  const auto timeIf = [&](double first) {
    return weights.time(total, std::max(largest, (others - first) / (s - 1)), perLoad * first);
  };
  return std::min(timeIf(0), timeIf(even));
}

FillWeights::FillWeights(const Problem& problem, const Target& target)
    : ObjectiveWeights(target.bound), m_microbatchCount(target.microbatchCount), m_chunks(target.chunks) {
  if (target.byLoad() || !(target.share > 0) || !problem.cluster->hasUniformDevices()) return;
  static_cast<ObjectiveWeights&>(*this) = target.weights;
  share = target.share;
  m_filling = target.filling;
}

StageFill FillWeights::of(const LeastPasses& p, double data, double mostY) const {
  const double known = p.forward + p.input, load = known + p.weight;
  const auto fill = [&](double weight) {
    return m_filling->fill({known + weight, p.forward, weight}, m_chunks);
  };
  const double most = fill(p.weight);
  double x = most;
  if (p.open) x = mostY < kInfinity ? fill(std::max(p.weight, mostY - known + most / m_microbatchCount)) : 0;
  return {std::max(0.0, x - kRoundingOfSums * load), load - most / m_microbatchCount + data * share};
}

double leastFill(const Problem& problem, const LayerSums& sums, const Target& target, int zero, int cut) {
  const FillWeights filling(problem, target);
  if (!filling.fills() || zero >= 2) return 0;
  return filling.of(LeastPasses::of(sums, zero, Part{0, cut}, sums.leastAny[cut], 0), 0, 0).x;
}

// The furthest end of a stage moves back with its begin, and the fewer layers are behind it, the fewer stages
// can hold them.
std::vector<int> fewestStages(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                              const std::vector<StageFloor>& floors, const Target& target, double most,
                              double capacity) {
  constexpr int kUnreachable = 1 << 30;
  std::vector<int> fewest(at(order.cutCount()), kUnreachable);
  fewest.back() = 0;
  const auto holds = [&](const Part& part) {
    const InFlight inFlight = leastInFlight(target, fewest[at(part.to)], 0);
    return std::any_of(floors.begin(), floors.end(), [&](const StageFloor& f) {
      return f.work(problem.search.recompute, inFlight, part, capacity, most * kRoundUp, true) < kInfinity;
    });
  };
  int reach = order.last();
  for (int from = order.last() - 1; from >= 0; --from) {
    reach = std::min(reach, rules.mostEnd(from));
    while (reach > from && (fewest[at(reach)] == kUnreachable || !holds({from, reach}))) --reach;
    if (reach > from) fewest[at(from)] = std::max(fewest[at(reach)] + 1, rules.leastBehind(from));
  }
  return fewest;
}

std::vector<int> layersAlike(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                             const std::vector<StageFloor>& floors) {
  std::vector<int> alike(at(order.cutCount()), 0);
  const auto& layers = problem.graph->layers;
  for (int c = 2; c < order.last() && rules.empty(); ++c)
    if (layers[at(c - 1)].classId == layers[at(c - 2)].classId &&
        std::all_of(floors.begin(), floors.end(), [&](const StageFloor& f) {
          return f.sums().boundary[at(c)] == f.sums().boundary[at(c - 1)];
        }))
      alike[at(c)] = alike[at(c - 1)] + 1;
  return alike;
}

InFlight leastInFlight(const Target& target, int behind, int fewest) {
  const int stages = std::max(behind + 1, fewest);
  const PipelineSchedule& schedule = target.filling ? *target.filling : scheduleOf(usualSchedule(1));
  return inFlightOf(schedule, stages - 1 - behind, stages, target.microbatchCount, 1);
}

std::vector<int> layersUnlike(const LayerGraph& graph) {
  constexpr std::size_t kMost = 100;
  std::vector<int> layers;
  if (!graph.isChain()) return layers;
  std::vector<char> isKnown(at(graph.classCount), 0);
  for (int x = 0; x < graph.layerCount() && layers.size() < kMost; ++x)
    if (char& known = isKnown[at(graph.layers[at(x)].classId)]; !known) known = 1, layers.push_back(x);
  return layers;
}

std::vector<LayerAlone> heaviestLayers(const Problem& problem, const LayerSums& sums,
                                       const std::vector<int>& layers) {
  const auto isBelow = [](const LayerAlone& a, const LayerAlone& b) {
    return a.size.dense <= b.size.dense && a.size.expert <= b.size.expert &&
           a.size.frozenDense <= b.size.frozenDense && a.size.frozenExpert <= b.size.frozenExpert &&
           a.size.gathered() <= b.size.gathered() && a.activations <= b.activations;
  };
  std::vector<LayerAlone> heaviest;
  for (const int x : layers) {
    const Part part{x, x + 1};
    LayerAlone own{sizeOf(sums, part, true), kInfinity};
    for (int r = 0; r < kRecomputeCount; ++r)
      if (problem.search.recompute[at(r)] && hasPolicy(sums, part, r))
        own.activations = std::min(own.activations, activationBytes(sums, part, r, {}));
    if (own.activations == kInfinity ||
        std::any_of(heaviest.begin(), heaviest.end(), [&](const LayerAlone& o) { return isBelow(own, o); }))
      continue;
    std::erase_if(heaviest, [&](const LayerAlone& o) { return isBelow(o, own); });
    heaviest.push_back(own);
  }
  return heaviest;
}

double leastStageMemory(const StageFloor& floor, const std::vector<LayerAlone>& layers) {
  double most = 0;
  for (const LayerAlone& x : layers) most = std::max(most, floor.fixedMemory(x.size) + x.activations);
  return most;
}

double leastTotalMemory(const Problem& problem, const StageFloor& floor, int stages) {
  const LayerSums& sums = floor.sums();
  return floor.stateBytes(sizeOf(sums, Part{0, static_cast<int>(sums.dense.size()) - 1}, false)) +
         stages * problem.assumptions.reserve.value();
}

}  // namespace nest::solver
