#include "views/figure_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/chip_box.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/flow_layout.h"
#include "views/pane_handle.h"

namespace nest {

FigureView::FigureView(std::unique_ptr<InteractiveFigure> figure, ViewServices services, QWidget* parent)
    : View(services, parent), m_figure(std::move(figure)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QWidget(this);
  m_bar = new FlowLayout(6);
  head->setLayout(m_bar);
  m_bar->setContentsMargins(10, 2, 6, 2);
  column->addWidget(head);
  m_pane = new FigurePane(*m_figure, selection());
  column->addWidget(m_pane, 1);
  setFocusProxy(m_pane);
  setAccessibleName(title());
  for (const FigureOption& o : m_figure->offeredOptions(context()))
    if (o.isSwitch()) {
      m_defaults[o.key] = o.value == FigureOption::kOn ? 1 : 0;
      addSwitch(o);
    } else {
      m_defaults[o.key] = o.value;
      addChoice(o);
    }
  m_buttons = new QWidget(this);  // after the options: Tab walks the bar as it is seen
  auto* buttons = new QHBoxLayout(m_buttons);
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(2);
  m_pane->addButtons(buttons);
  auto* end = new QWidget(this);
  auto* row = new QHBoxLayout(end);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2);
  m_paneButtons = new PaneButtons(title(), end);
  row->addWidget(m_buttons);
  row->addWidget(m_paneButtons);
  m_bar->setTrailing(end);
  m_handle = new PaneHandle(title(), this);
  m_bar->insertWidget(0, m_handle);
  m_handle->hide();
  m_paneButtons->setParts(false, false);
  connect(m_handle, &PaneHandle::pulled, this, &View::pulled);
  connect(m_handle, &PaneHandle::enlargeRequested, this, &View::enlargeRequested);
  connect(m_handle, &PaneHandle::menuRequested, this, &View::paneMenuRequested);
  connect(m_paneButtons, &PaneButtons::enlargeRequested, this, &View::enlargeRequested);
  connect(m_paneButtons, &PaneButtons::menuRequested, this, &View::paneMenuRequested);
}

FigureView::~FigureView() = default;

bool FigureView::showPane(const PaneLook& look) {
  m_look = look;
  m_inPane = true;
  m_handle->setVisible(look.bearsTitle);
  m_paneButtons->setLarge(look.enlarged);
  fitBar();
  return true;
}

void FigureView::addToPaneMenu(QMenu& menu) {
  addHiddenOptions(menu);
  menu.addActions(makeMenu(&menu)->actions());
}

void FigureView::addHiddenOptions(QMenu& menu) {
  bool any = false;
  for (const Option& o : m_options) {
    if (!o.widget->isHidden() || m_showsBeside) continue;
    any = true;
    if (auto* box = qobject_cast<QComboBox*>(o.widget)) {
      QMenu* choices = menu.addMenu(box->accessibleName());
      for (int i = 0; i < box->count(); ++i) {
        QAction* one = choices->addAction(box->itemText(i), box, [box, i] { box->setCurrentIndex(i); });
        one->setCheckable(true);
        one->setChecked(i == box->currentIndex());
      }
    } else if (auto* button = qobject_cast<QToolButton*>(o.widget)) {
      QAction* one = menu.addAction(button->text(), button, &QToolButton::toggle);
      one->setCheckable(true);
      one->setChecked(button->isChecked());
    }
  }
  if (any) menu.addSeparator();
}

void FigureView::keepInMenu(const char* key) {
  for (Option& o : m_options)
    if (o.key == key) o.isRare = true;
  fitBar();
}

void FigureView::fitBar() {
  const bool alone = !m_inPane || m_look.alone;
  m_buttons->setVisible(!m_showsBeside && alone);
  m_paneButtons->setParts(m_look.bearsTitle && m_look.canEnlarge, true);  // as wide as it may become
  int room = width() - m_bar->sizeHint().width();
  for (const Option& o : m_options)
    if (!o.widget->isHidden()) room += o.widget->sizeHint().width() + m_bar->spacing();
  bool full = false, any = false;
  for (const Option& o : m_options) {
    const bool offered = !m_showsBeside && (alone || !o.isRare);
    if (offered) room -= o.widget->sizeHint().width() + m_bar->spacing();
    full = full || room < 0;
    o.widget->setVisible(offered && !full);
    any = any || (!m_showsBeside && o.widget->isHidden());
  }
  m_paneButtons->setParts(m_look.bearsTitle && m_look.canEnlarge, m_look.bearsTitle || any);
}

QString FigureView::settingsKey(const QString& key) const {
  return QStringLiteral("views/%1/%2").arg(id(), key);
}

void FigureView::set(const std::string& key, const std::string& name) {
  m_figure->setOption(key, name);
  keepSetting(settingsKey(QString::fromStdString(key)), QString::fromStdString(name));
  figureChanged();
}

void FigureView::addChoice(const FigureOption& o) {
  auto* box = new ChipBox(o.label, this);
  for (const auto& choice : o.choices) box->addItem(choice.label, QString::fromStdString(choice.name));
  const QString key = QString::fromStdString(o.key);
  box->setObjectName(key);
  remember(o.key.c_str(), box);
  box->setAccessibleName(o.label);
  box->setToolTip(o.tip.isEmpty() ? o.label : o.label + u'\n' + o.tip);
  const QVariant known = setting(settingsKey(key));
  if (known.isValid()) select(*box, known.toString().toStdString());
  if (const int i = box->findData(QString::fromStdString(o.value)); !known.isValid() && i >= 0)
    box->setCurrentIndex(i);
  m_bar->insertWidget(m_bar->count(), box);
  m_options.push_back({o.key, box});
  m_figure->setOption(o.key, nameIn(*box));
  connect(box, &QComboBox::currentIndexChanged, this, [this, key = o.key, box] {
    set(key, nameIn(*box));
    fitBar();
  });
}

QComboBox* FigureView::choice(const std::string& key) const {
  return findChild<QComboBox*>(QString::fromStdString(key));
}

/// Choices may have the names of the cluster that is shown, or suit its plan only. One that is not there
/// waits while the figure says what it shows instead; else it gives way to the first.
void FigureView::renameChoices() {
  for (const FigureOption& o : m_figure->offeredOptions(context())) {
    auto* box = choice(o.key);
    if (o.isSwitch() || !box) continue;
    bool same = box->count() == static_cast<int>(o.choices.size());
    for (int i = 0; same && i < box->count(); ++i) same = box->itemText(i) == o.choices[i].label;
    if (same) continue;
    const QSignalBlocker quiet(box);
    box->clear();
    for (const auto& choice : o.choices) box->addItem(choice.label, QString::fromStdString(choice.name));
    const int shown = box->findData(QString::fromStdString(o.value));
    box->setCurrentIndex(std::max(0, shown));
    if (shown < 0) set(o.key, nameIn(*box));
    box->updateGeometry();
  }
  fitBar();
}

void FigureView::addSwitch(const FigureOption& o) {
  auto* b = new QToolButton(this);
  const QString key = QString::fromStdString(o.key);
  b->setText(o.label);
  b->setToolTip(o.tip);
  b->setObjectName(key);
  remember(o.key.c_str(), b);
  b->setCheckable(true);
  b->setAutoRaise(true);
  const QString on = QLatin1String(FigureOption::kOn);
  const QString known = setting(settingsKey(key), QString::fromStdString(o.value)).toString();
  b->setChecked(known == on || known == QLatin1String("true"));
  m_bar->insertWidget(m_bar->count(), b);
  m_options.push_back({o.key, b});
  const auto nameOf = [](bool checked) { return checked ? FigureOption::kOn : FigureOption::kOff; };
  m_figure->setOption(o.key, nameOf(b->isChecked()));
  connect(b, &QToolButton::toggled, this,
          [this, key = o.key, nameOf](bool checked) { set(key, nameOf(checked)); });
}

QToolButton* FigureView::addFirstButton(const QString& text, const QString& tip) {
  auto* b = new QToolButton(this);
  b->setText(text);
  b->setToolTip(tip);
  b->setAutoRaise(true);
  m_bar->insertWidget(1, b);  // behind the name
  if (QLayoutItem* next = m_bar->itemAt(2); next && next->widget())
    setTabOrder(next->widget()->previousInFocusChain(), b);  // Tab walks the bar as it is seen
  return b;
}

void FigureView::addBelow(QWidget* widget) {
  layout()->addWidget(widget);
}

void FigureView::addBeside(QWidget* widget, QWidget* tools) {
  m_beside = widget;
  m_besideTools = tools;
  static_cast<QVBoxLayout*>(layout())->addWidget(widget, 1);
  m_bar->insertWidget(m_bar->count(), tools);
  m_bar->setFilling(tools);
}

void FigureView::showBeside(bool on) {
  m_showsBeside = on;
  m_pane->setVisible(!on);
  m_beside->setVisible(on);
  m_besideTools->setVisible(on);
  fitBar();
}

FigureCanvas* FigureView::canvas() const {
  return m_pane->canvas();
}

void FigureView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  fitBar();
}

void FigureView::figureChanged() {
  m_pane->figureChanged();
}

void FigureView::refresh() {
  renameChoices();
  m_pane->show(context(), theme());
}

View::State FigureView::state() const {
  State state = View::state();
  state["text"] = showsText() ? 1 : 0;
  for (const auto& [key, value] : m_figure->viewport()) state[key] = value;
  return state;
}

void FigureView::applyState(const State& state) {
  View::applyState(state);
  if (state.contains("text")) setShowsText(numberIn(state, "text", 0) > 0.5);
  std::map<std::string, double> places;
  for (const auto& [key, value] : state)
    if (const double* number = value.number()) places[key] = *number;
  m_figure->setViewport(places);
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
