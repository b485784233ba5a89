#pragma once

#include <string>
#include <vector>

#include "solver/stage/stage_costs.h"

namespace nest::solver {
class Watch;

/// A signature of a layout for pipelines on `units` units (devices per inner replica). Layouts with equal
/// signatures are equivalent for every stage: they agree in the groups, speed and memory of every strategy at
/// every place, and in the levels between neighbours. `fromFirst`: also in the levels between the first stage
/// and every later one. Incomplete if the watch has stopped.
std::string layoutSignature(GroupShapes&, const std::vector<LayerSums*>&, const BlockLayout&, int units,
                            bool fromFirst, Watch&);

/// Whether computing signatures takes less time than solving some layouts twice.
bool isWorthSigning(const std::vector<LayerSums*>&, int units);

}  // namespace nest::solver
