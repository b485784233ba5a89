#pragma once

#include <QString>

#include "document/plan_context.h"
#include "solver/dp_through.h"

/// Sentences about the DP table.
namespace nest::dp {

/// "6", "end": a column by its first layer.
QString columnName(const DpProbe&, int cut);
/// "layer 6 (block 5)", "the end".
QString layerText(const DpProbe&, int cut, const PlanContext&);
/// "1.00", "1.04", "12": a multiple of the best plan.
QString ratioText(double ratio);
/// "537 ms"; "at least 537 ms" of a bound; "–".
QString timeFromHere(const DpCell&);
/// Why no plan passes through a cell, without a full stop; empty: some do. `through`: null while unknown.
QString whyEmpty(const DpProbe&, const DpThrough* through, int stage, int cut);
/// All that is known about a cell, in sentences.
QString cellText(const DpProbe&, const DpThrough* through, int stage, int cut, const PlanContext&);
/// "28.5 ms + 31.0 ms + 15 × max(28.5 ms, 31.0 ms) + 2.1 ms": how the time of a way to continue comes about.
QString sumOf(const DpProbe&, const DpTerms&, int stage);
/// "best(6…9) = min over 3 ends of load + loads behind + 15 × max(load, largest behind) + end of step", then
/// the best end with its numbers, or why there is none.
QString recurrence(const DpProbe&, const DpThrough* through, int stage, int cut, const PlanContext&);
/// Why the table of such a plan decides no cut; empty: it does.
QString whyOneRow(const DpProbe&);

}  // namespace nest::dp
