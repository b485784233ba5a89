#pragma once

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// The code of what is told where no plan exists and the search for the nearest miss was stopped without one.
inline constexpr const char* kMissUnknown = "miss-unknown";

/// Finds the best plan (STATEMENT.md §5, §6): complete over the search options, or the best so far with a
/// lower bound when stopped. Pure; may run on any thread. `start`: a plan to begin from (evaluated
/// anew; ignored if it does not fit or is no plan of the search).
///
/// One thread, whatever search.threads says: configurations are popped best first and each lowers the limit
/// for the next, sharing group shapes and sums. A second thread was tried: rows solved six ahead in batches,
/// from the plans known at the batch's begin (so that it does not matter who solves which), with shapes and
/// sums of its own; the processor times of the longer of both threads then add up to 1.0 to 1.4 times less
/// than one thread takes (llama405 on 135,168 devices in hosts of 6: 0.72 → 0.69 s, ±30 %: 1.24 → 1.09 s; two
/// towers of 48 layers 1.28 → 0.98 s; three of 16 2.2 → 1.6 s), because shapes are found twice and limits
/// come late. With a strategy for each stage one configuration alone takes a third of the time. The second
/// core pays between solves (sweeps, counterfactuals).
Outcome solve(const Problem& problem, const Control& control = {}, const Plan* start = nullptr);

/// Every plan of the search space, one by one, judged by evaluate(). For small instances: the oracle that the
/// DP is tested against. Shares no code with solve(). Of each combination of degrees (b, d, z, v, s,
/// strategies) it lists the best plan.
Outcome solveExhaustively(const Problem& problem);

}  // namespace nest
