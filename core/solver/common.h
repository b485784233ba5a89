#pragma once

#include <limits>

#include "solver/tolerances.h"
#include "units/at.h"

namespace nest::solver {

/// The time of what cannot be.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace nest::solver
