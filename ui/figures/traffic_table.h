#pragma once

#include <QRectF>

#include "document/plan_context.h"
#include "plan/traffic.h"

namespace nest {

class Ink;

/// Bytes a batch by kind of exchange and network level; left out where the area is too narrow.
void paintTrafficTable(Ink&, const QRectF& area, const Traffic&, const PlanContext&);

}  // namespace nest
