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
/// Devices of the largest scale-up domain; of the largest host where level 0 of a graph joins hosts by
/// adapters.
int scaleUpSize(const Hierarchy&);
std::string scaleUpName(const Hierarchy&);  ///< "host", or what that level is called: "rack"

/// Whether a level-l group holds devices of several hosts (DeviceIdentity). The first group, which is the
/// largest, stands for all. Level 0 of a graph does where its hosts have one device each.
bool joinsHosts(const Hierarchy&, int level);

/// Part of a group of `size` that degrees of parallelism divide: 64 of 72.
int largestPowerOfTwo(int size);
/// Whether training frameworks take tensor groups of this size in a scale-up domain, or in the largest power
/// of two of its devices, which is what solveOnEvenHosts() leaves of it.
bool holdsTensorGroups(int scaleUpSize, int tensor);

}  // namespace nest
