#pragma once

#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "measures/pace.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// One difference between two plans, in words that a person reads.
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
    Placement
  };
  Kind kind;
  int stage = -1;        ///< in the second plan; −1: the whole plan
  std::string sentence;  ///< "Tensor degree 8 → 4", "Stage 2 takes layers 17–24 instead of 17–22"
};

const char* nameOf(PlanChange::Kind);  ///< in files: "tensor", "stages", "cut", …

/// What turns one plan into another. Stages are counted from 1 in sentences, layers from 1 as well.
struct PlanDiff {
  std::vector<PlanChange> changes;  ///< empty: the plans are the same
  double timeRatio = 1;             ///< second ÷ first batch time
  Pace before, after;
  Seconds timeDelta;  ///< second − first
  Bytes memoryDelta;  ///< predicted, of the fullest device
  int devicesDelta = 0;

  bool same() const { return changes.empty(); }
  /// The first five changes, and the deltas: "Tensor degree 8 → 4; stages 4 → 8 (−6.1 % time, +3.2 GiB on the
  /// fullest device)"; tokens/s instead of time where the steps differ in
  /// batch or sequence length.
  std::string sentence() const;
  std::string deltas() const;  ///< "−6.1 % time, +3.2 GiB on the fullest device"
};

/// `problem` names levels and layers; both plans must be of its graph. The first evaluation may be of another
/// problem, `before` (a what-if).
PlanDiff diff(const Problem& problem, const Plan& first, const Evaluation& firstEvaluation,
              const Plan& second, const Evaluation& secondEvaluation, const Problem* before = nullptr);

}  // namespace nest
