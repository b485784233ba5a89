#pragma once

#include "figures/paint/interactive_figure.h"

namespace nest {

/// The layers in order as a ribbon cut into stages, width = time; below it one column per stage with its load
/// split.
class StagesFigure : public InteractiveFigure {
public:
  StagesFigure() : InteractiveFigure(QStringLiteral("stages"), QStringLiteral("Stages"), {1200, 675}) {}

  /// Share: every column as tall as the slowest, parts as shares of its own load.
  enum class Scale { Time, Share };

  Scale scale() const { return m_scale; }
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
  Scale m_scale = Scale::Time;
};

}  // namespace nest
