// What is done with one pane of the views: by mouse, by its menu, by keyboard.
#include <QApplication>
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QMouseEvent>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "theme/icon.h"
#include "views/pane_handle.h"
#include "window/dock_corners.h"
#include "window/views_area.h"

namespace nest {
namespace {

constexpr int kTearDistance = 18;       ///< pixels off a row of tabs at which a tab comes out of it
constexpr QSize kOwnWindow(960, 640);   ///< of a view, at first
constexpr double kShareOfMoved = 0.42;  ///< of the width or height, of a view that was moved to a side
const auto kCorner = QStringLiteral("paneCorner");

}  // namespace

View* ViewsArea::viewOf(const QDockWidget* dock) const {
  const auto it = std::find(m_docks.begin(), m_docks.end(), dock);
  return it == m_docks.end() ? nullptr : m_views[it - m_docks.begin()];
}

QWidget* ViewsArea::makeTitle(QDockWidget* dock, View* view) {
  auto* bar = new QWidget(dock);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(10, 2, 4, 2);
  row->setSpacing(0);
  auto* name = new QLabel(dock->windowTitle(), bar);  // the dock itself is held by it
  name->setFont(Theme::font(12.5, true));
  name->setProperty("role", "muted");
  auto* buttons = new PaneButtons(dock->windowTitle(), bar);
  auto* close = new QToolButton(bar);
  close->setIcon(themedIcon(QStringLiteral("close")));
  close->setIconSize({11, 11});
  close->setToolTip(tr("Hide %1").arg(dock->windowTitle()));
  close->setAccessibleName(close->toolTip());
  close->setFocusPolicy(Qt::NoFocus);
  row->addWidget(name, 1);
  row->addWidget(buttons);
  row->addWidget(close);
  connect(close, &QToolButton::clicked, this, [this, view] { closeView(view->id()); });
  connect(buttons, &PaneButtons::enlargeRequested, view, &View::enlargeRequested);
  connect(buttons, &PaneButtons::menuRequested, view, &View::paneMenuRequested);
  m_titleButtons[dock] = buttons;
  bar->installEventFilter(this);
  return bar;
}

QDockWidget* ViewsArea::dockOfTab(const QTabBar* tabs, int tab) const {
  const auto it = std::find_if(m_docks.begin(), m_docks.end(), [&](const QDockWidget* d) {
    return tab >= 0 && d->windowTitle() == tabs->tabText(tab);
  });
  return it == m_docks.end() ? nullptr : *it;
}

void ViewsArea::refreshTabs() {
  for (QTabBar* tabs : findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
    tabs->setExpanding(false);
    tabs->setDrawBase(false);
    tabs->setElideMode(Qt::ElideNone);
    tabs->setAccessibleName(tr("Views"));
    if (!tabs->findChild<PaneButtons*>(kCorner)) {
      auto* corner = new PaneButtons(QString(), tabs);
      corner->setObjectName(kCorner);
      const auto current = [this, tabs]() -> View* {
        const QDockWidget* dock = dockOfTab(tabs, tabs->currentIndex());
        return dock ? viewOf(dock) : nullptr;
      };
      connect(corner, &PaneButtons::enlargeRequested, this, [this, current] {
        if (const View* v = current()) enlarge(v->id());
      });
      connect(corner, &PaneButtons::menuRequested, this, [this, current](const QPoint& global) {
        if (View* v = current()) openPaneMenu(*v, global);
      });
      tabs->installEventFilter(this);
    }
    placeCorner(tabs);
  }
}

/// At the right end of the tabs, where these leave the room: Qt scrolls them there else.
void ViewsArea::placeCorner(QTabBar* tabs) {
  auto* corner = tabs->findChild<PaneButtons*>(kCorner);
  if (!corner) return;
  const QSize size = corner->sizeHint();
  const int end = tabs->count() > 0 ? tabs->tabRect(tabs->count() - 1).right() : 0;
  const QDockWidget* dock = dockOfTab(tabs, tabs->currentIndex());
  corner->setVisible(dock && end + size.width() + 8 <= tabs->width());
  if (!dock) return;
  corner->setName(dock->windowTitle());
  corner->setGeometry(tabs->width() - size.width() - 4, (tabs->height() - size.height()) / 2, size.width(),
                      size.height());
  corner->raise();
}

bool ViewsArea::eventFilter(QObject* watched, QEvent* event) {
  if (auto* tabs = qobject_cast<QTabBar*>(watched)) return filterTabs(tabs, event);
  if (event->type() == QEvent::MouseButtonDblClick || event->type() == QEvent::ContextMenu)
    for (const auto& [dock, title] : m_titles)
      if (title == watched) {
        View* view = viewOf(dock);
        if (event->type() == QEvent::ContextMenu)
          openPaneMenu(*view, static_cast<QContextMenuEvent*>(event)->globalPos());
        else
          enlarge(view->id());
        return true;
      }
  return QMainWindow::eventFilter(watched, event);
}

bool ViewsArea::filterTabs(QTabBar* tabs, QEvent* event) {
  switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Show:
    case QEvent::LayoutRequest:
      QTimer::singleShot(0, tabs, [this, tabs] { placeCorner(tabs); });
      return false;
    case QEvent::MouseButtonPress: {
      const auto* press = static_cast<QMouseEvent*>(event);
      m_pressedTab = press->button() == Qt::LeftButton ? tabs->tabAt(press->pos()) : -1;
      return false;
    }
    case QEvent::MouseButtonRelease:
      m_pressedTab = -1;
      return false;
    case QEvent::MouseButtonDblClick:
      if (QDockWidget* dock = dockOfTab(tabs, tabs->tabAt(static_cast<QMouseEvent*>(event)->pos()))) {
        m_pressedTab = -1;
        enlarge(viewOf(dock)->id());
        return true;
      }
      return false;
    case QEvent::ContextMenu: {
      const auto* menu = static_cast<QContextMenuEvent*>(event);
      const bool byMouse = menu->reason() == QContextMenuEvent::Mouse;
      if (QDockWidget* dock = dockOfTab(tabs, byMouse ? tabs->tabAt(menu->pos()) : tabs->currentIndex()))
        openPaneMenu(*viewOf(dock), menu->globalPos());
      return true;
    }
    case QEvent::MouseMove: {
      const auto* move = static_cast<QMouseEvent*>(event);
      const bool outside =
          move->pos().y() < -kTearDistance || move->pos().y() > tabs->height() + kTearDistance;
      if (m_pressedTab < 0 || !outside || !(move->buttons() & Qt::LeftButton)) return false;
      // Within its row a tab is moved by Qt, and may stand elsewhere by now: it is the current one.
      QDockWidget* dock = dockOfTab(tabs, tabs->currentIndex());
      m_pressedTab = -1;
      const QPoint global = move->globalPosition().toPoint();
      QMouseEvent release(QEvent::MouseButtonRelease, move->position(), move->globalPosition(),
                          Qt::LeftButton, {}, {});
      QCoreApplication::sendEvent(tabs, &release);
      if (dock) tearOut(dock, global);
      return true;
    }
    default:
      return false;
  }
}

/// Hands the drag over to the dock, as if it had been held by a title line: Qt carries it on from there, with
/// its marks where it can be dropped.
void ViewsArea::tearOut(QDockWidget* dock, const QPoint& global) {
  if (dock->isFloating()) return;
  leaveSole();
  dock->titleBarWidget()->hide();
  dock->setTitleBarWidget(m_titles[dock]);
  m_titles[dock]->show();
  dock->layout()->activate();
  const QPoint held(std::min(60, dock->width() / 2), std::max(2, m_titles[dock]->height() / 2));
  QMouseEvent press(QEvent::MouseButtonPress, held, global, Qt::LeftButton, Qt::LeftButton, {});
  QCoreApplication::sendEvent(dock, &press);
  const QPoint further = held + QPoint(0, 2 * QApplication::startDragDistance());
  QMouseEvent move(QEvent::MouseMove, further, global, Qt::NoButton, Qt::LeftButton, {});
  QCoreApplication::sendEvent(dock, &move);
}

void ViewsArea::openPaneMenu(View& view, const QPoint& global) {
  QMenu menu(this);
  fillPaneMenu(menu, view);
  menu.exec(global);
}

void ViewsArea::fillPaneMenu(QMenu& menu, View& view) {
  const QString id = view.id();
  const bool own = hasOwnWindow(id);
  if (!own && !isOneAtATime())
    menu.addAction(isEnlarged() ? tr("Show all views again") : tr("Enlarge"), this,
                   [this, id] { enlarge(id); });
  menu.addAction(own ? tr("Back into the window") : tr("Own window"), this,
                 [this, id, own] { setOwnWindow(id, !own); });
  QMenu* move = menu.addMenu(tr("Move to"));
  const std::pair<QString, Qt::DockWidgetArea> sides[] = {{tr("Left"), Qt::LeftDockWidgetArea},
                                                          {tr("Right"), Qt::RightDockWidgetArea},
                                                          {tr("Top"), Qt::TopDockWidgetArea},
                                                          {tr("Bottom"), Qt::BottomDockWidgetArea}};
  for (const auto& [name, area] : sides)
    move->addAction(name, this, [this, id, area = area] { moveTo(id, area); });
  move->addSeparator();
  const QDockWidget* dock = dockOf(id);
  for (const View* other : m_views) {
    const QDockWidget* there = dockOf(other->id());
    if (there == dock || there->isFloating() || !other->isInSight()) continue;
    move->addAction(tr("The tabs of %1").arg(there->windowTitle()), this,
                    [this, id, to = other->id()] { joinTabs(id, to); });
  }
  if (!isOneAtATime() || own) menu.addAction(tr("Close"), this, [this, id] { closeView(id); });
  menu.addSeparator();
  view.addToPaneMenu(menu);
}

bool ViewsArea::hasOwnWindow(const QString& id) const {
  const QDockWidget* dock = dockOf(id);
  return dock && dock->isFloating();
}

void ViewsArea::setOwnWindow(const QString& id, bool own) {
  QDockWidget* dock = dockOf(id);
  if (!dock || dock->isFloating() == own) return;
  if (own && isEnlarged()) bringBack();
  releaseSeparators(*this);
  m_last = viewOf(dock);
  dock->setFloating(own);
  dock->show();
  if (own) {
    // A little off the middle of the window: what it came out of stays in sight around it.
    const QRect room = window()->geometry();
    const QSize size = kOwnWindow.boundedTo(room.size());
    dock->setGeometry(
        QRect(room.center() - QPoint(size.width() / 2, size.height() / 2) + QPoint(48, 48), size));
    dock->activateWindow();
  }
  if (isOneAtATime()) {
    const auto next =
        std::find_if(m_docks.begin(), m_docks.end(), [](QDockWidget* d) { return !d->isFloating(); });
    if (!own)
      showOnly(dock);
    else if (next != m_docks.end() && std::none_of(m_docks.begin(), m_docks.end(), [](const QDockWidget* d) {
               return !d->isFloating() && !d->isHidden();
             }))
      showOnly(*next);
  } else if (!own) {
    dock->raise();
  }
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
}

void giveSidesTheirCorners(QMainWindow& area) {
  for (const Qt::Corner corner : {Qt::TopLeftCorner, Qt::BottomLeftCorner})
    area.setCorner(corner, Qt::LeftDockWidgetArea);
  for (const Qt::Corner corner : {Qt::TopRightCorner, Qt::BottomRightCorner})
    area.setCorner(corner, Qt::RightDockWidgetArea);
}

void ViewsArea::moveTo(const QString& id, Qt::DockWidgetArea area) {
  QDockWidget* dock = dockOf(id);
  if (!dock) return;
  leaveSole();
  releaseSeparators(*this);
  dock->setFloating(false);
  removeDockWidget(dock);
  addDockWidget(area, dock);
  dock->show();
  m_last = viewOf(dock);
  const bool sideways = area == Qt::LeftDockWidgetArea || area == Qt::RightDockWidgetArea;
  QTimer::singleShot(0, this, [this, dock, sideways] {
    resizeDocks({dock}, {static_cast<int>((sideways ? width() : height()) * kShareOfMoved)},
                sideways ? Qt::Horizontal : Qt::Vertical);
    refreshTitles();
  });
}

void ViewsArea::joinTabs(const QString& id, const QString& neighbour) {
  QDockWidget *dock = dockOf(id), *there = dockOf(neighbour);
  if (!dock || !there || dock == there || there->isFloating()) return;
  leaveSole();
  releaseSeparators(*this);
  dock->setFloating(false);
  removeDockWidget(dock);
  tabifyDockWidget(there, dock);
  reveal(id);
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
}

void ViewsArea::closeView(const QString& id) {
  QDockWidget* dock = dockOf(id);
  if (!dock) return;
  if (isOneAtATime() && !dock->isFloating()) return;  // nothing would be left
  if (isEnlarged()) bringBack();
  dock->close();
}

void ViewsArea::enlarge(const QString& id) {
  QDockWidget* dock = dockOf(id);
  if (!dock) return;
  if (dock->isFloating()) return setOwnWindow(id, false);
  if (isOneAtATime()) return reveal(id);
  if (isEnlarged() && !dock->isHidden()) return void(bringBack());
  if (m_sole == Sole::No) m_all = saveState(kLayoutVersion);
  m_sole = Sole::Enlarged;
  m_last = viewOf(dock);
  showOnly(dock);
}

bool ViewsArea::bringBack() {
  if (!isEnlarged()) return false;
  leaveSole();
  return true;
}

void ViewsArea::setOneAtATime(bool on) {
  if (on == isOneAtATime()) return;
  View* shown = current();
  leaveSole();
  if (!on) return;
  m_all = saveState(kLayoutVersion);
  m_sole = Sole::Always;
  QDockWidget* first = m_offered ? dockOf(m_offered->value(0)) : m_docks.front();
  QDockWidget* dock = shown && !dockOf(shown->id())->isFloating() ? dockOf(shown->id()) : first;
  if (!dock->isFloating()) m_last = viewOf(dock), showOnly(dock);
}

QByteArray ViewsArea::arrangement() const {
  return m_sole == Sole::No ? saveState(kLayoutVersion) : m_all;
}

void ViewsArea::showOnly(QDockWidget* only) {
  releaseSeparators(*this);
  m_arranging = true;
  only->show();
  for (QDockWidget* dock : m_docks)
    if (dock != only && !dock->isFloating()) dock->hide();
  m_arranging = false;
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
  Q_EMIT arranged();
}

/// All views stand again where they stood. One that got a window of its own meanwhile keeps it.
void ViewsArea::leaveSole() {
  if (m_sole == Sole::No) return;
  m_sole = Sole::No;
  View* shown = current();
  std::vector<std::pair<QDockWidget*, QRect>> own;
  for (QDockWidget* dock : m_docks)
    if (dock->isFloating() && !dock->isHidden()) own.emplace_back(dock, dock->geometry());
  m_arranging = true;
  releaseSeparators(*this);
  restoreState(std::exchange(m_all, {}), kLayoutVersion);
  giveSidesTheirCorners(*this);
  for (const auto& [dock, place] : own) {
    dock->setFloating(true);
    dock->setGeometry(place);
    dock->show();
  }
  if (shown && dockOf(shown->id())->isHidden()) dockOf(shown->id())->show();
  if (shown) dockOf(shown->id())->raise(), m_last = shown;
  m_arranging = false;
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
  Q_EMIT arranged();
}

bool ViewsArea::isOffered(const QString& id) const {
  const View* v = view(id);
  return !m_offered || (v && std::any_of(m_offered->begin(), m_offered->end(),
                                         [&](const QString& offered) { return view(offered) == v; }));
}

void ViewsArea::offer(const std::optional<QStringList>& ids) {
  if (ids == m_offered) return;
  m_offered = ids;
  if (m_offered) arrangeOffered();
}

void ViewsArea::arrangeOffered() {
  const bool oneAtATime = isOneAtATime();
  leaveSole();
  releaseSeparators(*this);
  m_arranging = true;
  for (QDockWidget* d : m_docks) {
    removeDockWidget(d);
    d->setFloating(false);
  }
  QDockWidget *first = nullptr, *last = nullptr;
  for (const QString& id : *m_offered) {
    QDockWidget* d = dockOf(id);
    if (!d || d == first || d == last) continue;
    if (!first || !last)
      addDockWidget(first ? Qt::BottomDockWidgetArea : Qt::TopDockWidgetArea, d);
    else
      tabifyDockWidget(last, d);
    (first ? last : first) = d;
    d->show();
  }
  m_arranging = false;
  if (oneAtATime)
    setOneAtATime(true);
  else if (last)
    resizeDocks({first, last}, {height() / 2, height() / 2}, Qt::Vertical);
  QTimer::singleShot(0, this, &ViewsArea::refreshTitles);
  Q_EMIT arranged();
}

void ViewsArea::cover(const QStringList& ids, const QString& why) {
  for (QDockWidget* dock : m_docks) {
    View* covered = viewOf(dock);
    const auto known = m_covers.find(dock);
    if (!ids.contains(covered->id())) {
      if (known == m_covers.end()) continue;
      dock->setWidget(covered);
      covered->setInSight(dock->isVisible() && !dock->visibleRegion().isEmpty());
      known->second->deleteLater();
      m_covers.erase(known);
      continue;
    }
    QLabel* cover = known == m_covers.end() ? m_covers[dock] = new QLabel : known->second;
    cover->setText(QStringLiteral("%1\n\n%2").arg(dock->windowTitle(), why));
    if (known != m_covers.end()) continue;
    cover->setAlignment(Qt::AlignCenter);
    cover->setWordWrap(true);
    cover->setMargin(24);
    cover->setMinimumSize(130, 100);
    cover->setProperty("role", "muted");
    dock->setWidget(cover);
    covered->setInSight(false);
  }
}

/// What nobody has taken before: an enlarged view goes back to its place.
void ViewsArea::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && bringBack()) return;
  QMainWindow::keyPressEvent(event);
}

}  // namespace nest
