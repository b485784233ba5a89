#pragma once

#include "plan/plan.h"
#include "solver/space/search_space.h"

namespace nest::solver {

/// Whether a plan that can run is one of the search space: what the options and constraints leave open (of
/// devices in their order).
bool isSearched(const SearchSpace&, const Plan&);

}  // namespace nest::solver
