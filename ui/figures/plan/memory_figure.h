#pragma once

#include <memory>
#include <vector>

#include "evaluation/evaluation.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

/// Stacked bars: what a device of each stage, or each device, holds at the peak; capacity line; headroom in
/// words.
class MemoryFigure : public InteractiveFigure {
public:
  enum class By { Stage, Device };

  MemoryFigure();
  ~MemoryFigure() override;

  By by() const { return m_by; }
  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;

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
  class Bars;  ///< the chart, kept while plan and size stay the same

  By m_by = By::Stage;
  mutable std::unique_ptr<Bars> m_bars;
};

}  // namespace nest
