#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measurement.h"
#include "cluster/levels/hierarchy.h"
#include "diagnostics/diagnostic.h"
#include "problem/job.h"

namespace nest {

/// Devices on which the ranks of a benchmark stand: on the cluster's hosts of their names, or else as packed
/// as they can be. `level`: the outermost that they span; unset: the only one that they can. Errors: it may
/// be one of several; ranks and hosts fit nowhere.
Reading<std::vector<int>> placeRanks(const Hierarchy&, const CollectiveTimes&, std::optional<int> level);

/// The cluster as benchmarks see it: how a program uses the network does not count.
Hierarchy asMeasured(const Hierarchy& bare, Assumptions);

/// An error about a measured network, at "/cluster/network".
Diagnostic badFit(std::string message, std::string remedy, const char* code = "link-fit");

}  // namespace nest
