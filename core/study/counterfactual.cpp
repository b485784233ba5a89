#include "study/counterfactual.h"

#include <algorithm>

#include "evaluation/unsearched.h"
#include "solver/solve.h"
#include "study/conflicts.h"
#include "study/quiet_solve.h"
#include "units/numbering.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// A plan may be evaluated under what is not on offer: that is looked at here.
bool meets(const Demand& demand, const Plan& plan) {
  const auto& offered = demand.problem.search.recompute;
  const auto& schedules = demand.problem.search.schedules;
  return evaluate(demand.problem, plan).feasible() &&
         std::find(schedules.begin(), schedules.end(), plan.schedule) != schedules.end() &&
         std::all_of(plan.stages.begin(), plan.stages.end(),
                     [&](const StagePlan& s) { return offered[s.recompute]; });
}

std::string withRemedy(const Diagnostic& d) {
  return d.message + (d.remedy.empty() ? "" : "; " + d.remedy);
}

/// Why no plan meets a demand: memory, numbers that do not divide, the program, a constraint of the scenario.
std::string obstacle(const Problem& problem, const Problem& demanded, const Outcome& o,
                     const Control& control) {
  if (o.nearestMiss && o.nearestMiss->shortfall.value() > 0)
    return "nothing fits: in the closest plan " + words::shortfall(*o.nearestMiss);
  const auto says = [&](auto&& which) {
    const auto d = std::find_if(o.diagnostics.begin(), o.diagnostics.end(), which);
    return d == o.diagnostics.end() ? std::string() : withRemedy(*d);
  };
  const std::string none = "there is no plan: ";
  if (!says([](const Diagnostic& d) { return d.code == kMissUnknown; }).empty())
    return none + "finding the cause timed out";
  auto known = profileObstacle(demanded);
  if (!known) known = divisionObstacle(demanded);
  const std::string program = known ? std::string() : programObstacle(demanded, control);
  if (!program.empty()) return none + program;
  if (const Diagnostics against = constraintsAgainst(demanded, problem, control); !against.empty())
    return none + (known ? known->message + ": " : "") + "the constraint " + withRemedy(against.front());
  if (known) return none + withRemedy(*known);
  if (const std::string error = says([](const Diagnostic& d) { return d.severity != Severity::Note; });
      !error.empty())
    return none + error;
  return none + "the requirements contradict each other";
}

/// "; faster, but not searched: `search.schedules += zb-h1`": where the answer stands to the best plan.
std::string relation(const Problem& problem, const RankedPlan& present, const RankedPlan& found,
                     const std::vector<NotSearched>& outside) {
  const bool isFaster = found.evaluation.batchTime < present.evaluation.batchTime * (1 - 1e-9);
  if (!outside.empty()) {
    std::string how;
    for (const NotSearched& n : outside)
      how += (how.empty() ? "" : " and ") +
             (n.change.empty() ? n.what + (n.reason.empty() ? "" : " (" + n.reason + ")") : n.change);
    return std::string("; ") + (isFaster ? "faster, but " : "") + "not searched: " + how;
  }
  if (!isFaster) return {};
  for (const Violation& v : evaluate(problem, found.plan).violations)
    if (v.kind == Violation::Kind::Constraint || v.kind == Violation::Kind::Program)
      return "; faster, but the scenario rules it out: " + v.message;
  return "; faster than the best plan found so far";
}

}  // namespace

Counterfactual whyNot(const Problem& problem, const RankedPlan& present, const Demand& demand,
                      const Control& control) {
  Counterfactual c;
  c.demand = demand.words;
  if (meets(demand, present.plan)) {
    c.alreadyMet = true;
    c.answer = c.summary = "The best plan already has " + demand.words + ".";
    return c;
  }
  c.outcome = quietSolve(demand.problem, control);
  const RankedPlan* best = c.outcome.best();
  if (!best) {
    c.answer =
        c.outcome.status == OutcomeStatus::Infeasible
            ? "With " + demand.words + ", " + obstacle(problem, demand.problem, c.outcome, control) + "."
            : "Stopped before a plan with " + demand.words + " was found.";
    c.summary = c.answer;
    return c;
  }
  c.difference = diff(problem, present.plan, present.evaluation, best->plan, best->evaluation);
  c.causes = partChanges(c.difference->time);
  c.notSearched = outsideSearch(problem, best->plan);
  c.answer = "With " + demand.words + ": " + text::time(best->evaluation.batchTime) +
             " per step instead of " + text::time(present.evaluation.batchTime) +
             relation(problem, present, *best, c.notSearched) + ".";
  if (!c.causes.empty()) c.answer += " What takes longer: " + words::of(c.causes) + ".";
  const std::string proven = words::proof(c.outcome);
  const std::string stopped = c.outcome.cutShort() ? " The search was stopped; a faster plan may exist."
                              : c.outcome.status == OutcomeStatus::WithinGap
                                  ? " Of the plan with " + demand.words + ": " + proven + "."
                                  : std::string();
  c.summary = c.answer + stopped;
  c.answer += " What changes: " + c.difference->sentence() + "." + stopped;
  return c;
}

}  // namespace nest
