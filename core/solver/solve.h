#pragma once

#include "solver/control.h"
#include "solver/outcome.h"
#include "solver/problem.h"

namespace nest {

/// Finds the best plan (planning.md §5, §6): complete over the search options, or the best so far with a
/// lower bound when stopped. Pure; may run on any thread. `start`: a plan to begin from (re-evaluated;
/// ignored if it does not fit).
///
/// One thread, whatever search.threads says: popped configurations share their incumbent, group shapes and
/// sums, and two cores would either guard all of these or repeat them and explore in an order that depends on
/// timing; a solve takes milliseconds. The second core pays between solves (sweeps, counterfactuals).
Outcome solve(const Problem& problem, const Control& control = {}, const Plan* start = nullptr);

/// Every plan of the search space, one by one, judged by evaluate(). For small instances: the oracle that the
/// DP is tested against. Shares no code with solve(). Of each combination of degrees (b, d, z, v, s,
/// strategies) it lists the best plan.
Outcome solveExhaustively(const Problem& problem);

}  // namespace nest
