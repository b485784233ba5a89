#include "views/adaptive_splitter.h"

#include <utility>

namespace nest {

AdaptiveSplitter::AdaptiveSplitter(int low, QList<int> shares, QWidget* parent)
    : QSplitter(Qt::Vertical, parent), m_low(low), m_shares(std::move(shares)) {}

void AdaptiveSplitter::showSecond(bool on) {
  if (widget(1)->isHidden() != on) return;
  widget(1)->setVisible(on);
  setSizes(m_shares);
}

void AdaptiveSplitter::resizeEvent(QResizeEvent* event) {
  constexpr int kRoomForTwo = 600;
  const auto wanted = height() < m_low && width() >= kRoomForTwo ? Qt::Horizontal : Qt::Vertical;
  if (orientation() != wanted) {
    setOrientation(wanted);
    setSizes(m_shares);
  }
  QSplitter::resizeEvent(event);
}

}  // namespace nest
