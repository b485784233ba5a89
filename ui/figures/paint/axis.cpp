#include "figures/paint/axis.h"

#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"

namespace nest {

Axis Axis::time(double largest, int mostTicks) {
  Axis a;
  a.largest = largest;
  if (largest >= 1) {
    a.unit = 1, a.unitName = QStringLiteral("s");
  } else if (largest >= 1e-3) {
    a.unit = 1e-3, a.unitName = QStringLiteral("ms");
  } else if (largest >= 1e-6) {
    a.unit = 1e-6, a.unitName = QStringLiteral("µs");
  } else {
    a.unit = 1e-9, a.unitName = QStringLiteral("ns");
  }
  a.ticks = roundTicks(largest / a.unit, mostTicks);
  return a;
}

Axis Axis::memory(double largest, int mostTicks) {
  Axis a;
  a.largest = largest;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (largest >= kGiB) {
    a.unit = kGiB, a.unitName = QStringLiteral("GiB");
  } else {
    a.unit = kGiB / 1024, a.unitName = QStringLiteral("MiB");
  }
  a.ticks = roundTicks(largest / a.unit, mostTicks);
  return a;
}

QString Axis::tickText(std::size_t i) const {
  return tickLabel(ticks[i]);
}

void paintVerticalAxis(FigurePainter& ink, const QRectF& plot, const Axis& axis, const QString& title) {
  using enum Theme::Role;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const double y = plot.bottom() - axis.fraction(i) * plot.height();
    ink.line({plot.left(), y}, {plot.right(), y}, ink.color(i == 0 ? Border : Grid));
    ink.label(QRectF(plot.left() - 60, y - 9, 54, 18), axis.tickText(i), Qt::AlignRight | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(MutedText));
  }
  const QString text = QStringLiteral("%1 (%2)").arg(title, axis.unitName);
  ink.label(QRectF(plot.left() - 50, plot.top() - 19, plot.width() + 50, 16), text,
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(MutedText));
}

void paintHorizontalAxis(FigurePainter& ink, const QRectF& plot, const Axis& axis, const QString& title) {
  using enum Theme::Role;
  const QString unit = QStringLiteral("%1 (%2)").arg(title, axis.unitName);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    const double x = plot.left() + axis.fraction(i) * plot.width();
    ink.line({x, plot.bottom()}, {x, plot.bottom() + 4}, ink.color(Border));
    const QString text = axis.tickText(i);
    const double w = FigurePainter::width(text, FigurePainter::kSmall) + 2;
    ink.label(QRectF(x - w / 2, plot.bottom() + 5, w, 16), text, Qt::AlignCenter, FigurePainter::kSmall,
              ink.color(MutedText));
  }
  ink.label(QRectF(plot.left(), plot.bottom() + 20, plot.width(), 16), unit,
            Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(MutedText));
}

}  // namespace nest
