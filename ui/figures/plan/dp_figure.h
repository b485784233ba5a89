#pragma once

#include <QCoreApplication>
#include <memory>

#include "figures/paint/interactive_figure.h"
#include "figures/plan/configuration_table.h"
#include "solver/dp_through.h"

namespace nest {

/// The DP table of the shown plan's configuration as a heatmap to walk, cell by cell: stages down, cuts
/// across, in each cell the best whole plan through it as a multiple of the best one. Where no cut can be
/// chosen, the configurations of the search in its place. Its items are Pair{row, column} of its own: its
/// canvas needs a selection of its own.
class DpFigure : public InteractiveFigure {
  Q_DECLARE_TR_FUNCTIONS(DpFigure)
public:
  DpFigure() : InteractiveFigure(QStringLiteral("dp-table"), tr("DP table"), {900, 560}) {}

  /// `why`: said instead of the table where there is none.
  void setTable(std::shared_ptr<const DpProbe>, const QString& why, std::shared_ptr<const Outcome>);
  void setThrough(std::shared_ptr<const DpThrough>);
  const DpProbe* probe() const { return m_probe.get(); }
  /// Null: not computed yet, or the table is being filled.
  const DpThrough* through() const { return isFilling() ? nullptr : m_through.get(); }
  bool knowsThrough() const { return m_through != nullptr; }
  /// Not null: shown in place of the table.
  const ConfigurationTable* configurations() const { return m_configurations.get(); }
  bool isTable() const { return m_probe && !m_configurations; }

  /// How many stages, from the last one on, are filled; more than there are: all, with the best whole plans.
  void setFilled(int stages);
  int filled() const { return m_filled; }
  bool isFilling() const { return m_probe && m_filled <= m_probe->stageCount(); }

  static constexpr int kCell = -2;  ///< level of an item that is a cell, not a pair of devices
  static SelectionItem itemOf(int row, int column) { return {ItemKind::Pair, row, kCell, column}; }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString sentenceOf(const SelectionItem&, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  const DpGrid& grid() const { return m_configurations ? m_configurations->grid() : m_table; }
  QString sentence(const PlanContext&) const;
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  QRectF cellArea(int row, int column, const QRectF& plot) const;
  bool holds(const std::optional<SelectionItem>&) const;
  void drawCells(FigurePainter&, const QRectF& plot) const;
  void drawPath(FigurePainter&, const QRectF& plot) const;
  void drawArrows(FigurePainter&, const QRectF& plot, int stage, int cut) const;
  void drawAxes(FigurePainter&, const QRectF& area, const QRectF& plot) const;
  void drawLegend(FigurePainter&, const QRectF& row) const;

  std::shared_ptr<const DpProbe> m_probe;
  std::shared_ptr<const ConfigurationTable> m_configurations;
  QString m_why;  ///< why there is no table, or why the configurations are shown
  int m_filled = kAll;
  mutable std::shared_ptr<const DpThrough> m_through;  ///< on paper it is computed when it is needed
  mutable bool m_isTooMuch = false;                    ///< to compute on paper
  mutable DpGrid m_table;

  static constexpr int kAll = 1 << 30;
};

}  // namespace nest
