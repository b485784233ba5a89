#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/checkpoint.h"
#include "run/goodput.h"

namespace nest {

/// The whole run under a plan (RunOptions): days, failures, money and energy.
struct RunForecast {
  std::optional<Seconds> work;  ///< all steps on healthy devices; absent without training tokens
  CheckpointSize checkpoint;
  /// Present if failure rates are given and missingForFailures() is empty. Without training tokens they
  /// describe a very long run.
  std::optional<RunTimes> times;
  std::optional<RunPrediction> prediction;
  std::optional<Seconds> total;  ///< with failures and checkpoints, as far as known; absent if it never ends

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

inline constexpr Seconds kLongRun{1e9};  ///< of work: so long that its ends do not matter

/// Keys of the fields that failures need, where a rate of failures is given.
std::vector<std::string> missingForFailures(const Problem&);
/// Of those, and of the fields that prices and energy need where one of them is given.
std::vector<std::string> missingForRun(const Problem&);
/// How a run of so much work goes on so many devices; nothing is missing. `step`: the shortest work between
/// two checkpoints.
RunTimes runTimesOf(const Problem&, const CheckpointSize&, int devices, Seconds step, Seconds work);

/// All devices read the state that they hold; a bandwidth that is not given limits nothing.
Seconds readTimeOf(const RunOptions&, const CheckpointSize&);

/// Of so many devices and hosts, with what the facility adds; nullopt: the power of a device is not given.
std::optional<double> wattsOf(const RunOptions&, int devices, int hosts);

/// Of a run without failures: the time of its steps; nullopt without training tokens.
std::optional<RunForecast> stepsOnly(const Problem&, const Plan&, const Evaluation&);

/// nullopt if the scenario has no section "run". The plan must be feasible. O(devices).
std::optional<RunForecast> runForecastOf(const Problem&, const Plan&, const Evaluation&);

}  // namespace nest
