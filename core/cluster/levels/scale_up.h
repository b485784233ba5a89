#pragma once

#include <string>

#include "cluster/levels/hierarchy.h"

namespace nest {

/// More than network adapters carry for a device (800 Gb/s are 100 GB/s): links this fast are of the scale-up
/// network, as NVLink over the 72 devices of a rack.
inline constexpr BytesPerSecond kBeyondAdapters(150e9);

/// The level whose groups are scale-up domains: what tensor groups of training frameworks stay inside, and
/// within which experts' tokens are copied. Level 0, or the outermost level above it that is named as a host,
/// lies inside hosts (DeviceIdentity), or is faster than adapters.
int scaleUpLevel(const Hierarchy&);
int scaleUpSize(const Hierarchy&);          ///< devices of the largest scale-up domain
std::string scaleUpName(const Hierarchy&);  ///< "host", or what that level is called: "rack"

/// Part of a group of `size` that degrees of parallelism divide: 64 of 72.
int largestPowerOfTwo(int size);
/// Whether training frameworks take tensor groups of this size in a scale-up domain, or in the largest power
/// of two of its devices, which is what solveOnEvenHosts() leaves of it.
bool holdsTensorGroups(int scaleUpSize, int tensor);

}  // namespace nest
