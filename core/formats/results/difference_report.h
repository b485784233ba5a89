#pragma once

#include "formats/results/plan_report.h"

namespace nest {

/// One of two plans that are set against each other.
struct DifferenceSide {
  ReportSource source;
  const Scenario* scenario = nullptr;
  const RankedPlan* plan = nullptr;  ///< null: there is none, and `outcome` says why
  const Outcome* outcome = nullptr;  ///< of the search that found it; may be null where there is a plan
};

/// What becomes of the plan when one scenario takes the place of another: by how much a step, or a token
/// where the steps differ in their work, takes longer or less, which part of the time makes the difference,
/// the fields that differ, and the figures of both plans side by side. Whether the difference is inside the
/// error of predicted ratios is stated where model and program are the same.
PlanReport differenceReportOf(const DifferenceSide& before, const DifferenceSide& after);

}  // namespace nest
