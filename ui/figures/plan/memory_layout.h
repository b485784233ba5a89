#pragma once

#include <QRectF>
#include <vector>

#include "document/plan_context.h"
#include "evaluation/evaluation.h"
#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"

namespace nest {

/// One bar: a stage, a device, or a run of neighbouring devices of which the fullest is shown.
struct MemoryColumn {
  int stage = -1;                         ///< −1: idle
  int firstDevice = -1, lastDevice = -1;  ///< −1: the column stands for its stage
  int fullest = -1;                       ///< the device shown
  MemoryUse use;

  bool over() const { return use.headroom().value() < 0; }
};

struct MemoryLayout {
  QRectF plot, chips, legend;
  std::vector<MemoryColumn> columns;
  std::vector<LegendItem> legendItems;
  std::vector<bool> parts;  ///< which MemoryParts occur
  Axis axis;
  double slot = 0, bar = 0;
  int merged = 1;  ///< devices per column

  QRectF slotBox(std::size_t i) const {
    return {plot.left() + static_cast<double>(i) * slot, plot.top(), slot, plot.height()};
  }
  QRectF barBox(std::size_t i) const {
    const QRectF s = slotBox(i);
    return {s.left() + (slot - bar) / 2, yOf(columns[i].use.total().value()), bar,
            plot.bottom() - yOf(columns[i].use.total().value())};
  }
  double yOf(double bytes) const { return plot.bottom() - bytes / axis.largest * plot.height(); }
  /// The column that shows a device; −1 if none.
  int columnOfDevice(int device) const {
    return merged > 0 && device / merged < static_cast<int>(columns.size()) ? device / merged : -1;
  }
};

/// `context` has a plan. `theme`: colours of the legend.
MemoryLayout layoutMemory(const QRectF& area, const PlanContext& context, bool standalone, bool byDevice,
                          const Theme& theme = Theme::of(Theme::Kind::Light));

/// The end of a bar of one colour that stands for all of `use`: what is kept free and not predicted to be
/// used.
void paintHeadroom(FigurePainter&, const QRectF& bar, const MemoryUse& use, Bytes kept);

}  // namespace nest
