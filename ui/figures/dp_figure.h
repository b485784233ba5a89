#pragma once

#include <QCoreApplication>
#include <memory>

#include "figures/interactive_figure.h"
#include "solver/dp_probe.h"

namespace nest {

/// The DP table of the shown plan's configuration as a heatmap to walk, cell by cell: stages down, cuts
/// across. Its items are Pair{stage, cut} of its own: its canvas needs a selection of its own.
class DpFigure : public InteractiveFigure {
  Q_DECLARE_TR_FUNCTIONS(DpFigure)
public:
  /// `why`: said instead of the table where there is none.
  void setProbe(std::shared_ptr<const DpProbe>, const QString& why);
  const DpProbe* probe() const { return m_probe.get(); }
  static SelectionItem itemOf(int stage, int cut) { return {ItemKind::Pair, stage, -1, cut}; }

  QString id() const override { return QStringLiteral("dp-table"); }
  QString title() const override { return tr("DP table"); }
  QSizeF preferredSize(const PlanContext&) const override { return {900, 560}; }
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const override;
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const override;
  QString asText(const PlanContext&) const override;

  std::optional<SelectionItem> step(const std::optional<SelectionItem>&, Step,
                                    const PlanContext&) const override;
  std::optional<Hit> locate(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString describe(const SelectionItem&, const PlanContext&) const override;

private:
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  QRectF cellArea(int stage, int cut, const QRectF& plot) const;
  bool holds(const std::optional<SelectionItem>&) const;
  QString words(int stage, int cut, const PlanContext&) const;

  std::shared_ptr<const DpProbe> m_probe;
  QString m_why;
  double m_least = 0, m_most = 1;
};

}  // namespace nest
