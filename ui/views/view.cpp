#include "views/view.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QComboBox>
#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QTabWidget>
#include <algorithm>
#include <numeric>
#include <utility>

#include "accessible/screen_reader.h"
#include "document/planning_session.h"
#include "views/figure_pane.h"

namespace nest {
namespace {
constexpr const char* kKeyProperty = "remembered";
constexpr int kLeastShare = 200;  ///< of 10,000, of a pane that cannot be closed by its handle
}  // namespace

View::View(ViewServices services, QWidget* parent)
    : QWidget(parent),
      m_services(services),
      m_context(std::make_shared<PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {
  hideOutOfSight(*this, [this] { return m_inSight; });
  if (services.session)
    connect(services.session, &PlanningSession::searchChanged, this, [this] {
      if (isInSight()) searchChanged();
    });
}

void View::setContext(PlanContextPtr context) {
  m_context = std::move(context);
  m_dirty = true;
  refreshIfSeen();
}

void View::setTheme(Theme::Kind kind) {
  m_theme = &Theme::of(kind);
  m_dirty = true;
  refreshIfSeen();
}

void View::searchChanged() {
  if (m_context->current && m_context->shownPlan()) return;
  for (FigurePane* pane : findChildren<FigurePane*>()) pane->figureChanged();
}

void View::bringUpToDate() {
  if (std::exchange(m_dirty, false)) refresh();
}

void View::outdate() {
  m_dirty = true;
  refreshIfSeen();
}

QVariant View::setting(const QString& key, const QVariant& usual) const {
  return m_services.remembers ? QSettings().value(key, usual) : usual;
}

void View::keepSetting(const QString& key, const QVariant& value) const {
  if (m_services.remembers && !m_restoring) QSettings().setValue(key, value);
}

void View::remember(const char* key, QWidget* widget) {
  widget->setProperty(kKeyProperty, QByteArray(key));
}

std::string View::nameIn(const QComboBox& box) {
  return box.currentData().toString().toStdString();
}

OptionValue View::chosen(const QComboBox& box) {
  if (std::string name = nameIn(box); !name.empty()) return name;
  return box.currentIndex();
}

void View::select(QComboBox& box, const OptionValue& value) {
  int i = -1;
  if (const std::string* name = value.name()) {
    bool isPlace = false;  // settings hold numbers as text
    i = box.findData(QString::fromStdString(*name));
    if (const int place = QString::fromStdString(*name).toInt(&isPlace); i < 0 && isPlace) i = place;
  } else {
    i = static_cast<int>(*value.number());
  }
  if (i >= 0 && i < box.count()) box.setCurrentIndex(i);
}

View::State View::state() const {
  State state;
  for (const QWidget* w : findChildren<QWidget*>()) {
    const std::string key = w->property(kKeyProperty).toByteArray().toStdString();
    if (key.empty()) continue;
    if (const auto* box = qobject_cast<const QComboBox*>(w)) {
      state[key] = chosen(*box);
    } else if (const auto* tabs = qobject_cast<const QTabWidget*>(w)) {
      state[key] = tabs->currentWidget() ? OptionValue(tabs->currentWidget()->objectName().toStdString())
                                         : OptionValue();
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(w)) {
      state[key] = button->isChecked() ? 1 : 0;
    } else if (const auto* split = qobject_cast<const QSplitter*>(w)) {
      const QList<int> sizes = split->sizes();
      const int all = std::accumulate(sizes.begin(), sizes.end(), 0);
      for (qsizetype i = 0; i < sizes.size() && all > 0; ++i)
        state[key + '.' + std::to_string(i)] = static_cast<double>(sizes[i]) / all;
    }
  }
  return state;
}

void View::setState(const State& state) {
  m_restoring = true;
  applyState(state);
  m_restoring = false;
}

void View::applyState(const State& state) {
  for (QWidget* w : findChildren<QWidget*>()) {
    const std::string key = w->property(kKeyProperty).toByteArray().toStdString();
    if (key.empty()) continue;
    const auto value = state.find(key);
    if (auto* box = qobject_cast<QComboBox*>(w)) {
      if (value != state.end()) select(*box, value->second);
    } else if (auto* tabs = qobject_cast<QTabWidget*>(w)) {
      if (value == state.end()) continue;
      for (int i = 0; i < tabs->count(); ++i)
        if (const std::string* name = value->second.name();
            name ? tabs->widget(i)->objectName().toStdString() == *name : i == *value->second.number())
          tabs->setCurrentIndex(i);
    } else if (auto* button = qobject_cast<QAbstractButton*>(w)) {
      button->setChecked(numberIn(state, key, button->isChecked() ? 1 : 0) > 0.5);
    } else if (auto* split = qobject_cast<QSplitter*>(w)) {
      QList<int> sizes;  // as shares of something large: a splitter divides what it has
      for (int i = 0; i < split->count(); ++i)
        sizes += static_cast<int>(std::clamp(numberIn(state, key + '.' + std::to_string(i), -1), -1.0, 1.0) *
                                  10000);
      // A pane that was away when its size was kept has none; to come back with nothing would lose it for
      // good.
      bool lost = false;
      for (int i = 0; i < split->count(); ++i)
        lost = lost || (!split->isCollapsible(i) && sizes[i] < kLeastShare);
      if (!lost && !sizes.contains(-10000)) split->setSizes(sizes);
    }
  }
}

void View::addPlanActions(QMenu& menu, const NamedPlan& plan) {
  const bool isThere = plan.context && plan.context->plan && plan.context->problem;
  const auto add = [&](const QString& text, PlanUse use, const QString& whyNot = {}) {
    QAction* action = menu.addAction(text, this, [this, use, plan] { Q_EMIT planRequested(use, plan); });
    action->setEnabled(isThere && whyNot.isEmpty());
    if (!whyNot.isEmpty()) action->setToolTip(whyNot);
  };
  add(tr("Show in all views"), PlanUse::Show);
  add(tr("Compare with the best plan"), PlanUse::Compare);
  add(tr("Keep this plan"), PlanUse::Keep, plan.whyNotKept);
  add(tr("Pin its degrees"), PlanUse::Pin, plan.whyNotKept);
  menu.setToolTipsVisible(true);
}

void View::setInSight(bool inSight) {
  if (m_inSight == inSight) return refreshIfSeen();
  m_inSight = inSight;
  sightChanged();
  refreshIfSeen();
  QAccessibleEvent told(this, inSight ? QAccessible::ObjectShow : QAccessible::ObjectHide);
  QAccessible::updateAccessibility(&told);
}

void View::refreshIfSeen() {
  if (!isInSight()) return;
  if (std::exchange(m_dirty, false)) refresh();
  searchChanged();
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshIfSeen();
  sightChanged();
}

void View::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  sightChanged();
}

}  // namespace nest
