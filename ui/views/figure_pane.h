#pragma once

#include <QWidget>

#include "figures/interactive_figure.h"

class QBoxLayout;
class QMenu;
class QPlainTextEdit;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace nest {

class FigureCanvas;

/// A figure on its canvas, the same as text behind it, and everything that can be done with a figure: copy,
/// export, zoom, the context menu. What every view of a figure is made of.
class FigurePane : public QWidget {
  Q_OBJECT
public:
  /// The figure must outlive this. Figures with items of their own (ListFigure) want a selection of their
  /// own.
  FigurePane(InteractiveFigure& figure, Selection& selection, QWidget* parent = nullptr);
  explicit FigurePane(FigureCanvas* canvas, QWidget* parent = nullptr);  ///< takes the canvas

  FigureCanvas* canvas() const { return m_canvas; }
  void show(const PlanContext&, const Theme&);
  void figureChanged();  ///< after an option of the figure: paints again
  /// Below this height, in pixels, the figure is scrolled instead of squeezed. For figures that do not zoom.
  void setLeastHeight(int);
  bool showsText() const;
  /// Everything that works here. Owned by the caller.
  QMenu* makeMenu(QWidget* parent);
  /// Fit (if it zooms), Text and Export at the end of a view's own bar.
  void addButtons(QBoxLayout* bar);

public Q_SLOTS:
  void copyImage();
  void copyText();
  void exportFigure();
  void setShowsText(bool);

Q_SIGNALS:
  void menuMade(QMenu*);  ///< a view may add what works for what is selected

private:
  InteractiveFigure& figure() const;

  QStackedWidget* m_stack;
  FigureCanvas* m_canvas;
  QScrollArea* m_scroll;
  QPlainTextEdit* m_text;
  QToolButton* m_textButton = nullptr;
};

}  // namespace nest
