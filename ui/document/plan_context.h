#pragma once

#include <memory>
#include <optional>
#include <string>

#include "problem/problem.h"
#include "scenario/scenario.h"
#include "solver/outcome.h"

namespace nest {

/// How far the search has come whose result will take the place of what is shown. One for all contexts of a
/// session, which keeps it up to date: read it when painting. GUI thread.
struct SearchState {
  bool running = false;
  bool lasting = false;  ///< long enough to be worth a word
  std::string step;      ///< what it does now
  double fraction = 0;   ///< 0…1
  std::optional<Seconds> best;
  bool settled = false;  ///< that is the optimum; the search goes on for the next best plans
  Seconds elapsed;
};

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
  std::string shownAs;                     ///< what it is, if it is looked at in place of the best plan
  bool current = true;                     ///< false: the scenario has been edited since this plan was found
  bool soFar = false;                      ///< found by a search that goes on; not current either
  int generation = 0;                      ///< grows with each edit
  std::shared_ptr<const SearchState> search;  ///< null: none can run, as on paper

  /// The plan to draw: the best one, or the nearest miss when nothing fits; null otherwise.
  const Plan* shownPlan() const;
  const Evaluation* shownEvaluation() const;
  bool isNearestMiss() const { return !plan && shownPlan(); }
  bool isSearching() const { return search && search->running; }
};

using PlanContextPtr = std::shared_ptr<const PlanContext>;

}  // namespace nest
