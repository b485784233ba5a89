#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "evaluation/evaluation.h"
#include "lab/published_scenario.h"

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

/// Of the rows that no constant was fitted on: how far throughput errs under each program, by device family
/// and kind of model. What a row sets beside its program's values is of its run and counts with it.
std::vector<ValidatedRuns> errorsOf(const ValidationReport&);
/// resources/prediction_errors.json.
std::string errorsJson(const std::vector<ValidatedRuns>&);

/// A table: set, run, plan, predicted, published, error; then the means and which rows were fitted on.
std::string toText(const ValidationReport&);

}  // namespace nest
