#pragma once

#include <vector>

#include "solver/space/layer_sums.h"
#include "solver/stage/stage_costs.h"

namespace nest::planner {

/// Seconds of sync and step per parameter that a stage shows at least, where it stands.
struct SyncRates {
  double dense = 0, expert = 0;
};

/// STATEMENT.md (6.16): whether a chain can be cut into stages with these rates so that it takes no longer
/// than `limit`, as far as loads and syncs tell. `weights`: of loads; `hops`: seconds of transfers in all
/// loads. False is certain.
bool mayFinishWithin(double limit, const LayerSums&, const std::vector<SyncRates>& stages,
                     const ObjectiveWeights& weights, double hops);

}  // namespace nest::planner
