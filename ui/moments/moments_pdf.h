#pragma once

#include <QByteArray>

#include "document/plan_context.h"

namespace nest {

/// The moments of a scenario as one PDF, a page of 16:9 each: caption, figure, place. In the colours of
/// print.
QByteArray momentsAsPdf(const Scenario&, const PlanContextPtr& own);

}  // namespace nest
