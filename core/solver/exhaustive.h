#pragma once

#include <functional>

#include "plan/plan.h"
#include "problem/problem.h"
#include "solver/outcome.h"

namespace nest {

/// Calls `visit` with every plan of the search space (STATEMENT.md §3), in no particular order, until it
/// returns false. Some of these plans do not fit or break a constraint; evaluate() reports that. Returns
/// whether the visit was complete.
///
/// Interleaved layouts are unique: each chunk but the first begins at a counted layer (a block, if there are
/// blocks).
bool visitPlans(const Problem&, const std::function<bool(const Plan&)>& visit);

/// Whether `a` comes before `b`: faster, or equally fast (relative 1e-12) and then fewer devices, fewer
/// stages, lower ZeRO stage, less recompute, left-most cuts, smaller microbatch, smaller degrees, larger
/// shard groups, larger d_in, smaller stride.
bool precedes(const RankedPlan& a, const RankedPlan& b);

}  // namespace nest
