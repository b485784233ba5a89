#pragma once

#include "figures/paint/figure_painter.h"

namespace nest {

inline constexpr double kKeyRow = 20;

/// Writes a line from left to right, as far as there is room.
class KeyLine {
public:
  KeyLine(FigurePainter& ink, const QRectF& row) : m_ink(ink), m_row(row), m_x(row.left()) {}

  void swatch(const QColor& color) {
    const QRectF box(m_x, m_row.top() + 4, 12, 12);
    m_ink.fill(box, color);
    m_ink.outline(box, m_ink.color(Theme::Role::Border));
    m_x += 18;
  }
  /// False: it did not fit, an ellipsis stands for it.
  bool say(const QString& text) {
    const double w = FigurePainter::width(text, FigurePainter::kSmall) + 2;
    const bool whole = m_x + w <= m_row.right();
    m_ink.label(QRectF(m_x, m_row.top(), whole ? w : 14, m_row.height()), whole ? text : QStringLiteral("…"),
                Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, m_ink.color(Theme::Role::MutedText));
    m_x += w + 6;
    return whole;
  }

private:
  FigurePainter& m_ink;
  QRectF m_row;
  double m_x;
};

}  // namespace nest
