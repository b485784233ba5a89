#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "problem/problem.h"

namespace nest {

/// The positions of what is lost, in locality order.
struct LostDevices {
  std::string what;  ///< "host3", "one device of host0", "host3 and rack 2"
  std::vector<int> positions;
};
/// Reads "host3", "leaf 2", "device 17" (input number), "host3/0" (a device of a host), several apart by
/// commas. Errors say what there is.
Reading<LostDevices> readLost(const Problem&, std::string_view text);

}  // namespace nest
