#pragma once

#include <string>

#include "solver/baselines/baselines.h"
#include "solver/outcome.h"

namespace nest::words {

/// "optimal", "best found", "best so far", "stopped without a plan", "no plan", "failed": in sentences and
/// table cells.
const char* of(OutcomeStatus);
/// The same of an outcome that is known: without a plan "does not fit" if memory is short, else what rules
/// all plans out: "batch not divisible", "constraints conflict".
const char* of(const Outcome&);

/// "Optimal in 12 ms, 2 options not searched", "Within 3 % of the best set and order of hosts, in 12 ms",
/// "Best so far, stopped at the deadline after 20 ms, gap 3 %", "Stopped without a plan, by request after 1.2
/// s", "Does not fit", "Batch not divisible", "Failed".
std::string verdict(const Outcome&);
/// What is proven about sets and orders of hosts, a sentence without final stop; empty: nothing, or there is
/// one alone.
std::string proof(const Outcome&);
/// ", 2 options not searched": what of the outcome's list a field adds to the search; empty: nothing.
std::string leftOut(const Outcome&);

/// Shown instead of a plan: what happened, what is known, and what helps.
struct NoPlan {
  /// "Does not fit", "Batch not divisible", "Stopped without a plan", "The search failed".
  std::string title;
  /// A sentence or two without a full stop; may be empty; fields in the format of adviceParts().
  std::string detail;
};
NoPlan noPlan(const Outcome&);

/// Why a plan is infeasible: "cannot run", "does not fit".
const char* obstacleTo(const Evaluation&);

/// Why a method has no feasible plan: "stopped without a plan", "not searched", "cannot run", "does not fit",
/// "no plan".
const char* obstacleTo(const BaselineResult&);

/// How complete a Pareto front is, in one sentence without a full stop. Caption, tip and command line share
/// it.
const char* promiseOf(FrontReach);

/// The closest plan's shortfall: "stage 1 needs 37.6 GiB more".
std::string shortfall(const NearestMiss&);

}  // namespace nest::words
