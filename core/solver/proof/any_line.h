#pragma once

#include <vector>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "solver/tuning.h"

namespace nest::solver {

/// What no plan can beat, whatever devices it leaves idle and in whatever order it takes the groups of the
/// network (STATEMENT.md (6.17)).
struct AnyLine {
  double bound = 0;         ///< seconds; at most the limit that was given
  bool isComplete = false;  ///< the search for it ran to its end
  /// The degrees that might be faster than the limit, by rising bound, as plans on a cluster on which each
  /// group of ranks stands where it is cheapest; the first so many. Their times are in `times`.
  std::vector<Plan> open;
  std::vector<double> times;
  SolveStatistics statistics;
};

/// Plans of at most `limit` seconds are of interest, and of these the first `most` that differ in their
/// degrees.
AnyLine boundAnyLine(const Problem&, double limit, int most, const Control&, const Tuning& = {});

}  // namespace nest::solver
