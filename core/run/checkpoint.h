#pragma once

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// What is written and read of a plan's state: weights and optimizer state, without gradients.
struct CheckpointSize {
  Bytes all;         ///< each parameter once
  Bytes ofDevice;    ///< the most that one device writes; all that hold a shard write an equal part of it
  Bytes ofHost;      ///< the most that one host writes
  Bytes readByAll;   ///< each device reads what it holds
  Bytes readByHost;  ///< the most that one host reads
  int hosts = 0;     ///< that the plan uses
  int switches = 0;  ///< groups of hosts of level 1 that it uses; 0: there is one host
};

/// Innermost groups of the hierarchy are hosts. O(devices). The plan must be feasible.
CheckpointSize checkpointSizeOf(const Problem&, const Plan&, const Evaluation&);

}  // namespace nest
