#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measurement.h"
#include "scenario/scenario.h"

namespace nest {

/// How much longer reduce-scatters and all-gathers between hosts take for each rank (STATEMENT.md (10.7)), of
/// the largest message of each; level bandwidths are as the scenario has them.
struct CrowdingFit {
  double crowding = 0;      ///< s per byte and rank, 0 or more
  int least = 0, most = 0;  ///< ranks of the smallest and the largest group
  Bytes size;               ///< of the largest message there
  double worst = 0;         ///< model ÷ measured − 1 where it is farthest from 0, after the fit
};

/// nullopt: the times are of fewer than two sizes of groups between hosts, or they grow no faster with the
/// ranks than the levels alone make them.
std::optional<CrowdingFit> fitCrowding(const Scenario&, const std::vector<CollectiveTimes>&,
                                       std::optional<int> level);

/// Sets `assumptions.crowding_s_per_byte` so; `notes` gets a sentence.
void setCrowding(Scenario&, const std::vector<CollectiveTimes>&, std::optional<int> level,
                 std::vector<std::string>& notes);

}  // namespace nest
