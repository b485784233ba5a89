// How the window is arranged, and what of it is remembered: by the user, and by each scenario file.
#include <QDockWidget>
#include <QGuiApplication>
#include <QHeaderView>
#include <QScreen>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QUndoView>

#include "editors/scenario_panel.h"
#include "inspector/inspector.h"
#include "lessons/lessons_pane.h"
#include "moments/moments_pane.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "panes/log_pane.h"
#include "theme/appearance.h"
#include "theme/desktop_theme.h"
#include "window/gallery.h"
#include "window/headline.h"
#include "window/main_window.h"
#include "window/scenario_session.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kLayoutVersion = 1;
constexpr int kNarrow = 900;    ///< pixels of width below which the panels at the sides begin hidden
constexpr int kWide = 100000;   ///< of nobody's window
constexpr QSize kFrame(4, 30);  ///< what a desktop usually puts around a window
const auto kThemeKey = QStringLiteral("window/theme");
const auto kDesktopThemeKey = QStringLiteral("window/desktopTheme");
const auto kGeometryKey = QStringLiteral("window/geometry");
const auto kPanelsKey = QStringLiteral("window/panels");
const auto kPanelsWidthKey = QStringLiteral("window/panelsWidth");
const auto kViewsKey = QStringLiteral("window/views");
const auto kFoldedKey = QStringLiteral("window/folded");
const auto kLiveKey = QStringLiteral("plan/live");

std::optional<Theme::Kind> themeKept(const QString& key) {
  const QString kept = QSettings().value(key).toString();
  if (kept == QLatin1String("dark")) return Theme::Kind::Dark;
  if (kept == QLatin1String("light")) return Theme::Kind::Light;
  return std::nullopt;
}

void keepTheme(const QString& key, std::optional<Theme::Kind> kind) {
  if (!kind)
    QSettings().remove(key);
  else
    QSettings().setValue(key, *kind == Theme::Kind::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
}

}  // namespace

std::optional<Theme::Kind> MainWindow::chosenTheme() const {
  if (m_options.theme) return m_options.theme;
  return m_options.remembers ? themeKept(kThemeKey) : std::nullopt;
}

/// Without a choice of the user's the desktop's counts: at first as it was heard the last time, so that the
/// window need not change its dress.
void MainWindow::followDesktop() {
  const Theme::Kind otherwise = desktopPreference();
  if (const auto chosen = chosenTheme()) {
    m_theme = *chosen;
    return;
  }
  m_theme = (m_options.remembers ? themeKept(kDesktopThemeKey) : std::nullopt).value_or(otherwise);
  auto* desktop = new DesktopTheme(this);
  connect(desktop, &DesktopTheme::heard, this, [this, otherwise](std::optional<Theme::Kind> kind) {
    if (m_options.remembers) keepTheme(kDesktopThemeKey, kind);
    if (!chosenTheme() && !m_themeIsChosen) applyTheme(kind.value_or(otherwise));
  });
}

void MainWindow::buildDocks() {
  const auto dock = [this](const QString& name, const QString& title, QWidget* content,
                           Qt::DockWidgetArea area) {
    auto* d = new QDockWidget(title, this);
    d->setObjectName(name);
    d->setWidget(content);
    d->setTitleBarWidget(makeDockTitle(d));
    addDockWidget(area, d);
    return d;
  };
  m_panel = new ScenarioPanel(m_document, this);
  m_panelDock = dock(QStringLiteral("panel"), tr("Scenario"), m_panel, Qt::LeftDockWidgetArea);
  m_lessons = new LessonsPane(
      [this] {
        return LessonScene{&m_document, &m_selection, m_session->context(), nullptr,
                           [this](const QString& id) { return m_views->view(id); }};
      },
      m_options.remembers, this);
  m_lessonsDock = dock(QStringLiteral("lessons"), tr("Lessons"), m_lessons, Qt::LeftDockWidgetArea);
  tabifyDockWidget(m_panelDock, m_lessonsDock);
  m_lessonsDock->hide();
  m_inspector = new Inspector(m_selection, this);
  m_inspectorDock = dock(QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);

  m_issues = new IssueModel(this);
  m_issueView = new IssueView(this);
  m_issueView->setModel(m_issues);
  m_issueView->setTabKeyNavigation(false);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Message, QHeaderView::Stretch);
  m_issueView->horizontalHeader()->setSectionResizeMode(IssueModel::Remedy, QHeaderView::Stretch);
  for (int column : {IssueModel::Where, IssueModel::Repair})
    m_issueView->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  auto* history = new QUndoView(&m_document.history(), this);
  history->setEmptyLabel(tr("As opened"));
  history->setAccessibleName(tr("History"));
  m_log = new LogPane(this);
  m_below = new QTabWidget(this);
  m_below->setDocumentMode(true);
  m_below->setAccessibleName(tr("Issues, history, log and slides"));
  m_below->addTab(m_issueView, tr("Issues"));
  m_below->addTab(history, tr("History"));
  m_below->addTab(m_log, tr("Log"));
  m_moments = new MomentsPane(m_document, this);
  m_below->addTab(m_moments, tr("Slides"));
  m_belowDock =
      dock(QStringLiteral("below"), tr("Issues, history, log and slides"), m_below, Qt::BottomDockWidgetArea);
  auto* none = new QWidget(m_belowDock);  // its tabs are title enough
  none->setFixedHeight(0);
  m_belowDock->setTitleBarWidget(none);
}

/// While no scenario is open the panels are away; each comes back as it was.
void MainWindow::showPanels(bool shown) {
  for (QDockWidget* d : {m_panelDock, m_inspectorDock, m_belowDock}) {
    if (shown) {
      d->setVisible(d->property("wanted").toBool());
      d->setProperty("wanted", QVariant());
    } else if (d->property("wanted").isNull()) {
      d->setProperty("wanted", !d->isHidden());
      d->hide();
    }
  }
}

void MainWindow::restoreLayout() {
  const QSize screen = QGuiApplication::primaryScreen() ? QGuiApplication::primaryScreen()->availableSize()
                                                        : QSize(1600, 1000);
  resize(m_options.size.isEmpty() ? QSize(1600, 1000).boundedTo(screen - kFrame) : m_options.size);
  resizeDocks({m_panelDock, m_inspectorDock}, {width() < 1400 ? 306 : 330, width() < 1400 ? 260 : 330},
              Qt::Horizontal);
  resizeDocks({m_belowDock}, {120}, Qt::Vertical);
  if (height() < 900) m_belowDock->hide();
  if (width() < kNarrow) m_views->arrangeTabbed();
  makeRoom(kWide);
  setFocus(Qt::OtherFocusReason);  // no field or view is marked before the user has chosen one
  if (!m_options.onlyView.isEmpty()) m_views->showAlone(m_options.onlyView);
  if (!m_options.remembers) return;
  QSettings s;
  if (m_options.size.isEmpty()) restoreGeometry(s.value(kGeometryKey).toByteArray());
  if (m_options.onlyView.isEmpty()) {
    restoreState(s.value(kPanelsKey).toByteArray(), kLayoutVersion);
    m_views->restoreLayout(s.value(kViewsKey).toByteArray(), kLayoutVersion);
  }
  makeRoom(s.value(kPanelsWidthKey, kWide).toInt());
  if (s.contains(kFoldedKey)) m_panel->setFoldedSections(s.value(kFoldedKey).toStringList());
  if (s.contains(kLiveKey))
    if (QAction* live = m_actions.find(QStringLiteral("plan.live")))
      live->setChecked(s.value(kLiveKey).toBool());
}

/// In a narrow window the views have the room, unless the user arranged it so in one (`widthThen`); the
/// headline offers the panels.
void MainWindow::makeRoom(int widthThen) {
  if (width() >= kNarrow || widthThen < kNarrow) return;
  m_panelDock->hide();
  m_inspectorDock->hide();
}

void MainWindow::refreshWaysBack() {
  const bool open = !m_document.isEmpty() && m_options.onlyView.isEmpty();
  m_headline->showWaysBack(open && m_panelDock->isHidden(), open && m_inspectorDock->isHidden());
}

void MainWindow::saveLayout() {
  if (!m_options.remembers || !m_options.onlyView.isEmpty()) return;
  if (!m_panelDock->property("wanted").isNull()) showPanels(true);
  QSettings s;
  s.setValue(kGeometryKey, saveGeometry());
  s.setValue(kPanelsKey, saveState(kLayoutVersion));
  s.setValue(kPanelsWidthKey, width());
  s.setValue(kViewsKey, m_views->saveState(kLayoutVersion));
  s.setValue(kFoldedKey, m_panel->foldedSections());
  s.setValue(kLiveKey, m_session->isLive());
}

bool MainWindow::focusNextPrevChild(bool next) {
  // Qt takes a dock behind other tabs for visible: it lies there as it is, out of the window's sight.
  const auto takesTab = [this](const QWidget* w) {
    if (!(w->focusPolicy() & Qt::TabFocus) || w->focusProxy() || !w->isEnabled() || !w->isVisibleTo(this) ||
        w->window() != this)
      return false;
    for (const QWidget* up = w; up && up != this; up = up->parentWidget())
      if (qobject_cast<const QDockWidget*>(up) && up->visibleRegion().isEmpty()) return false;
    return true;
  };
  QWidget* from = focusWidget() ? focusWidget() : this;
  const auto step = [next](QWidget* w) { return next ? w->nextInFocusChain() : w->previousInFocusChain(); };
  for (QWidget* w = step(from); w != from; w = step(w)) {
    if (!takesTab(w)) continue;
    w->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    return true;
  }
  return false;
}

void MainWindow::setTheme(Theme::Kind kind) {
  m_themeIsChosen = true;
  if (m_options.remembers) keepTheme(kThemeKey, kind);
  applyTheme(kind);
}

void MainWindow::applyTheme(Theme::Kind kind) {
  if (kind == m_theme) return;
  m_theme = kind;
  dress(kind);
  m_views->setTheme(kind);
  m_gallery->setTheme(kind);
  m_moments->setTheme(kind);
  refreshIssues();
}

/// How this file was looked at, beside the file: it is nobody else's business.
void MainWindow::keepSession() {
  if (!m_options.remembers || !m_options.onlyView.isEmpty() || m_sessionPath.isEmpty()) return;
  ScenarioSession session;
  const bool away = !m_panelDock->property("wanted").isNull();
  if (away) showPanels(true);
  session.panels = saveState(kLayoutVersion);
  if (away) showPanels(false);
  session.width = width();
  session.views = m_views->saveState(kLayoutVersion);
  session.folded = m_panel->foldedSections();
  if (const View* view = m_views->current()) session.currentView = view->id();
  for (const View* view : m_views->views())
    if (auto state = view->state(); !state.empty()) session.viewStates[view->id()] = std::move(state);
  session.selected = m_selection.selected();
  writeSession(m_sessionPath, session);
}

void MainWindow::takeUpSession() {
  m_sessionPath = m_document.path();
  if (!m_options.remembers || !m_options.onlyView.isEmpty() || m_sessionPath.isEmpty()) return;
  const auto session = readSession(m_sessionPath);
  if (!session) return;
  releaseSeparators(*this);
  restoreState(session->panels, kLayoutVersion);
  makeRoom(session->width > 0 ? session->width : kWide);
  m_views->restoreLayout(session->views, kLayoutVersion);
  m_panel->setFoldedSections(session->folded);
  for (View* view : m_views->views())
    if (const auto it = session->viewStates.find(view->id()); it != session->viewStates.end())
      view->setState(it->second);
  m_views->setCurrent(session->currentView);
  m_selection.setSelected(session->selected);
}

}  // namespace nest
