#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measures/metrics.h"

/// What is said of a run, for every program; one place for the words.
namespace nest::words {

/// "192 d to train, of which failures take 21 d", "31 d to train"; empty where the job says no training
/// tokens.
std::string training(const PlanMetrics&);

/// Name and text of each line about the run: checkpoints, failures, useful time, cost, energy, and which
/// fields are missing, as advice (adviceParts()).
std::vector<std::pair<std::string, std::string>> runLines(const RunForecast&);

}  // namespace nest::words
