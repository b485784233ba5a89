#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "evaluation/evaluation.h"
#include "lab/published_scenario.h"
#include "program/prediction_interval.h"

namespace nest {

/// One published figure beside ours.
struct ValidationRow {
  PublishedRun run;
  ProgramUse program;  ///< that it ran under; changed where the row states otherwise
  std::string device;  ///< id in the catalog
  Plan plan;
  Evaluation evaluation;
  double predicted = 0;   ///< same unit as run.published
  bool isFitted = false;  ///< the device's constants were chosen with this row in view

  double error() const { return predicted / run.published - 1; }
  /// Error as throughput: for times the inverse ratio.
  double throughputError() const {
    return run.quantity == PublishedQuantity::BatchSeconds ? run.published / predicted - 1 : error();
  }
};

struct ValidationReport {
  std::vector<ValidationRow> rows;

  double meanThroughputError() const;  ///< mean of |throughputError|, all throughput rows
  double meanThroughputError(bool fitted) const;
  double largestMemoryError() const;  ///< largest |error| of activation rows
  double calibration() const;         ///< geometric mean of measured ÷ predicted time, throughput rows
};

/// Evaluates each published run as the user's scenario that it is (planOf()). A row whose configuration
/// cannot be formed (layers or devices do not divide, a device that is not in the catalog) becomes a warning.
Reading<ValidationReport> runValidation(std::string_view trainingResults, const std::string& file,
                                        const PublishedOptions& = {});

/// A held-out run with a program of its own: what its prediction is compared by.
struct HeldOutRun {
  std::string set, program, device;  ///< ids of the latter two
  bool experts = false;
  std::string model;           ///< equal for runs of one model in one format
  double step = 0;             ///< predicted, s
  double ratio = 1;            ///< measured ÷ predicted time
  double throughputError = 0;  ///< predicted ÷ measured − 1
};
/// The rows that no constant was fitted on. What a row sets in addition to its program's values is of its run
/// and counts with it.
std::vector<HeldOutRun> heldOutRuns(const ValidationReport&);

/// The cells (RunsBehind) that hold at least 10 runs of 3 sets, and those of all programs whatever they hold.
/// An interval is the smallest that holds 80 % of the runs, where each set weighs as much as any other, and
/// the share is raised to 80 % · (1 + 1/n) for n sets, since a further set is as likely to be the farthest
/// off.
std::vector<PredictionCell> cellsOf(const std::vector<HeldOutRun>&);
/// resources/prediction_errors.json.
std::string errorsJson(const std::vector<PredictionCell>&);

/// What a study prints as JSON: each row, the means, and the cells of its held-out runs.
std::string validationJson(const ValidationReport&);

/// A table: set, run, plan, predicted, published, error; then the means and which rows were fitted on.
std::string toText(const ValidationReport&);

}  // namespace nest
