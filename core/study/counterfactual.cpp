#include "study/counterfactual.h"

#include <algorithm>

#include "study/quiet_solve.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

bool meets(const Demand& demand, const Plan& plan) {
  const auto& offered = demand.problem.search.recompute;
  return evaluate(demand.problem, plan).feasible() &&
         std::all_of(plan.stages.begin(), plan.stages.end(),
                     [&](const StagePlan& s) { return offered[static_cast<std::size_t>(s.recompute)]; });
}

/// Why nothing fits, from the nearest miss or, without one, from what the search log says of most candidates.
std::string obstacle(const Outcome& o) {
  if (o.nearestMiss && o.nearestMiss->shortfall.value() > 0)
    return "the closest plan is short by " + text::memory(o.nearestMiss->shortfall) + " on " +
           text::stageName(StageIndex(o.nearestMiss->stage));
  const auto memory = std::count_if(o.log.candidates.begin(), o.log.candidates.end(),
                                    [](const Candidate& c) { return c.fate == Fate::OutOfMemory; });
  if (memory > 0) return "memory is short in every candidate";
  return "no degrees suit the batch, the devices and the demand together";
}

}  // namespace

Counterfactual whyNot(const Problem& problem, const RankedPlan& present, const Demand& demand,
                      const Control& control) {
  Counterfactual c;
  c.demand = demand.words;
  if (meets(demand, present.plan)) {
    c.alreadyMet = true;
    c.answer = "The best plan already has " + demand.words + ".";
    return c;
  }
  c.outcome = quietSolve(demand.problem, control);
  const RankedPlan* best = c.outcome.best();
  if (!best) {
    c.answer = c.outcome.status == OutcomeStatus::Infeasible
                   ? "With " + demand.words + " nothing fits: " + obstacle(c.outcome) + "."
                   : "Stopped before a plan with " + demand.words + " was found.";
    return c;
  }
  c.difference = diff(problem, present.plan, present.evaluation, best->plan, best->evaluation);
  const std::string times =
      text::time(best->evaluation.batchTime) + " instead of " + text::time(present.evaluation.batchTime);
  c.answer =
      "With " + demand.words + " a batch takes " + times + " at best: " + c.difference->sentence() + ".";
  if (c.outcome.status != OutcomeStatus::Optimal)
    c.answer += " The search was stopped; it may still get better.";
  return c;
}

}  // namespace nest
