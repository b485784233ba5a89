#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Plans that a search leaves out, so that its optimum does not cover them.
struct NotSearched {
  enum class Kind { Schedule, Degree, Option, DeviceSet, RankOrder };
  Kind kind = Kind::Option;
  std::string field;   ///< path in a scenario: "/search/schedules"; empty if there is no field for it
  std::string what;    ///< "ZB-H1 and ZB-V"
  std::string change;  ///< adds it to the search, in the format of adviceParts(); empty if no change does
  std::string reason;  ///< why no change adds it: "nanotron does not run them"
};
/// Name in files: "schedule", "degree", "option", "device-set", "rank-order".
const char* nameOf(NotSearched::Kind);

/// Everything that the search of a problem leaves out and that may be faster than its best plan: what the
/// options switch off, what the program cannot run, sets of devices and orders of ranks. `best`: the plan
/// found, or the closest one. Without it, degrees larger than the offered ones count as left out.
std::vector<NotSearched> notSearched(const Problem&, const Plan* best);

/// The number of them that a change of the scenario adds.
int optionsIn(const std::vector<NotSearched>&);

/// "the search leaves out ZB-H1 and ZB-V", with the change or the reason. Everything that shows it uses this
/// wording.
Diagnostic noteOn(const NotSearched&);
inline constexpr const char* kNotSearched = "not-searched";  ///< the code of noteOn()

/// The properties of one plan that the search leaves out because of its options: ZeRO stage, shard group,
/// recompute policy, schedule, chunks, one strategy for all stages. Empty for a plan of the search space.
std::vector<NotSearched> outsideSearch(const Problem&, const Plan&);

/// The same as notes on a plan that was evaluated; empty for a plan that checkPlan() rejects.
Diagnostics unsearched(const Problem&, const Plan&);

/// The name to show if a program, or the user, limits the search to what Megatron-LM runs: "Megatron-Core
/// 2025", "Megatron-LM"; empty otherwise.
std::string megatronName(const Problem&);
/// The name of the program if it does not run such plans, which are then not searched; empty otherwise.
std::string refusesZero(const Problem&, int zero);
std::string refusesExperts(const Problem&);

}  // namespace nest
