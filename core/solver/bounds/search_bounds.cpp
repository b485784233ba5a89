// In O(1) from the totals of LayerSums: T(w) for a first stage that does work w is convex and piecewise
// linear, and its least value stands at w = 0 or where both kinds of load are equal (search_bounds.h).
// Pruning: every (b, σ, d, s, v, z) whose bound passes the limit.
#include "solver/bounds/search_bounds.h"

#include <algorithm>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// Seconds per parameter that remain at least of one exchange at the end of a batch: latency left out, and
/// all hidden that can be.
double syncPerParameter(const Problem& problem, const GroupRates& g, int zero) {
  const OptimizerRegime& r = problem.job.optimizer;
  const double shown = (1 - problem.assumptions.syncOverlap) * g.nestedPerByte;
  switch (zero) {
    case 0:
      return shown * 2 * r.gradientBytes;
    case 1:
      return shown * (r.gradientBytes + r.weightBytes);
    case 2:
      return shown * r.weightBytes;
    default:
      return 0;
  }
}
double loadPerParameter(const GroupRates& g, const OptimizerRegime& r, int zero) {
  if (zero < 2) return 0;
  return g.nestedPerByte * (r.gradientBytes + (zero == 3 ? 2 * r.weightBytes : 0));
}
}  // namespace

GradientFloor GradientFloor::of(const GroupShapes& shapes, const Strategy& s, int dataDegree) {
  GradientFloor f;
  f.denseShards = dataDegree * s.context;
  f.expertShards = f.denseShards / s.expert;
  f.dense = shapes.cheapest(f.denseShards, s.tensor);
  f.expert = shapes.cheapest(f.expertShards, s.tensor);
  return f;
}

double tailPerLoad(const Problem& problem, const LayerSums& sums, const GradientFloor& floor, int zero) {
  return (syncPerParameter(problem, floor.dense, zero) +
          ParameterRates::of(problem, zero, floor.denseShards).step) *
             sums.leastDensePerLoad +
         (syncPerParameter(problem, floor.expert, zero) +
          ParameterRates::of(problem, zero, floor.expertShards).step) *
             sums.leastExpertPerLoad;
}

double leastSyncAndStep(const Problem& problem, const GradientFloor& floor, int zero, double dense,
                        double expert) {
  return dense * (syncPerParameter(problem, floor.dense, zero) +
                  ParameterRates::of(problem, zero, floor.denseShards).step) +
         expert * (syncPerParameter(problem, floor.expert, zero) +
                   ParameterRates::of(problem, zero, floor.expertShards).step);
}

double lowerBound(const Problem& problem, const LayerSums& sums, const GradientFloor& floor, int m,
                  int stages, int zero, int chunks) {
  const OptimizerRegime& r = problem.job.optimizer;
  const ObjectiveWeights weights = objectiveWeights(problem.search.objective, m, stages, chunks);
  const double s = stages;
  const double work = sums.leastAny.back();
  const double hop = stages > 1 ? sums.leastTransfer : 0;
  const double shownData = 1 - problem.assumptions.overlap[at(static_cast<int>(Exchange::Data))];
  const double data = shownData * (loadPerParameter(floor.dense, r, zero) * sums.dense.back() +
                                   loadPerParameter(floor.expert, r, zero) * sums.expert.back());
  const double total = work + 2 * (s - 1) * hop + data;
  const double largest = std::max(total / s, sums.slowestLayer);

  const ParameterRates dense = ParameterRates::of(problem, zero, floor.denseShards);
  const ParameterRates expert = ParameterRates::of(problem, zero, floor.expertShards);
  const double perDense = syncPerParameter(problem, floor.dense, zero) + dense.step;
  const double perExpert = syncPerParameter(problem, floor.expert, zero) + expert.step;
  if (chunks > 1) return weights.time(total, largest, 0);
  if (stages == 1)
    return weights.time(total, largest, perDense * sums.dense.back() + perExpert * sums.expert.back());

  const double perLoad = tailPerLoad(problem, sums, floor, zero);
  const double others =
      work + (2 * (s - 1) - 1) * hop;  // loads of all stages but the first, plus the first one's work
  const double even = std::max(0.0, others - largest * (s - 1));
  const auto timeIf = [&](double first) {
    return weights.time(total, std::max(largest, (others - first) / (s - 1)), perLoad * first);
  };
  return std::min(timeIf(0), timeIf(even));
}

int narrowestLevel(const Hierarchy& cluster, long long devices) {
  int level = 0;
  while (level + 1 < cluster.levelCount() && cluster.largestGroupSize(level) < devices) ++level;
  return level;
}

double leastTotalMemory(const Problem& problem, const LayerSums& sums, const GradientFloor& floor, int stages,
                        int zero) {
  return sums.dense.back() * ParameterRates::of(problem, zero, floor.denseShards).memory +
         sums.expert.back() * ParameterRates::of(problem, zero, floor.expertShards).memory +
         stages * problem.assumptions.reserve.value();
}

}  // namespace nest::planner
