#pragma once

#include <vector>

#include "figures/paint/figure_painter.h"

namespace nest {

/// On paper, the inner edges of fills in black or white: what keeps one apart from a neighbour that is as
/// dark or as light. Fills too thin for an edge have none; on screen colours are enough.
inline void paintEdges(FigurePainter& ink, const std::vector<QRectF>& rects, const QColor& fill) {
  constexpr double kEdge = 0.8, kLeastEdged = 3;  // px: a line of 0.4 pt in a figure of 85 mm
  if (ink.theme().kind() != Theme::Kind::Print) return;
  std::vector<QRectF> inner;
  for (const QRectF& r : rects)
    if (r.width() >= kLeastEdged && r.height() >= kLeastEdged)
      inner.push_back(r.adjusted(kEdge / 2, kEdge / 2, -kEdge / 2, -kEdge / 2));
  if (inner.empty()) return;
  QPainter& p = ink.painter();
  p.setPen(QPen(ink.theme().textOn(fill), kEdge, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
  p.setBrush(Qt::NoBrush);
  p.drawRects(inner.data(), static_cast<int>(inner.size()));
}
inline void paintEdge(FigurePainter& ink, const QRectF& r, const QColor& fill) {
  paintEdges(ink, {r}, fill);
}

}  // namespace nest
