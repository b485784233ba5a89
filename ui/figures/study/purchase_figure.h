#pragma once

#include <QCoreApplication>

#include "figures/paint/list_figure.h"
#include "figures/study/purchase_board.h"

namespace nest {

/// Which of several clusters for which jobs: a matrix whose cells show one quantity, the best of each job
/// framed, those that are too close to it hatched, and below it where the choice flips. Items: the cells, job
/// by job.
class PurchaseFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(PurchaseFigure)
public:
  PurchaseFigure() : ListFigure(QStringLiteral("purchase"), tr("Purchase"), {980, 560}) {}

  void setBoard(PurchaseBoard board) { m_board = std::move(board); }
  const PurchaseBoard& board() const { return m_board; }
  /// What stands in its place while there is no board.
  void setEmptyState(FigureState state) { m_none = std::move(state); }
  double leastHeight() const;

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  int count(const PlanContext&) const override { return static_cast<int>(m_board.cells.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Parts;
  int columns() const { return static_cast<int>(m_board.clusters.size()); }
  Parts layOut(const QRectF& area, bool standalone) const;
  void drawCell(FigurePainter&, const QRectF& box, int i) const;
  QString markOf(int i) const;  ///< of a cell, in words
  QString leaders(bool close) const;
  QString sentence() const;
  QString valueOf(const PurchaseBoard::Cell&, PurchaseQuantity) const;

  PurchaseBoard m_board;
  PurchaseQuantity m_quantity = PurchaseQuantity::Days;
  FigureState m_none;
};

}  // namespace nest
