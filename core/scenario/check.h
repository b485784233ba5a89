#pragma once

#include "scenario/scenario.h"

namespace nest {

/// Everything about job, search, constraints and assumptions that no plan could satisfy or no cost could be
/// computed from. Pointers are those of the scenario file ("/job/global_batch"). `layerCount`: 0 if not known
/// yet.
Diagnostics checkJob(const Job&);
Diagnostics checkSearch(const SearchOptions&);
Diagnostics checkConstraints(const Constraints&, int layerCount);
Diagnostics checkAssumptions(const Assumptions&, const DeviceSpec&);
Diagnostics checkDevice(const DeviceSpec&);

}  // namespace nest
