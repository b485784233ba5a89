#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// How far predictions were from measured runs of the same program on the same family of devices with the
/// same kind of model, none of which any constant was chosen by.
struct PredictionError {
  double time = 0;  ///< mean of |predicted ÷ measured − 1| of throughput
  int runs = 0;     ///< 0: not validated

  friend bool operator==(const PredictionError&, const PredictionError&) = default;
};

/// "Hopper" of "h100-sxm", "h200", "h800-sxm", …; of a device that belongs to no known family its own id.
std::string deviceFamily(std::string_view deviceId);

struct ValidatedRuns {
  std::string program;  ///< id
  std::string family;   ///< of devices
  bool experts = false;
  PredictionError error;

  friend bool operator==(const ValidatedRuns&, const ValidatedRuns&) = default;
};

/// Of resources/prediction_errors.json, which `nest-plan study validation --errors` writes from
/// samples/published.
const std::vector<ValidatedRuns>& validatedRuns();
PredictionError predictionErrorOf(std::string_view program, std::string_view deviceId, bool experts);

}  // namespace nest
