#pragma once

#include <string>
#include <vector>

#include "measures/step_difference.h"

/// Sentences about the difference of two plans. Window, slides, exports and command line share them.
namespace nest::words {

std::string signedTime(Seconds);          ///< "+1.34 s", "−310 ms", "±0 s"
const char* briefly(PlanFact::Kind);      ///< "microbatches", "MBS", "TP", …
std::string of(const WaterfallStep&);     ///< "TP communication"; "other" for joined parts
std::string brief(const WaterfallStep&);  ///< "TP"; "other"

/// "16.1 s → 17.2 s per step: compute −120 ms, TP communication +1.34 s, other +4 ms". Empty if unknown.
std::string of(const StepDifference&);
/// "microbatches 32 → 64, DP 64 → 32"; empty if there are none.
std::string of(const std::vector<PlanFact>&);

/// The change and its cause: "7.12 % slower: TP communication +1.34 s (TP 4 → 8)".
std::string cause(const StepDifference&, const std::vector<PlanFact>&);
/// Why it is not the other plan that runs: "the first plan is short by 14.6 GiB now", "the second plan cannot
/// run before"; empty if it could. `isFirst`: the obstacle is the first plan's, where the second one runs.
std::string of(const PlanObstacle&, bool isFirst);

}  // namespace nest::words
