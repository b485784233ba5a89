#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QMimeData>
#include <QObject>
#include <QProgressBar>
#include <QPushButton>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTextBrowser>
#include <QThread>
#include <QToolButton>
#include <atomic>

#include "cluster/graph/generators.h"
#include "editors/bound_line.h"
#include "editors/scenario_panel.h"
#include "figures/paint/figure.h"
#include "figures/paint/frame.h"
#include "inspector/inspector.h"
#include "inspector/term_model.h"
#include "panes/issue_model.h"
#include "test_paths.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/rail.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestMainWindow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void opensSolvedAndSaysSo() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    QVERIFY2(f.window.headline().asText().contains(QStringLiteral("per step")),
             qPrintable(f.window.headline().asText()));
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("Optimal")));
    for (View* view : f.window.views().views()) QVERIFY(view->context().plan);
  }

  /// The step is counted on levels. A drawn network that cannot carry the plan in that time says so beside
  /// it.
  void aLinkThatNeedsLongerThanTheStepIsSaid() {
    WindowBench f;
    f.window.openPath(QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json"));
    const auto draw = [&](double groups) {
      const auto network = generateNetwork(
          "dragonfly",
          {{"groups", groups}, {"hosts_per_router", 1}, {"global_links", 1}, {"devices_per_host", 4}});
      if (!network) return;
      f.window.document().edit({}, QStringLiteral("Draw"), [&](Scenario& s) {
        s.cluster.network = GraphSource{*network, {}, {}};
        s.job.globalBatch = 64;
      });
    };
    const auto said = [&] { return f.window.headline().asText(); };
    draw(16);
    QTRY_VERIFY_WITH_TIMEOUT(f.solved() && said().contains(QStringLiteral("per step · a link is busy for ")),
                             30000);
    draw(4);
    QTRY_VERIFY_WITH_TIMEOUT(f.solved(), 30000);
    QVERIFY2(!said().contains(QStringLiteral("link")), qPrintable(said()));
    f.window.document().history().undo();
    QTRY_VERIFY_WITH_TIMEOUT(f.solved() && said().contains(QStringLiteral("a link is busy for ")), 30000);
    f.window.document().edit({}, QStringLiteral("Levels"), [](Scenario& s) {
      LevelsSource levels;
      levels.levels = {{"host", 4, BytesPerSecond(450e9), {}, Seconds(2e-6)},
                       {"leaf", 64, BytesPerSecond(50e9), {}, Seconds(4e-6)}};
      s.cluster.network = levels;
    });
    QTRY_VERIFY_WITH_TIMEOUT(f.solved(), 30000);
    QVERIFY2(!said().contains(QStringLiteral("link")), qPrintable(said()));
  }

  void aNarrowWindowBeginsWithoutPanelsAndOffersThem() {
    WindowBench f(teachingSample(), false, {600, 400});
    QTRY_VERIFY(f.solved());
    QCOMPARE(f.window.size(), QSize(600, 400));
    for (const char* name : {"panel", "inspector"}) {
      auto* dock = f.window.findChild<QDockWidget*>(QLatin1String(name));
      QVERIFY(dock && dock->isHidden());
      QToolButton* way = nullptr;
      for (auto* b : f.window.findChild<Rail*>()->findChildren<QToolButton*>())
        if (b->text() == dock->windowTitle()) way = b;
      QVERIFY(way && way->isVisible() && !way->isChecked());
      way->click();
      QVERIFY(dock->isVisible());
      QTRY_VERIFY(way->isChecked());
      QCOMPARE(f.window.size(), QSize(600, 400));
      way->click();
      QTRY_VERIFY(dock->isHidden() && !way->isChecked());
    }
  }

  void typingReplansAndUndoReturns() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    BoundLine* line = f.line("/job/global_batch");
    QVERIFY(line);
    const int before = f.window.document().scenario().job.globalBatch;
    const QString headline = f.window.headline().asText();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QString::number(before * 4));
    QCOMPARE(f.window.document().scenario().job.globalBatch, before * 4);
    QCOMPARE(f.window.document().history().count(), 1);
    QTRY_VERIFY(f.solved());
    QVERIFY(f.window.headline().asText() != headline);
    QTest::keyClick(line, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(f.window.document().scenario().job.globalBatch, before);
    QCOMPARE(line->text(), QString::number(before));
    QTRY_VERIFY(f.solved());
  }

  void linksAndSyncAreAssumedByHand() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    const auto type = [&](const char* id, const char* text) {
      BoundLine* line = f.line(id);
      if (!line) return false;
      line->setFocus();
      line->selectAll();
      QTest::keyClicks(line, QString::fromLatin1(text));
      return true;
    };
    const QString headline = f.window.headline().asText();
    QVERIFY(type("/assumptions/link_efficiency", "50 %"));
    QCOMPARE(f.window.document().scenario().assumptions.linkEfficiency, 0.5);
    QTRY_VERIFY(f.solved());
    QVERIFY(f.window.headline().asText() != headline);
    QVERIFY(type("/assumptions/link_efficiency", "0 %"));
    QCOMPARE(f.window.document().scenario().assumptions.linkEfficiency, 0.5);
    QVERIFY(type("/assumptions/overlap/sync", "80 %"));
    QCOMPARE(f.window.document().scenario().assumptions.syncOverlap, 0.8);
  }
  void aWrongTextStaysAtTheFieldWithItsRemedy() {
    WindowBench f;
    BoundLine* line = f.line("/job/global_batch");
    const Scenario before = f.window.document().scenario();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, QStringLiteral("many"));
    QVERIFY(!line->problem().isEmpty());
    QCOMPARE(line->text(), QStringLiteral("many"));
    QVERIFY(f.window.document().scenario() == before);
    QTest::keyClick(line, Qt::Key_Escape);
    QVERIFY(line->problem().isEmpty());
    QCOMPARE(line->text(), QString::number(before.job.globalBatch));
  }

  void keysStepAndTheLabelScrubs() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    BoundLine* line = f.line("/cluster/levels/0/fanout");
    QVERIFY(line);
    const auto fanout = [&] {
      return std::get<LevelsSource>(f.window.document().scenario().cluster.network).levels[0].fanout;
    };
    const int before = fanout();
    line->setFocus();
    QTest::keyClick(line, Qt::Key_Up);
    QCOMPARE(fanout(), before + 1);
    QTest::keyClick(line, Qt::Key_Down);
    QCOMPARE(fanout(), before);

    ScrubLabel* label = nullptr;
    for (auto* l : f.window.findChildren<ScrubLabel*>())
      if (l->buddy() == f.line("/job/sequence_length")) label = l;
    QVERIFY(label);
    const int length = f.window.document().scenario().job.sequenceLength;
    QTest::mousePress(label, Qt::LeftButton, {}, {5, 8});
    QTest::mouseMove(label, {5 + 13, 8});
    QCOMPARE(f.window.document().scenario().job.sequenceLength, length * 2);
    QVERIFY(f.window.document().isPreviewing());
    QTest::mouseRelease(label, Qt::LeftButton, {}, {5 + 13, 8});
    QVERIFY(!f.window.document().isPreviewing());
    QCOMPARE(f.window.document().scenario().job.sequenceLength, length * 2);
    QVERIFY(f.window.document().history().canUndo());
  }

  void withoutLiveAnEditIsNotPassedOffAsSolved() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    f.window.actions().find(QStringLiteral("plan.live"))->setChecked(false);
    f.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QVERIFY(!f.window.session().context()->current);
    QVERIFY(!f.window.headline().asText().contains(QStringLiteral("Optimal")));
    QVERIFY(f.window.headline().statusText().contains(QStringLiteral("Solve")));
    f.window.actions().find(QStringLiteral("plan.solve"))->trigger();
    QTRY_VERIFY(f.solved());
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("Optimal")));
  }

  void checksAndChoicesEditTheDocument() {
    WindowBench f;
    auto* zero = f.window.findChild<QCheckBox*>(QStringLiteral("/search/zero_stages/3"));
    QVERIFY(zero);
    const auto before = f.window.document().scenario().search.zeroStages;
    zero->click();
    QVERIFY(f.window.document().scenario().search.zeroStages != before);
    f.window.actions().find(QStringLiteral("edit.undo"))->trigger();
    QVERIFY(f.window.document().scenario().search.zeroStages == before);
    auto* objective = f.window.findChild<QComboBox*>(QStringLiteral("/search/objective"));
    QVERIFY(objective);
    objective->setFocus();
    const Objective was = f.window.document().scenario().search.objective;
    QTest::keyClick(objective, was == Objective::Pipeline ? Qt::Key_Down : Qt::Key_Up);
    QVERIFY(f.window.document().scenario().search.objective != was);
  }

  void modelsKeepTheirPromises() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    auto* terms = f.window.findChild<TermModel*>();
    auto* issues = f.window.findChild<IssueModel*>();
    QVERIFY(terms && issues);
    QAbstractItemModelTester termTester(terms, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QAbstractItemModelTester issueTester(issues, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QTRY_VERIFY(terms->rowCount() > 0);
    f.window.selection().setSelected(SelectionItem{ItemKind::Stage, 0});
    QVERIFY(terms->rowCount() > 0);
    QCOMPARE(terms->term(terms->index(0, 0))->stage, 0);
    f.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.microbatches.clear(); });
    QVERIFY(issues->errorCount() > 0);
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("error")));
    f.window.document().history().undo();
    QCOMPARE(issues->errorCount(), 0);
  }

  void closingShowsTheSamples() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    f.window.showGallery();
    QVERIFY(f.window.document().isEmpty());
    QVERIFY(!f.window.views().isVisible());
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("No scenario")));
    QVERIFY(!f.window.session().context()->plan);
  }

  void aFileThatCannotBeReadIsToldInTheWindow() {
    WindowBench f;
    const auto generation = f.window.document().generation();
    QVERIFY(!f.window.openPath(QStringLiteral("/nowhere/absent.nest.json")));
    QVERIFY(f.window.messages().text().contains(QStringLiteral("absent.nest.json")));
    QCOMPARE(f.window.document().generation(), generation);
  }

  void everythingThatTakesFocusHasAName() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    for (const QWidget* w : f.window.panel().findChildren<QWidget*>()) {
      if (!(w->focusPolicy() & Qt::TabFocus) || !w->isVisible() ||
          w->objectName().startsWith(QLatin1String("qt_")))
        continue;
      const auto* button = qobject_cast<const QAbstractButton*>(w);
      QVERIFY2(!w->accessibleName().isEmpty() || (button && !button->text().isEmpty()) ||
                   qobject_cast<const QAbstractScrollArea*>(w),
               qPrintable(QStringLiteral("%1 %2").arg(QLatin1String(w->metaObject()->className()),
                                                      w->objectName())));
    }
  }

  void tabWalksThePanelFromTopToBottom() {
    WindowBench f;
    auto* name = f.line("/name");
    QVERIFY(name);
    name->setFocus();
    int lastY = -1, visited = 0;
    for (int i = 0; i < 12; ++i) {
      QTest::keyClick(f.window.focusWidget(), Qt::Key_Tab);
      const QWidget* now = f.window.focusWidget();
      if (!f.window.panel().isAncestorOf(now)) break;
      const int y = now->mapTo(f.window.panel().widget(), QPoint()).y();
      QVERIFY2(y >= lastY - 8, qPrintable(now->objectName()));
      lastY = y;
      ++visited;
    }
    QVERIFY(visited > 8);
  }

  /// Who waits for the first plan is told that it is searched for, and not to press what is pressed.
  void theFirstSearchIsSaid() {
    WindowOptions o;
    o.theme = Theme::Kind::Light;
    o.remembers = false;
    std::atomic<bool> go = false;
    MainWindow window(
        [&go](const Problem& p, const Control& c, const Plan* start) {
          while (!go) QThread::msleep(1);
          return solve(p, c, start);
        },
        o);
    window.openPath(teachingSample());
    window.show();
    QTRY_VERIFY(window.headline().asText().contains(QStringLiteral("Searching")));
    QVERIFY(!window.headline().asText().contains(QStringLiteral("press Solve")));
    // Past the patience that short searches get.
    QTRY_VERIFY(window.headline().findChild<QProgressBar*>()->isVisible());
    QVERIFY2(!window.headline().statusText().contains(QStringLiteral("Searching search")),
             qPrintable(window.headline().statusText()));
    for (const char* id : {"topology", "stages", "memory", "communication", "timeline", "search", "whatif",
                           "cuts", "placement"}) {
      window.views().reveal(QLatin1String(id));
      View* view = window.views().view(QLatin1String(id));
      QVERIFY2(view, id);
      QTRY_VERIFY(view->isInSight());
      QString said = view->figure() ? view->figure()->asText(*window.session().context()) : QString();
      for (const auto* label : view->findChildren<QLabel*>())
        if (label->isVisible()) said += label->text();
      for (const auto* text : view->findChildren<QTextBrowser*>()) said += text->toPlainText();
      QVERIFY2(QByteArray(id) == "topology" || said.contains(QStringLiteral("Searching")), id);
      QVERIFY2(!said.contains(QStringLiteral("Solve ")) && !said.contains(QStringLiteral("olved yet")) &&
                   !said.contains(QStringLiteral("No plan")),
               qPrintable(QLatin1String(id) + said));
    }
    go = true;
    QTRY_VERIFY(window.headline().asText().contains(QStringLiteral("per step")));
    QVERIFY(!window.session().context()->isSearching());
  }

  /// While a search goes on, its best plan so far is drawn everywhere, and called that.
  void theBestPlanSoFarIsShown() {
    WindowOptions o;
    o.theme = Theme::Kind::Light;
    o.remembers = false;
    std::atomic<bool> go = false;
    MainWindow window(
        [&go](const Problem& p, const Control& c, const Plan* start) {
          Outcome found = solve(p, c, start);
          const RankedPlan& slower = found.plans.back();
          c.progress({.phase = "search", .fraction = 0.1, .best = slower.evaluation.batchTime, .states = 1});
          c.found(slower);
          while (!go) {
            c.progress(
                {.phase = "search", .fraction = 0.2, .best = slower.evaluation.batchTime, .states = 1});
            QThread::msleep(20);
          }
          return found;
        },
        o);
    window.openPath(teachingSample());
    window.show();
    QTRY_VERIFY(window.session().context()->soFar);
    const PlanContextPtr soFar = window.session().context();
    QVERIFY(soFar->plan && !soFar->current && soFar->isSearching());
    QVERIFY(window.headline().asText().contains(QStringLiteral("per step")));
    QTRY_VERIFY(window.headline().statusText().contains(QStringLiteral("best so far")));
    for (const char* id : {"topology", "stages", "memory", "communication", "timeline"}) {
      window.views().reveal(QLatin1String(id));
      const QString said = window.views().view(QLatin1String(id))->figure()->asText(*soFar);
      QVERIFY2(!said.contains(QStringLiteral("Searching")), qPrintable(id + said));  // no pane that waits
    }
    const QString banner = bannerOf(*window.session().context());
    QVERIFY2(banner.startsWith(QStringLiteral("Best plan so far. Searching")), qPrintable(banner));
    go = true;
    QTRY_VERIFY(window.session().context()->current);
    QVERIFY(!window.session().context()->soFar);
    QVERIFY(window.session().context()->plan->evaluation.batchTime <= soFar->plan->evaluation.batchTime);
  }

  /// The palette gives the focus back to where it was: a view that now lies behind is not the one in front.
  void theViewInFrontIsTheOneSeen() {
    WindowBench f;
    QTRY_VERIFY(f.solved());
    ViewsArea& views = f.window.views();
    views.reveal(QStringLiteral("compare"));
    auto* inCompare = views.view(QStringLiteral("compare"))->findChild<QPushButton*>();
    QTRY_VERIFY(inCompare->isVisible());
    inCompare->setFocus();
    QTRY_COMPARE(views.current()->id(), QStringLiteral("compare"));
    views.reveal(QStringLiteral("study"));
    QTRY_VERIFY(views.view(QStringLiteral("study"))->isInSight());
    f.window.setFocus();
    inCompare->setFocus();
    QCoreApplication::processEvents();
    QCOMPARE(views.current()->id(), QStringLiteral("study"));
    // So is a tab that is brought forward with the mouse.
    auto* bar = [&]() -> QTabBar* {
      for (auto* b : views.findChildren<QTabBar*>())
        for (int i = 0; i < b->count(); ++i)
          if (b->tabText(i) == QStringLiteral("Timeline")) return b;
      return nullptr;
    }();
    QVERIFY(bar);
    for (int i = 0; i < bar->count(); ++i)
      if (bar->tabText(i) == QStringLiteral("Timeline"))
        QTest::mouseClick(bar, Qt::LeftButton, {}, bar->tabRect(i).center());
    QTRY_COMPARE(views.current()->id(), QStringLiteral("timeline"));
  }

  /// The headline gives the plan's time anew after an edit: what the search listed before it is marked, also
  /// where the view has no room for its verdict.
  void whatWasListedBeforeAnEditSaysSo() {
    WindowBench f(teachingSample(), false, {1500, 850});
    QTRY_VERIFY(f.solved());
    f.trigger("view.below");
    f.window.views().reveal(QStringLiteral("search"));
    View* search = f.window.views().view(QStringLiteral("search"));
    const auto marked = [&] {
      for (const auto* label : search->findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(QStringLiteral("before your last edit")))
          return true;
      return false;
    };
    QTRY_VERIFY(search->isVisible() && search->height() < 340);
    QVERIFY(!marked());
    f.trigger("plan.live");
    f.window.document().edit({}, QStringLiteral("Slower devices"), [](Scenario& s) {
      s.cluster.device.peak.value = s.cluster.device.peak.value / 2.0;
    });
    QTRY_VERIFY(marked());
    f.trigger("plan.solve");
    QTRY_VERIFY(f.solved() && !marked());
  }

  void everyCommandIsReachable() {
    WindowBench f;
    QStringList keys;
    for (const auto& entry : f.window.actions().entries()) {
      QVERIFY(!entry.spec.text.isEmpty());
      QVERIFY(entry.action->toolTip().contains(entry.action->shortcut().toString(QKeySequence::NativeText)));
      if (entry.action->shortcut().isEmpty()) continue;
      QVERIFY2(!keys.contains(entry.action->shortcut().toString()), qPrintable(entry.spec.id));
      keys += entry.action->shortcut().toString();
    }
    f.window.actions().find(QStringLiteral("view.theme"))->trigger();
    QVERIFY(QApplication::palette().color(QPalette::Window).lightnessF() < 0.5);
    f.window.actions().find(QStringLiteral("view.theme"))->trigger();
  }
};

NEST_TEST(TestMainWindow)
#include "test_main_window.moc"
