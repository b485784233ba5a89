#pragma once

#include <optional>

#include "problem/problem.h"
#include "solver/outcome.h"

namespace nest {

/// As solve(). Where hosts differ in size, also on even hosts (STATEMENT.md §3): those of at least k devices,
/// k of each, for the three sizes k that use most devices. The fastest plan comes first; if it leaves devices
/// idle so, it names those that it takes (Plan::deviceOrder), and a note tells what that saves.
Outcome solveOnEvenHosts(const Problem&, const Control& = {}, const Plan* start = nullptr);

/// What that tries besides, in a note: "hosts have 7 to 8 devices …"; nullopt where hosts do not differ.
std::optional<Diagnostic> evenHostsNote(const Hierarchy&);

}  // namespace nest
