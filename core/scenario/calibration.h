#pragma once

#include "plan/plan.h"
#include "scenario/scenario.h"

namespace nest {

/// One measured step time beside the model's, and what brings the two together.
struct Calibration {
  Seconds predicted;  ///< batch time of the plan as the scenario stands
  Seconds measured;
  double factor = 1;  ///< ModelSource::calibration with which the prediction equals the measurement
  Seconds rescaled;   ///< batch time with it

  double predictedByMeasured() const { return predicted / measured; }
};

/// Compute seconds are scaled, exchanges stay, so that the factor is found by bisection. Errors: the measured
/// time is not positive; the plan's exchanges alone take longer than it; what buildProblem reports.
Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, Seconds measured);

}  // namespace nest
