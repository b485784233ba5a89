#pragma once

#include <vector>

#include "figures/paint/interactive_figure.h"

namespace nest {

/// A figure whose items are a list of its own (points of a study, plans of a front), walked in order. They
/// are no items of the plan: its canvas needs a selection of its own.
class ListFigure : public InteractiveFigure {
public:
  static SelectionItem itemOf(int i) { return {ItemKind::Group, i, -1, -1}; }
  /// The number behind an item of such a figure; −1: it is none.
  static int indexOf(const std::optional<SelectionItem>&);

  virtual int count(const PlanContext&) const = 0;  ///< 0 while nothing is shown

protected:
  using InteractiveFigure::InteractiveFigure;

  // 0 ≤ i < count():
  virtual Hit hitOf(int i, const QRectF& area, const PlanContext&) const = 0;
  virtual QString lineOf(int i, const PlanContext&) const = 0;  ///< one item in words
  /// Where all of them stand, as hitOf() says of each. To be told at once where thousands are: the mouse asks
  /// at every step.
  virtual std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const;
  /// Where the mouse reaches an item, from where it stands.
  virtual QRectF reachOf(const QRectF& item) const { return item; }

  std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString sentenceOf(const SelectionItem&, const PlanContext&) const override;
  QString words(const PlanContext&) const override;  ///< the title, then a line for each item

  /// Frames around what is hovered and selected.
  void paintMarks(FigurePainter&, const QRectF& area, const PlanContext&) const;
};

}  // namespace nest
