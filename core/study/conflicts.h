#pragma once

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

/// As solveOnEvenHosts(); where nothing fits and it is not for want of memory, conflictsOf() stands in the
/// diagnostics.
Outcome solveAndExplain(const Problem&, const Control& = {}, const Plan* start = nullptr);

/// Adds to an outcome of the setting what lies beyond its search: notTried() to the diagnostics, and where
/// memory is short the switches with which a plan fits, each solved for, before the other remedies.
void lookBeyond(const Setting&, Outcome&, const Control& = {});

}  // namespace nest
