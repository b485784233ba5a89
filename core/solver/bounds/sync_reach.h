#pragma once

#include <vector>

#include "solver/space/layer_sums.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// What a stage takes at least where it stands.
struct StageReach {
  double dense = 0, expert = 0;  ///< seconds of sync and step that show, per parameter
  /// By cut: seconds of load of the layers before it; null: those of LayerSums::leastAny.
  const std::vector<double>* load = nullptr;
};

/// Whether a chain can be cut into these stages so that it takes no longer than `limit` (STATEMENT.md
/// (6.16)). `weights`: of loads; `hops`: seconds of transfers in all loads. Claim: where it says no, no cuts
/// do. Proof: for a largest load λ the tail is at most τ = limit − w_sum·W − w_max·λ. Among the cuts that
/// obey both,
///   the furthest one leaves the fewest layers, and more backward work in front of the next sync: it is never
///   worse than a nearer one. Both limits grow with what they allow, so that a range of λ is refused by its
///   highest λ with the τ of its lowest.
/// Cost: stages × log(layers), times the ranges of λ, which are at most some hundred.
bool mayFinishWithin(double limit, const LayerSums&, const std::vector<StageReach>& stages,
                     const ObjectiveWeights& weights, double hops);

}  // namespace nest::solver
