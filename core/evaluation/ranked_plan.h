#pragma once

#include "evaluation/evaluation.h"
#include "plan/plan.h"

namespace nest {

/// A plan and its cost.
struct RankedPlan {
  Plan plan;
  Evaluation evaluation;  ///< from evaluate(), not from the DP's sums
  Seconds simulated;      ///< batch time by event simulation
};

}  // namespace nest
