#pragma once

#include <QPointF>
#include <QWidget>
#include <functional>
#include <optional>

#include "document/plan_context.h"
#include "document/selection.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

/// The widget on which a figure is painted: hover, selection, tooltips, zoom, pan, keyboard walk.
///
/// Arrow keys walk its items, Home and End jump, Escape lets go, + − 0 zoom, Shift and arrows pan. What is
/// walked to is selected, told by a tooltip and to screen readers. Return and a double click activate it.
///
/// Type and strokes grow with the canvas, and with the type of the window: a large picture is looked at as a
/// whole, and read from afar.
class FigureCanvas : public QWidget {
  Q_OBJECT
public:
  FigureCanvas(InteractiveFigure& figure, Selection& selection, QWidget* parent = nullptr);

  void show(const PlanContext& context, const Theme& theme);  ///< copies the context; repaints
  InteractiveFigure& figure() const { return m_figure; }
  Selection& selection() const { return m_selection; }
  const PlanContext& context() const { return m_context; }
  /// What a screen reader says of the item that is selected; of none, of what runs under the playhead.
  QString currentText() const;
  void setSentence(const QString&);  ///< what it says of the whole figure while nothing is selected

  /// Of a figure as large as this, at the usual size of the window's type: 1 for a small pane, 15 pixels of
  /// type for 11 at 1600 × 1000, and beyond in proportion.
  static double enlargementOf(const QSizeF&);
  /// Where the item is drawn, in this widget; empty: nowhere.
  QRectF placeOf(const SelectionItem&) const;

  /// What the figure is laid out in; at() maps from the widget to it.
  QRectF area() const { return {QPointF(), QSizeF(size()) / enlargement()}; }
  QPointF at(const QPointF& position) const { return position / enlargement(); }
  double enlargement() const;

  QSize sizeHint() const override { return {800, 500}; }
  QSize minimumSizeHint() const override { return {240, 160}; }

public Q_SLOTS:
  void fit();
  void zoomIn() { zoomBy(1.25); }
  void zoomOut() { zoomBy(0.8); }

Q_SIGNALS:
  void menuRequested(const QPoint& globalPosition);
  /// By Return, or by a double click where that does not zoom.
  void itemActivated(const nest::SelectionItem&);

protected:
  void paintEvent(QPaintEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  bool event(QEvent*) override;

private:
  void zoomBy(double factor);
  void hover(const QPointF& at);
  bool walk(QKeyEvent*);
  void tell();
  void tellWhat();

  InteractiveFigure& m_figure;
  Selection& m_selection;
  PlanContext m_context;
  const Theme* m_theme;
  QString m_sentence;
  std::optional<QPointF> m_pressed;
  QPointF m_last;
  bool m_panning = false;
  bool m_hovering = false;  ///< the hovered item of the selection is ours to clear
};

}  // namespace nest
