#pragma once

#include <string>
#include <string_view>

namespace nest {

/// The interval around a prediction that holds 80 % of measured runs of the same kind of model, none of which
/// any constant was chosen by (program/prediction_interval.h states whose runs).
struct PredictionError {
  double time = 0;  ///< a run takes 1 − time to 1 + time of the predicted time
  int runs = 0;     ///< 0: not validated

  friend bool operator==(const PredictionError&, const PredictionError&) = default;
};

/// "Hopper" of "h100-sxm", "h200" or "H100" (DeviceFacts::family); a name that the catalog does not know is a
/// family of its own.
std::string deviceFamily(std::string_view deviceName);

struct ValidatedRuns {
  std::string program;  ///< id; empty: any
  std::string family;   ///< of devices; empty: any
  bool experts = false;
  PredictionError error;

  friend bool operator==(const ValidatedRuns&, const ValidatedRuns&) = default;
};

/// Of the narrowest cell of resources/prediction_errors.json that holds it (cellOf()).
PredictionError predictionErrorOf(std::string_view program, std::string_view deviceId, bool experts);

}  // namespace nest
