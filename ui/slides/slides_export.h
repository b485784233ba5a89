#pragma once

#include <QByteArray>
#include <vector>

#include "catalogue/report.h"
#include "document/plan_context.h"

namespace nest {

/// The slides of a scenario on paper, in the colours of print: one PDF with a page of 16:9 for each and for
/// each of its steps, or an SVG each.
QByteArray slidesAsPdf(const Scenario&, const PlanContextPtr& own);
std::vector<QByteArray> slidesAsSvg(const Scenario&, const PlanContextPtr& own);
/// One HTML file that needs neither network nor program: every slide in the reader's light or dark setting,
/// the assumptions of `own`, and the scenario. Notes stay with the speaker. `own` has an outcome.
QByteArray slidesAsPage(const Scenario&, const PlanContextPtr& own, const ReportChoice&);

}  // namespace nest
