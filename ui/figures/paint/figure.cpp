#include "figures/paint/figure.h"

#include <QPainter>
#include <algorithm>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/page.h"

namespace nest {
namespace {

/// A small page is a small print of a page on which everything has its place, and a large page a large one:
/// type, gaps and data shrink and grow by one factor, the same for all figures of one size.
double printScale(const QSizeF& page) {
  const auto scaleTo = [&](const QSizeF& size) {
    return std::min(page.width() / size.width(), page.height() / size.height());
  };
  if (const double small = scaleTo(kLeastPage); small < 1) return small;
  return std::max(1.0, scaleTo(kMostPage));
}

}  // namespace

void Figure::paint(QPainter& painter, const QRectF& area, const PlanContext& c,
                   const FigureStyle& style) const {
  if (style.standalone && c.search) {
    PlanContext still = c;  // paper does not wait for a search
    still.search.reset();
    return paint(painter, area, still, style);
  }
  const double scale = style.standalone ? printScale(area.size()) : 1.0;
  painter.save();
  painter.translate(area.topLeft());
  painter.scale(scale, scale);
  const QRectF page(QPointF(), area.size() / scale);
  {
    FigurePainter ink(painter, style);
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
