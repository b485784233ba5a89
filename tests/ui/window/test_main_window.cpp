#include "window/main_window.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
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

#include "editors/bound_line.h"
#include "editors/scenario_panel.h"
#include "fields/field.h"
#include "figures/figure.h"
#include "inspector/inspector.h"
#include "inspector/term_model.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "scenario/search_menus.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "window/command_palette.h"
#include "window/headline.h"
#include "window/message_bar.h"
#include "window/views_area.h"

using namespace nest;

namespace {

Outcome solveProblem(const Problem& p, const Control& c, const Plan* start) {
  return solve(p, c, start);
}

QString teaching() {
  for (const QString& path : samplePaths())
    if (path.contains(QLatin1String("teaching"))) return path;
  return {};
}

class Fixture {
public:
  explicit Fixture(const WindowOptions& o = options()) : window(solveProblem, o) {
    window.openPath(teaching());
    window.show();
    QApplication::setActiveWindow(&window);
  }
  bool solved() const {
    const auto& c = *const_cast<MainWindow&>(window).session().context();
    return c.plan && c.current;
  }
  BoundLine* line(const char* id) { return window.findChild<BoundLine*>(QLatin1String(id)); }

  MainWindow window;

private:
  static WindowOptions options() {
    WindowOptions o;
    o.theme = Theme::Kind::Light;
    o.size = {1400, 950};
    o.remembers = false;
    return o;
  }
};

}  // namespace

class TestMainWindow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void opensSolvedAndSaysSo() {
    Fixture f;
    QTRY_VERIFY(f.solved());
    QVERIFY2(f.window.headline().asText().contains(QStringLiteral("per step")),
             qPrintable(f.window.headline().asText()));
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("Optimal")));
    for (View* view : f.window.views().views()) QVERIFY(view->context().plan);
  }

  void aNarrowWindowBeginsWithoutPanelsAndOffersThem() {
    WindowOptions o;
    o.size = {600, 400};
    o.remembers = false;
    Fixture f(o);
    QTRY_VERIFY(f.solved());
    QCOMPARE(f.window.size(), QSize(600, 400));
    for (const char* name : {"panel", "inspector"}) {
      auto* dock = f.window.findChild<QDockWidget*>(QLatin1String(name));
      QVERIFY(dock && dock->isHidden());
      QToolButton* way = nullptr;
      for (auto* b : f.window.headline().findChildren<QToolButton*>())
        if (b->text() == (QLatin1String(name) == QLatin1String("panel") ? QStringLiteral("Show scenario")
                                                                        : QStringLiteral("Show inspector")))
          way = b;
      QVERIFY(way && way->isVisible());
      way->click();
      QVERIFY(dock->isVisible());
      QTRY_VERIFY(!way->isVisible());
      QCOMPARE(f.window.size(), QSize(600, 400));
      dock->hide();
      QTRY_VERIFY(way->isVisible());
    }
  }

  void typingReplansAndUndoReturns() {
    Fixture f;
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
    Fixture f;
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
    Fixture f;
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
    Fixture f;
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
    Fixture f;
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
    Fixture f;
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
    Fixture f;
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

  void issuesSayWhereAFieldStandsByItsLabel() {
    IssueModel model;
    const char* key = "/search/context_parallel";
    model.setScenarioDiagnostics({note("not-tried", {"", 0, 0, key}, "CP is not searched")});
    const QString where = model.index(0, IssueModel::Where).data().toString();
    QVERIFY2(where.endsWith(QString::fromStdString(findField(key)->label)), qPrintable(where));
    QVERIFY(!where.contains(u'/'));
  }

  /// A long path took the room of what is wrong and what to do.
  void issuesNameAFileWithoutItsFolders() {
    IssueModel model;
    model.setScenarioDiagnostics(
        {warning("cut-off", {"/data/runs/2026/log.txt", 12, 0, ""}, "it ends early")});
    const QModelIndex where = model.index(0, IssueModel::Where);
    QCOMPARE(where.data().toString(), QStringLiteral("log.txt:12"));
    QVERIFY(where.data(Qt::ToolTipRole).toString().contains(QStringLiteral("/data/runs/2026/log.txt:12")));
  }

  /// A message was cut off beside an empty "What to do".
  void aMessageWithoutARemedyHasItsRoom() {
    IssueModel model;
    IssueView view;
    view.setModel(&model);
    model.setScenarioDiagnostics({note("short", {}, "stage 1 needs more"),
                                  note("not-tried", {}, "CP is not searched", "set it to true")});
    QCOMPARE(model.rowCount(), 2);
    for (int row = 0; row < 2; ++row) {
      const bool says = !model.index(row, IssueModel::Remedy).data().toString().isEmpty();
      QCOMPARE(view.columnSpan(row, IssueModel::Message), says ? 1 : 2);
    }
    model.setScenarioDiagnostics({note("not-tried", {}, "CP is not searched", "set it to true")});
    QCOMPARE(view.columnSpan(0, IssueModel::Message), 1);
  }

  /// A remedy that names a field and its value is done with a click, while it makes a difference.
  void remediesAreDone() {
    IssueModel model;
    model.setScenarioDiagnostics(
        {note("not-tried", {}, "CP is not searched", "`search.context_parallel = true` to search it"),
         note("other", {}, "Something", "offer others in `search.schedules`")});
    PlanContext context;
    Scenario scenario;
    context.scenario = std::make_shared<const Scenario>(scenario);
    model.setPlan(context);
    QCOMPARE(model.index(0, IssueModel::Remedy).data().toString(),
             QStringLiteral("Select \"Offer context degrees\" to search it"));
    QCOMPARE(model.index(1, IssueModel::Remedy).data().toString(),
             QStringLiteral("Offer others in \"Schedules\""));
    QVERIFY(!model.mendOf(model.index(1, 0)));
    const IssueModel::Mend* mend = model.mendOf(model.index(0, 0));
    QVERIFY(mend);
    QCOMPARE(mend->verb, QStringLiteral("Select \"Offer context degrees\""));
    QVERIFY(!scenario.search.contextParallel);
    mend->edit(scenario);
    QVERIFY(scenario.search.contextParallel);
    context.scenario = std::make_shared<const Scenario>(scenario);
    model.setPlan(context);
    QVERIFY(!model.mendOf(model.index(0, 0)));
  }

  /// What an import proposed does not follow the sequences by itself; one click lets it.
  void aSearchForOtherSequencesIsProposedAgain() {
    Fixture f;
    QTRY_VERIFY(f.solved());
    auto* issues = f.window.findChild<IssueModel*>();
    IssueView* pane = nullptr;
    for (auto* v : f.window.findChildren<IssueView*>())
      if (v->model() == issues) pane = v;
    QVERIFY(issues && pane);
    QAbstractItemModelTester tester(issues, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const auto repair = [&] {
      for (int row = 0; row < issues->rowCount(); ++row)
        if (const auto* mend = issues->mendOf(issues->index(row, 0));
            mend && mend->verb == QStringLiteral("Propose search options again"))
          return issues->index(row, int(IssueModel::Repair));
      return QModelIndex();
    };
    ScenarioDocument& document = f.window.document();
    const auto edit = [&](int length, bool proposes) {
      document.closeStep();
      document.edit({}, QStringLiteral("x"), [&](Scenario& s) {
        s.job.sequenceLength = length;
        if (proposes) proposeSearch(s);
      });
    };
    edit(16384, true);
    QVERIFY(!repair().isValid());
    edit(2048, false);
    QVERIFY(repair().isValid());
    QVERIFY(issues->index(repair().row(), IssueModel::Remedy).data().toString().contains("2,048 tokens"));
    f.window.findChild<QDockWidget*>(QStringLiteral("below"))->show();
    QTRY_VERIFY(!pane->isColumnHidden(IssueModel::Repair));
    pane->scrollTo(repair());
    QTest::mouseClick(pane->viewport(), Qt::LeftButton, {}, pane->visualRect(repair()).center());
    QVERIFY(!repair().isValid());
    QVERIFY(isSearchAsProposed(document.scenario()));
    document.history().undo();
    QVERIFY(repair().isValid());
    document.history().undo();
    QVERIFY(!repair().isValid());
    document.history().redo();
    QVERIFY(repair().isValid());
  }

  /// Who types the name of a view gets the view, not a field or a stage that has the letters, too.
  void paletteFindsViewsByTheirNames() {
    Fixture f;
    for (const View* view : f.window.views().views()) {
      f.window.actions().find(QStringLiteral("edit.find"))->trigger();
      auto* palette = f.window.findChild<CommandPalette*>();
      QVERIFY(palette);
      palette->findChild<QLineEdit*>()->setText(view->title());
      const QString first = palette->findChild<QListWidget*>()->item(0)->text();
      QVERIFY2(first.startsWith(QStringLiteral("Show ") + view->title().toLower()), qPrintable(first));
      delete palette;
    }
  }

  void paletteSaysThatNothingMatches() {
    Fixture f;
    f.window.actions().find(QStringLiteral("edit.find"))->trigger();
    auto* palette = f.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    query->setText(QStringLiteral("qqqq"));
    const auto* list = palette->findChild<QListWidget*>();
    QCOMPARE(list->count(), 1);
    QVERIFY(list->item(0)->text().contains(QStringLiteral("qqqq")));
    QTest::keyClick(query, Qt::Key_Return);  // does nothing
    QVERIFY(palette->isVisible());
    delete palette;
  }

  void paletteFindsCommandsAndFields() {
    QVERIFY(CommandPalette::match(QStringLiteral("sa"), QStringLiteral("Save as")) >
            CommandPalette::match(QStringLiteral("sa"), QStringLiteral("Show glossary")));
    QCOMPARE(CommandPalette::match(QStringLiteral("xyz"), QStringLiteral("Save")), -1);
    Fixture f;
    f.window.actions().find(QStringLiteral("edit.find"))->trigger();
    auto* palette = f.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    QTest::keyClicks(query, QStringLiteral("global batch"));
    QTest::keyClick(query, Qt::Key_Return);
    QTRY_COMPARE(f.window.focusWidget(), static_cast<QWidget*>(f.line("/job/global_batch")));
  }

  void closingShowsTheSamples() {
    Fixture f;
    QTRY_VERIFY(f.solved());
    f.window.showGallery();
    QVERIFY(f.window.document().isEmpty());
    QVERIFY(!f.window.views().isVisible());
    QVERIFY(f.window.headline().asText().contains(QStringLiteral("No scenario")));
    QVERIFY(!f.window.session().context()->plan);
  }

  void aFileThatCannotBeReadIsToldInTheWindow() {
    Fixture f;
    const auto generation = f.window.document().generation();
    QVERIFY(!f.window.openPath(QStringLiteral("/nowhere/absent.nest.json")));
    QVERIFY(f.window.messages().text().contains(QStringLiteral("absent.nest.json")));
    QCOMPARE(f.window.document().generation(), generation);
  }

  void everythingThatTakesFocusHasAName() {
    Fixture f;
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
    Fixture f;
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
    window.openPath(teaching());
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

  /// The palette gives the focus back to where it was: a view that now lies behind is not the one in front.
  void theViewInFrontIsTheOneSeen() {
    Fixture f;
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

  void everyCommandIsReachable() {
    Fixture f;
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
