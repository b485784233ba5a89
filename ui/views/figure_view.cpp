#include "views/figure_view.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "export/export_dialog.h"
#include "export/figure_export.h"
#include "views/figure_canvas.h"
#include "views/flow_layout.h"

namespace nest {

FigureView::FigureView(std::unique_ptr<InteractiveFigure> figure, ViewServices services, QWidget* parent)
    : View(services, parent), m_figure(std::move(figure)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  m_bar = new FlowLayout(6);
  m_bar->setContentsMargins(8, 4, 8, 4);
  column->addLayout(m_bar);
  m_stack = new QStackedWidget(this);
  m_canvas = new FigureCanvas(*m_figure, selection(), m_stack);
  m_text = new QPlainTextEdit(m_stack);
  m_text->setReadOnly(true);
  m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
  m_text->setAccessibleName(tr("%1 as text").arg(title()));
  m_stack->addWidget(m_canvas);
  m_stack->addWidget(m_text);
  column->addWidget(m_stack, 1);
  setFocusProxy(m_canvas);
  setAccessibleName(title());
  addButtons();
  connect(m_canvas, &FigureCanvas::menuRequested, this, [this](const QPoint& at) {
    std::unique_ptr<QMenu> menu(makeMenu(this));
    menu->exec(at);
  });
}

FigureView::~FigureView() = default;

QString FigureView::settingsKey(const QString& key) const {
  return QStringLiteral("views/%1/%2").arg(id(), key);
}

void FigureView::addButtons() {
  auto* buttons = new QWidget(this);
  m_buttons = new QHBoxLayout(buttons);
  m_buttons->setContentsMargins(0, 0, 0, 0);
  m_buttons->setSpacing(2);
  m_bar->setTrailing(buttons);
  const auto button = [this](const QString& text, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setText(text);
    b->setToolTip(tip);
    b->setAutoRaise(true);
    m_buttons->addWidget(b);
    return b;
  };
  if (m_figure->canZoom())
    connect(button(tr("Fit"), tr("Show everything (0)")), &QToolButton::clicked, m_canvas,
            &FigureCanvas::fit);
  m_textButton = button(tr("Text"), tr("Show the same as text"));
  m_textButton->setCheckable(true);
  connect(m_textButton, &QToolButton::toggled, this, &FigureView::setShowsText);
  connect(button(tr("Export…"), tr("Save the figure as SVG, PDF or PNG, or copy it")), &QToolButton::clicked,
          this, &FigureView::exportFigure);
}

void FigureView::addChoice(const QString& key, const QString& label, const QStringList& names, int first,
                           std::function<void(int)> apply) {
  auto* text = new QLabel(label, this);
  auto* box = new QComboBox(this);
  box->addItems(names);
  box->setObjectName(key);
  box->setAccessibleName(label);
  text->setBuddy(box);
  const int known = QSettings().value(settingsKey(key), first).toInt();
  box->setCurrentIndex(known >= 0 && known < names.size() ? known : first);
  // The name goes with its box into the next line.
  auto* both = new QWidget(this);
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(0, 0, 6, 0);
  row->setSpacing(6);
  row->addWidget(text);
  row->addWidget(box);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_bar->insertWidget(m_options++, both);
  apply(box->currentIndex());
  connect(box, &QComboBox::currentIndexChanged, this, [this, key, apply = std::move(apply)](int i) {
    QSettings().setValue(settingsKey(key), i);
    apply(i);
    figureChanged();
  });
}

void FigureView::addSwitch(const QString& key, const QString& label, bool first,
                           std::function<void(bool)> apply) {
  auto* b = new QToolButton(this);
  b->setText(label);
  b->setObjectName(key);
  b->setCheckable(true);
  b->setAutoRaise(true);
  b->setChecked(QSettings().value(settingsKey(key), first).toBool());
  m_bar->insertWidget(m_options++, b);
  apply(b->isChecked());
  connect(b, &QToolButton::toggled, this, [this, key, apply = std::move(apply)](bool on) {
    QSettings().setValue(settingsKey(key), on);
    apply(on);
    figureChanged();
  });
}

void FigureView::figureChanged() {
  m_canvas->update();
  if (showsText()) m_text->setPlainText(m_figure->asText(context()));
}

void FigureView::refresh() {
  m_canvas->show(context(), theme());
  m_canvas->setAccessibleDescription(m_figure->asText(context()).section(u'\n', 1, 1));
  if (showsText()) m_text->setPlainText(m_figure->asText(context()));
}

bool FigureView::showsText() const {
  return m_stack->currentWidget() == m_text;
}

void FigureView::setShowsText(bool on) {
  m_textButton->setChecked(on);
  if (on) m_text->setPlainText(m_figure->asText(context()));
  m_stack->setCurrentWidget(on ? static_cast<QWidget*>(m_text) : m_canvas);
  setFocusProxy(m_stack->currentWidget());
}

void FigureView::copyImage() {
  // Every format at once: a slide program takes the vectors, a chat the pixels.
  auto* content = new QMimeData;
  content->setImageData(imageOf(*m_figure, context()));
  content->setData(QStringLiteral("image/svg+xml"), renderFigure(*m_figure, context(), ExportFormat::Svg));
  QApplication::clipboard()->setMimeData(content);
}

void FigureView::copyText() {
  QApplication::clipboard()->setText(m_figure->asText(context()));
}

void FigureView::exportFigure() {
  ExportDialog dialog(*m_figure, context(), window());
  dialog.exec();
}

QMenu* FigureView::makeMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  menu->addAction(tr("Copy as image"), this, &FigureView::copyImage);
  menu->addAction(tr("Copy as text"), this, &FigureView::copyText);
  menu->addAction(tr("Export…"), this, &FigureView::exportFigure);
  menu->addSeparator();
  QAction* text = menu->addAction(tr("Show as text"));
  text->setCheckable(true);
  text->setChecked(showsText());
  connect(text, &QAction::toggled, this, &FigureView::setShowsText);
  if (m_figure->canZoom()) {
    menu->addSeparator();
    menu->addAction(tr("Zoom in"), m_canvas, &FigureCanvas::zoomIn);
    menu->addAction(tr("Zoom out"), m_canvas, &FigureCanvas::zoomOut);
    menu->addAction(tr("Fit"), m_canvas, &FigureCanvas::fit);
  }
  if (selection().selected()) {
    menu->addSeparator();
    menu->addAction(tr("Clear selection"), this, [this] { selection().setSelected(std::nullopt); });
  }
  return menu;
}

}  // namespace nest
