#pragma once

#include <array>

#include "plan/plan.h"

namespace nest {

/// What ranks of one stage can have in common.
enum class Together { Stage, Tensor, Data, Shard, Context, Expert };
inline constexpr std::array kTogether = {Together::Stage, Together::Tensor,  Together::Data,
                                         Together::Shard, Together::Context, Together::Expert};
const char* nameOf(Together);   ///< "stage", "tp", "dp", "shard", "cp", "ep"; what files call it
const char* labelOf(Together);  ///< "Stage", "TP group", …

/// The group of one rank. Data: the ranks that hold the same part of the model, over all replicas; Shard:
/// those of them, contexts included, that share one copy of its state.
struct Membership {
  int group = 0;   ///< its number in the stage
  int size = 1;    ///< ranks
  int groups = 1;  ///< of the stage
};

/// `rank`: inside the replica, context · t + tensor. O(1). The plan must be placeable (see PlanCheck).
Membership membershipOf(const Plan&, Together, int stage, int replica, int rank);

}  // namespace nest
