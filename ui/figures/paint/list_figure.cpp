#include "figures/paint/list_figure.h"

#include <algorithm>

#include "figures/paint/figure_painter.h"

namespace nest {

int ListFigure::indexOf(const std::optional<SelectionItem>& item) {
  return item && item->kind == ItemKind::Group && item->level == -1 ? item->index : -1;
}

std::optional<SelectionItem> ListFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                  const PlanContext& c) const {
  const int last = count(c) - 1, at = indexOf(from);
  if (last < 0) return std::nullopt;
  if (at < 0 || step == Step::First) return itemOf(0);
  if (step == Step::Last) return itemOf(last);
  const int by = step == Step::Right || step == Step::Down ? 1 : -1;
  return itemOf(std::clamp(at + by, 0, last));
}

std::optional<Figure::Hit> ListFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                               const PlanContext& c) const {
  const int i = indexOf(item);
  return i >= 0 && i < count(c) ? std::optional(hitOf(i, area, c)) : std::nullopt;
}

QString ListFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const int i = indexOf(item);
  return i >= 0 && i < count(c) ? lineOf(i, c) : QString();
}

std::vector<QRectF> ListFigure::placesOf(const QRectF& area, const PlanContext& c) const {
  std::vector<QRectF> out;
  for (int i = 0; i < count(c); ++i) out.push_back(hitOf(i, area, c).area);
  return out;
}

/// Of those within reach the one whose middle is nearest.
std::optional<Figure::Hit> ListFigure::itemAt(const QPointF& at, const QRectF& area,
                                              const PlanContext& c) const {
  int found = -1;
  double nearest = 0;
  const std::vector<QRectF> places = placesOf(area, c);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!reachOf(places[i]).contains(at)) continue;
    const QPointF off = places[i].center() - at;
    const double far = QPointF::dotProduct(off, off);
    if (found < 0 || far < nearest) found = static_cast<int>(i), nearest = far;
  }
  return found < 0 ? std::nullopt : std::optional(hitOf(found, area, c));
}

QString ListFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

void ListFigure::paintMarks(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  if (ink.style().standalone) return;
  for (const bool chosen : {false, true}) {
    const int i = indexOf(chosen ? ink.style().selected : ink.style().hovered);
    if (i < 0 || i >= count(c)) continue;
    ink.outline(hitOf(i, area, c).area.adjusted(-3, -3, 3, 3),
                ink.color(chosen ? Theme::Role::Selection : Theme::Role::Hover), 1.6, 4);
  }
}

}  // namespace nest
