#pragma once

#include <string>
#include <vector>

#include "fields/setting.h"

namespace nest {

/// What turns one setting into another, each as a person says it: "global batch 1,536 → 3,072", "bandwidth of
/// leaf 50 GB/s → 100 GB/s"; "the model" where that is no field. Empty: they are equal.
std::vector<std::string> settingDifferences(const Setting& before, const Setting& after);
/// The same as one line, at most three of them named; empty: they are equal.
std::string settingDifference(const Setting& before, const Setting& after);

}  // namespace nest
