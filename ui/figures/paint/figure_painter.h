#pragma once

#include <QColor>
#include <QPainter>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

#include "figures/paint/figure.h"

namespace nest {

/// Opaque mixture; t = 0 gives a. Used instead of translucent fills, which print and convert badly.
QColor mixed(const QColor& a, const QColor& b, double t);

/// The vocabulary in which figures are painted: text that never leaves its box, stage colours with their
/// hatch drawn as lines (brush patterns have device resolution), swatches. Colours come from the style's
/// theme alone.
class FigurePainter {
public:
  FigurePainter(QPainter& painter, const FigureStyle& style);

  QPainter& painter() { return m_painter; }
  const Theme& theme() const { return *m_style.theme; }
  const FigureStyle& style() const { return m_style; }
  QColor color(Theme::Role role) const { return theme().color(role); }
  /// Something that belongs to the figure has no room this time.
  void leaveOut() {
    if (m_style.report) m_style.report->leftOut = true;
  }

  static double width(const QString& text, double pixels, bool bold = false);
  static double height(double pixels) { return pixels * 1.3; }

  /// Paints `text` inside `box`, shortened with "…" if it must be; nothing if fewer than four letters would
  /// be left.
  bool label(const QRectF& box, const QString& text, Qt::Alignment, double pixels, const QColor&,
             bool bold = false);
  /// The first of `choices` that fits whole; nothing if none does.
  bool firstThatFits(const QRectF& box, const QStringList& choices, Qt::Alignment, double pixels,
                     const QColor&, bool bold = false);
  /// The text broken at blanks into lines of at most `width`; a longer word stays whole.
  static QStringList lines(const QString& text, double width, double pixels, bool bold = false);
  /// Those lines below each other; returns the height used. Lines beyond the box are left out.
  double paragraph(const QRectF& box, const QString& text, Qt::Alignment, double pixels, const QColor&,
                   bool bold = false);

  void fill(const QRectF&, const QColor&);
  void outline(const QRectF&, const QColor&, double width = 1, double radius = 0);
  void line(const QPointF&, const QPointF&, const QColor&, double width = 1, Qt::PenStyle = Qt::SolidLine);
  /// Pattern as in Theme::stageHatch. Lines are cut at the box, no clip is set.
  void hatch(const QRectF&, int pattern, const QColor&, double spacing = 6);
  static void hatchLines(const QRectF&, int pattern, double spacing, std::vector<QLineF>& out);

  QColor stageColor(int stage, bool dimmed = false) const;
  void stageBox(const QRectF&, int stage, bool dimmed = false);
  /// Small rounded box with the stage's colour, hatch and number.
  void stageChip(const QRectF&, int stage, double pixels = 11, bool dimmed = false);

  static constexpr double kSmall = 11, kBody = 12.5, kTitle = 20;

private:
  QPointF baseline(const QRectF& box, double width, Qt::Alignment, double pixels) const;
  void put(const QPointF& at, const QString& text, double pixels, const QColor&, bool bold);

  QPainter& m_painter;
  const FigureStyle& m_style;
};

/// One swatch of a legend.
struct LegendItem {
  QString text;
  QColor color;
  int hatch = 0;
  bool lineOnly = false;  ///< a line instead of a box
  bool hollow = false;    ///< its outline alone
};

/// Height that the legend takes in the given width: items flow into as many rows as needed.
double legendHeight(const std::vector<LegendItem>&, double width);
void paintLegend(FigurePainter&, const QRectF& area, const std::vector<LegendItem>&);

}  // namespace nest
