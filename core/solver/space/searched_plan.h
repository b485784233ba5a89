#pragma once

#include "plan/plan.h"
#include "solver/space/search_space.h"

namespace nest::solver {

/// Whether a feasible plan belongs to the search space: what the options and constraints allow, on devices in
/// their order.
bool isSearched(const SearchSpace&, const Plan&);

}  // namespace nest::solver
