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

void Selection::setPlayhead(std::optional<PlayheadState> playhead) {
  if (m_playhead == playhead) return;
  m_playhead = std::move(playhead);
  Q_EMIT playheadChanged();
}

}  // namespace nest
