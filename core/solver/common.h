#pragma once

#include <limits>

#include "units/at.h"

namespace nest::planner {

/// The time of what cannot be.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Bounds and limits may be off by rounding.
inline constexpr double kSlack = 1 + 1e-12;

}  // namespace nest::planner
