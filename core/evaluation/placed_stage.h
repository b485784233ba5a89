#pragma once

#include <array>
#include <vector>

#include "cost/stage_messages.h"
#include "evaluation/plan_check.h"
#include "plan/stage_work.h"

namespace nest {

/// The group of one kind whose messages take longest in total.
struct SlowestGroup {
  GroupShape shape;
  PeerCounts peers;  ///< set for groups with an all-to-all

  friend bool operator==(const SlowestGroup&, const SlowestGroup&) = default;
};
/// The slowest group with each microbatch, and at the end of the step.
struct SlowestGroups {
  SlowestGroup perMicrobatch, stepEnd;
};

/// Exchange times of one chunk per microbatch.
struct PlacedChunk {
  std::array<MessageTime, 3> group;  ///< per GroupKind, in the slowest group
  Seconds activationIn, gradientIn;
};

/// Times of exchanging gradients and weights.
struct GradientTime {
  MessageTime perMicrobatch;     ///< of dense and expert parameters
  Seconds load;                  ///< per microbatch, in total
  std::array<Seconds, 2> atEnd;  ///< at the end of the step: dense, expert

  Seconds sync() const { return atEnd[0] + atEnd[1]; }
};

/// What depends on the devices of a stage.
struct PlacedStage {
  double speed = 1;  ///< of the slowest device
  Bytes memory;      ///< of the smallest device
  std::vector<PlacedChunk> chunks;
  /// In the order of StageWork::groups; groups of one rank if nothing is sent.
  std::vector<SlowestGroups> slowest;
  GradientTime gradients;
  Seconds tied;  ///< all-reduce of tied parameters, at the end of the step
  /// Outermost level spanned, per GroupKind; −1 for groups of one rank.
  std::array<int, 3> groupLevel = {-1, -1, -1};
  int dataLevel = -1, activationLevel = -1, gradientLevel = -1;
  Bytes activationBytes, gradientBytes;
};

/// A plan's stages: what they compute, store and send, and where.
struct PlacedPlan {
  std::vector<StageWork> works;
  std::vector<PlacedStage> stages;
  std::vector<PairMessages> pairs;  ///< between stages
};

/// Enumerates every group and pair of ranks of the placement. The plan must be countable. Plans that cannot
/// be placed have no exchanges.
PlacedPlan placePlan(const Problem&, const Plan&, const PlanCheck&);

}  // namespace nest
