#pragma once

#include <algorithm>

#include "problem/job.h"

namespace nest {

/// The part of a device's memory that no plan may use, STATEMENT.md (10.1). Both shares are taken of the
/// device's own memory.
struct ReservedMemory {
  Bytes base;       ///< Assumptions::reserve
  Bytes headroom;   ///< stays free because predictions err
  Bytes allocator;  ///< what the allocator keeps beyond what it hands out, at most

  Bytes total() const { return base + headroom + allocator; }
};

inline ReservedMemory reservedOn(const Assumptions& a, Bytes memoryOfDevice) {
  ReservedMemory r{a.reserve, memoryOfDevice * a.headroom, Bytes(0)};
  if (a.allocatorFactor != 1)
    r.allocator = std::max(Bytes(0), (memoryOfDevice - r.headroom - r.base) * (1 - 1 / a.allocatorFactor));
  return r;
}

/// The smallest memory of a device that can hand out `handedOut` to a plan: the inverse of the above.
inline Bytes memoryToHandOut(const Assumptions& a, Bytes handedOut) {
  return (handedOut * a.allocatorFactor + a.reserve) * (1 / (1 - a.headroom));
}

}  // namespace nest
