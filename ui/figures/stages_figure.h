#pragma once

#include "figures/interactive_figure.h"

namespace nest {

/// The layers in order as a ribbon cut into stages, width = time; below it one column per stage with its load
/// split.
class StagesFigure : public InteractiveFigure {
public:
  /// Share: every column as tall as the slowest, parts as shares of its own load.
  enum class Scale { Time, Share };

  void setScale(Scale s) { m_scale = s; }
  Scale scale() const { return m_scale; }

  QString id() const override { return QStringLiteral("stages"); }
  QString title() const override { return QStringLiteral("Stages"); }
  QSizeF preferredSize(const PlanContext&) const override;
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const override;
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const override;
  QString asText(const PlanContext&) const override;

  std::optional<SelectionItem> step(const std::optional<SelectionItem>&, Step,
                                    const PlanContext&) const override;
  std::optional<Hit> locate(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString describe(const SelectionItem&, const PlanContext&) const override;

private:
  Scale m_scale = Scale::Time;
};

}  // namespace nest
