#include "views/figure_pane.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QToolButton>

#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "views/figure_canvas.h"

namespace nest {
namespace {
constexpr int kLeastRoom = 160;    ///< pixels of a figure that can be zoomed; below, it scrolls
constexpr int kLeastSight = 56;    ///< pixels, whatever else stands in the view
constexpr int kLeastHeight = 220;  ///< of a figure that does not zoom
}  // namespace

FigurePane::FigurePane(InteractiveFigure& figure, Selection& selection, QWidget* parent)
    : FigurePane(new FigureCanvas(figure, selection), parent) {}

FigurePane::FigurePane(FigureCanvas* canvas, QWidget* parent) : QWidget(parent), m_canvas(canvas) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  m_stack = new QStackedWidget(this);
  m_text = new QPlainTextEdit(m_stack);
  m_text->setReadOnly(true);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setAccessibleName(tr("%1 as text").arg(figure().title()));
  m_scroll = new QScrollArea(m_stack);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_scroll->setMinimumHeight(kLeastSight);
  m_scroll->setWidget(m_canvas);
  setLeastHeight(figure().canZoom() ? kLeastRoom : kLeastHeight);
  m_stack->addWidget(m_scroll);
  m_stack->addWidget(m_text);
  column->addWidget(m_stack);
  setFocusProxy(m_canvas);
  connect(m_canvas, &FigureCanvas::menuRequested, this, [this](const QPoint& at) {
    std::unique_ptr<QMenu> menu(makeMenu(this));
    menu->exec(at);
  });
}

InteractiveFigure& FigurePane::figure() const {
  return m_canvas->figure();
}

void FigurePane::addButtons(QBoxLayout* bar) {
  const auto button = [&](const QString& text, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setText(text);
    b->setToolTip(tip);
    b->setAutoRaise(true);
    bar->addWidget(b);
    return b;
  };
  if (figure().canZoom())
    connect(button(tr("Fit"), tr("Fit to view (0)")), &QToolButton::clicked, m_canvas, &FigureCanvas::fit);
  m_textButton = button(tr("Text"), tr("Show the same as text"));
  m_textButton->setCheckable(true);
  connect(m_textButton, &QToolButton::toggled, this, &FigurePane::setShowsText);
  connect(button(tr("Export…"), tr("Save the figure as SVG, PDF or PNG, or copy it")), &QToolButton::clicked,
          this, &FigurePane::exportFigure);
}

void FigurePane::show(const PlanContext& context, const Theme& theme) {
  m_canvas->show(context, theme);
  m_canvas->setSentence(figure().asText(context).section(u'\n', 1, 1));
  if (showsText()) m_text->setPlainText(figure().asText(context));
}

void FigurePane::figureChanged() {
  m_canvas->update();
  if (showsText()) m_text->setPlainText(figure().asText(m_canvas->context()));
}

void FigurePane::setLeastHeight(int height) {
  m_canvas->setMinimumHeight(height);
}

bool FigurePane::showsText() const {
  return m_stack->currentWidget() == m_text;
}

void FigurePane::setShowsText(bool on) {
  if (m_textButton) {
    const QSignalBlocker quiet(m_textButton);
    m_textButton->setChecked(on);
  }
  if (on) m_text->setPlainText(figure().asText(m_canvas->context()));
  m_stack->setCurrentWidget(on ? static_cast<QWidget*>(m_text) : m_scroll);
  setFocusProxy(on ? static_cast<QWidget*>(m_text) : m_canvas);
}

void FigurePane::copyImage() {
  copyAsImage(figure(), m_canvas->context());
}

void FigurePane::copyText() {
  QApplication::clipboard()->setText(figure().asText(m_canvas->context()));
}

void FigurePane::exportFigure() {
  ExportDialog dialog(figure(), m_canvas->context(), window());
  dialog.exec();
}

QMenu* FigurePane::makeMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->addAction(tr("Copy as image"), this, &FigurePane::copyImage);
  menu->addAction(tr("Copy as text"), this, &FigurePane::copyText);
  menu->addAction(tr("Export…"), this, &FigurePane::exportFigure);
  menu->addSeparator();
  QAction* text = menu->addAction(tr("Show as text"));
  text->setCheckable(true);
  text->setChecked(showsText());
  connect(text, &QAction::toggled, this, &FigurePane::setShowsText);
  if (figure().canZoom()) {
    menu->addSeparator();
    menu->addAction(tr("Zoom in"), m_canvas, &FigureCanvas::zoomIn);
    menu->addAction(tr("Zoom out"), m_canvas, &FigureCanvas::zoomOut);
    menu->addAction(tr("Fit"), m_canvas, &FigureCanvas::fit);
  }
  if (m_canvas->selection().selected()) {
    menu->addSeparator();
    menu->addAction(tr("Clear selection"), this, [this] { m_canvas->selection().setSelected(std::nullopt); });
  }
  Q_EMIT menuMade(menu);
  return menu;
}

}  // namespace nest
