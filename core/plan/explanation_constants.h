#pragma once

#include "analytic/analytic_constants.h"
#include "plan/explanation.h"

namespace nest {

/// Adds to the tree of explain() what its estimated layer times rest on: the term "constants" (it counts for
/// nothing in the sum), whose inputs are every constant of the device and of the kernels, each with its
/// source. For scenarios whose profile is analytic, wholly or in part.
void addConstants(CostTerm& root, const DeviceSpec&, const AnalyticConstants&);

}  // namespace nest
