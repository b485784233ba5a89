#pragma once

#include <memory>

#include "problem/problem.h"
#include "scenario/scenario.h"
#include "solver/outcome.h"

namespace nest {

/// Everything a view shows: one plan of one scenario. Immutable and shared, so that two views may show two
/// plans and a solve may replace it at any time. Null parts are states: no scenario, not solved yet, nothing
/// fits.
struct PlanContext {
  std::shared_ptr<const Scenario> scenario;
  std::shared_ptr<const Problem> problem;  ///< null: the scenario has errors (see diagnostics)
  std::shared_ptr<const Outcome> outcome;  ///< null: not solved yet
  std::shared_ptr<const RankedPlan> plan;  ///< null: nothing fits, or not solved yet
  Diagnostics diagnostics;                 ///< of building the problem
  bool byHand = false;                     ///< cut by hand; the best one stands in `outcome`
  bool current = true;                     ///< false: the scenario has been edited since this plan was found
  int generation = 0;                      ///< grows with each edit

  /// The plan to draw: the best one, or the nearest miss when nothing fits; null otherwise.
  const Plan* shownPlan() const;
  const Evaluation* shownEvaluation() const;
  bool isNearestMiss() const { return !plan && shownPlan(); }
};

using PlanContextPtr = std::shared_ptr<const PlanContext>;

}  // namespace nest
