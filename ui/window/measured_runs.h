#pragma once

#include <optional>

#include "document/planning_session.h"
#include "scenario/measurement.h"

namespace nest {

class MessageBar;

/// Lays the log, benchmark or trace of a run over the open scenario: with the plan shown, if it is of that
/// run, else as far as it goes without. `level`: whose exchanges it timed, where the user was asked.
void takeMeasurement(ScenarioDocument&, const PlanningSession&, MessageBar&, const Measurement&,
                     const QString& name, std::optional<int> level = {});

}  // namespace nest
