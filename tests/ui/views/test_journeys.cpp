#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <set>

#include "document/scenario_document.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "editors/network/topology_view.h"
#include "figures/plan/timeline_figure.h"
#include "measures/pace.h"
#include "support/desk.h"
#include "units/amount.h"
#include "views/compare/compare_view.h"
#include "views/failure_strip.h"
#include "views/figure_canvas.h"
#include "views/figure_pane.h"
#include "views/figure_views.h"
#include "views/search/candidate_model.h"
#include "views/search/search_view.h"
#include "views/study/study_controls.h"
#include "views/study/study_view.h"

using namespace nest;

using test::buttonOf;
using test::Desk;

/// What people do in the views that ask, compare and study, with mouse and keys.
class TestJourneys : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void askWhyNot() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    auto* field = view.findChild<QLineEdit*>(QString(), Qt::FindChildrenRecursively);
    for (auto* f : view.findChildren<QLineEdit*>())
      if (f->accessibleName() == QStringLiteral("Why not")) field = f;
    QVERIFY(field);
    QTest::mouseClick(field, Qt::LeftButton);
    QTest::keyClicks(field, QStringLiteral("p=1"));
    QTest::keyClick(field, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(view.answer().contains(QStringLiteral("Why not")), 20000);
    QTest::keyClicks(field, QStringLiteral(" and nonsense"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(!view.answer().contains(QStringLiteral("Why not")));
  }

  void askAboutACandidate() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    QTableView* table = nullptr;
    for (auto* t : view.findChildren<QTableView*>())
      if (t->accessibleName().startsWith(QStringLiteral("Candidates"))) table = t;
    QVERIFY(table && table->model()->rowCount() > 1);
    QCOMPARE(table->model()->index(0, CandidateModel::Result).data().toString(), QStringLiteral("best"));
    table->setFocus();
    table->setCurrentIndex(table->model()->index(1, 0));
    QTest::keyClick(table, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(view.answer().contains(QStringLiteral("Why not")), 20000);
  }

  void candidatesAreAProperModel() {
    Desk desk;
    CandidateModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setOutcome(desk.context.outcome);
    QVERIFY(model.rowCount() > 0);
    for (int r = 0; r < model.rowCount(); ++r)
      QVERIFY(!model.index(r, CandidateModel::Result).data().toString().isEmpty());
    model.setOutcome(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }
  /// The pace stands beside the step time, of what was solved alone.
  void candidatesHaveTheirPace() {
    Desk desk;
    CandidateModel model;
    model.setOutcome(desk.context.outcome, desk.context.problem);
    const double best = paceOf(*desk.context.problem, *desk.context.plan).tokensPerSecond();
    int paced = 0;
    for (int r = 0; r < model.rowCount(); ++r) {
      const QString pace = model.index(r, CandidateModel::Throughput).data().toString(),
                    result = model.index(r, CandidateModel::Result).data().toString();
      if (result == QLatin1String("best")) QCOMPARE(pace, QString::fromStdString(text::amount(best)));
      if (result == QLatin1String("pruned")) QVERIFY(pace.isEmpty());
      paced += pace.isEmpty() ? 0 : 1;
    }
    QVERIFY(paced > 1);
  }
  void candidatesAreFilteredByWords() {
    Desk desk;
    CandidateModel model;
    CandidateFilter filter;
    filter.setSourceModel(&model);
    model.setOutcome(desk.context.outcome);
    const int all = filter.rowCount();
    filter.setWords(QStringLiteral("  "));
    QCOMPARE(filter.rowCount(), all);
    // Words of different columns, in any order and case.
    const QString strategy = filter.index(0, CandidateModel::Strategy).data().toString(),
                  outcome = filter.index(0, CandidateModel::Result).data().toString();
    filter.setWords(outcome.toUpper() + QStringLiteral(", ") + strategy);
    QVERIFY(filter.rowCount() > 0 && filter.rowCount() < all);
    for (int r = 0; r < filter.rowCount(); ++r)
      QVERIFY(filter.index(r, CandidateModel::Strategy).data().toString().contains(strategy));
    filter.setWords(strategy + QStringLiteral(" nowhere"));
    QCOMPARE(filter.rowCount(), 0);
  }
  void noTwoCandidatesReadTheSame() {
    Desk desk;
    Scenario scenario = desk.document.scenario();
    scenario.search.chunksPerStage = {1, 2};
    scenario.search.schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::Interleaved,
                                 ScheduleKind::ZbH1, ScheduleKind::ZbV, ScheduleKind::DualPipeV};
    const Problem problem = *buildProblem(scenario);
    CandidateModel model;
    model.setOutcome(std::make_shared<const Outcome>(solve(problem)));
    std::set<QString> seen;
    bool anyChunks = false, anyZeroBubble = false, anyFolded = false;
    for (int r = 0; r < model.rowCount(); ++r) {
      QString row;
      for (const int c : {CandidateModel::Microbatch, CandidateModel::Strategy, CandidateModel::Data,
                          CandidateModel::Stages})
        row += model.index(r, c).data().toString() + QLatin1Char('|');
      anyChunks = anyChunks || row.contains(QStringLiteral("VPP2"));
      anyZeroBubble = anyZeroBubble || row.contains(QStringLiteral(" ZB-H1"));
      anyFolded = anyFolded || row.contains(QStringLiteral(" DualPipeV"));
      QVERIFY2(seen.insert(row).second, qPrintable(row));
    }
    QVERIFY(anyChunks && anyZeroBubble && anyFolded);
  }

  void findTheWholeFront() {
    Desk desk("llama2-7b-h100-128.nest.json");
    QCOMPARE(desk.context.outcome->frontReach, FrontReach::Encountered);
    SearchView view(desk.services());
    desk.show(view);
    auto* tabs = view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    QLabel* reach = nullptr;
    for (auto* l : view.findChildren<QLabel*>())
      if (l->accessibleName() == QStringLiteral("Completeness of the front")) reach = l;
    QVERIFY(reach && reach->text() == QStringLiteral("Partial front."));
    auto* find = buttonOf(view, QStringLiteral("Compute a wider front"));
    QVERIFY(find && find->isVisible() && find->isEnabled());
    // Cancelled at once: all as before.
    QTest::mouseClick(find, Qt::LeftButton);
    QVERIFY(find->isVisible() && !find->isEnabled());
    auto* cancel = buttonOf(view, QStringLiteral("Cancel"));
    QVERIFY(cancel && cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(find->isVisible() && find->isEnabled());
    QCOMPARE(view.context().outcome->frontReach, FrontReach::Encountered);
    // To its end.
    QTest::mouseClick(find, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(view.context().outcome->frontReach != FrontReach::Encountered, 60000);
    QVERIFY(!find->isEnabled());
    QVERIFY(reach->text().contains(view.context().outcome->frontReach >= FrontReach::CompleteInOrder
                                       ? QStringLiteral("Complete front")
                                       : QStringLiteral("Wider front")));
    // The figure below says what kind of plans these are: nothing is said twice.
    for (const char* said : {"fastest", "met", "there may be", "beat"})
      QVERIFY2(!reach->text().contains(QLatin1String(said)), qPrintable(reach->text()));
    QCOMPARE(view.context().outcome->plans.size(), desk.context.outcome->plans.size());
    QVERIFY(view.figure()->asText(view.context()) != view.figure()->asText(desk.context));
    if (!qEnvironmentVariableIsEmpty("NEST_PICTURES"))
      view.grab().save(qEnvironmentVariable("NEST_PICTURES") + QStringLiteral("/whole-front.png"));
    // Another scenario begins anew; back at this one the front is there at once.
    const FrontReach reached = view.context().outcome->frontReach;
    desk.document.edit({}, QStringLiteral("Double"), [](Scenario& s) { s.job.globalBatch *= 2; });
    desk.solveIt();
    view.setContext(desk.snapshot());
    QApplication::processEvents();
    QVERIFY(find->isEnabled());
    desk.document.history().undo();
    desk.solveIt();
    view.setContext(desk.snapshot());
    QTRY_COMPARE_WITH_TIMEOUT(view.context().outcome->frontReach, reached, 200);
    QVERIFY(!find->isEnabled());
  }

  void walkTheDpTable() {
    Desk desk;
    SearchView view(desk.services());
    desk.show(view);
    auto* tabs = view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(2);
    auto* canvas = tabs->currentWidget()->findChild<FigureCanvas*>();
    QVERIFY(canvas);
    canvas->setFocus();
    QTest::keyClick(canvas, Qt::Key_Down);
    QTest::keyClick(canvas, Qt::Key_Right);
    QVERIFY(!canvas->currentText().isEmpty());
    QVERIFY(desk.selection.selected());
    QCOMPARE(desk.selection.selected()->kind, ItemKind::Stage);
    QVERIFY(!view.figure()->asText(desk.context).isEmpty());
  }

  void compareWithBaselinesAndKept() {
    Desk desk;
    CompareView view(desk.services());
    desk.show(view);
    QCOMPARE(view.rowCount(), 1);
    QTest::mouseClick(buttonOf(view, QStringLiteral("Keep this plan")), Qt::LeftButton);
    QCOMPARE(view.rowCount(), 2);
    auto* run = buttonOf(view, QStringLiteral("Run baselines"));
    QTest::mouseClick(run, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(run->isEnabled(), 60000);
    QVERIFY(view.rowCount() > 4);
    auto* table = view.findChild<QTableWidget*>();
    QCOMPARE(table->rowCount(), view.rowCount());
    bool relative = false;
    for (int r = 0; r < table->rowCount(); ++r)
      relative = relative || table->item(r, 3)->text() == QStringLiteral("1 ×");
    QVERIFY2(relative, "Manual is once as fast as itself");
    // Two plans, stage by stage, by keyboard.
    auto* tabs = view.findChild<QTabWidget*>();
    tabs->setCurrentIndex(2);
    auto* canvas = tabs->currentWidget()->findChild<FigureCanvas*>();
    QTest::keyClick(canvas, Qt::Key_Home);
    QVERIFY(!canvas->currentText().isEmpty());
    QCOMPARE(desk.selection.selected()->kind, ItemKind::Stage);
    QVERIFY(view.figure()->asText(desk.context).contains(QStringLiteral("per step")));
  }

  void studyACurveAndAGrid() {
    Desk desk;
    StudyView view(desk.services());
    view.setWithBaselines(true);
    desk.show(view);
    view.chooseField(1);
    QTest::mouseClick(buttonOf(view, QStringLiteral("Run study")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(buttonOf(view, QStringLiteral("Run study"))->isEnabled(), 60000);
    QVERIFY(view.pointCount() > 2);
    QCOMPARE(view.curve().record().others.size(), std::size_t(5));
    QVERIFY(view.curve().asText(desk.context).contains(QStringLiteral("Manual")));
    FigureCanvas* canvas = nullptr;
    for (auto* c : view.findChildren<FigureCanvas*>())
      if (c->isVisible()) canvas = c;
    QVERIFY(canvas);
    QTest::keyClick(canvas, Qt::Key_Home);
    QTest::keyClick(canvas, Qt::Key_End);
    QCOMPARE(view.findChild<QTableWidget*>()->currentRow(), view.pointCount() - 1);

    view.chooseSecondField(2);
    QTest::mouseClick(buttonOf(view, QStringLiteral("Run study")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(buttonOf(view, QStringLiteral("Run study"))->isEnabled(), 60000);
    for (int r = 0; r < view.sweep().rows(); ++r)
      for (int x = 0; x < view.sweep().columns(); ++x) QVERIFY(view.sweep().cell(x, r));
    QVERIFY(view.figure() == &view.sweep());
  }

  /// Quantity, range, steps and threshold are what the study has, and each point can be looked at.
  void aStudyOfARange() {
    Desk desk;
    StudyView view(desk.services());
    desk.show(view);
    view.chooseField(1);
    view.chooseQuantity(StudyQuantity::StepTime);
    view.range().setRange(QStringLiteral("8"), QStringLiteral("32"), 3, StudyScale::Doubling);
    view.findChild<QLineEdit*>(QStringLiteral("threshold"))->setText(QStringLiteral("1000 s"));
    view.run();
    QTRY_VERIFY_WITH_TIMEOUT(!view.isBusy() && view.record().isWhole(), 60000);
    const StudyRecord& r = view.record();
    QCOMPARE(r.quantity, std::string("Step time, s"));
    QCOMPARE(r.across.size(), std::size_t(3));
    QCOMPARE(r.across.front().x, 8.0);
    QVERIFY(r.lessIsBetter && r.threshold == 1000);
    QVERIFY(r.results[1].y > r.results[0].y);
    QVERIFY(CurveFigure::thresholdText(r).contains(QStringLiteral("1,000 s or less at all")) ||
            CurveFigure::thresholdText(r).contains(QStringLiteral("or less at all")));
    const View::NamedPlan point = view.namedPlan(1);
    QVERIFY(point.context && point.context->plan && point.whyNotKept.isEmpty());
    QCOMPARE(point.context->plan->evaluation.batchTime.value(), r.results[1].y);
    QCOMPARE(point.context->scenario->job.globalBatch, 16);
    // What cannot be read, and what runs backwards, is said, and nothing is run.
    view.range().setRange(QStringLiteral("many"), {}, 0, StudyScale::Usual);
    view.run();
    QVERIFY(!view.isBusy());
    view.range().setRange(QStringLiteral("32"), QStringLiteral("8"), 0, StudyScale::Usual);
    view.run();
    QVERIFY(!view.isBusy());
    QCOMPARE(view.record().across.size(), std::size_t(3));
  }

  void aCancelledStudyKeepsWhatItHas() {
    Desk desk;
    StudyView view(desk.services());
    desk.show(view);
    view.chooseField(0);
    view.run();
    QTRY_VERIFY_WITH_TIMEOUT(view.pointCount() > 0, 20000);
    QTest::mouseClick(buttonOf(view, QStringLiteral("Cancel")), Qt::LeftButton);
    QTRY_VERIFY(buttonOf(view, QStringLiteral("Run study"))->isEnabled());
    QVERIFY(!view.isBusy());
    const int points = view.pointCount();
    QVERIFY(view.record().isWhole() ||
            view.figure()->asText(desk.context).contains(QStringLiteral("Cancelled after")));
    QCoreApplication::processEvents();  // whatever was still under way
    QCOMPARE(view.pointCount(), points);
    QVERIFY(buttonOf(view, QStringLiteral("Run study"))->isEnabled());
  }

  void hoveringAStageInTheCutsLightsItElsewhere() {
    Desk desk;
    CutView view(desk.services());
    desk.show(view);
    const QPointF cut = view.canvas().cutPosition(1);
    QTest::mouseMove(&view.canvas(), (cut + QPointF(14, 4)).toPoint());
    QTRY_VERIFY(desk.selection.hovered());
    QCOMPARE(desk.selection.hovered()->kind, ItemKind::Stage);
    QCOMPARE(desk.selection.hovered()->index, 1);
    auto* pane = view.findChild<FigurePane*>();
    pane->copyText();
    QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("recompute")));
    std::unique_ptr<QMenu> menu(pane->makeMenu(nullptr));
    QVERIFY(menu->actions().size() >= 7);
  }

  void breakADeviceAndRestoreIt() {
    Desk desk;
    TopologyView view(desk.services());
    desk.show(view);
    QTest::keyClick(view.canvas(), Qt::Key_Home);
    std::unique_ptr<QMenu> menu(view.makeMenu(nullptr));
    QAction* fail = nullptr;
    for (QAction* a : menu->actions())
      if (a->text().startsWith(QStringLiteral("Fail "))) {
        fail = a;
        break;
      }
    QVERIFY(fail);
    const Scenario before = desk.document.scenario();
    fail->trigger();
    QCOMPARE(lostPartsOf(desk.document.scenario()).failed.size(), std::size_t{1});
    desk.solveIt();
    view.setContext(std::make_shared<PlanContext>(desk.context));
    auto* loss = view.findChild<FailureStrip*>();
    QVERIFY(loss->isVisible());
    // All four devices are needed: the loss is the whole plan.
    QVERIFY2(loss->text().contains(QStringLiteral("Without failures: ")), qPrintable(loss->text()));
    QTest::mouseClick(buttonOf(*loss, QStringLiteral("Restore all")), Qt::LeftButton);
    QVERIFY(desk.document.scenario() == before);
    desk.document.history().undo();
    QCOMPARE(lostPartsOf(desk.document.scenario()).failed.size(), std::size_t{1});
  }

  void thePlayHeadLightsWhatRuns() {
    Desk desk;
    TimelineView view(desk.services());
    desk.show(view);
    view.canvas()->setFocus();
    for (int k = 0; k < 5; ++k) QTest::keyClick(view.canvas(), Qt::Key_Period);
    QVERIFY(desk.selection.playhead());
    QVERIFY(desk.selection.playhead()->at > Seconds());
    QVERIFY(!desk.selection.playhead()->running.empty());
    PlanContext other = desk.context;  // what ran at that time is not another plan's
    other.plan = std::make_shared<RankedPlan>(*other.plan);
    view.setContext(std::make_shared<PlanContext>(other));
    QVERIFY(!desk.selection.playhead());
  }
};
NEST_TEST(TestJourneys)
#include "test_journeys.moc"
