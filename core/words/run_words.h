#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measures/metrics.h"

/// Sentences about a run, in one place for all programs.
namespace nest::words {

/// "192 d to train, of which failures take 21 d", "31 d to train"; empty if the job has no training tokens.
std::string training(const PlanMetrics&);

/// Name and text of each line about the run: checkpoints, failures, useful time, cost, energy, and the
/// missing fields, in the format of adviceParts().
std::vector<std::pair<std::string, std::string>> runLines(const RunForecast&);

}  // namespace nest::words
