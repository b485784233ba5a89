#pragma once

#include <QRectF>

#include "document/exchange_player.h"
#include "document/plan_context.h"

namespace nest {

class FigurePainter;

/// Height of the strip for a run: a row for each level up to the outermost that it crosses, one for the
/// ranks, and room for the lines between them.
double rankStripHeight(const ExchangeRun&);
/// The ranks of a run under the levels that join them. The level that is crossed is lit, and lines lead from
/// rank to rank of those who exchange, with a dot where the bytes are.
void paintRankStrip(FigurePainter&, const QRectF&, const ExchangeInstant&, const PlanContext&);

}  // namespace nest
