#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// STATEMENT.md (11.5). Sets Problem::deviceWeights for the problem's cluster and SearchOptions::goal: what a
/// second of a step on so many devices counts at least, with the fewest hosts, the smallest checkpoint and
/// the least state to read; 1 on all devices. Null where the goal is the time for a token.
void weighDevices(Problem&);

/// Keys of the fields that the goal needs and that are not given: "/run/price_per_device_hour".
std::vector<std::string> missingForGoal(const Problem&);

/// What the goal counts of a plan, for a token, in the measure of Evaluation::ranked; no less than that.
/// nullopt: the run does not get through its failures. The plan must be feasible. O(devices).
std::optional<double> valueUnderGoal(const Problem&, const Plan&, const Evaluation&);

}  // namespace nest
