#pragma once

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// The bytes of a checkpoint of weights and optimizer state, and who writes and reads them.
struct CheckpointSize {
  Bytes all;         ///< each parameter once
  Bytes ofDevice;    ///< the most that one device writes; the holders of a shard share the work
  Bytes ofHost;      ///< the most that one host writes
  Bytes readByAll;   ///< each device reads what it holds
  Bytes readByHost;  ///< the most that one host reads
  int hosts = 0;     ///< that the plan uses
  int switches = 0;  ///< groups of hosts of level 1 that it uses; 0: there is one host
};

/// Innermost groups of the hierarchy count as hosts. The plan must be feasible. O(devices).
CheckpointSize checkpointSizeOf(const Problem&, const Plan&, const Evaluation&);

}  // namespace nest
