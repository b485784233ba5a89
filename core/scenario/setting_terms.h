#pragma once

#include "evaluation/explanation.h"
#include "fields/setting.h"

namespace nest {

/// Adds the scenario's program to the tree of explain(), as a term "program": each value that it sets, with
/// its source, and which of them were changed. Its factor in `root` is 0.
void addProgram(CostTerm& root, const Setting&);

/// Adds what estimated layer times rest on, as a term "constants": every constant of the device and of the
/// kernels, each with its source. Its factor in `root` is 0. For scenarios whose profile is analytic, wholly
/// or in part.
void addConstants(CostTerm& root, const Setting&);

}  // namespace nest
