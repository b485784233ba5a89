#include "views/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace nest {

FlowLayout::FlowLayout(int spacing, QWidget* parent) : QLayout(parent) {
  setSpacing(spacing);
}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : m_items) delete item;
}

void FlowLayout::insertWidget(int index, QWidget* widget) {
  addChildWidget(widget);
  m_items.insert(m_items.begin() + std::clamp(index, 0, count()), new QWidgetItem(widget));
  invalidate();
}

void FlowLayout::setTrailing(QWidget* widget) {
  m_trailing = widget;
  insertWidget(count(), widget);
}

void FlowLayout::setFilling(QWidget* widget) {
  m_filling = widget;
  invalidate();
}

int FlowLayout::widthBeside(const QLayoutItem* item) const {
  int width = 0;
  for (const QLayoutItem* other : m_items)
    if (other != item && !other->isEmpty()) width += other->sizeHint().width() + spacing();
  return width;
}

void FlowLayout::addItem(QLayoutItem* item) {
  m_items.push_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? m_items[index] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item) m_items.erase(m_items.begin() + index);
  return item;
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : m_items) size = size.expandedTo(item->minimumSize());
  const QMargins m = contentsMargins();
  return size + QSize(m.left() + m.right(), m.top() + m.bottom());
}

QSize FlowLayout::sizeHint() const {
  const QMargins m = contentsMargins();
  QSize size(m.left() + m.right() - spacing(), 0);
  for (const QLayoutItem* item : m_items)
    if (!item->isEmpty())
      size = {size.width() + item->sizeHint().width() + spacing(),
              std::max(size.height(), item->sizeHint().height())};
  return size + QSize(0, m.top() + m.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool apply) const {
  const QMargins m = contentsMargins();
  const QRect inside = rect.marginsRemoved(m);
  struct Placed {
    QLayoutItem* item;
    QRect at;
  };
  std::vector<Placed> line;
  int x = inside.x(), y = inside.y(), tallest = 0;
  const auto finish = [&] {
    for (const Placed& p : line)
      if (apply) p.item->setGeometry(p.at.translated(0, (tallest - p.at.height()) / 2));
    line.clear();
  };
  for (QLayoutItem* item : m_items) {
    if (item->isEmpty()) continue;
    QSize size = item->sizeHint();
    if (m_filling && item->widget() == m_filling)
      size.setWidth(std::max(item->minimumSize().width(), inside.width() - widthBeside(item)));
    if (!line.empty() && x + size.width() > inside.x() + inside.width()) {
      finish();
      y += tallest + spacing();
      x = inside.x();
      tallest = 0;
    }
    const bool atRight = m_trailing && item->widget() == m_trailing;
    const int left = atRight ? std::max(x, inside.x() + inside.width() - size.width()) : x;
    line.push_back({item, QRect(QPoint(left, y), size)});
    x += size.width() + spacing();
    tallest = std::max(tallest, size.height());
  }
  finish();
  return y + tallest + m.bottom() - rect.y();
}

}  // namespace nest
