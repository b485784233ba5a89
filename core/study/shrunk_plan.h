#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/ranked_plan.h"
#include "solver/control.h"

namespace nest {

/// A plan that goes on with fewer replicas.
struct ShrunkPlan {
  std::optional<RankedPlan> plan;  ///< absent: see `obstacle`
  std::string obstacle;            ///< "the plan has one replica"
  int replicasDropped = 0;
};

/// The plan, same cuts and degrees, with fewer replicas, on the devices of those that are left: which ones go
/// is searched, one by one and by whole hosts and groups of hosts around what failed, and so is the batch
/// within its tolerance. Cost: some hundred evaluations at most.
ShrunkPlan shrunkPlan(const Problem&, const RankedPlan& present, const std::vector<int>& lost,
                      const Control&);

}  // namespace nest
