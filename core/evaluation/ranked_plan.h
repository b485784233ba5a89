#pragma once

#include "evaluation/evaluation.h"
#include "plan/plan.h"

namespace nest {

/// A plan with what it costs.
struct RankedPlan {
  Plan plan;
  Evaluation evaluation;  ///< by evaluate(), not the DP's sums
  Seconds simulated;      ///< batch time by event simulation
};

}  // namespace nest
