#pragma once

#include "calibration/measurement.h"
#include "plan/plan.h"
#include "scenario/scenario.h"

namespace nest {

/// What a measurement changes of a scenario, and of the step time that it predicts for one plan.
struct Calibration {
  Scenario scenario;                ///< with what was measured
  Seconds predicted;                ///< step time of the plan as the scenario stood
  Seconds rescaled;                 ///< and with what was measured
  std::optional<Seconds> measured;  ///< the step time, where that is what was measured
  double factor = 1;                ///< ModelSource::calibration of `scenario`
  std::vector<std::string> notes;   ///< what was read, what changed, what that is good for; sentences
  bool isDoubtful = false;          ///< `notes` say why: a wrong unit or another plan explains it better

  double predictedByMeasured() const { return measured ? predicted / *measured : 1; }
};

/// By one step time: compute seconds are scaled, exchanges stay, so that the factor is found by bisection.
/// Errors: the measured time is not positive; the plan's exchanges alone take longer than it; what
/// buildProblem reports.
Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, Seconds measured);

/// By any measurement of a run of this plan. A training log: as above, with its memory beside the predicted
/// one. Times of exchanges: bandwidth and latency of levels (link_fit.h). Times of layers and blocks:
/// measured costs over the analytic ones (layer_overlay.h). Times of kernels: rates of the device
/// (kernel_fit.h). `level`: of which level exchanges are; unset: the one that the ranks tell. Errors:
/// besides, the run is known to be of another plan; the measurement says nothing of the plan.
Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, const Measurement&,
                                    std::optional<int> level = {});

/// Puts all that was measured of a machine into a scenario: setKernels, then setLinks.
Diagnostics setMachine(Scenario&, const MachineTimes&, std::vector<std::string>& notes);

}  // namespace nest
