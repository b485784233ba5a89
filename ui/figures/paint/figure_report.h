#pragma once

#include <QImage>
#include <QPainter>

#include "figures/paint/figure.h"

namespace nest {

/// Wide enough that no sentence loses a clause: px.
inline constexpr QSizeF kWideFigure(6000, 480);

/// What a figure says of itself when it is painted at this size, without being seen.
inline FigureReport figureReport(const Figure& figure, const QSizeF& size, const PlanContext& c,
                                 FigureStyle style = {}) {
  FigureReport report;
  style.report = &report;
  QImage nowhere(1, 1, QImage::Format_RGB32);
  QPainter painter(&nowhere);
  figure.paint(painter, QRectF(QPointF(), size), c, style);
  return report;
}

}  // namespace nest
