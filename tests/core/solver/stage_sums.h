#pragma once

#include <algorithm>

#include "evaluation/evaluation.h"
#include "solver/bounds/search_bounds.h"

namespace nest::test {

/// What a stage adds to Σ x and to the largest y.
inline void addStage(const StageEvaluation& stage, const solver::Target& target, double& sum, double& max) {
  const double load = stage.load.value(), fill = stage.fill.value();
  sum += target.byLoad() ? load : fill;
  max = std::max(max, target.byLoad() ? load : load - fill / target.microbatchCount);
}

}  // namespace nest::test
