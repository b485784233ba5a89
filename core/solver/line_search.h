#pragma once

#include <optional>

#include "evaluation/ranked_plan.h"
#include "problem/problem.h"
#include "solver/control.h"
#include "solver/tuning.h"

namespace nest::solver {

/// What was found on lines of the cluster other than its order (STATEMENT.md §3).
struct OnLines {
  std::optional<RankedPlan> best;  ///< faster than the limit; names its devices
  double bound = 0;                ///< no plan on any line takes less; 0: not known
  bool isComplete = false;         ///< what may be on any line was searched to its end
  SolveStatistics statistics;
};

/// Looks for a plan on other lines that takes less than `limit` seconds. `states`: what the search in the
/// cluster's order took; what could be on any line is bounded with as much, and some more.
OnLines searchLines(const Problem&, double limit, long long states, const Control&, const Tuning&);

/// At once: no plan on any line takes less, nor less than `limit`.
double leastOnAnyLine(const Problem&, double limit, const Tuning&);

/// A plan that names its devices, if they form a line and it is one of those searched; evaluated.
std::optional<RankedPlan> planOnLine(const Problem&, const Plan&);

}  // namespace nest::solver
