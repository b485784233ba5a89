#include "figures/list_figure.h"

#include <algorithm>

#include "figures/ink.h"

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

std::optional<Figure::Hit> ListFigure::itemAt(const QPointF& at, const QRectF& area,
                                              const PlanContext& c) const {
  for (int i = 0; i < count(c); ++i)
    if (const Hit found = hitOf(i, area, c); reachOf(found.area).contains(at)) return found;
  return std::nullopt;
}

QString ListFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

void ListFigure::paintMarks(Ink& ink, const QRectF& area, const PlanContext& c) const {
  if (ink.style().standalone) return;
  for (const bool chosen : {false, true}) {
    const int i = indexOf(chosen ? ink.style().selected : ink.style().hovered);
    if (i < 0 || i >= count(c)) continue;
    ink.outline(hitOf(i, area, c).area.adjusted(-3, -3, 3, 3),
                ink.color(chosen ? Theme::Role::Selection : Theme::Role::Hover), 1.6, 4);
  }
}

}  // namespace nest
