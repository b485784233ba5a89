#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyle>

namespace nest {

/// A plain line that ends in … where its room does; whoever fills it puts the whole into its tip.
class ElidedLabel : public QLabel {
public:
  using QLabel::QLabel;

protected:
  void paintEvent(QPaintEvent* event) override {
    const QRect room = contentsRect();
    if (fontMetrics().horizontalAdvance(text()) <= room.width()) return QLabel::paintEvent(event);
    QPainter painter(this);
    style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(text(), Qt::ElideRight, room.width()), foregroundRole());
  }
};

}  // namespace nest
