#pragma once

#include <QWidget>
#include <functional>

class QMenu;
class QPlainTextEdit;
class QStackedWidget;

namespace nest {

class Figure;
struct PlanContext;

/// A figure on the widget that shows it, the same as text behind it, and what can be done with any figure:
/// copy, export.
class FigureTextPane : public QWidget {
  Q_OBJECT
public:
  /// Takes `front`; `canvas`, it or a widget in it, takes the keyboard. The figure must outlive this, and is
  /// shown of what `context` returns.
  FigureTextPane(QWidget* front, QWidget* canvas, const Figure& figure,
                 std::function<const PlanContext&()> context, QWidget* parent = nullptr);

  bool showsText() const;
  void refreshText();  ///< after a change of the figure or of what it is of
  /// Copy, export, and the text in place of the picture.
  void addActions(QMenu&);

public Q_SLOTS:
  void copyImage();
  void copyText();
  void exportFigure();
  void setShowsText(bool);

Q_SIGNALS:
  void showsTextChanged(bool);

private:
  QString text() const;

  const Figure& m_figure;
  std::function<const PlanContext&()> m_context;
  QWidget *m_front, *m_canvas;
  QStackedWidget* m_stack;
  QPlainTextEdit* m_text;
};

}  // namespace nest
