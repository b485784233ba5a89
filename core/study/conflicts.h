#pragma once

#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"
#include "fields/setting.h"
#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// Why no plan meets a problem whose memory would suffice: one warning for each constraint without which
/// there is a plan, with that plan's time; one that says so if it takes more than dropping a single one, or
/// if constraints are not to blame. Empty when stopped before anything was found. Solves once per constraint,
/// at most 64 of them.
Diagnostics conflictsOf(const Problem&, const Control&);

/// Why the numbers alone leave no plan: no degrees to try divide the blocks into chunks, the batch into
/// microbatches or the devices, or no schedule runs as many microbatches. A warning with what would; nullopt:
/// it is something else.
std::optional<Diagnostic> divisionObstacle(const Problem&);

/// What every strategy and microbatch size to try lacks in a measured profile: a warning with the first layer
/// without costs; nullopt: one of them has all.
std::optional<Diagnostic> profileObstacle(const Problem&);

/// "nanotron does not run virtual pipeline stages (VPP)", if there is a plan without what the program cannot
/// run; else empty.
std::string programObstacle(const Problem&, const Control&);

/// The constraints of `present` that `asked` has as well and without one of which there is a plan for
/// `asked`; a warning each, as conflictsOf().
Diagnostics constraintsAgainst(const Problem& asked, const Problem& present, const Control&);

/// As solveOnEvenHosts(); where nothing fits and it is not for want of memory, conflictsOf() stands in the
/// diagnostics.
Outcome solveAndExplain(const Problem&, const Control& = {}, const Plan* start = nullptr);

/// Where memory is short: adds the switches that the search leaves out and with which a plan fits, each
/// solved for, before the other remedies.
void lookBeyond(const Setting&, Outcome&, const Control& = {});

}  // namespace nest
