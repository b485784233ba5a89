#include "document/selection.h"

#include <utility>

namespace nest {

void Selection::setHovered(std::optional<SelectionItem> item) {
  if (m_hovered == item) return;
  m_hovered = item;
  Q_EMIT hoveredChanged();
}

void Selection::setSelected(std::optional<SelectionItem> item) {
  if (m_selected == item) return;
  m_selected = item;
  Q_EMIT selectedChanged();
}

void Selection::setMoment(std::optional<Moment> moment) {
  if (m_moment == moment) return;
  m_moment = std::move(moment);
  Q_EMIT momentChanged();
}

}  // namespace nest
