// In O(1) from the totals of LayerSums: T(w) for a first stage that does work w is convex and piecewise
// linear, and its least value stands at w = 0 or where both kinds of load are equal (search_bounds.h).
// Pruning: every (b, σ, d, s, v, z) whose bound passes the limit.
#include "solver/bounds/search_bounds.h"

#include <algorithm>

namespace nest::planner {

double lowerBound(const StageFloor& floor, const Target& target, int stages) {
  const LayerSums& sums = floor.sums();
  const ObjectiveWeights& weights = target.bound;
  const double s = stages;
  const double work = sums.leastAny.back();
  const double hop = stages > 1 ? sums.leastTransfer : 0;
  const StageSize all{sums.dense.back(), sums.expert.back(), 0};
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

double leastFill(const Problem& problem, const LayerSums& sums, const Target& target, int zero, int cut) {
  if (target.byLoad() || zero >= 2 || !problem.cluster->hasUniformDevices()) return 0;
  const auto c = static_cast<std::size_t>(cut);
  const double sent = std::max(0.0, sums.leastAny[c] - sums.compute[c]);
  return target.filling->leastFill({sums.leastAny[c], sums.forward[c], sums.weightGradient[c]}, sent,
                                   target.chunks) *
         (1 - 1e-12);
}

double leastTotalMemory(const Problem& problem, const StageFloor& floor, int stages) {
  const LayerSums& sums = floor.sums();
  return sums.dense.back() * floor.memoryPerDense() + sums.expert.back() * floor.memoryPerExpert() +
         stages * problem.assumptions.reserve.value();
}

}  // namespace nest::planner
