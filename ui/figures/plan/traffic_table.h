#pragma once

#include <QRectF>

#include <array>
#include <optional>

#include "document/plan_context.h"
#include "evaluation/traffic.h"

namespace nest {

class FigurePainter;

/// What one device takes at most for what it sends to one row of the figure.
struct LongestTimes {
  PerExchange<std::array<Seconds, kShapeLevels>> byKind{};
  Seconds ofAll;  ///< kinds, over any level
};

/// What of the traffic a figure shows: one kind of exchange or all, one level or (−1) all.
struct TrafficShown {
  std::optional<Exchange> kind;
  int level = -1;
};

/// Bytes per step by kind of exchange and network level, or the longest times of a device if there are any;
/// what is not shown steps back. Left out where the area is too narrow.
void paintTrafficTable(FigurePainter&, const QRectF& area, const Traffic&, const LongestTimes*,
                       const TrafficShown&, const PlanContext&);

}  // namespace nest
