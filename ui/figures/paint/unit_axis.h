#pragma once

#include "figures/paint/axis.h"
#include "run/run_unit.h"

namespace nest {

/// A horizontal axis from zero in a unit of the run, with round ticks: "%", "days", "M device-hours".
/// `largest`: an amount, as RunAmounts have it.
Axis unitAxis(RunUnit, double largest, double pixels);

}  // namespace nest
