#pragma once

#include <algorithm>

#include "problem/job.h"

namespace nest {

/// How often a ZeRO stage sends the gradients of a parameter through a reduce-scatter, and its weights
/// through an all-gather, STATEMENT.md (4.11). Evaluation, explanation, traffic and search share this table.
struct GradientMessages {
  struct Count {
    int gradients = 0, weights = 0;

    double bytesPerParameter(const OptimizerRegime& r) const {
      return gradients * r.gradientBytes + weights * r.weightBytes;
    }
    friend constexpr bool operator==(const Count&, const Count&) = default;
  };
  Count perStep;
  Count perMicrobatch;
  int weightsBeforeForward = 0;  ///< those of perMicrobatch.weights that the forward pass waits for

  static constexpr GradientMessages of(int zero, bool zeroAllReduces) {
    constexpr GradientMessages kByZeroStage[] = {
        {{2, 0}, {0, 0}, 0}, {{1, 1}, {0, 0}, 0}, {{0, 1}, {1, 0}, 0}, {{0, 0}, {1, 2}, 1}};
    if (zero == 1 && zeroAllReduces) return {{2, 1}, {0, 0}, 0};  // STATEMENT.md (10.6)
    return kByZeroStage[std::clamp(zero, 0, 3)];
  }
};

}  // namespace nest
