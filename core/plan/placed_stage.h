#pragma once

#include <array>
#include <vector>

#include "cost/stage_cost.h"
#include "plan/plan_check.h"
#include "plan/stage_work.h"

namespace nest {

/// Durations of one kind of group's collectives, per microbatch, in the slowest group of the stage.
struct GroupTime {
  Seconds forward, backward, recompute;  ///< `backward` without `recompute`

  Seconds total() const { return forward + backward + recompute; }
};

/// What one chunk exchanges per microbatch.
struct PlacedChunk {
  std::array<GroupTime, 3> group;  ///< by GroupKind
  Seconds activationIn, gradientIn;
};

/// A stage on its devices: what depends on where they are.
struct PlacedStage {
  double speed = 1;  ///< of the slowest device
  Bytes memory;      ///< of the smallest device
  std::vector<PlacedChunk> chunks;
  GradientTime gradients;  ///< dense and expert messages together
  Seconds tied;            ///< all-reduce of tied parameters, at the end of the batch
  std::array<int, 3> groupLevel = {-1, -1,
                                   -1};  ///< outermost level spanned, by GroupKind; −1: groups of one rank
  int dataLevel = -1, activationLevel = -1, gradientLevel = -1;
  Bytes activationBytes, gradientBytes;
};

/// Goes through every group and pair of ranks of the placement as they are. Plans that cannot be placed get
/// no exchanges.
std::vector<PlacedStage> placeStages(const Problem&, const Plan&, const PlanCheck&,
                                     const std::vector<StageWork>&);

/// Parameters of a stage and the ranks that share them.
ModelState modelStateOf(const Plan&, int stage, const StageWork&);

}  // namespace nest
