#include "views/figure_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "views/figure_canvas.h"
#include "views/figure_pane.h"
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
  m_pane = new FigurePane(*m_figure, selection());
  column->addWidget(m_pane, 1);
  setFocusProxy(m_pane);
  setAccessibleName(title());
  auto* buttons = new QWidget(this);
  auto* row = new QHBoxLayout(buttons);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  m_bar->setTrailing(buttons);
  m_pane->addButtons(row);
}

FigureView::~FigureView() = default;

QString FigureView::settingsKey(const QString& key) const {
  return QStringLiteral("views/%1/%2").arg(id(), key);
}

void FigureView::addChoice(const QString& key, const QString& label, const QStringList& names, int first,
                           std::function<void(int)> apply) {
  auto* text = new QLabel(label, this);
  auto* box = new QComboBox(this);
  box->addItems(names);
  box->setObjectName(key);
  remember(key.toLatin1().constData(), box);
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
    if (!isRestoring()) QSettings().setValue(settingsKey(key), i);
    apply(i);
    figureChanged();
  });
}

void FigureView::renameChoice(const QString& key, const QStringList& names) {
  auto* box = findChild<QComboBox*>(key);
  QStringList present;
  for (int i = 0; i < box->count(); ++i) present << box->itemText(i);
  if (present == names) return;
  const int chosen = box->currentIndex();
  {
    const QSignalBlocker quiet(box);
    box->clear();
    box->addItems(names);
    box->setCurrentIndex(chosen < names.size() ? chosen : 0);
  }
  if (box->currentIndex() != chosen) Q_EMIT box->currentIndexChanged(box->currentIndex());
}

void FigureView::addSwitch(const QString& key, const QString& label, const QString& tip, bool first,
                           std::function<void(bool)> apply) {
  auto* b = new QToolButton(this);
  b->setText(label);
  b->setToolTip(tip);
  b->setObjectName(key);
  remember(key.toLatin1().constData(), b);
  b->setCheckable(true);
  b->setAutoRaise(true);
  b->setChecked(QSettings().value(settingsKey(key), first).toBool());
  m_bar->insertWidget(m_options++, b);
  apply(b->isChecked());
  connect(b, &QToolButton::toggled, this, [this, key, apply = std::move(apply)](bool on) {
    if (!isRestoring()) QSettings().setValue(settingsKey(key), on);
    apply(on);
    figureChanged();
  });
}

void FigureView::addBelow(QWidget* widget) {
  layout()->addWidget(widget);
}

FigureCanvas* FigureView::canvas() const {
  return m_pane->canvas();
}

void FigureView::figureChanged() {
  m_pane->figureChanged();
}

void FigureView::refresh() {
  m_pane->show(context(), theme());
}

View::State FigureView::state() const {
  State state = View::state();
  state["text"] = showsText() ? 1 : 0;
  state.merge(m_figure->viewport());
  return state;
}

void FigureView::applyState(const State& state) {
  View::applyState(state);
  if (const auto text = state.find("text"); text != state.end()) setShowsText(text->second > 0.5);
  m_figure->setViewport(state);
  figureChanged();
}

bool FigureView::showsText() const {
  return m_pane->showsText();
}

void FigureView::setShowsText(bool on) {
  m_pane->setShowsText(on);
}

void FigureView::copyImage() {
  refresh();  // it may have been hidden until now
  m_pane->copyImage();
}

void FigureView::copyText() {
  refresh();  // it may have been hidden until now
  m_pane->copyText();
}

void FigureView::exportFigure() {
  refresh();  // it may have been hidden until now
  m_pane->exportFigure();
}

QMenu* FigureView::makeMenu(QWidget* parent) {
  return m_pane->makeMenu(parent);
}

}  // namespace nest
