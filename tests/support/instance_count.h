#pragma once

#include <algorithm>
#include <cstdlib>

namespace nest::test {

/// How many random instances the tests of exactness try together, roughly: NEST_INSTANCES, or 1,800.
inline double instancesAsked() {
  const char* asked = std::getenv("NEST_INSTANCES");
  return asked ? std::atof(asked) : 1800;
}
/// A test's share of them.
inline int instances(double share) {
  return static_cast<int>(instancesAsked() * share);
}
/// Of a test that shows nothing with fewer than `usual`: more where more are asked for.
inline int instancesFrom(int usual) {
  return std::max(usual, instances(usual / 1800.0));
}

}  // namespace nest::test
