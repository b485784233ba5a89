#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/checkpoint.h"
#include "run/goodput.h"

namespace nest {

/// What a plan makes of the whole run (RunOptions): days, failures, money, energy.
struct RunForecast {
  std::optional<Seconds> work;  ///< all steps on healthy devices; absent: the job says no training tokens
  CheckpointSize checkpoint;
  /// Filled where failures are given and nothing is missing; of a run without a length, of a long one.
  std::optional<RunTimes> times;
  std::optional<RunPrediction> prediction;
  std::optional<Seconds> total;  ///< with failures and checkpoints, as far as they are known; absent: no end

  int reservedDevices = 0;           ///< in use, and of spare hosts
  std::optional<double> money;       ///< in the currency of the price
  std::optional<double> energy;      ///< kWh
  std::optional<double> carbon;      ///< kg CO₂
  std::vector<std::string> missing;  ///< keys of the fields that failures or prices need: "/run/start_s"

  /// Share of the time in which steps make progress; absent: failures are not counted.
  std::optional<double> goodput() const {
    return prediction ? std::optional(prediction->goodput(times->work)) : std::nullopt;
  }
};

/// nullopt: the run has no options and no training tokens. The plan must be feasible.
std::optional<RunForecast> runForecastOf(const Problem&, const Plan&, const Evaluation&);

}  // namespace nest
