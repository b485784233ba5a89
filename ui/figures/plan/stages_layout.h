#pragma once

#include <QRectF>
#include <vector>

#include "document/plan_context.h"
#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"

namespace nest {

/// Geometry of the stages figure: the same for painting and for pointing.
struct StagesLayout {
  struct LayerBox {
    int layer = 0, stage = 0, chunk = 0;
    QRectF box;
  };
  QRectF ribbon, plot, chips, facts, legend;
  std::vector<LayerBox> layers;  ///< in pipeline order
  std::vector<LegendItem> legendItems;
  double slot = 0, bar = 0;  ///< width of a stage's column slot and of its bar
  int factRows = 0;
  Axis axis;

  double slotLeft(int stage) const { return plot.left() + stage * slot; }
  QRectF column(int stage) const {
    return {slotLeft(stage) + (slot - bar) / 2, plot.top(), bar, plot.height()};
  }
};

/// `context` has a plan. `shares`: the axis is 0 … 100 %.
/// `theme`: colours of the legend; nothing stands elsewhere for it.
StagesLayout layoutStages(const QRectF& area, const PlanContext& context, bool standalone, bool shares,
                          const Theme& theme = Theme::of(Theme::Kind::Light));

/// Compute seconds of one layer under its stage's strategy, recompute included; 0 if it is not on offer.
double layerSeconds(const Problem&, const Plan&, int stage, LayerIndex);

}  // namespace nest
