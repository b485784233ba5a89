#include "figures/plan/memory_curve.h"

#include <QPolygonF>
#include <algorithm>
#include <vector>

#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/phrases.h"

namespace nest {
namespace {

using Role = Theme::Role;

/// The curve in pixels: of the steps inside one pixel only the highest and the last matter.
QPolygonF curveOf(std::span<const MemoryStep> steps, Bytes headroom, const QRectF& plot, double largest,
                  double begin, double end) {
  const double scale = plot.width() / (end - begin);
  const auto y = [&](double bytes) { return plot.bottom() - bytes / largest * plot.height(); };
  QPolygonF curve;
  double used = 0, peak = 0, px = plot.left();
  for (const MemoryStep& s : steps) {
    if (s.at.value() > end) break;
    const double x = plot.left() + (s.at.value() - begin) * scale;
    if (s.at.value() > begin && x - px >= 0.7) {
      if (peak > used) curve << QPointF(px, y(peak));
      curve << QPointF(px, y(used)) << QPointF(x, y(used));
      px = x, peak = 0;
    }
    used = (s.used - headroom).value();
    peak = std::max(peak, used);
  }
  px = std::min(px, plot.right());
  curve << QPointF(px, y(used)) << QPointF(plot.right(), y(used));
  return curve;
}

}  // namespace

void paintMemoryCurve(FigurePainter& ink, const QRectF& plot, std::span<const MemoryStep> steps, int stage,
                      Bytes capacity, Bytes headroom, double begin, double end) {
  double largest = capacity.value();
  for (const MemoryStep& s : steps) largest = std::max(largest, (s.used - headroom).value());
  const Axis axis =
      Axis::memory(largest * 1.08, std::clamp(static_cast<int>(plot.height() / 34), 2, kMostTicks));
  paintVerticalAxis(ink, plot, axis, QStringLiteral("Memory of stage %1").arg(stageNumber(stage)));
  const QPolygonF curve = curveOf(steps, headroom, plot, axis.largest, begin, end);
  QPolygonF area = curve;
  area << QPointF(plot.right(), plot.bottom()) << QPointF(plot.left(), plot.bottom());
  QPainter& p = ink.painter();
  const QColor tone = ink.stageColor(stage);
  p.setPen(Qt::NoPen);
  p.setBrush(mixed(tone, ink.color(Role::Canvas), 0.7));
  p.drawPolygon(area);
  p.setPen(QPen(mixed(tone, ink.color(Role::Text), 0.35), 1.4));
  p.setBrush(Qt::NoBrush);
  double peak = 0;
  for (const MemoryStep& s : steps) peak = std::max(peak, s.used.value());
  const bool over = isOver(Bytes(peak), capacity);
  if (over) {  // above what a plan may hold
    const double limit = plot.bottom() - (capacity - headroom).value() / axis.largest * plot.height();
    QPolygonF excess;
    for (const QPointF& at : curve) excess << QPointF(at.x(), std::min(at.y(), limit));
    excess << QPointF(plot.right(), limit) << QPointF(plot.left(), limit);
    p.setPen(Qt::NoPen);
    p.setBrush(mixed(ink.color(Role::Error), ink.color(Role::Canvas), 0.45));
    p.drawPolygon(excess);
    p.setPen(QPen(ink.color(Role::Error), 1.6));
    p.setBrush(Qt::NoBrush);
  }
  // A long polyline is slow to stroke as one outline with its joins; its segments are not.
  std::vector<QLineF> segments;
  for (qsizetype k = 1; k < curve.size(); ++k) segments.emplace_back(curve[k - 1], curve[k]);
  p.drawLines(segments.data(), static_cast<int>(segments.size()));
  const double top = plot.bottom() - capacity.value() / axis.largest * plot.height();
  ink.line({plot.left(), top}, {plot.right(), top}, ink.color(Role::Text), 1.4, Qt::DashLine);
  if (headroom > Bytes(0)) {  // a plan ends below it
    const double y = plot.bottom() - (capacity - headroom).value() / axis.largest * plot.height();
    ink.line({plot.left(), y}, {plot.right(), y}, ink.color(Role::MutedText), 1, Qt::DotLine);
    ink.firstThatFits({plot.left() + 4, top + 1, plot.width() - 8, y - top - 2},
                      {QStringLiteral("headroom %1").arg(memoryText(headroom))},
                      Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  // Above the line, where nothing lies as long as the stage fits.
  const QString label = QStringLiteral("capacity %1").arg(memoryText(capacity));
  const double w = FigurePainter::width(label, FigurePainter::kSmall) + 6;
  if (over) {
    const QString excess = QStringLiteral("%1 too much").arg(memoryText(Bytes(peak) - capacity));
    const double room = FigurePainter::width(excess, FigurePainter::kSmall, true) + 6;
    ink.label(QRectF(plot.right() - room, plot.top() - 17, room - 3, 15), excess,
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::Error), true);
    ink.fill(QRectF(plot.right() - w, top - 17, w, 15), ink.color(Role::Canvas));
  }
  ink.label(QRectF(plot.right() - w, top - 17, w - 3, 15), label, Qt::AlignRight | Qt::AlignVCenter,
            FigurePainter::kSmall, ink.color(Role::Text));
}

}  // namespace nest
