#include "views/figure_text_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "figures/paint/figure.h"

namespace nest {

FigureTextPane::FigureTextPane(QWidget* front, QWidget* canvas, const Figure& figure,
                               std::function<const PlanContext&()> context, QWidget* parent)
    : QWidget(parent), m_figure(figure), m_context(std::move(context)), m_front(front), m_canvas(canvas) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  m_stack = new QStackedWidget(this);
  m_text = new QPlainTextEdit(m_stack);
  m_text->setReadOnly(true);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setAccessibleName(tr("%1 as text").arg(figure.title()));
  m_stack->addWidget(m_front);
  m_stack->addWidget(m_text);
  column->addWidget(m_stack);
  setFocusProxy(m_canvas);
}

QString FigureTextPane::text() const {
  return m_figure.asText(m_context());
}

bool FigureTextPane::showsText() const {
  return m_stack->currentWidget() == m_text;
}

void FigureTextPane::refreshText() {
  if (showsText()) m_text->setPlainText(text());
}

void FigureTextPane::setShowsText(bool on) {
  if (on) m_text->setPlainText(text());
  const bool changes = on != showsText();
  m_stack->setCurrentWidget(on ? m_text : m_front);
  setFocusProxy(on ? m_text : m_canvas);
  if (changes) Q_EMIT showsTextChanged(on);
}

void FigureTextPane::copyImage() {
  copyAsImage(m_figure, m_context());
}

void FigureTextPane::copyText() {
  QApplication::clipboard()->setText(text());
}

void FigureTextPane::exportFigure() {
  ExportDialog dialog(m_figure, m_context(), window());
  dialog.exec();
}

void FigureTextPane::addActions(QMenu& menu) {
  menu.addAction(tr("Copy as image"), this, &FigureTextPane::copyImage);
  menu.addAction(tr("Copy as text"), this, &FigureTextPane::copyText);
  menu.addAction(tr("Export…"), this, &FigureTextPane::exportFigure);
  menu.addSeparator();
  QAction* twin = menu.addAction(tr("Show as text"));
  twin->setCheckable(true);
  twin->setChecked(showsText());
  connect(twin, &QAction::toggled, this, &FigureTextPane::setShowsText);
}

}  // namespace nest
