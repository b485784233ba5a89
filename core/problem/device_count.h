#pragma once

#include <vector>

#include "problem/problem.h"

namespace nest {

/// The cluster's first `count` devices, or, beyond them, the cluster repeated, joined at the outermost level.
Problem withDeviceCount(const Problem&, int count);
/// The cluster without some positions of its locality order; the rest keeps its names. At least one must
/// stay.
Problem withoutDevices(const Problem&, const std::vector<int>& positions);

}  // namespace nest
