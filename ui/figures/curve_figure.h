#pragma once

#include <QCoreApplication>
#include <vector>

#include "figures/list_figure.h"

namespace nest {

/// A study along one field: what each value gives, with a mark wherever the best plan is another one than
/// before.
class CurveFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(CurveFigure)
public:
  CurveFigure() : ListFigure(QStringLiteral("study"), tr("Study"), {860, 480}) {}
  QString title() const override;

  struct Point {
    double x = 0;   ///< position on a logarithmic axis
    QString xText;  ///< "512", "62.5 GB/s"
    double y = 0;   ///< value; 0: there is no plan
    QString yText;
    QString none;          ///< without a plan: what the search ended in
    bool decided = true;   ///< false: it was stopped, whether a plan fits is not known
    QString plan;          ///< one line
    bool changed = false;  ///< the plan differs from the previous point's
    QString change;        ///< in words
  };

  void setPoints(QString xTitle, QString yTitle, std::vector<Point> points) {
    m_xTitle = std::move(xTitle), m_yTitle = std::move(yTitle), m_points = std::move(points);
  }
  const std::vector<Point>& points() const { return m_points; }
  const QString& xTitle() const { return m_xTitle; }
  const QString& yTitle() const { return m_yTitle; }
  /// Another method on the same values, as a thin line with a mark of its own; `ys` beside points(), 0 where
  /// it has nothing that runs.
  struct Other {
    QString name;
    std::vector<double> ys;
  };
  void setOthers(std::vector<Other> others) { m_others = std::move(others); }
  const std::vector<Other>& others() const { return m_others; }
  /// Dashed reference: y proportional to x from the first point (perfect scaling).
  void setIdealLine(bool on) { m_ideal = on; }

  int count(const PlanContext&) const override { return static_cast<int>(m_points.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(Ink&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QRectF reachOf(const QRectF& point) const override { return point.adjusted(-2, -2, 2, 2); }
  QString words(const PlanContext&) const override;

private:
  void paintOthers(Ink&, const QRectF& plot, double largest) const;
  void paintNames(Ink&, const QRectF& plot, double largest) const;
  QPointF at(const Point&, const QRectF& plot, double largest) const;
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  double largest() const;
  QString sentence() const;

  QString m_xTitle, m_yTitle;
  std::vector<Point> m_points;
  std::vector<Other> m_others;
  bool m_ideal = false;
};

}  // namespace nest
