#pragma once

#include <QCoreApplication>
#include <vector>

#include "figures/paint/list_figure.h"
#include "measures/metrics.h"
#include "measures/pace.h"

namespace nest {

/// Several plans as bars on one scale, each split by what the time is spent on: the time of a step, or where
/// the steps differ in their work (measureOf) the time of a token, with tokens a second beside it.
/// Not a bar chart of Qt Charts: that fills a part of all bars with one brush, so that a plan which does not
/// fit could not be drawn hollow; hatches would be brush patterns, which have no ground and do not grow with
/// the page; and six bars without any text take 2.3 ms there, the whole figure 1.1 ms here.
class ComparisonFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(ComparisonFigure)
public:
  ComparisonFigure() : ListFigure(QStringLiteral("compare"), tr("Comparison"), {860, 480}) {}

  struct Row {
    QString name;
    PlanMetrics metrics;
    QString plan;      ///< one line
    QString obstacle;  ///< "does not fit": drawn hollow; empty: it runs
    Pace pace;

    bool runs() const { return obstacle.isEmpty(); }
  };

  static Row rowOf(const QString& name, const Scenario*, const Problem&, const RankedPlan&);
  void setRows(std::vector<Row> rows) { m_rows = std::move(rows); }
  const std::vector<Row>& rows() const { return m_rows; }
  PaceMeasure measure() const;

  QSizeF preferredSize(const PlanContext&) const override;
  /// In pixels; below it the bars of so many plans would touch.
  static double leastHeight(std::size_t plans) { return 144 + 22.0 * static_cast<double>(plans); }

  int count(const PlanContext&) const override { return static_cast<int>(m_rows.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QRectF reachOf(const QRectF& bar) const override { return bar.adjusted(-200, -4, 80, 16); }

private:
  std::vector<Row> m_rows;
};

}  // namespace nest
