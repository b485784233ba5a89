#include "window/window_layout.h"

#include <QApplication>
#include <QDockWidget>
#include <QEvent>
#include <QGuiApplication>
#include <QLayout>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>
#include <QTimer>
#include <QToolBar>
#include <algorithm>
#include <utility>

#include "editors/scenario_panel.h"
#include "theme/appearance.h"
#include "window/scenario_session.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kLayoutVersion = ViewsArea::kLayoutVersion;
constexpr QSize kLargeWindow(1400, 850);         ///< a window from which on several views stand side by side
constexpr QSize kLargestWindow(100000, 100000);  ///< of nobody's
constexpr QSize kWindowFrame(4, 30);             ///< what a desktop usually puts around a window
const auto kGeometryKey = QStringLiteral("window/geometry");
const auto kPanelsKey = QStringLiteral("window/panels");
const auto kPanelsWidthKey = QStringLiteral("window/panelsWidth");
const auto kPanelsHeightKey = QStringLiteral("window/panelsHeight");
const auto kViewsKey = QStringLiteral("window/views");
const auto kOneAtATimeKey = QStringLiteral("window/oneAtATime");
const auto kLayoutHashKey = QStringLiteral("window/layoutHash");
const auto kFoldedKey = QStringLiteral("window/folded");
const auto kMinePanelsKey = QStringLiteral("window/minePanels");
const auto kMineViewsKey = QStringLiteral("window/mineViews");
const auto kMineHashKey = QStringLiteral("window/mineHash");

/// Earlier versions keep no height, and show all views at any size.
QSize sizeThen(int width, int height) {
  return height > 0 ? QSize(width, height) : kLargestWindow;
}

}  // namespace

WindowLayout::WindowLayout(const Parts& parts) : m(parts) {
  // The application's filters see a new size before the window's layout has squeezed the views into it: they
  // are still where they are to come back to.
  qApp->installEventFilter(this);
}

bool WindowLayout::isSmallWindow(const QSize& size) {
  // Smaller type leaves the room that large type asks for.
  const QSize least = kLargeWindow * std::max(1.0, windowScale());
  return size.width() < least.width() || size.height() < least.height();
}

bool WindowLayout::isSmall() const {
  return isSmallWindow(m.window.size());
}

void WindowLayout::restore(const QSize& given) {
  const QSize screen = QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->availableSize()
                                                        : QSize(1600, 1000);
  m.window.resize(given.isEmpty() ? QSize(1600, 1000).boundedTo(screen - kWindowFrame) : given);
  call(QStringLiteral("explore"));
  usualPanels();
  m_started = true;
  m_wasSmall = isSmall();
  makeRoom(kLargestWindow);
  if (!m.remembers) return;
  const QSettings s;
  if (given.isEmpty()) m.window.restoreGeometry(s.value(kGeometryKey).toByteArray());
  m_wasSmall = isSmall();
  const QByteArray panels = s.value(kPanelsKey).toByteArray(), views = s.value(kViewsKey).toByteArray();
  // Earlier versions keep no hash.
  if (!s.contains(kLayoutHashKey) || s.value(kLayoutHashKey).toString() == hashOfLayout(panels, views)) {
    restorePanels(panels);
    m.views.restoreLayout(views, kLayoutVersion);
    if (s.contains(kOneAtATimeKey) && isSmall()) m.views.setOneAtATime(s.value(kOneAtATimeKey).toBool());
  }
  makeRoom(sizeThen(s.value(kPanelsWidthKey).toInt(), s.value(kPanelsHeightKey).toInt()));
  if (s.contains(kFoldedKey)) m.fields.setFoldedSections(s.value(kFoldedKey).toStringList());
}

/// What is changed most often stands in the sentence above the views; the panel has all fields.
void WindowLayout::usualPanels() {
  m.window.resizeDocks({m.panel, m.inspector}, {330, 280}, Qt::Horizontal);
  m.window.resizeDocks({m.below}, {160}, Qt::Vertical);
  setShown(m.panel, false);
  setShown(m.inspector, true);
  setShown(m.below, false);
}

/// A layout of another window, or of an earlier version, may know nothing of the rail.
void WindowLayout::restorePanels(const QByteArray& state) {
  if (state.isEmpty()) return;
  const bool rail = !m.rail->isHidden();
  releaseSeparators(m.window);
  m.window.restoreState(state, kLayoutVersion);
  m.window.addToolBar(Qt::LeftToolBarArea, m.rail);
  m.rail->setVisible(rail);
  m.window.layout()->activate();  // before the views are put where they stood
}

bool WindowLayout::isShown(const QDockWidget* dock) const {
  const QVariant away = dock->property("wasShown");
  return away.isNull() ? !dock->isHidden() : away.toBool();
}

void WindowLayout::setShown(QDockWidget* dock, bool shown) {
  if (panelsAreAway())
    dock->setProperty("wasShown", shown);
  else
    dock->setVisible(shown);
}

void WindowLayout::makeRoom(const QSize& then) {
  if (!isSmall() && isSmallWindow(then)) setShown(m.inspector, true);
  if (!isSmall() || isSmallWindow(then)) return;
  QDockWidget* const panels[] = {m.panel, m.inspector, m.below};
  for (int i = 0; i < 3; ++i) m_shownWhenLarge[i] = isShown(panels[i]);
  for (QDockWidget* panel : panels) setShown(panel, false);
  m.views.setOneAtATime(true);
}

void WindowLayout::followSize() {
  if (std::exchange(m_wasSmall, isSmall()) == isSmall()) return;
  if (isSmall()) return makeRoom(kLargestWindow);
  if (!m.views.isOneAtATime()) return;
  QDockWidget* const panels[] = {m.panel, m.inspector, m.below};
  for (int i = 0; i < 3; ++i) setShown(panels[i], m_shownWhenLarge[i] || isShown(panels[i]));
  m.window.layout()->activate();  // the views stand again in the room that they had
  m.views.setOneAtATime(false);
}

bool WindowLayout::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &m.window && event->type() == QEvent::Resize && m_started && m.window.isVisible()) {
    if (isSmall())
      followSize();
    else
      QTimer::singleShot(0, this, &WindowLayout::followSize);  // once the window is laid out
  }
  return QObject::eventFilter(watched, event);
}

void WindowLayout::save() {
  if (!m.remembers) return;
  QSettings s;
  s.setValue(kGeometryKey, m.window.saveGeometry());
  const QByteArray panels = this->panels(), views = m.views.arrangement();
  s.setValue(kPanelsKey, panels);
  s.setValue(kPanelsWidthKey, m.window.width());
  s.setValue(kPanelsHeightKey, m.window.height());
  s.setValue(kOneAtATimeKey, m.views.isOneAtATime());
  s.setValue(kViewsKey, views);
  s.setValue(kLayoutHashKey, hashOfLayout(panels, views));
  s.setValue(kFoldedKey, m.fields.foldedSections());
}

bool WindowLayout::panelsAreAway() const {
  return !m.panel->property("wasShown").isNull();
}

void WindowLayout::showPanels(bool shown) {
  for (QDockWidget* d : {m.panel, m.inspector, m.below}) {
    const QVariant wanted = d->property("wasShown");
    if (shown && !wanted.isNull()) {
      d->setProperty("wasShown", QVariant());
      d->setVisible(wanted.toBool());
    } else if (!shown && wanted.isNull()) {
      d->setProperty("wasShown", !d->isHidden());
      d->hide();
    }
  }
}

/// Also while they are away.
QByteArray WindowLayout::panels() {
  const bool away = panelsAreAway();
  if (away) showPanels(true);
  QByteArray state = m.window.saveState(kLayoutVersion);
  if (away) showPanels(false);
  return state;
}

void WindowLayout::explore() {
  m.views.setOneAtATime(false);
  m.views.arrangeDefault();
  for (QDockWidget* d : {m.panel, m.inspector}) d->show();
  m.below->hide();
  call(QStringLiteral("explore"));
}

void WindowLayout::present() {
  m.views.setOneAtATime(false);
  m.views.arrangeTabbed();
  for (QDockWidget* d : {m.panel, m.inspector, m.below}) d->hide();
  call(QStringLiteral("present"));
}

void WindowLayout::teach() {
  m.views.setOneAtATime(false);
  m.views.arrangePair(QStringLiteral("cuts"), QStringLiteral("timeline"));
  for (QDockWidget* d : {m.panel, m.below}) d->hide();
  m.inspector->show();
  call(QStringLiteral("teach"));
}

void WindowLayout::restoreUsual() {
  m.views.setOneAtATime(false);
  m.views.arrangeDefault();
  call(QStringLiteral("explore"));
  usualPanels();
  makeRoom(kLargestWindow);
}

QStringList WindowLayout::shape() const {
  QStringList out;
  for (const View* view : m.views.views()) {
    QDockWidget* dock = m.views.dockOf(view->id());
    QStringList tabs;
    for (const QDockWidget* other : m.views.tabifiedDockWidgets(dock)) tabs << other->objectName();
    tabs.sort();
    out << QStringLiteral("%1 %2 %3")
               .arg(int(m.views.dockWidgetArea(dock)))
               .arg(dock->isHidden())
               .arg(dock->isFloating())
        << tabs;
  }
  return out;
}

void WindowLayout::call(const QString& layout) {
  m_called = layout;
  m_shape = shape();
}

QString WindowLayout::current() const {
  return shape() == m_shape ? m_called : QString();
}

void WindowLayout::keepMine() {
  QSettings s;
  const QByteArray panels = this->panels(), views = m.views.arrangement();
  s.setValue(kMinePanelsKey, panels);
  s.setValue(kMineViewsKey, views);
  s.setValue(kMineHashKey, hashOfLayout(panels, views));
}

bool WindowLayout::hasMine() const {
  const QSettings s;
  return s.contains(kMineViewsKey) &&
         s.value(kMineHashKey).toString() ==
             hashOfLayout(s.value(kMinePanelsKey).toByteArray(), s.value(kMineViewsKey).toByteArray());
}

void WindowLayout::mine() {
  if (!hasMine()) return;
  const QSettings s;
  m.views.setOneAtATime(false);
  restorePanels(s.value(kMinePanelsKey).toByteArray());
  m.views.restoreLayout(s.value(kMineViewsKey).toByteArray(), kLayoutVersion);
  call(QStringLiteral("mine"));
}

WindowLayout::Arrangement WindowLayout::arrangement() {
  return {panels(), m.views.arrangement(), m.views.isOneAtATime(), m.window.size(), current()};
}

void WindowLayout::bringBack(const Arrangement& before) {
  restorePanels(before.panels);
  m.views.restoreLayout(before.views, kLayoutVersion);
  m.views.setOneAtATime(isSmall() && before.oneAtATime);
  makeRoom(before.size);
  call(before.called);
}

/// Beside the file: it is nobody else's business.
void WindowLayout::keepSession() {
  if (!m.remembers || m_sessionPath.isEmpty()) return;
  ScenarioSession session;
  session.panels = panels();
  session.width = m.window.width();
  session.height = m.window.height();
  session.oneAtATime = m.views.isOneAtATime();
  session.views = m.views.arrangement();
  session.folded = m.fields.foldedSections();
  if (const View* view = m.views.current()) session.currentView = view->id();
  for (const View* view : m.views.views())
    if (auto state = view->state(); !state.empty()) session.viewStates[view->id()] = std::move(state);
  session.selected = m.selection.selected();
  writeSession(m_sessionPath, session);
}

void WindowLayout::followFile() {
  if (!m_sessionPath.isEmpty()) m_sessionPath = m.document.path();
}

void WindowLayout::takeUpSession() {
  if (m_sessionPath == m.document.path()) return;
  m_sessionPath = m.document.path();
  if (!m.remembers || m_sessionPath.isEmpty()) return;
  const auto session = readSession(m_sessionPath);
  if (!session) return;
  restorePanels(session->panels);
  m.views.restoreLayout(session->views, kLayoutVersion);
  m.views.setOneAtATime(isSmall() && session->oneAtATime);
  makeRoom(session->width > 0 ? sizeThen(session->width, session->height) : kLargestWindow);
  m.fields.setFoldedSections(session->folded);
  for (View* view : m.views.views())
    if (const auto it = session->viewStates.find(view->id()); it != session->viewStates.end())
      view->setState(it->second);
  if (m.views.isOneAtATime() && !session->currentView.isEmpty())
    m.views.reveal(session->currentView);
  else
    m.views.setCurrent(session->currentView);
  m.selection.setSelected(session->selected);
}

}  // namespace nest
