#include "window/views_area.h"

#include <QApplication>
#include <QDataStream>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QHoverEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QTabBar>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <memory>

#include "catalogue/registry.h"
#include "theme/icon.h"
#include "views/pane_handle.h"
#include "window/dock_corners.h"

namespace nest {

QWidget* makeDockTitle(QDockWidget* dock, bool closes) {
  auto* bar = new QWidget(dock);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(10, 3, 4, 3);
  auto* name = new QLabel(dock->windowTitle(), bar);
  name->setFont(Theme::font(12.5, true));
  name->setProperty("role", "muted");
  QObject::connect(dock, &QWidget::windowTitleChanged, name, &QLabel::setText);
  row->addWidget(name, 1);
  if (!closes) return bar;
  auto* close = new QToolButton(bar);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setIconSize({11, 11});
  close->setToolTip(QDockWidget::tr("Hide %1").arg(dock->windowTitle()));
  close->setAccessibleName(close->toolTip());
  close->setFocusPolicy(Qt::NoFocus);
  QObject::connect(close, &QToolButton::clicked, dock, &QDockWidget::close);
  row->addWidget(close);
  return bar;
}

void releaseSeparators(QMainWindow& window) {
  const QPointF outside(-1, -1);
  QMouseEvent release(QEvent::MouseButtonRelease, outside, window.mapToGlobal(outside), Qt::LeftButton, {},
                      {});
  QCoreApplication::sendEvent(&window, &release);
  QHoverEvent leave(QEvent::HoverLeave, outside, window.mapToGlobal(outside), outside);
  QCoreApplication::sendEvent(&window, &leave);
}

ViewsArea::ViewsArea(ViewServices services, QWidget* parent) : QMainWindow(parent, Qt::Widget) {
  setObjectName(QStringLiteral("views"));
  setDockOptions(AllowNestedDocks | AllowTabbedDocks);
  giveSidesTheirCorners(*this);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setDocumentMode(true);
  for (const ViewEntry& entry : viewRegistry()) {
    View* view = entry.make(services, this);
    view->setAccessibleName(view->title());
    view->setMinimumSize(130, 100);  // the user may squeeze a view further than its tools would like
    // Tab leaves a table; its cells are walked with the arrow keys.
    for (QTableView* table : view->findChildren<QTableView*>()) table->setTabKeyNavigation(false);
    m_views.push_back(view);
    m_docks.push_back(makeDock(view));
  }
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    for (View* v : m_views)
      // A dialog that closes gives the focus back even to what now lies behind another tab.
      if (now && v->isInSight() && (v == now || v->isAncestorOf(now))) m_last = v;
  });
  connect(this, &QMainWindow::tabifiedDockWidgetActivated, this, [this](const QDockWidget* dock) {
    const auto it = std::find(m_docks.begin(), m_docks.end(), dock);
    if (it != m_docks.end()) m_last = m_views[it - m_docks.begin()];
  });
  arrangeDefault();
}

ViewsArea::~ViewsArea() {
  qApp->disconnect(this);  // the focus still moves while the views are taken down
}

QDockWidget* ViewsArea::makeDock(View* view) {
  auto* dock = new QDockWidget(view->title(), this);
  dock->setObjectName(QStringLiteral("view.") + view->id());
  dock->setWidget(view);
  m_titles[dock] = makeTitle(dock, view);
  m_blank[dock] = new QWidget(dock);
  m_blank[dock]->setFixedHeight(0);
  m_blank[dock]->hide();
  dock->setTitleBarWidget(m_titles[dock]);
  const auto later = [this] { QTimer::singleShot(0, this, &ViewsArea::refreshTitles); };
  connect(dock, &QDockWidget::dockLocationChanged, this, later);
  connect(dock, &QDockWidget::topLevelChanged, this, later);
  connect(dock, &QDockWidget::visibilityChanged, this, later);
  connect(dock, &QDockWidget::visibilityChanged, view, &View::setInSight);
  connect(dock, &QDockWidget::visibilityChanged, this, [this] {
    if (!m_arranging) Q_EMIT arranged();
  });
  connect(view, &View::pulled, this, [this, dock](const QPoint& global) { tearOut(dock, global); });
  connect(view, &View::enlargeRequested, this, [this, view] { enlarge(view->id()); });
  connect(view, &View::paneMenuRequested, this,
          [this, view](const QPoint& global) { openPaneMenu(*view, global); });
  return dock;
}

/// A tab already says the name, and most views have a bar that can: their title line goes, so that the
/// picture has the room.
void ViewsArea::refreshTitles() {
  const auto inSight = std::count_if(m_views.begin(), m_views.end(), [](const View* v) {
    return v->isInSight() && !v->visibleRegion().isEmpty();
  });
  for (QDockWidget* dock : m_docks) {
    const auto others = tabifiedDockWidgets(dock);
    const bool tabbed = !dock->isFloating() &&
                        std::any_of(others.begin(), others.end(),
                                    [](const QDockWidget* d) { return !d->isHidden() && !d->isFloating(); });
    View::PaneLook look;
    look.enlarged = m_sole == Sole::Enlarged;
    look.canEnlarge = m_sole != Sole::Always;
    look.alone = m_sole != Sole::No || inSight <= 1;
    look.bearsTitle = !tabbed && !dock->isFloating();
    const bool inBar = viewOf(dock)->showPane(look);
    m_titleButtons[dock]->setLarge(look.enlarged);
    m_titleButtons[dock]->setParts(look.canEnlarge, true);
    QWidget* wanted = tabbed || (look.bearsTitle && inBar) ? m_blank[dock] : m_titles[dock];
    if (dock->titleBarWidget() == wanted) continue;
    dock->titleBarWidget()->hide();
    dock->setTitleBarWidget(wanted);
    wanted->show();
  }
  refreshTabs();
}

View* ViewsArea::view(const QString& id) const {
  const QString wanted = placeOf(id).view;
  const auto it =
      std::find_if(m_views.begin(), m_views.end(), [&](const View* v) { return v->id() == wanted; });
  return it == m_views.end() ? nullptr : *it;
}

QDockWidget* ViewsArea::dockOf(const QString& id) const {
  const View* wanted = view(id);
  for (std::size_t i = 0; i < m_views.size(); ++i)
    if (m_views[i] == wanted) return m_docks[i];
  return nullptr;
}

View* ViewsArea::current() const {
  if (m_last && m_last->isInSight()) return m_last;
  const auto it = std::find_if(m_views.begin(), m_views.end(), [](const View* v) { return v->isInSight(); });
  return it == m_views.end() ? nullptr : *it;
}

void ViewsArea::setContext(PlanContextPtr context) {
  for (View* v : m_views) v->setContext(context);
}

void ViewsArea::setTheme(Theme::Kind kind) {
  for (View* v : m_views) v->setTheme(kind);
}

void ViewsArea::showMode(const QString& id) {
  const View::State state = placeOf(id).state;
  if (View* v = view(id); v && !state.empty()) v->setState(state);
}

void ViewsArea::reveal(const QString& id) {
  if (!isOffered(id)) return;
  showMode(id);
  if (QDockWidget* dock = dockOf(id)) {
    m_last = view(id);
    if (m_sole != Sole::No && !dock->isFloating()) return showOnly(dock);
    dock->show();
    dock->raise();
    if (dock->isFloating()) dock->activateWindow();
  }
}

void ViewsArea::enter(const QString& id) {
  reveal(id);
  View* v = view(id);
  if (!v || !v->isInSight() || (v->focusWidget() && v->focusWidget()->hasFocus())) return;
  QWidget* first = v;
  if (!v->focusProxy())
    for (QWidget* w = v->nextInFocusChain(); w != v; w = w->nextInFocusChain())
      if (v->isAncestorOf(w) && (w->focusPolicy() & Qt::TabFocus) && w->isVisibleTo(v) && w->isEnabled()) {
        first = w;
        break;
      }
  first->setFocus(Qt::ShortcutFocusReason);
}

void ViewsArea::setCurrent(const QString& id) {
  m_last = view(id);
}

void ViewsArea::showAlone(const QString& id) {
  leaveSole();
  showMode(id);
  m_last = view(id);
  for (std::size_t i = 0; i < m_views.size(); ++i) m_docks[i]->setVisible(m_views[i] == m_last);
}

void ViewsArea::arrangeDefault() {
  if (m_offered) return arrangeOffered();
  leaveSole();
  releaseSeparators(*this);
  for (QDockWidget* d : m_docks) {
    removeDockWidget(d);
    d->setFloating(false);
  }
  // The network and the ribbon of layers are what everything else refers to: they stay in sight, one above
  // the other.
  QDockWidget* topology = dockOf(QStringLiteral("topology"));
  QDockWidget* stages = dockOf(QStringLiteral("stages"));
  QDockWidget* memory = dockOf(QStringLiteral("memory"));
  if (!topology || !stages || !memory) return arrangeTabbed();
  addDockWidget(Qt::TopDockWidgetArea, topology);
  splitDockWidget(topology, stages, Qt::Vertical);
  splitDockWidget(topology, memory, Qt::Horizontal);
  QDockWidget* lastBelow = stages;
  QDockWidget* lastRight = memory;
  for (std::size_t i = 0; i < m_docks.size(); ++i) {
    QDockWidget* d = m_docks[i];
    if (d == topology || d == stages || d == memory) continue;
    QDockWidget*& beside = m_views[i]->id() == QLatin1String("communication") ? lastRight : lastBelow;
    tabifyDockWidget(beside, d);
    beside = d;
  }
  for (QDockWidget* d : m_docks) d->show();
  m_toProportion = true;
  if (isVisible()) proportion();
  for (QDockWidget* d : {topology, stages, memory}) d->raise();
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
}

/// Docks can be sized only once they have been laid out.
void ViewsArea::proportion() {
  m_toProportion = false;
  QTimer::singleShot(0, this, [this] {
    QDockWidget* topology = dockOf(QStringLiteral("topology"));
    QDockWidget* stages = dockOf(QStringLiteral("stages"));
    QDockWidget* memory = dockOf(QStringLiteral("memory"));
    if (m_sole != Sole::No || m_offered) return;
    resizeDocks({topology, memory}, {width() * 58 / 100, width() * 42 / 100}, Qt::Horizontal);
    resizeDocks({topology, stages}, {height() * 54 / 100, height() * 46 / 100}, Qt::Vertical);
  });
}

void ViewsArea::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (m_toProportion) proportion();
}

void ViewsArea::arrangePair(const QString& above, const QString& below) {
  if (m_offered) return arrangeOffered();
  arrangeTabbed();
  QDockWidget *upper = dockOf(above), *lower = dockOf(below);
  if (!upper || !lower) return;
  removeDockWidget(lower);
  addDockWidget(Qt::BottomDockWidgetArea, lower);
  lower->show();
  upper->raise();
  resizeDocks({upper, lower}, {height() / 2, height() / 2}, Qt::Vertical);
}

namespace {

/// As a layout names it.
QByteArray written(const QString& name) {
  QByteArray out;
  QDataStream stream(&out, QIODevice::WriteOnly);
  stream << name;
  return out;
}

}  // namespace

/// In layouts of earlier versions modes are views with docks of their own: where such a dock is in sight and
/// the view's is not, the view comes up there, in that mode.
bool ViewsArea::restoreDocks(const QByteArray& state, int version) {
  std::map<const ViewMode*, std::unique_ptr<QDockWidget>> standIns;
  for (const ViewMode& mode : viewModes()) {
    const QString name = QStringLiteral("view.") + mode.id;
    if (!state.contains(written(name))) continue;
    auto& dock = standIns[&mode] = std::make_unique<QDockWidget>(name);
    dock->setObjectName(name);
    addDockWidget(Qt::TopDockWidgetArea, dock.get());
  }
  const bool restored = restoreState(state, version);
  giveSidesTheirCorners(*this);
  for (const auto& [mode, dock] : standIns) {
    QDockWidget* home = dockOf(mode->view);
    bool inFront = home->isHidden();
    for (const QTabBar* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
      inFront = inFront || tabs->tabText(tabs->currentIndex()) == dock->windowTitle();
    if (restored && !dock->isHidden() && inFront) {
      if (home->isHidden()) tabifyDockWidget(dock.get(), home);
      reveal(mode->id);
    } else {
      showMode(mode->view);
    }
    removeDockWidget(dock.get());
  }
  if (restored) placeUnknown(state);
  return restored;
}

/// Views that the version did not have that kept a layout come up behind the one before them.
void ViewsArea::placeUnknown(const QByteArray& state) {
  QStringList inFront;
  for (const QTabBar* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    inFront << tabs->tabText(tabs->currentIndex());
  QDockWidget* before = nullptr;
  for (QDockWidget* dock : m_docks)
    if (state.contains(written(dock->objectName())) && !dock->isFloating() && !dock->isHidden()) {
      before = dock;
      break;
    }
  for (QDockWidget* dock : m_docks) {
    if (!state.contains(written(dock->objectName()))) {
      removeDockWidget(dock);
      dock->setFloating(false);
      before ? tabifyDockWidget(before, dock) : addDockWidget(Qt::TopDockWidgetArea, dock);
      dock->show();
    } else if (dock->isHidden() || dock->isFloating()) {
      continue;
    }
    before = dock;
  }
  for (QDockWidget* dock : m_docks)
    if (inFront.contains(dock->windowTitle())) dock->raise();
}

bool ViewsArea::restoreLayout(const QByteArray& state, int version) {
  if (state.isEmpty() || m_offered) return false;
  const bool oneAtATime = isOneAtATime();
  leaveSole();
  releaseSeparators(*this);
  const bool restored = restoreDocks(state, version);
  if (restored) m_toProportion = false;
  if (oneAtATime) setOneAtATime(true);
  if (!restored) return false;
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
  return true;
}

void ViewsArea::arrangeTabbed() {
  if (m_offered) return arrangeOffered();
  leaveSole();
  releaseSeparators(*this);
  for (QDockWidget* d : m_docks) {
    removeDockWidget(d);
    d->setFloating(false);
  }
  QDockWidget* before = nullptr;
  for (QDockWidget* d : m_docks) {
    addDockWidget(Qt::TopDockWidgetArea, d);
    if (before) tabifyDockWidget(before, d);
    d->show();
    before = d;
  }
  if (!m_docks.empty()) m_docks.front()->raise();
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
}

}  // namespace nest
