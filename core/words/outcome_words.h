#pragma once

#include <string>

#include "solver/baselines/baselines.h"
#include "solver/outcome.h"

namespace nest::words {

/// "optimal", "best so far", "stopped without a plan", "does not fit", "failed": in sentences and table
/// cells.
const char* of(OutcomeStatus);

/// "Optimal in 12 ms", "Best so far, stopped at the deadline after 20 ms, gap 3 %", "Stopped without a plan,
/// by request after 1.2 s", "Does not fit", "Failed".
std::string verdict(const Outcome&);

/// What is told in place of a plan: what happened, and what is known and helps.
struct NoPlan {
  std::string title;  ///< "Does not fit", "Stopped without a plan", "The search failed"
  std::string
      detail;  ///< a sentence or two without final stop; may be empty; fields as adviceText() reads them
};
NoPlan noPlan(const Outcome&);

/// Of a plan that does not run: "cannot run", "does not fit".
const char* obstacleTo(const Evaluation&);

/// Of a method without a plan that runs: "stopped without a plan", "not searched", "cannot run", "does not
/// fit".
const char* obstacleTo(const BaselineResult&);

/// The closest plan's shortfall: "stage 1 needs 37.6 GiB more".
std::string shortfall(const NearestMiss&);

}  // namespace nest::words
