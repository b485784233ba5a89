#pragma once

#include "fields/setting.h"
#include "plan/explanation.h"

namespace nest {

/// Adds the scenario's program as a term "program": each value that it sets, with its source, and which of
/// them were changed. Its factor in `root` is 0.
void addProgram(CostTerm& root, const Setting&);

}  // namespace nest
