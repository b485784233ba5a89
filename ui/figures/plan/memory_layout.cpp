#include "figures/plan/memory_layout.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/edge.h"
#include "figures/paint/frame.h"
#include "figures/plan/kinds.h"
#include "figures/plan/seat_map.h"

namespace nest {
namespace {

constexpr double kWordsAbove = 20;      ///< pixels that the words above the fullest bar take
constexpr double kCapacityMargin = 62;  ///< right of the bars, for the label of the capacity line

std::vector<MemoryColumn> stageColumns(const Evaluation& e) {
  std::vector<MemoryColumn> out;
  for (std::size_t i = 0; i < e.stages.size(); ++i)
    out.push_back({static_cast<int>(i), -1, -1, -1, e.stages[i].memory});
  return out;
}

std::vector<MemoryColumn> deviceColumns(const PlanContext& c, int merged) {
  const Hierarchy& h = *c.problem->cluster;
  const Evaluation& e = *c.shownEvaluation();
  const SeatMap seats(*c.shownPlan(), h.deviceCount());
  std::vector<MemoryColumn> out;
  for (int first = 0; first < h.deviceCount(); first += merged) {
    MemoryColumn column{-1, first, std::min(first + merged, h.deviceCount()) - 1, first, {}};
    column.use.capacity = h.factor(DeviceIndex(first)).memory;
    for (int d = first; d <= column.lastDevice; ++d) {
      const Seat seat = seats.at(d);
      if (seat.idle() || seat.stage >= static_cast<int>(e.stages.size())) continue;
      MemoryUse use = e.stages[seat.stage].memory;
      use.capacity = h.factor(DeviceIndex(d)).memory;
      if (column.stage >= 0 && use.headroom() >= column.use.headroom()) continue;
      column.stage = seat.stage, column.fullest = d, column.use = use;
    }
    out.push_back(column);
  }
  return out;
}

}  // namespace

MemoryLayout layoutMemory(const QRectF& area, const PlanContext& c, bool standalone, bool byDevice,
                          const Theme& theme) {
  MemoryLayout out;
  const QRectF body = bodyOf(area, c, standalone);
  const double width = std::max(40.0, body.width() - 52 - kCapacityMargin);
  const int devices = c.problem->cluster->deviceCount();
  if (byDevice) {
    const int most = std::max(16, static_cast<int>(width / 3));
    while (devices > out.merged * most) out.merged *= 2;
    out.columns = deviceColumns(c, out.merged);
  } else {
    out.columns = stageColumns(*c.shownEvaluation());
  }
  out.slot = width / std::max<double>(1, static_cast<double>(out.columns.size()));
  out.bar = out.slot < 6 ? out.slot : std::min(out.slot * 0.68, 110.0);

  out.parts.assign(kMemoryPartCount, false);
  double largest = 0;
  for (const auto& column : out.columns) {
    const auto parts = memoryParts(column.use);
    if (column.stage >= 0)
      for (std::size_t k = 0; k < kMemoryPartCount; ++k) out.parts[k] = out.parts[k] || parts[k] > 0;
    largest = std::max({largest, column.use.total().value(), column.use.capacity.value()});
  }
  for (int k = 0; k < kMemoryPartCount; ++k)
    if (out.parts[k]) {
      const auto part = static_cast<MemoryPart>(k);
      out.legendItems.push_back({nameOf(part), colorOf(part, theme), hatchOf(part), false});
    }
  const double legend = legendHeight(out.legendItems, body.width());
  out.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  out.chips = QRectF(body.left() + 52, out.legend.top() - 32, width, 22);
  const double top = body.top() + 22;
  out.plot = QRectF(body.left() + 52, top, width, std::max(20.0, out.chips.top() - 4 - top));
  // The words stand inside the plot, or they would lie on the title of the axis.
  const double above = 1 / std::max(0.5, 1 - kWordsAbove / out.plot.height());
  out.axis = Axis::memory(largest * std::max(1.13, above),
                          std::clamp(static_cast<int>(out.plot.height() / 44), 2, kMostTicks));
  return out;
}

void paintHeadroom(FigurePainter& ink, const QRectF& bar, const MemoryUse& use, Bytes kept) {
  if (!(kept > Bytes(0)) || !(use.total() > Bytes(0))) return;
  const QRectF end(bar.left(), bar.top(), bar.width(), bar.height() * std::min(1.0, kept / use.total()));
  const QColor color = colorOf(MemoryPart::Headroom, ink.theme());
  ink.fill(end, color);
  ink.hatch(end, hatchOf(MemoryPart::Headroom), mixed(color, ink.theme().textOn(color), 0.45), 5);
  paintEdge(ink, end, color);
  ink.outline(end, ink.color(Theme::Role::Border));
}

}  // namespace nest
