#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "measures/pace.h"
#include "measures/step_difference.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// One difference between two plans, in words for people.
struct PlanChange {
  enum class Kind {
    Microbatch,
    Data,
    Arrangement,
    Zero,
    Shard,
    Stages,
    Chunks,
    Schedule,
    Tensor,
    Context,
    Expert,
    ExpertTensor,
    Sequence,
    Strategy,
    Cut,
    Recompute,
    Placement,
    Batch
  };
  Kind kind;
  int stage = -1;        ///< in the second plan; −1 for the whole plan
  std::string sentence;  ///< "Tensor degree 8 → 4", "Stage 2 takes layers 17–24 instead of 17–22"
};

const char* nameOf(PlanChange::Kind);  ///< name in files: "tensor", "stages", "cut", …

/// The changes that turn one plan into another. Sentences count stages and layers from 1.
struct PlanDiff {
  std::vector<PlanChange> changes;  ///< empty if the plans are equal
  double timeRatio = 1;             ///< second ÷ first batch time
  Pace before, after;
  StepDifference time;          ///< what the devices spend more or less of it on
  std::vector<PlanFact> facts;  ///< the degrees and numbers that differ, briefly
  Seconds timeDelta;            ///< second − first
  Bytes memoryDelta;            ///< of predicted memory on the fullest device
  int devicesDelta = 0;

  bool same() const { return changes.empty(); }
  /// The first five changes, and the deltas: "Tensor degree 8 → 4; stages 4 → 8 (−6.1 % time, +3.2 GiB on the
  /// fullest device)". Shows tokens/s instead of time if the steps differ in batch or sequence length.
  std::string sentence() const;
  std::string deltas() const;  ///< "−6.1 % time, +3.2 GiB on the fullest device"
};

/// `problem` provides the names of levels and layers; both plans must be for its graph. The first evaluation
/// may belong to another problem, `before` (in a what-if).
PlanDiff diff(const Problem& problem, const Plan& first, const Evaluation& firstEvaluation,
              const Plan& second, const Evaluation& secondEvaluation, const Problem* before = nullptr);

}  // namespace nest
