#pragma once

#include <QByteArray>
#include <vector>

#include "document/plan_context.h"

namespace nest {

/// The slides of a scenario on paper, in the colours of print: one PDF with a page of 16:9 for each, or an
/// SVG each.
QByteArray slidesAsPdf(const Scenario&, const PlanContextPtr& own);
std::vector<QByteArray> slidesAsSvg(const Scenario&, const PlanContextPtr& own);

}  // namespace nest
