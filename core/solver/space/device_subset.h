#pragma once

#include <string>
#include <vector>

#include "cluster/levels/hierarchy.h"

namespace nest {

/// Part of each group of one level or of several, so that groups are alike or powers of two divide their
/// sizes.
struct DeviceSubset {
  std::string name;       ///< "the 15 complete hosts", "64 devices of each rack"
  bool complete = false;  ///< no host that is taken loses a device
  int devices = 0;
  std::vector<int> idle;  ///< positions
};

/// At most five, each of at least half of the devices (STATEMENT.md §3).
std::vector<DeviceSubset> deviceSubsets(const Hierarchy&);

}  // namespace nest
