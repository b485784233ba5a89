#include "window/window_layout.h"

#include <QDockWidget>
#include <QGuiApplication>
#include <QMainWindow>
#include <QScreen>
#include <QSettings>

#include "editors/scenario_panel.h"
#include "window/scenario_session.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kNarrowWindow = 900;     ///< pixels of width below which the panels at the sides begin hidden,
constexpr int kMedium = 1200;          ///< and the inspector
constexpr int kWidestWindow = 100000;  ///< of nobody's window
constexpr QSize kWindowFrame(4, 30);   ///< what a desktop usually puts around a window
const auto kGeometryKey = QStringLiteral("window/geometry");
const auto kPanelsKey = QStringLiteral("window/panels");
const auto kPanelsWidthKey = QStringLiteral("window/panelsWidth");
const auto kViewsKey = QStringLiteral("window/views");
const auto kLayoutHashKey = QStringLiteral("window/layoutHash");
const auto kFoldedKey = QStringLiteral("window/folded");

}  // namespace

void WindowLayout::restore(const QSize& given) {
  const QSize screen = QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->availableSize()
                                                        : QSize(1600, 1000);
  m.window.resize(given.isEmpty() ? QSize(1600, 1000).boundedTo(screen - kWindowFrame) : given);
  const int width = m.window.width();
  m.window.resizeDocks({m.panel, m.inspector}, {width < 1400 ? 306 : 330, width < 1400 ? 260 : 330},
                       Qt::Horizontal);
  m.window.resizeDocks({m.below}, {120}, Qt::Vertical);
  if (m.window.height() < 900) m.below->hide();
  if (width < kNarrowWindow) m.views.arrangeTabbed();
  makeRoom(kWidestWindow);
  if (!m.remembers) return;
  const QSettings s;
  if (given.isEmpty()) m.window.restoreGeometry(s.value(kGeometryKey).toByteArray());
  const QByteArray panels = s.value(kPanelsKey).toByteArray(), views = s.value(kViewsKey).toByteArray();
  // Earlier versions keep no hash.
  if (!s.contains(kLayoutHashKey) || s.value(kLayoutHashKey).toString() == hashOfLayout(panels, views)) {
    m.window.restoreState(panels, kLayoutVersion);
    m.views.restoreLayout(views, kLayoutVersion);
  }
  makeRoom(s.value(kPanelsWidthKey, kWidestWindow).toInt());
  if (s.contains(kFoldedKey)) m.fields.setFoldedSections(s.value(kFoldedKey).toStringList());
}

/// In a narrow window the views have the room, unless the user arranged it so in one (`widthThen`); the
/// headline offers the panels.
void WindowLayout::makeRoom(int widthThen) {
  const int width = m.window.width();
  if (width < kNarrowWindow && widthThen >= kNarrowWindow) m.panel->hide();
  if (width < kMedium && widthThen >= kMedium) m.inspector->hide();
}

void WindowLayout::save() {
  if (!m.remembers) return;
  if (panelsAreAway()) showPanels(true);
  QSettings s;
  s.setValue(kGeometryKey, m.window.saveGeometry());
  const QByteArray panels = m.window.saveState(kLayoutVersion), views = m.views.saveState(kLayoutVersion);
  s.setValue(kPanelsKey, panels);
  s.setValue(kPanelsWidthKey, m.window.width());
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
      d->setVisible(wanted.toBool());
      d->setProperty("wasShown", QVariant());
    } else if (!shown && wanted.isNull()) {
      d->setProperty("wasShown", !d->isHidden());
      d->hide();
    }
  }
}

void WindowLayout::explore() {
  m.views.arrangeDefault();
  for (QDockWidget* d : {m.panel, m.inspector, m.below}) d->show();
}

void WindowLayout::present() {
  m.views.arrangeTabbed();
  for (QDockWidget* d : {m.panel, m.inspector, m.below}) d->hide();
}

void WindowLayout::teach() {
  m.views.arrangePair(QStringLiteral("cuts"), QStringLiteral("timeline"));
  for (QDockWidget* d : {m.panel, m.below}) d->hide();
  m.inspector->show();
}

/// Beside the file: it is nobody else's business.
void WindowLayout::keepSession() {
  if (!m.remembers || m_sessionPath.isEmpty()) return;
  ScenarioSession session;
  const bool away = panelsAreAway();
  if (away) showPanels(true);
  session.panels = m.window.saveState(kLayoutVersion);
  if (away) showPanels(false);
  session.width = m.window.width();
  session.views = m.views.saveState(kLayoutVersion);
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
  releaseSeparators(m.window);
  m.window.restoreState(session->panels, kLayoutVersion);
  makeRoom(session->width > 0 ? session->width : kWidestWindow);
  m.views.restoreLayout(session->views, kLayoutVersion);
  m.fields.setFoldedSections(session->folded);
  for (View* view : m.views.views())
    if (const auto it = session->viewStates.find(view->id()); it != session->viewStates.end())
      view->setState(it->second);
  m.views.setCurrent(session->currentView);
  m.selection.setSelected(session->selected);
}

}  // namespace nest
