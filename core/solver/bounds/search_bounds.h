#pragma once

#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::planner {

/// A lower bound on the time of every plan of (b, σ, d, s, z, v) (STATEMENT.md §6, 1): all work at its
/// cheapest place, spread evenly, the largest layer whole; sync as if the first stage's gradients moved
/// inside the innermost levels first.
///
/// A first stage that does work w leaves (W − w)/(s − 1) to some other one and exposes at least ρ·w of sync
/// and step; T is convex and piecewise linear in w, so its least value stands at w = 0 or where both kinds of
/// load are equal.
double lowerBound(const Problem&, const StageFloor&, int microbatchCount, int stages, int chunks);

/// Bytes that the stages of every plan of (b, σ, d, s, z) hold together on one device each, at least.
double leastTotalMemory(const Problem&, const StageFloor&, int stages);

}  // namespace nest::planner
