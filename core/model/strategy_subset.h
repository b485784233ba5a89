#pragma once

#include <vector>

#include "model/profile.h"

namespace nest {

/// The profile of `graph` with these of its strategies alone, by their indices, in that order.
Profile withStrategies(const LayerGraph& graph, const Profile&, const std::vector<int>& kept);

}  // namespace nest
