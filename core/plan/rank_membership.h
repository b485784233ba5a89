#pragma once

#include <array>

#include "plan/plan.h"

namespace nest {

/// The groups that ranks of one stage can share.
enum class Together { Stage, Tensor, Data, Shard, Context, Expert };
inline constexpr std::array kTogether = {Together::Stage, Together::Tensor,  Together::Data,
                                         Together::Shard, Together::Context, Together::Expert};
const char* nameOf(Together);   ///< "stage", "tp", "dp", "shard", "cp", "ep": the names in files
const char* labelOf(Together);  ///< "Stage", "TP group", …

/// The group of one rank. Data: the ranks with the same part of the model, over all replicas. Shard: those of
/// them, including contexts, that share one copy of its state.
struct Membership {
  int group = 0;   ///< index in the stage
  int size = 1;    ///< ranks
  int groups = 1;  ///< number of groups in the stage
};

/// `rank`: index in the replica, context · t + tensor. O(1). The plan must be placeable (see PlanCheck).
Membership membershipOf(const Plan&, Together, int stage, int replica, int rank);

}  // namespace nest
