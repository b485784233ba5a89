#pragma once

#include <QCoreApplication>

#include "figures/paint/list_figure.h"

namespace nest {

/// The plans between which one has to choose: batch time against memory of the fullest device, with the
/// number of devices at each mark. Nothing is better than a plan of the front in all three. Items are numbers
/// in Outcome::front; the plan shown, where it is not on the front, is marked besides and is the last one.
class FrontFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(FrontFigure)
public:
  FrontFigure() : ListFigure(QStringLiteral("front"), tr("Pareto front"), {640, 400}) {}

  int count(const PlanContext&) const override;

  const RankedPlan& planAt(int i, const PlanContext&) const;  ///< of an item

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;

private:
  const std::vector<QString>& names(const PlanContext&) const;

  mutable PlanContext m_named;  ///< whose plans have these names: they need a look at all of them
  mutable std::vector<QString> m_names;
};

}  // namespace nest
