#pragma once

#include "calibration/measurement.h"
#include "scenario/scenario.h"

namespace nest {

/// Puts into the scenario's device the shares of its peak rates, and the size at which a product loses half
/// its rate, with which the roofline gives the measured times; origin measured. What lasts of a kernel's rate
/// through training steps stays as it is. `notes`: what changed, how far single kernels are from the fit.
/// Times that no rate explains change nothing, with a warning. Of a table of several devices the scenario's
/// is used, with a note. Errors: the times are of another device; too few products or kernels of the size
/// that training has.
Diagnostics setKernels(Scenario&, const KernelTimes&, std::vector<std::string>& notes);

}  // namespace nest
