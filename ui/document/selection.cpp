#include "document/selection.h"

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

}  // namespace nest
