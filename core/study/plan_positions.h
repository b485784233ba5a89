#pragma once

#include <vector>

#include "plan/plan.h"
#include "problem/problem.h"

/// Plans as sets of positions of a cluster, in its locality order.
namespace nest {

/// 1 at each of these positions.
std::vector<char> marked(int count, const std::vector<int>& positions);
/// 1 at each position that the plan uses.
std::vector<char> usedBy(const Problem&, const Plan&);
/// The device of every position that the plan counts, those between blocks included as far as they are known.
std::vector<DeviceIndex> orderOf(const Plan&, int devices);

}  // namespace nest
