#include "figures/figure.h"

#include <QPainter>
#include <algorithm>

#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/page.h"

namespace nest {

void Figure::paint(QPainter& painter, const QRectF& area, const PlanContext& c,
                   const FigureStyle& style) const {
  if (style.standalone && c.search) {
    PlanContext still = c;  // paper does not wait for a search
    still.search.reset();
    return paint(painter, area, still, style);
  }
  // A small page is a small print of a page on which everything has its place: type, gaps and data shrink
  // alike.
  const double scale =
      style.standalone
          ? std::min({1.0, area.width() / kLeastPage.width(), area.height() / kLeastPage.height()})
          : 1.0;
  painter.save();
  painter.translate(area.topLeft());
  painter.scale(scale, scale);
  const QRectF page(QPointF(), area.size() / scale);
  {
    Ink ink(painter, style);
    if (const auto none = state(c, style.standalone))
      paintState(ink, page, *none);
    else
      draw(ink, page, c);
  }
  painter.restore();
}

std::optional<Figure::Hit> Figure::hit(const QPointF& at, const QRectF& area, const PlanContext& c) const {
  return isShown(c) ? itemAt(at, area, c) : std::nullopt;
}

std::map<std::string, std::string> Figure::options(const PlanContext& c) const {
  std::map<std::string, std::string> out;
  for (const FigureOption& o : offeredOptions(c)) out[o.key] = o.value;
  return out;
}

QString Figure::asText(const PlanContext& c) const {
  const auto none = state(c, false);
  return none ? none->heading + u'\n' + none->text + u'\n' : words(c);
}

}  // namespace nest
