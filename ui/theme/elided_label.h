#pragma once

#include <QLabel>
#include <QPainter>
#include <QStyle>

namespace nest {

/// A plain line that ends in … where its room does; whoever fills it puts the whole into its tip.
class ElidedLabel : public QLabel {
public:
  using QLabel::QLabel;

  QSize sizeHint() const override { return oneLine(QLabel::sizeHint()); }
  QSize minimumSizeHint() const override { return oneLine(QLabel::minimumSizeHint()); }

protected:
  void paintEvent(QPaintEvent* event) override {
    const QRect room = contentsRect();
    const QString line = text().contains(u'\n') ? text().simplified() : text();
    if (line == text() && fontMetrics().horizontalAdvance(line) <= room.width())
      return QLabel::paintEvent(event);
    QPainter painter(this);
    style()->drawItemText(&painter, room, static_cast<int>(alignment()), palette(), isEnabled(),
                          fontMetrics().elidedText(line, Qt::ElideRight, room.width()), foregroundRole());
  }

private:
  /// A name may hold line breaks; the label has one line all the same.
  QSize oneLine(QSize size) const {
    const QMargins margins = contentsMargins();
    if (text().contains(u'\n'))
      size.setHeight(fontMetrics().height() + margins.top() + margins.bottom() + 2 * margin());
    return size;
  }
};

}  // namespace nest
