#include "views/view.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QComboBox>
#include <QSplitter>
#include <QTabWidget>
#include <algorithm>
#include <numeric>
#include <utility>

#include "accessible/screen_reader.h"

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

void View::outdate() {
  m_dirty = true;
  refreshIfSeen();
}

void View::remember(const char* key, QWidget* widget) {
  widget->setProperty(kKeyProperty, QByteArray(key));
}

View::State View::state() const {
  State state;
  for (const QWidget* w : findChildren<QWidget*>()) {
    const std::string key = w->property(kKeyProperty).toByteArray().toStdString();
    if (key.empty()) continue;
    if (const auto* box = qobject_cast<const QComboBox*>(w)) {
      state[key] = box->currentIndex();
    } else if (const auto* tabs = qobject_cast<const QTabWidget*>(w)) {
      state[key] = tabs->currentIndex();
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
  const auto valueOf = [&](const std::string& key, double otherwise) {
    const auto it = state.find(key);
    return it == state.end() ? otherwise : it->second;
  };
  for (QWidget* w : findChildren<QWidget*>()) {
    const std::string key = w->property(kKeyProperty).toByteArray().toStdString();
    if (key.empty()) continue;
    if (auto* box = qobject_cast<QComboBox*>(w)) {
      const double i = valueOf(key, -1);
      if (i >= 0 && i < box->count()) box->setCurrentIndex(static_cast<int>(i));
    } else if (auto* tabs = qobject_cast<QTabWidget*>(w)) {
      const double i = valueOf(key, -1);
      if (i >= 0 && i < tabs->count()) tabs->setCurrentIndex(static_cast<int>(i));
    } else if (auto* button = qobject_cast<QAbstractButton*>(w)) {
      button->setChecked(valueOf(key, button->isChecked() ? 1 : 0) > 0.5);
    } else if (auto* split = qobject_cast<QSplitter*>(w)) {
      QList<int> sizes;  // as shares of something large: a splitter divides what it has
      for (int i = 0; i < split->count(); ++i)
        sizes += static_cast<int>(std::clamp(valueOf(key + '.' + std::to_string(i), -1), -1.0, 1.0) * 10000);
      // A pane that was away when its size was kept has none; to come back with nothing would lose it for
      // good.
      bool lost = false;
      for (int i = 0; i < split->count(); ++i)
        lost = lost || (!split->isCollapsible(i) && sizes[i] < kLeastShare);
      if (!lost && !sizes.contains(-10000)) split->setSizes(sizes);
    }
  }
}

void View::setInSight(bool inSight) {
  if (m_inSight == inSight) return refreshIfSeen();
  m_inSight = inSight;
  refreshIfSeen();
  QAccessibleEvent told(this, inSight ? QAccessible::ObjectShow : QAccessible::ObjectHide);
  QAccessible::updateAccessibility(&told);
}

void View::refreshIfSeen() {
  if (isVisible() && m_inSight && std::exchange(m_dirty, false)) refresh();
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshIfSeen();
}

}  // namespace nest
