#pragma once

#include <string>
#include <utility>
#include <vector>

#include "measures/metrics.h"
#include "run/run_unit.h"

/// Sentences about a run, in one place for all programs.
namespace nest::words {

/// "192 d to train, of which failures take 21 d", "31 d to train"; empty if the job has no training tokens.
std::string training(const PlanMetrics&);

/// "%", "Days", "Device-hours", "Money", "MWh".
const char* labelOf(RunUnit);
/// "14.7 %", "21 d", "1.27 M device-hours", "12.3 M", "310 MWh".
std::string amountIn(RunUnit, double);
/// "useful time", "checkpoints", "repeated work", "restarts".
const char* of(RunPart);
/// What the time goes to: "85.3 %; checkpoints take 4.4 %, restarts 6 %, repeated work 4.3 %".
std::string usefulTime(const RunPrediction&, Seconds work);
/// What is asked for: "`run.start_s` and `job.training_tokens`", in the format of adviceParts(). `keys`:
/// "/run/start_s".
std::string listOfFields(const std::vector<std::string>& keys);

/// "192 d to train; useful time 85.3 %; checkpoints take 4.4 %, …", "useful time 85.3 %; …" without training
/// tokens, "31 d to train without failures".
std::string runSentence(const RunForecast&);

/// Name and text of each line about the run: checkpoints, failures, useful time, cost, energy, and the
/// missing fields, in the format of adviceParts().
std::vector<std::pair<std::string, std::string>> runLines(const RunForecast&);

}  // namespace nest::words
