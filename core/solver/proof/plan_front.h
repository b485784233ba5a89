#pragma once

#include "solver/outcome.h"
#include "solver/uniform_search.h"

namespace nest::solver {

/// Plans that none beats in time, devices and peak memory at once.
struct PlanFront {
  std::vector<CandidatePlan> plans;  ///< fastest first
  FrontReach reach = FrontReach::Encountered;
};

PlanFront metFront(const std::vector<CandidatePlan>& met);  ///< of these plans alone
/// The front around the plans met by a search that has run to its end: exact where that is cheap, else
/// by large steps if a wider one is asked for, else of the plans met alone.
PlanFront frontOf(const Problem&, UniformSearch& search, const std::vector<CandidatePlan>& met, FrontEffort,
                  Watch&);

}  // namespace nest::solver
