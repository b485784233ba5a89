#pragma once

#include "figures/paint/interactive_figure.h"
#include "views/figure_text_pane.h"

class QBoxLayout;

namespace nest {

class FigureCanvas;

/// An interactive figure on its canvas, with zoom and the context menu. What every view of a figure is made
/// of.
class FigurePane : public FigureTextPane {
  Q_OBJECT
public:
  /// The figure must outlive this. Figures with items of their own (ListFigure) want a selection of their
  /// own.
  FigurePane(InteractiveFigure& figure, Selection& selection, QWidget* parent = nullptr);
  explicit FigurePane(FigureCanvas* canvas, QWidget* parent = nullptr);  ///< takes the canvas

  FigureCanvas* canvas() const { return m_canvas; }
  void show(const PlanContext&, const Theme&);
  void figureChanged();  ///< after an option of the figure: paints again
  /// Below this height, in pixels, the figure is scrolled instead of squeezed. For figures that do not zoom;
  /// the banner of a plan that does not fit comes on top.
  void setLeastHeight(int);
  /// Everything that works here. Owned by the caller.
  QMenu* makeMenu(QWidget* parent);
  /// Fit (if it zooms), Text and Export at the end of a view's own bar.
  void addButtons(QBoxLayout* bar);

Q_SIGNALS:
  void menuMade(QMenu*);  ///< a view may add what works for what is selected

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  InteractiveFigure& figure() const;
  void keepHeight();

  FigureCanvas* m_canvas;
  int m_leastHeight = 0;
};

}  // namespace nest
