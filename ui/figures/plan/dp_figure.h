#pragma once

#include <QCoreApplication>
#include <memory>

#include "figures/paint/interactive_figure.h"
#include "solver/dp_probe.h"

namespace nest {

/// The DP table of the shown plan's configuration as a heatmap to walk, cell by cell: stages down, cuts
/// across. Its items are Pair{stage, cut} of its own: its canvas needs a selection of its own.
class DpFigure : public InteractiveFigure {
  Q_DECLARE_TR_FUNCTIONS(DpFigure)
public:
  DpFigure() : InteractiveFigure(QStringLiteral("dp-table"), tr("DP table"), {900, 560}) {}

  /// `why`: said instead of the table where there is none.
  void setProbe(std::shared_ptr<const DpProbe>, const QString& why);
  const DpProbe* probe() const { return m_probe.get(); }
  static constexpr int kCell = -2;  ///< level of an item that is a cell, not a pair of devices
  static SelectionItem itemOf(int stage, int cut) { return {ItemKind::Pair, stage, kCell, cut}; }

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
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  QRectF cellArea(int stage, int cut, const QRectF& plot) const;
  bool holds(const std::optional<SelectionItem>&) const;
  QString cellText(int stage, int cut, const PlanContext&) const;

  std::shared_ptr<const DpProbe> m_probe;
  QString m_why;
  double m_least = 0, m_most = 1;
};

}  // namespace nest
