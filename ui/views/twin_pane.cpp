#include "views/twin_pane.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <utility>

#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "figures/figure.h"

namespace nest {

TwinPane::TwinPane(QWidget* front, QWidget* canvas, const Figure& figure,
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

QString TwinPane::text() const {
  return m_figure.asText(m_context());
}

bool TwinPane::showsText() const {
  return m_stack->currentWidget() == m_text;
}

void TwinPane::refreshText() {
  if (showsText()) m_text->setPlainText(text());
}

void TwinPane::setShowsText(bool on) {
  if (on) m_text->setPlainText(text());
  const bool changes = on != showsText();
  m_stack->setCurrentWidget(on ? m_text : m_front);
  setFocusProxy(on ? m_text : m_canvas);
  if (changes) Q_EMIT showsTextChanged(on);
}

void TwinPane::copyImage() {
  copyAsImage(m_figure, m_context());
}

void TwinPane::copyText() {
  QApplication::clipboard()->setText(text());
}

void TwinPane::exportFigure() {
  ExportDialog dialog(m_figure, m_context(), window());
  dialog.exec();
}

void TwinPane::addActions(QMenu& menu) {
  menu.addAction(tr("Copy as image"), this, &TwinPane::copyImage);
  menu.addAction(tr("Copy as text"), this, &TwinPane::copyText);
  menu.addAction(tr("Export…"), this, &TwinPane::exportFigure);
  menu.addSeparator();
  QAction* twin = menu.addAction(tr("Show as text"));
  twin->setCheckable(true);
  twin->setChecked(showsText());
  connect(twin, &QAction::toggled, this, &TwinPane::setShowsText);
}

}  // namespace nest
