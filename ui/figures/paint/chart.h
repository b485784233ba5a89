#pragma once

#include <QBrush>
#include <QLineF>
#include <QPen>
#include <QPolygonF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <memory>
#include <utility>
#include <vector>

#include "figures/paint/rect_index.h"

class QChart;
class QGraphicsScene;

namespace nest {

struct Axis;
class FigurePainter;

/// One direction of a chart: what stands where, and the values that are labelled.
struct ChartScale {
  struct Tick {
    double value = 0;
    QString text;
  };
  double low = 0, high = 1;  ///< at the ends of the plot; positive where logarithmic
  bool logarithmic = false;
  QString title;  ///< with its unit
  std::vector<Tick> ticks;
  bool grid = true;  ///< a line through the plot at each tick

  /// From zero, in the axis's unit; values stay in SI.
  static ChartScale linear(const Axis&, const QString& title);
  /// At most `mostTicks` round ticks, labelled in `unit`; the title says that it is logarithmic.
  static ChartScale powers(double low, double high, int mostTicks, const QString& title, double unit = 1);

  double share(double value) const;  ///< 0 at `low`, 1 at `high`
};

/// Where the values of a chart stand. All that hit tests need of it.
struct ChartPlane {
  static constexpr double kLeft = 58, kTop = 28,
                          kBottom = 40;  ///< what ticks and titles take around the plot

  QRectF plot;
  ChartScale x, y;

  QPointF at(double xValue, double yValue) const;
};

/// An XY chart by Qt Charts, in the fonts and colours of figures: grid, ticks, lines and areas, as vectors in
/// SVG and PDF. Qt Charts sees shares of the plane, never values, because its logarithmic axis labels decades
/// alone, of which most charts here have none or one. Marks and names are painted above: as a QScatterSeries
/// each mark is an item of the scene, and 4,000 of them take 8 times as long.
class Chart {
public:
  Chart(FigurePainter&, const ChartPlane&);
  ~Chart();

  /// Values that are not finite break a line, and have no mark. What stands in one place is painted once.
  void line(const QPolygonF& values, const QPen&);
  /// Between two lines.
  void area(const QPolygonF& lower, const QPolygonF& upper, const QColor&);
  struct Mark {
    double size = 9;  ///< of its sides, or its diameter
    QBrush fill;
    QPen pen = Qt::NoPen;
    bool square = false;
    bool namesKeepOff = true;
    /// Goes without its pen where others stand so near that their pens would leave little of each.
    bool yields = false;
    QRectF box(const QPointF& at) const { return {at.x() - size / 2, at.y() - size / 2, size, size}; }
  };
  void marks(const QPolygonF& values, const Mark&);
  /// What was added, in that order, marks last, over the grid and the labels.
  void paint();

  // After paint():
  /// No name goes across it.
  void keepClear(const QRectF& box) { m_taken.add(box, box); }
  /// The first of `choices` for which there is room beside a mark of this radius, on nothing else's place and
  /// so far from other marks that it is not read as theirs; off the lines where there is room for that, too.
  void name(const QPointF& mark, double radius, const QStringList& choices, bool bold = false);

private:
  void addLine(const QPolygonF& values, const QPen&);  ///< unbroken, of two and more
  void paintMarks(const QPolygonF& values, const Mark&) const;

  FigurePainter& m_ink;
  const ChartPlane& m_plane;
  std::unique_ptr<QGraphicsScene> m_scene;
  QChart* m_chart;
  std::vector<std::pair<QPolygonF, Mark>> m_marks;
  RectIndex<QRectF> m_taken, m_points;  ///< by names and other things; by marks
  RectIndex<QLineF> m_lines;            ///< parts of lines, as painted
};

}  // namespace nest
