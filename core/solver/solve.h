#pragma once

#include "solver/control.h"
#include "solver/outcome.h"
#include "solver/problem.h"

namespace nest {

/// Finds the best plan (planning.md §5, §6): complete over the search options, or the best so far with a
/// lower bound when stopped. Pure; may run on any thread. `start`: a plan to begin from (re-evaluated;
/// ignored if it does not fit).
///
/// One thread, whatever search.threads says: configurations are popped best first and each lowers the limit
/// for the next, sharing group shapes and sums; two cores would guard all of these or repeat them. The
/// slowest row of planning.md §6 (a strategy per stage, 1,024 devices, layers ±30 %) takes 2.2 s of processor
/// time where 5 s are allowed, one strategy on 16,512 devices in hosts of 6 0.6 s, everything else less
/// (tests/bench). The second core pays between solves (sweeps, counterfactuals).
Outcome solve(const Problem& problem, const Control& control = {}, const Plan* start = nullptr);

/// Every plan of the search space, one by one, judged by evaluate(). For small instances: the oracle that the
/// DP is tested against. Shares no code with solve(). Of each combination of degrees (b, d, z, v, s,
/// strategies) it lists the best plan.
Outcome solveExhaustively(const Problem& problem);

}  // namespace nest
