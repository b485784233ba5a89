#pragma once

#include <limits>

#include "solver/tolerances.h"
#include "units/at.h"

namespace nest::solver {

/// The time of an infeasible plan or stage.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace nest::solver
