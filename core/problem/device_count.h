#pragma once

#include <vector>

#include "problem/problem.h"

namespace nest {

/// The cluster's first `count` devices, or, beyond them, the cluster repeated, joined at the outermost level.
Problem withDeviceCount(const Problem&, int count);
/// The cluster without some positions of its locality order; the rest keeps its names. At least one must
/// stay.
Problem withoutDevices(const Problem&, const std::vector<int>& positions);
/// The same devices, and a copy of the last host of a group of level 1 behind it. There are several levels.
Problem withExtraHost(const Problem&, int group);
/// The cluster's devices at these positions, in this order (STATEMENT.md §3, lines). Where a group is left
/// and entered again, its parts count as groups of their own.
Problem onLine(const Problem&, const std::vector<int>& positions);
/// As many devices, all as fast as the fastest and with as much memory as any has.
Problem withBestDevices(const Problem&);

}  // namespace nest
