#pragma once

#include <cstddef>
#include <limits>

namespace nest::planner {

/// A number that counts something as an index of a container.
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

/// The time of what cannot be.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Bounds and limits may be off by rounding.
inline constexpr double kSlack = 1 + 1e-12;

}  // namespace nest::planner
