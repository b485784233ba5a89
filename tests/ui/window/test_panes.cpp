// One picture large, every pane in the place that the user gives it, and back.
#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QTabBar>
#include <QToolButton>

#include "editors/plan_sentence.h"
#include "views/pane_handle.h"
#include "window/rail.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

QStringList inSight(const WindowBench& b) {
  QStringList out;
  for (const View* v : const_cast<WindowBench&>(b).window.views().views())
    if (v->isInSight() && !v->visibleRegion().isEmpty()) out << v->id();
  return out;
}

QTabBar* tabsWith(ViewsArea& views, const QString& title, int* at) {
  for (auto* tabs : views.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly))
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->isVisible() && tabs->tabText(i) == title) {
        *at = i;
        return tabs;
      }
  return nullptr;
}

QMap<QString, QRect> places(WindowBench& b) {
  QMap<QString, QRect> out;
  for (const QString& id : inSight(b))
    out[id] = QRect(b.window.views().view(id)->mapTo(&b.window, QPoint()), b.window.views().view(id)->size());
  return out;
}

/// Presses what the menu of a pane offers under this name, in a submenu too.
bool chooseInPaneMenu(ViewsArea& views, const QString& id, const QString& text) {
  QMenu menu;
  views.fillPaneMenu(menu, *views.view(id));
  QList<QAction*> all = menu.actions();
  for (qsizetype i = 0; i < all.size(); ++i) {
    if (all[i]->menu()) all += all[i]->menu()->actions();
    if (all[i]->text() != text) continue;
    all[i]->trigger();
    return true;
  }
  return false;
}

}  // namespace

class TestPanes : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }
  void cleanup() { forgetWindows(); }

  /// Double click on the name in the bar of a pane, on a tab; Ctrl+Enter; Esc and the same again bring back.
  void aViewGrowsAndShrinks_data() {
    QTest::addColumn<QString>("by");
    for (const char* by : {"handle", "tab", "keys", "button"}) QTest::newRow(by) << QString::fromLatin1(by);
  }
  void aViewGrowsAndShrinks() {
    QFETCH(QString, by);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    ViewsArea& views = b.window.views();
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QTest::qWait(50);
    const auto before = places(b);
    const QString id = by == QLatin1String("tab") ? QStringLiteral("stages") : QStringLiteral("topology");
    const auto act = [&] {
      View* view = views.view(id);
      if (by == QLatin1String("handle"))
        return QTest::mouseDClick(view->findChild<PaneHandle*>(), Qt::LeftButton);
      if (by == QLatin1String("button"))
        return QTest::mouseClick(view->findChild<PaneButtons*>()->findChild<QToolButton*>(), Qt::LeftButton);
      if (by == QLatin1String("keys")) {
        views.enter(id);
        return QTest::keyClick(b.window.focusWidget(), Qt::Key_Return, Qt::ControlModifier);
      }
      int at = 0;
      QTabBar* tabs = tabsWith(views, QStringLiteral("Stages"), &at);
      if (tabs) QTest::mouseDClick(tabs, Qt::LeftButton, {}, tabs->tabRect(at).center());
    };
    act();
    QTRY_COMPARE(inSight(b), QStringList{id});
    QVERIFY(views.isEnlarged());
    QTRY_VERIFY(views.view(id)->width() > views.width() * 95 / 100 &&
                views.view(id)->height() > views.height() * 95 / 100);
    // Another view can be called meanwhile, and takes the place.
    views.reveal(QStringLiteral("timeline"));
    QTRY_COMPARE(inSight(b), QStringList{"timeline"});
    views.reveal(id);
    QTRY_COMPARE(inSight(b), QStringList{id});
    views.enter(id);
    QTest::keyClick(b.window.focusWidget(), Qt::Key_Escape);
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QTRY_COMPARE(places(b), before);
    QVERIFY(!views.isEnlarged());
    QTest::qWait(20);  // tabs are laid out
    act();
    QTRY_COMPARE(inSight(b), QStringList{id});
    b.trigger("view.enlarge");
    QTRY_COMPARE(places(b), before);
  }

  /// Esc lets go of what is selected first.
  void escapeClearsTheSelectionFirst() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    b.window.views().enlarge(QStringLiteral("topology"));
    b.window.views().enter(QStringLiteral("topology"));
    b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 0});
    QTest::keyClick(b.window.focusWidget(), Qt::Key_Escape);
    QVERIFY(!b.window.selection().selected());
    QVERIFY(b.window.views().isEnlarged());
    QTest::keyClick(b.window.focusWidget(), Qt::Key_Escape);
    QVERIFY(!b.window.views().isEnlarged());
  }

  void aViewMovesByItsMenuAndByKeys() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    ViewsArea& views = b.window.views();
    QDockWidget* memory = views.dockOf(QStringLiteral("memory"));
    QVERIFY(chooseInPaneMenu(views, QStringLiteral("memory"), QStringLiteral("Own window")));
    QTRY_VERIFY(memory->isFloating() && memory->isVisible());
    QVERIFY(memory->titleBarWidget()->isVisible());
    QVERIFY(memory->width() >= 640 && memory->height() >= 480);
    QVERIFY(chooseInPaneMenu(views, QStringLiteral("memory"), QStringLiteral("Back into the window")));
    QTRY_VERIFY(!memory->isFloating());
    QVERIFY(chooseInPaneMenu(views, QStringLiteral("stages"), QStringLiteral("Left")));
    QTRY_VERIFY(inSight(b).contains(QStringLiteral("stages")));
    QCOMPARE(views.dockWidgetArea(views.dockOf(QStringLiteral("stages"))), Qt::LeftDockWidgetArea);
    QTRY_VERIFY(views.view(QStringLiteral("stages"))->height() > views.height() * 9 / 10);
    views.reveal(QStringLiteral("timeline"));
    QTRY_VERIFY(views.view(QStringLiteral("timeline"))->isInSight());
    b.trigger("view.moveBottom");
    QTRY_COMPARE(views.dockWidgetArea(views.dockOf(QStringLiteral("timeline"))), Qt::BottomDockWidgetArea);
    QVERIFY(chooseInPaneMenu(views, QStringLiteral("timeline"), QStringLiteral("The tabs of Stages")));
    QTRY_VERIFY(views.tabifiedDockWidgets(views.dockOf(QStringLiteral("timeline")))
                    .contains(views.dockOf(QStringLiteral("stages"))));
    QTRY_VERIFY(views.view(QStringLiteral("timeline"))->isInSight());
    b.trigger("view.close");
    QTRY_VERIFY(views.dockOf(QStringLiteral("timeline"))->isHidden());
    b.trigger("view.show.timeline");
    QTRY_VERIFY(views.view(QStringLiteral("timeline"))->isInSight());
    b.trigger("view.restoreLayout");
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
  }

  /// Pulled out of its row a tab is a window under the pointer; so is a pane by its name.
  void aPaneIsTornOut_data() {
    QTest::addColumn<bool>("byTab");
    QTest::newRow("by its tab") << true;
    QTest::newRow("by its name") << false;
  }
  void aPaneIsTornOut() {
    QFETCH(bool, byTab);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    ViewsArea& views = b.window.views();
    const QString id = byTab ? QStringLiteral("cuts") : QStringLiteral("topology");
    QDockWidget* dock = views.dockOf(id);
    QWidget* held = views.view(id)->findChild<PaneHandle*>();
    QPoint from(12, 8), to(200, 160);
    if (byTab) {
      int at = 0;
      QTabBar* tabs = tabsWith(views, QStringLiteral("Cuts"), &at);
      QVERIFY(tabs);
      held = tabs;
      from = tabs->tabRect(at).center();
      to = from + QPoint(20, 160);
    }
    QTest::mousePress(held, Qt::LeftButton, {}, from);
    QTest::mouseMove(held, from + QPoint(4, 4));
    QTest::mouseMove(held, to);
    QTRY_VERIFY(dock->isFloating());
    QTest::mouseRelease(dock, Qt::LeftButton, {}, QPoint(30, 8));
    QTest::qWait(20);
    QVERIFY(views.view(id)->isVisible());
    b.trigger("view.restoreLayout");
    QTRY_VERIFY(!dock->isFloating());
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
  }

  /// Small windows begin with one view, the panels folded, and the rail leads to each.
  void aSmallWindowShowsOneViewAtATime_data() {
    QTest::addColumn<QSize>("size");
    QTest::newRow("1280x720") << QSize(1280, 720);
    QTest::newRow("1000x660") << QSize(1000, 660);
    QTest::newRow("800x540") << QSize(800, 540);
  }
  void aSmallWindowShowsOneViewAtATime() {
    QFETCH(QSize, size);
    WindowBench b(teachingSample(), false, size);
    QTRY_VERIFY(b.solved());
    QTRY_COMPARE(inSight(b), QStringList{"topology"});
    QCOMPARE(b.window.size(), size);
    for (const char* name : {"panel", "inspector", "below"})
      QVERIFY2(b.window.findChild<QDockWidget*>(QLatin1String(name))->isHidden(), name);
    auto* rail = b.window.findChild<Rail*>();
    QVERIFY(rail && rail->isVisible() && rail->width() <= 40);
    for (const View* view : b.window.views().views()) {
      QToolButton* button = nullptr;
      for (auto* candidate : rail->findChildren<QToolButton*>())
        if (candidate->isVisible() && candidate->text() == view->title()) button = candidate;
      QVERIFY2(button, qPrintable(view->id()));
      QVERIFY2(rail->rect().contains(button->geometry()), qPrintable(view->id()));
      QTest::mouseClick(button, Qt::LeftButton);
      QTRY_COMPARE(inSight(b), QStringList{view->id()});
      QVERIFY(button->isChecked());
      QTRY_VERIFY2(view->width() > size.width() * 0.93 && view->height() > size.height() * 0.74,
                   qPrintable(view->id()));
    }
  }

  /// A window that shrinks folds; grown again it is as before.
  void shrinkingFoldsAndGrowingUnfolds() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QTest::qWait(50);
    const auto before = places(b);
    b.window.resize(800, 540);
    QTRY_COMPARE(inSight(b).size(), 1);
    QVERIFY(b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->isHidden());
    b.window.views().reveal(QStringLiteral("memory"));
    QTRY_COMPARE(inSight(b), QStringList{"memory"});
    b.window.resize(1500, 950);
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QVERIFY(!b.window.findChild<QDockWidget*>(QStringLiteral("inspector"))->isHidden());
    QTRY_VERIFY(std::abs(places(b)["topology"].width() - before["topology"].width()) < 30);
  }

  /// The gallery in between, or another scenario, does not tear the views about.
  void theGalleryLeavesTheViewsWhereTheyWere() {
    WindowBench b(QString(), false, {1600, 1000});
    b.window.openPath(teachingSample());
    QTRY_VERIFY(b.solved());
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QTest::qWait(60);
    const auto before = places(b);
    QVERIFY(before["topology"].width() > before["memory"].width());
    for (int i = 0; i < 3; ++i) {
      b.window.showGallery();
      QApplication::processEvents();
      b.window.openPath(samplePaths().value(i));
      QTRY_VERIFY(b.solved());
      QTest::qWait(60);
      QCOMPARE(places(b), before);
    }
  }

  /// Enlarged, folded or torn out: what is kept is where everything stands, and an enlarged view is none of
  /// it.
  void arrangementsAreKeptPerScenario() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir), other = ownCopy(dir, QStringLiteral("other.nest.json"));
    {
      WindowBench b(path, true);
      QTRY_VERIFY(b.solved());
      b.window.views().moveTo(QStringLiteral("timeline"), Qt::BottomDockWidgetArea);
      QTRY_VERIFY(inSight(b).contains(QStringLiteral("timeline")));
      b.window.views().enlarge(QStringLiteral("memory"));
      QTRY_COMPARE(inSight(b), QStringList{"memory"});
      QVERIFY(b.window.openPath(other));
      QTRY_VERIFY(b.solved());
      b.trigger("view.restoreLayout");
      QTRY_VERIFY(!inSight(b).contains(QStringLiteral("timeline")));
      b.window.close();
    }
    {
      WindowBench b(other, true);
      QTRY_VERIFY(b.solved());
      QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    }
    WindowBench b(path, true);
    QTRY_VERIFY(b.solved());
    QTRY_COMPARE(inSight(b).size(), 4);
    QCOMPARE(b.window.views().dockWidgetArea(b.window.views().dockOf(QStringLiteral("timeline"))),
             Qt::BottomDockWidgetArea);
  }

  void myLayoutComesBackInAnyScenario() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().moveTo(QStringLiteral("search"), Qt::RightDockWidgetArea);
    b.window.findChild<QDockWidget*>(QStringLiteral("panel"))->hide();
    QTRY_VERIFY(inSight(b).contains(QStringLiteral("search")));
    b.trigger("view.keepLayout");
    b.trigger("view.explore");
    QTRY_COMPARE(inSight(b), (QStringList{"topology", "stages", "memory"}));
    QVERIFY(b.window.openPath(samplePaths().value(0)));
    b.trigger("view.mine");
    QTRY_VERIFY(inSight(b).contains(QStringLiteral("search")));
    QVERIFY(b.window.findChild<QDockWidget*>(QStringLiteral("panel"))->isHidden());
    QVERIFY(b.window.findChild<Rail*>()->isVisible());
  }

  /// The menu ticks the layout that stands, until a view is moved out of it.
  void theMenuTicksTheLayout() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    auto* menu = b.window.findChild<QMenu*>(QStringLiteral("layouts"));
    QVERIFY(menu);
    const auto ticked = [&] {
      Q_EMIT qobject_cast<QMenu*>(menu->parentWidget())->aboutToShow();
      QStringList out;
      for (const QAction* a : menu->actions())
        if (a->isCheckable() && a->isChecked()) out << a->text();
      return out;
    };
    QCOMPARE(ticked(), QStringList{"Layout: explore"});
    b.trigger("view.present");
    QCOMPARE(ticked(), QStringList{"Layout: present"});
    b.window.views().moveTo(QStringLiteral("search"), Qt::RightDockWidgetArea);
    QCOMPARE(ticked(), QStringList());
    b.trigger("view.explore");
    QCOMPARE(ticked(), QStringList{"Layout: explore"});
  }

  /// F6 goes round the panes as they are read, Shift+F6 the other way.
  void f6GoesFromPaneToPane() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    QTRY_COMPARE(inSight(b).size(), 3);
    b.trigger("view.below");
    b.line("/name")->setFocus();
    const auto paneOf = [&]() -> QString {
      const QWidget* focus = b.window.focusWidget();
      for (const View* v : b.window.views().views())
        if (v->isAncestorOf(focus) || v == focus) return v->id();
      for (const auto* dock : b.window.findChildren<QDockWidget*>())
        if (dock->isAncestorOf(focus)) return dock->objectName();
      return b.window.findChild<PlanSentence*>()->isAncestorOf(focus) ? QStringLiteral("sentence")
                                                                      : QString();
    };
    const QStringList round{"panel",     "topology", "memory",   "stages",
                            "inspector", "below",    "sentence", "panel"};
    QStringList there{paneOf()}, back{paneOf()};
    for (int i = 0; i < 7; ++i) QTest::keyClick(b.window.focusWidget(), Qt::Key_F6), there << paneOf();
    QCOMPARE(there, round);
    for (int i = 0; i < 7; ++i)
      QTest::keyClick(b.window.focusWidget(), Qt::Key_F6, Qt::ShiftModifier), back.prepend(paneOf());
    QCOMPARE(back, round);
  }
};

NEST_TEST(TestPanes)
#include "test_panes.moc"
