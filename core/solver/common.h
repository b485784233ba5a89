#pragma once

#include <limits>

#include "units/at.h"

namespace nest::planner {

/// The time of what cannot be.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// Bounds and limits may be off by rounding.
inline constexpr double kSlack = 1 + 1e-12;

/// What fits to this factor fits: sums of the same bytes in another order differ by roundings, and devices
/// that hold exactly what a stage needs do hold it. evaluate() allows as much.
inline constexpr double kMemoryRounding = 1 + 1e-10;

}  // namespace nest::planner
