#pragma once

#include <QCoreApplication>

#include "figures/list_figure.h"

namespace nest {

/// The plans between which one has to choose: batch time against devices used, coloured by memory of the
/// fullest device. Nothing is better than a plan of the front in all three. Items are numbers in
/// Outcome::front.
class FrontFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(FrontFigure)

public:
  QString id() const override { return QStringLiteral("front"); }
  QString title() const override;
  QSizeF preferredSize(const PlanContext&) const override { return {640, 400}; }
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const override;
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const override;
  QString asText(const PlanContext&) const override;

  int count(const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
};

}  // namespace nest
