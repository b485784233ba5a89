#pragma once

#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::planner {

/// A lower bound on the time of every plan of (b, σ, d, s, z, v, schedule) (STATEMENT.md §6, 1): all work at
/// its cheapest place, spread evenly, the largest layer whole; sync as if the first stage's gradients moved
/// inside the innermost levels first.
///
/// A first stage that does work w leaves (W − w)/(s − 1) to some other one and exposes at least ρ·w of sync
/// and step; T is convex and piecewise linear in w, so its least value stands at w = 0 or where both kinds of
/// load are equal.
double lowerBound(const StageFloor&, const Target&, int stages);

/// Where a schedule does not fill by load: Σ g of the stages that hold the layers before a cut, at least. As
/// g is convex, and all that is sent may be sent forward, it is that of their sum in the cheapest groups. 0
/// with ZeRO 2 and 3, whose reduce-scatter has no upper bound, and where devices differ.
double leastFill(const Problem&, const LayerSums&, const Target&, int zero, int cut);

/// Bytes that the stages of every plan of (b, σ, d, s, z) hold together on one device each, at least.
double leastTotalMemory(const Problem&, const StageFloor&, int stages);

}  // namespace nest::planner
