#pragma once

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// What of a plan the search does not try because of its options: ZeRO stage, shard group, recompute policy,
/// schedule, chunks, one strategy for all stages. Such a plan may cost less than the best one of the search.
/// Notes, each with the option's place in the scenario and what to add; empty for a plan of the search space,
/// and for one that checkPlan() refuses.
Diagnostics unsearched(const Problem&, const Plan&);

}  // namespace nest
