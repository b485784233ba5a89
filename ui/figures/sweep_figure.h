#pragma once

#include <QCoreApplication>
#include <vector>

#include "figures/list_figure.h"

namespace nest {

/// A study along two fields: throughput as a heatmap, a number in each cell, a thick line wherever the best
/// plan is another one than beside it. Cells that have not been solved yet are hatched.
class SweepFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(SweepFigure)
public:
  SweepFigure() : ListFigure(QStringLiteral("sweep"), tr("Sweep of two fields"), {900, 600}) {}
  QString title() const override;

  struct Cell {
    bool known = false;
    double y = 0;  ///< 0: there is no plan
    QString yText, plan;
    QString none;  ///< without a plan: what the search ended in
  };
  void begin(QString xTitle, QStringList xs, QString yTitle, QStringList ys, QString value);
  void setCell(int column, int row, Cell);
  int columns() const { return static_cast<int>(m_xs.size()); }
  int rows() const { return static_cast<int>(m_ys.size()); }
  const Cell& cell(int column, int row) const;
  const QStringList& xs() const { return m_xs; }
  const QStringList& ys() const { return m_ys; }

  int count(const PlanContext&) const override { return columns() * rows(); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(Ink&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  QRectF areaOf(int column, int row, const QRectF& plot) const;
  void paintBorders(Ink&, const QRectF& plot) const;
  void paintScale(Ink&, const QRectF& plot, double least, double most) const;

  QString m_xTitle, m_yTitle, m_value;
  QStringList m_xs, m_ys;
  std::vector<Cell> m_cells;  ///< row by row
};

}  // namespace nest
