#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/prediction_error.h"

namespace nest {

/// Which runs a prediction is compared with. A cell that too few runs fall into widens from one to the next.
enum class RunsBehind {
  SameProgram,       ///< of the program, on the family of devices
  RelatedPrograms,   ///< of the programs that it is like, or that are like it, on the family of devices
  RelatedElsewhere,  ///< of those programs on any devices
  SameDevices,       ///< of any program on the family of devices
  AnyProgram,        ///< of any program on any devices
};
inline constexpr int kRunsBehindCount = 5;
const char* nameOf(RunsBehind);  ///< in files: "same program", "related programs", …

/// The share of runs that an interval around a prediction holds.
inline constexpr double kIntervalShare = 0.8;

/// The oldest program that a program is like, itself included: "megatron-2021" of "nemo-2024".
std::string programLineage(std::string_view programId);

/// Held-out runs of one kind of model, and the intervals around predictions that hold 80 % of such runs. What
/// of a run has to match is named; program, lineage and family are empty otherwise.
struct PredictionCell {
  ValidatedRuns runs;
  std::string lineage;  ///< programLineage() of the programs
  RunsBehind behind = RunsBehind::SameProgram;
  double difference = 0;  ///< as PredictionError::time, of the ratio of two plans of one model and program
  double mean = 0;        ///< mean of |predicted ÷ measured − 1| of throughput
  int sets = 0;           ///< that the runs come from

  friend bool operator==(const PredictionCell&, const PredictionCell&) = default;
};

/// The cells of resources/prediction_errors.json, which `nest-plan study validation --errors` writes from
/// samples/published.
const std::vector<PredictionCell>& predictionCells();

/// The narrowest cell that holds a prediction; nullptr: there is none, as of `ideal`, which is no existing
/// program.
const PredictionCell* cellOf(const std::vector<PredictionCell>&, std::string_view program,
                             std::string_view deviceId, bool experts);
/// The cell of a program that an error was taken from; nullptr: none.
const PredictionCell* cellBehind(const PredictionError&, std::string_view program);

}  // namespace nest
