#include "figures/paint/figure_painter.h"
#include "figures/paint/edge.h"
#include "figures/paint/phrases.h"
#include "theme/plain_text.h"

#include <QFontMetricsF>
#include <QHash>
#include <algorithm>
#include <cmath>

namespace nest {

QColor mixed(const QColor& a, const QColor& b, double t) {
  const auto part = [t](int x, int y) { return static_cast<int>(std::lround(x + (y - x) * t)); };
  return QColor(part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue()));
}

FigurePainter::FigurePainter(QPainter& painter, const FigureStyle& style)
    : m_painter(painter), m_style(style) {
  m_painter.setRenderHint(QPainter::Antialiasing, true);
  m_painter.setRenderHint(QPainter::TextAntialiasing, true);
}

double FigurePainter::width(const QString& text, double pixels, bool bold) {
  // Thousands of devices share a few labels; measuring text costs more than painting it.
  thread_local QHash<QString, double> known;
  if (known.size() > 20000) known.clear();
  const QString key =
      text + QChar(static_cast<char16_t>(std::lround(pixels * 20))) + QChar(bold ? u'b' : u'n');
  const auto found = known.constFind(key);
  if (found != known.constEnd()) return *found;
  const double w = QFontMetricsF(Theme::font(pixels, bold)).horizontalAdvance(text);
  known.insert(key, w);
  return w;
}

QPointF FigurePainter::baseline(const QRectF& box, double w, Qt::Alignment align, double pixels) const {
  const double x = align & Qt::AlignRight     ? box.right() - w
                   : align & Qt::AlignHCenter ? box.center().x() - w / 2
                                              : box.left();
  // Capitals and digits are about 0.73 of the pixel size: centring them looks right, centring ascent +
  // descent low.
  const double y = align & Qt::AlignTop      ? box.top() + pixels * 0.98
                   : align & Qt::AlignBottom ? box.bottom() - pixels * 0.27
                                             : box.center().y() + pixels * 0.365;
  return {x, y};
}

void FigurePainter::put(const QPointF& at, const QString& text, double pixels, const QColor& color,
                        bool bold) {
  m_painter.setFont(Theme::font(pixels, bold));
  m_painter.setPen(color);
  m_painter.drawText(at, visibleText(text));
}

bool FigurePainter::label(const QRectF& box, const QString& text, Qt::Alignment align, double pixels,
                          const QColor& color, bool bold) {
  if (text.isEmpty() || box.height() < pixels * 0.95) return false;
  QString shown = text;
  double w = width(text, pixels, bold);
  if (w > box.width()) {
    shown = QFontMetricsF(Theme::font(pixels, bold)).elidedText(text, Qt::ElideRight, box.width());
    if (shown.size() < 5) return false;
    w = width(shown, pixels, bold);
    if (w > box.width()) return false;
  }
  put(baseline(box, w, align, pixels), shown, pixels, color, bold);
  return true;
}

bool FigurePainter::firstThatFits(const QRectF& box, const QStringList& choices, Qt::Alignment align,
                                  double pixels, const QColor& color, bool bold) {
  if (box.height() < pixels * 0.95) return false;
  for (const QString& text : choices) {
    const double w = width(text, pixels, bold);
    if (text.isEmpty() || w > box.width()) continue;
    put(baseline(box, w, align, pixels), text, pixels, color, bold);
    return true;
  }
  return false;
}

namespace {

/// "17.1 s" is one word.
QStringList withUnits(const QStringList& words) {
  constexpr int kLongestUnit = 8;
  QStringList out;
  for (const QString& word : words) {
    const bool isUnit = word.size() <= kLongestUnit && (word.front().isLetter() || word.front() == u'%');
    if (isUnit && !out.isEmpty() && out.back().back().isDigit() && !out.back().contains(u' '))
      out.back() += u' ' + word;
    else
      out << word;
  }
  return out;
}

}  // namespace

QStringList FigurePainter::lines(const QString& text, double limit, double pixels, bool bold) {
  QStringList out;
  for (const QString& paragraphText : text.split(u'\n')) {
    QString current;
    for (const QString& word : withUnits(paragraphText.split(u' ', Qt::SkipEmptyParts))) {
      const QString longer = current.isEmpty() ? word : current + u' ' + word;
      if (!current.isEmpty() && width(longer, pixels, bold) > limit) {
        out << current;
        current = word;
      } else {
        current = longer;
      }
    }
    if (!current.isEmpty()) out << current;
  }
  return out;
}

double FigurePainter::paragraph(const QRectF& box, const QString& text, Qt::Alignment align, double pixels,
                                const QColor& color, bool bold) {
  const double step = pixels * 1.45;
  double y = box.top();
  for (const QString& line : lines(text, box.width(), pixels, bold)) {
    if (y + step > box.bottom() + 0.5) break;
    label(QRectF(box.left(), y, box.width(), step), line,
          (align & Qt::AlignHorizontal_Mask) | Qt::AlignVCenter, pixels, color, bold);
    y += step;
  }
  return y - box.top();
}

void FigurePainter::fill(const QRectF& r, const QColor& c) {
  m_painter.fillRect(r, c);
}

void FigurePainter::outline(const QRectF& r, const QColor& c, double w, double radius) {
  m_painter.setPen(QPen(c, w));
  m_painter.setBrush(Qt::NoBrush);
  if (radius > 0)
    m_painter.drawRoundedRect(r, radius, radius);
  else
    m_painter.drawRect(r);
}

void FigurePainter::line(const QPointF& a, const QPointF& b, const QColor& c, double w, Qt::PenStyle pen) {
  m_painter.setPen(QPen(c, w, pen, Qt::FlatCap));
  m_painter.drawLine(a, b);
}

void FigurePainter::hatchLines(const QRectF& r, int pattern, double spacing, std::vector<QLineF>& out) {
  if (r.width() <= 0 || r.height() <= 0) return;
  // Lines x + y = k (pattern 1, 3) and x − y = k (2, 3) on a lattice fixed to the page, so that neighbours
  // join.
  const auto rising = [&] {
    for (double k = std::ceil((r.left() + r.top()) / spacing) * spacing; k < r.right() + r.bottom();
         k += spacing) {
      const double x0 = std::max(r.left(), k - r.bottom()), x1 = std::min(r.right(), k - r.top());
      if (x1 > x0) out.emplace_back(x0, k - x0, x1, k - x1);
    }
  };
  const auto falling = [&] {
    for (double k = std::ceil((r.left() - r.bottom()) / spacing) * spacing; k < r.right() - r.top();
         k += spacing) {
      const double x0 = std::max(r.left(), k + r.top()), x1 = std::min(r.right(), k + r.bottom());
      if (x1 > x0) out.emplace_back(x0, x0 - k, x1, x1 - k);
    }
  };
  if (pattern == 1 || pattern == 3) rising();
  if (pattern == 2 || pattern == 3) falling();
}

void FigurePainter::hatch(const QRectF& r, int pattern, const QColor& c, double spacing) {
  if (pattern == 0) return;
  std::vector<QLineF> lines;
  hatchLines(r, pattern, spacing, lines);
  m_painter.setPen(QPen(c, 1, Qt::SolidLine, Qt::FlatCap));
  if (!lines.empty()) m_painter.drawLines(lines.data(), static_cast<int>(lines.size()));
}

QColor FigurePainter::stageColor(int stage, bool dimmed) const {
  const QColor c = theme().stage(stage);
  return dimmed ? mixed(c, color(Theme::Role::Canvas), 0.7) : c;
}

void FigurePainter::stageBox(const QRectF& r, int stage, bool dimmed) {
  const QColor c = stageColor(stage, dimmed);
  fill(r, c);
  // Closer lines in a thin box: its hatch is what tells stage 9 from stage 1.
  const double thin = std::min(r.width(), r.height());
  hatch(r, theme().stageHatch(stage), mixed(c, theme().textOn(c), thin < 9 ? 0.6 : 0.35),
        std::clamp(thin * 0.55, 2.5, 6.0));
  paintEdge(*this, r, c);
}

void FigurePainter::stageChip(const QRectF& r, int stage, double pixels, bool dimmed) {
  const QColor c = stageColor(stage, dimmed);
  m_painter.setPen(Qt::NoPen);
  m_painter.setBrush(c);
  m_painter.drawRoundedRect(r, 3, 3);
  hatch(r.adjusted(1, 1, -1, -1), theme().stageHatch(stage), mixed(c, theme().textOn(c), 0.3), 5);
  paintEdge(*this, r.adjusted(1, 1, -1, -1), c);
  const QString number = stageNumber(stage);
  const double w = width(number, pixels, true);
  if (theme().stageHatch(stage) != 0 && w + 4 < r.width()) {
    // The number stands on a plain spot, or the hatch would run through it.
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(c);
    m_painter.drawRect(QRectF(r.center().x() - w / 2 - 2, r.top() + 1, w + 4, r.height() - 2));
  }
  firstThatFits(r.adjusted(1, 0, -1, 0), {number}, Qt::AlignCenter, pixels, theme().textOn(c), true);
}

namespace {
constexpr double kSwatch = 12, kSwatchGap = 6, kItemGap = 18, kLegendRow = 19;

template <class Place>
double flow(const std::vector<LegendItem>& items, double width, Place place) {
  double x = 0, y = 0;
  for (const LegendItem& item : items) {
    const double w = kSwatch + kSwatchGap + FigurePainter::width(item.text, FigurePainter::kSmall);
    if (x > 0 && x + w > width) x = 0, y += kLegendRow;
    place(item, x, y, w);
    x += w + kItemGap;
  }
  return items.empty() ? 0 : y + kLegendRow;
}
}  // namespace

double legendHeight(const std::vector<LegendItem>& items, double width) {
  return flow(items, width, [](const LegendItem&, double, double, double) {});
}

void paintLegend(FigurePainter& ink, const QRectF& area, const std::vector<LegendItem>& items) {
  flow(items, area.width(), [&](const LegendItem& item, double x, double y, double w) {
    const QRectF box(area.left() + x, area.top() + y + (kLegendRow - kSwatch) / 2, kSwatch, kSwatch);
    if (item.lineOnly) {
      ink.line({box.left(), box.center().y()}, {box.right(), box.center().y()}, item.color, 2);
    } else if (item.hollow) {
      ink.outline(box.adjusted(1, 1, -1, -1), item.color, 1.6);
    } else {
      ink.fill(box, item.color);
      ink.hatch(box, item.hatch, mixed(item.color, ink.theme().textOn(item.color), 0.55), 4);
      paintEdge(ink, box, item.color);
    }
    ink.label(QRectF(box.right() + kSwatchGap, area.top() + y, w - kSwatch - kSwatchGap + 1, kLegendRow),
              item.text, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Theme::Role::Text));
  });
}

}  // namespace nest
