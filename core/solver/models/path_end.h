#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "solver/proof/incumbents.h"
#include "solver/stage/stage_costs.h"

namespace nest::planner {

/// What stands behind the last stage: one end that adds nothing.
struct NoEnd {
  double max = 0, sum = 0, relative = -std::numeric_limits<double>::infinity(), step = 0;
};
inline constexpr std::array<NoEnd, 1> kNothingBehind{};

/// Whether some point of the front behind completes the path within the limit. If so, the path's largest
/// load and tail rise to what every such end reaches anyway: that makes no difference between paths.
template <class Path, class Front>
bool finishesWithin(double limit, const ObjectiveWeights& weights, Path& p, const Front& behind) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  // Sums run in another order here than in the fronts: leave them a few roundings more.
  const double most = limit * (1 + kEqualTimes) * (1 + 1e-13);
  double max = kNever, tail = kNever;
  for (const auto& b : behind) {
    const double later = std::max(b.relative - p.covered, b.step);
    if (weights.time(p.sum + b.sum, std::max(p.max, b.max), std::max(p.tail, later)) > most) continue;
    max = std::min(max, b.max);
    tail = std::min(tail, later);
  }
  if (max == kNever) return false;
  p.max = std::max(p.max, max);
  p.tail = std::max(p.tail, tail);
  return true;
}

}  // namespace nest::planner
