#pragma once

#include <array>
#include <vector>

#include "cost/stage_messages.h"
#include "evaluation/plan_check.h"
#include "plan/stage_work.h"

namespace nest {

/// The group of one kind in which the messages together take longest.
struct SlowestGroup {
  GroupShape shape;
  PeerCounts peers;  ///< of groups with an all-to-all

  friend bool operator==(const SlowestGroup&, const SlowestGroup&) = default;
};
/// With each microbatch, and at the end of the step.
struct SlowestGroups {
  SlowestGroup perMicrobatch, stepEnd;
};

/// What one chunk exchanges per microbatch.
struct PlacedChunk {
  std::array<MessageTime, 3> group;  ///< by GroupKind, in the slowest group
  Seconds activationIn, gradientIn;
};

/// Exchange of gradients and weights.
struct GradientTime {
  MessageTime perMicrobatch;     ///< of dense and expert parameters
  Seconds load;                  ///< per microbatch, all of it
  std::array<Seconds, 2> atEnd;  ///< of the step: dense, expert

  Seconds sync() const { return atEnd[0] + atEnd[1]; }
};

/// A stage on its devices: what depends on where they are.
struct PlacedStage {
  double speed = 1;  ///< of the slowest device
  Bytes memory;      ///< of the smallest device
  std::vector<PlacedChunk> chunks;
  std::vector<SlowestGroups> slowest;  ///< as StageWork::groups; groups of one rank where nothing is sent
  GradientTime gradients;
  Seconds tied;  ///< all-reduce of tied parameters, at the end of the step
  std::array<int, 3> groupLevel = {-1, -1,
                                   -1};  ///< outermost level spanned, by GroupKind; −1: groups of one rank
  int dataLevel = -1, activationLevel = -1, gradientLevel = -1;
  Bytes activationBytes, gradientBytes;
};

/// A plan's stages: what they hold and send, and where.
struct PlacedPlan {
  std::vector<StageWork> works;
  std::vector<PlacedStage> stages;
  std::vector<PairMessages> pairs;  ///< between stages
};

/// Goes through every group and pair of ranks of the placement as they are. The plan must be countable. Plans
/// that cannot be placed get no exchanges.
PlacedPlan placePlan(const Problem&, const Plan&, const PlanCheck&);

}  // namespace nest
