#pragma once

#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Plans that a search leaves out, so that its optimum says nothing about them.
struct NotSearched {
  enum class Kind { Schedule, Degree, Option, DeviceSet, RankOrder };
  Kind kind = Kind::Option;
  std::string field;   ///< its place in a scenario: "/search/schedules"; empty: no field is about it
  std::string what;    ///< "ZB-H1 and ZB-V"
  std::string change;  ///< adds it to the search, as adviceParts() reads it; empty: no change does
  std::string reason;  ///< where no change does: "nanotron does not run them"
};
const char* nameOf(
    NotSearched::Kind);  ///< in files: "schedule", "degree", "option", "device-set", "rank-order"

/// All that the search of a problem leaves out and that may be faster than its best plan: what the options
/// switch off, what the program cannot run, sets of devices and orders of ranks. `best`: the plan found, or
/// the closest one; without it larger degrees than the offered ones count as left out.
std::vector<NotSearched> notSearched(const Problem&, const Plan* best);

/// How many of them a change of the scenario adds.
int optionsIn(const std::vector<NotSearched>&);

/// "the search leaves out ZB-H1 and ZB-V", with the change or the reason: one wording for all who show it.
Diagnostic noteOn(const NotSearched&);
inline constexpr const char* kNotSearched = "not-searched";  ///< the code of noteOn()

/// What of one plan the search leaves out because of its options: ZeRO stage, shard group, recompute policy,
/// schedule, chunks, one strategy for all stages. Empty for a plan of the search space.
std::vector<NotSearched> outsideSearch(const Problem&, const Plan&);

/// The same as notes on a plan that was evaluated; empty for one that checkPlan() refuses.
Diagnostics unsearched(const Problem&, const Plan&);

/// Whether a program, or the user, keeps the search to what Megatron-LM runs; the name to say: "Megatron-Core
/// 2025", "Megatron-LM"; empty: neither does.
std::string megatronName(const Problem&);
/// The name of the program if it does not run such plans, which then are not searched; else empty.
std::string refusesZero(const Problem&, int zero);
std::string refusesExperts(const Problem&);

}  // namespace nest
