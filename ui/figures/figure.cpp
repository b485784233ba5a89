#include "figures/figure.h"

#include "figures/frame.h"
#include "figures/ink.h"

namespace nest {

void Figure::paint(QPainter& painter, const QRectF& area, const PlanContext& c,
                   const FigureStyle& style) const {
  Ink ink(painter, style);
  if (const auto none = state(c, style.standalone)) return paintState(ink, area, *none);
  draw(ink, area, c);
}

std::optional<Figure::Hit> Figure::hit(const QPointF& at, const QRectF& area, const PlanContext& c) const {
  return isShown(c) ? itemAt(at, area, c) : std::nullopt;
}

QString Figure::asText(const PlanContext& c) const {
  const auto none = state(c, false);
  return none ? none->heading + u'\n' + none->text + u'\n' : words(c);
}

}  // namespace nest
