#pragma once

#include <memory>
#include <vector>

#include "figures/interactive_figure.h"
#include "plan/evaluation.h"

namespace nest {

/// Stacked bars: what a device of each stage, or each device, holds at the peak; capacity line; headroom in
/// words.
class MemoryFigure : public InteractiveFigure {
public:
  enum class By { Stage, Device };

  MemoryFigure();
  ~MemoryFigure() override;

  void setBy(By by) { m_by = by; }
  By by() const { return m_by; }

  QString id() const override { return QStringLiteral("memory"); }
  QString title() const override { return QStringLiteral("Memory"); }
  QSizeF preferredSize(const PlanContext&) const override;
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const override;
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const override;
  QString asText(const PlanContext&) const override;

  std::optional<SelectionItem> step(const std::optional<SelectionItem>&, Step,
                                    const PlanContext&) const override;
  std::optional<Hit> locate(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString describe(const SelectionItem&, const PlanContext&) const override;

private:
  class Bars;  ///< the chart, kept while plan and size stay the same

  By m_by = By::Stage;
  mutable std::unique_ptr<Bars> m_bars;
};

}  // namespace nest
