#pragma once

#include <string>
#include <vector>

#include "solver/stage/stage_costs.h"

namespace nest::solver {
class Watch;

/// Layouts of pipelines on `units` units (devices per inner replica) with equal signatures make no difference
/// to any stage: the groups, speed and memory of every strategy at every place, and the levels between
/// neighbours; `fromFirst`: also between the first stage and every later one. Not whole once the watch is
/// over.
std::string layoutSignature(GroupShapes&, const std::vector<LayerSums*>&, const BlockLayout&, int units,
                            bool fromFirst, Watch&);

/// Whether that takes less than solving some layouts twice.
bool isWorthSigning(const std::vector<LayerSums*>&, int units);

}  // namespace nest::solver
