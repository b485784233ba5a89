#pragma once

#include <string>

#include "formats/results/outcome_json.h"

namespace nest {

/// One page for people: the headline, the figures of the best plan with their units, a line per stage with
/// its load and its memory, the search; when nothing fits, which stage is short by how much and what would
/// make it fit.
/// `free`: the outcome of the same scenario under the preset "free", for comparison; may be null.
std::string summaryText(const ReportSource&, const Outcome&, const Outcome* free = nullptr);

/// The same for one plan that was given, with what is wrong with it.
/// `calibration`: a measured step time to compare with the model's, may be null.
std::string evaluationText(const ReportSource&, const RankedPlan&, const Calibration* calibration = nullptr);

}  // namespace nest
