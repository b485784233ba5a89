#pragma once

#include <optional>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// Under the preset "runnable", where hosts are alike, without tensor groups that would straddle them: those
/// are on offer for the part of them.
Problem insideHosts(Problem);

/// As solve(). Where hosts differ in size, or hold other than a power of two of devices, also on even hosts,
/// and where hosts or devices differ or the best plan needs only some, on other sets and orders of hosts
/// (STATEMENT.md §3). The fastest plan comes first; if it does not stand on the first devices in their order,
/// it names those that it takes (Plan::deviceOrder), and a note reports what that saves. There
/// OutcomeStatus::Optimal says that no set and no order of hosts allows a faster plan; where (6.17) and
/// (6.18) leave that open, the outcome is WithinGap.
Outcome solveOnEvenHosts(const Problem&, const Control& = {}, const Plan* start = nullptr);

/// What that tries besides, in a note: "hosts have 7 to 8 devices …"; nullopt where it is solve().
std::optional<Diagnostic> evenHostsNote(const Hierarchy&);

}  // namespace nest
