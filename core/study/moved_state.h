#pragma once

#include <vector>

#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Weights and optimizer state that devices do not hold yet under a new plan, by the level of the network
/// over which the nearest device that holds them sends them.
struct MovedState {
  std::vector<Bytes> overLevel;  ///< of all devices together; level 0 is the innermost
  Bytes fromStore;               ///< nobody who is left holds it
  Bytes all() const;
};

/// From a plan to another one on the positions of one cluster. Shards are compared by the shares of tensors,
/// experts and ZeRO shards that they hold. Cost: devices × stages × shards that overlap.
MovedState movedBetween(const Problem&, const Plan& before, const Plan& after, const std::vector<int>& lost);

}  // namespace nest
