#pragma once

#include <vector>

#include "solver/space/layer_sums.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// Lower bounds on the costs of a stage at its place.
struct StageReach {
  double dense = 0, expert = 0;  ///< exposed seconds of sync and step, per parameter
  /// Per cut: seconds of load of the layers before it; null if those of LayerSums::leastAny apply.
  const std::vector<double>* load = nullptr;
};

/// Whether a chain may be cut into these stages so that it takes no longer than `limit` (STATEMENT.md
/// (6.16)). `weights`: of loads; `hops`: seconds of transfers in all loads.
/// Claim: if the result is false, no cuts take at most `limit`.
/// Proof: for a largest load λ the tail is at most τ = limit − w_sum·W − w_max·λ. Among the cuts that satisfy
/// both limits, the furthest one leaves the fewest layers and the most backward work in front of the next
/// sync, so it is never worse than a nearer one. Both limits only allow more as they grow, so a range of λ is
/// ruled out by its highest λ together with the τ of its lowest.
/// Cost: stages × log(layers), times the ranges of λ, at most some hundred.
bool mayFinishWithin(double limit, const LayerSums&, const std::vector<StageReach>& stages,
                     const ObjectiveWeights& weights, double hops);

}  // namespace nest::solver
