#pragma once

#include <optional>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "solver/tuning.h"

namespace nest::solver {

/// The part of the search that is solved first where everything takes long: one strategy for all stages, 1F1B
/// without virtual stages, whole microbatches, no context parallelism, no shard groups. What the constraints
/// or the menus do not offer so is left as it is. nullopt: nothing else is asked for, or it is too small to
/// matter.
std::optional<Problem> plainSearchOf(const Problem&, const Tuning&);

/// Finds the best plan of the plain search, then searches everything from there. The bound and the proof are
/// those of everything. `all`: a complete solve.
using CompleteSolve = Outcome (*)(const Problem&, const Control&, const Plan* start, const Tuning&);
Outcome solvePlainFirst(const Problem&, const Control&, const Plan* start, const Tuning&, CompleteSolve all);

/// solve() without the plain search in front. Its bounds are weighted as plans are compared
/// (Evaluation::ranked).
Outcome solveAtOnce(const Problem&, const Control&, const Plan* start, const Tuning&);
/// Puts the plan in front that the goal counts least for, and makes the lower bound one in seconds of its
/// step.
Outcome underGoal(const Problem&, Outcome);

}  // namespace nest::solver
