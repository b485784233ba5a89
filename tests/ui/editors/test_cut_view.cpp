#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>
#include <QTimer>
#include <QtTest/QTest>

#include "../figures/reading.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "figures/plan/memory_figure.h"
#include "plan/plan_edit.h"
#include "support/desk.h"

using namespace nest;

namespace {

struct OpenedCut : test::Desk {
  CutView view{services()};

  template <typename... File>
  explicit OpenedCut(const File&... file) : Desk(file...) {
    show(view, {900, 600});
  }
  void solveAgain() {
    solveIt();
    view.setContext(snapshot());
  }
};

}  // namespace

class TestCutView : public QObject {
  Q_OBJECT
private slots:
  void draggingACutCostsThePlanAndScoresIt() {
    OpenedCut o;
    QVERIFY(o.view.canvas().plan());
    QVERIFY(o.view.canvas().plan()->stageCount() > 1);
    QVERIFY(o.view.verdict().contains("the best plan"));
    const int before = firstLayerOf(*o.view.canvas().plan(), 1);
    const QPoint at = o.view.canvas().cutPosition(1).toPoint();
    QTest::mousePress(&o.view.canvas(), Qt::LeftButton, {}, at);
    QTest::mouseMove(&o.view.canvas(), QPoint(80, at.y()));
    QTest::mouseRelease(&o.view.canvas(), Qt::LeftButton, {}, QPoint(80, at.y()));
    QVERIFY(firstLayerOf(*o.view.canvas().plan(), 1) < before);
    QCOMPARE(o.view.canvas().evaluation().batchTime.value(),
             evaluate(*o.context.problem, *o.view.canvas().plan()).batchTime.value());
    QVERIFY(o.view.verdict().contains("regret +") || o.view.verdict().contains("does not run"));
    o.view.showOptimum();
    QCOMPARE(firstLayerOf(*o.view.canvas().plan(), 1), before);
  }
  void aDragIsUndone() {
    OpenedCut o;
    const Plan best = *o.view.canvas().plan();
    const auto drag = [&](int to) {
      const QPoint at = o.view.canvas().cutPosition(1).toPoint();
      QTest::mousePress(&o.view.canvas(), Qt::LeftButton, {}, at);
      for (int x : {(at.x() + to) / 2, to}) QTest::mouseMove(&o.view.canvas(), QPoint(x, at.y()));
      QTest::mouseRelease(&o.view.canvas(), Qt::LeftButton, {}, QPoint(to, at.y()));
    };
    drag(80);
    const Plan dragged = *o.view.canvas().plan();
    QVERIFY(!(dragged == best));
    QUndoStack& history = o.document.history();
    QCOMPARE(history.count(), 1);
    QVERIFY(history.text(0).startsWith(QStringLiteral("Drag the cut")));
    QVERIFY(!o.document.isModified());  // no scenario was changed
    history.undo();
    QVERIFY(*o.view.canvas().plan() == best);
    QVERIFY(o.view.verdict().contains("the best plan"));
    history.redo();
    QVERIFY(*o.view.canvas().plan() == dragged);
    o.view.showOptimum();
    QVERIFY(*o.view.canvas().plan() == best);
    history.undo();
    QVERIFY(*o.view.canvas().plan() == dragged);
    // Keys that follow each other are one step.
    const int steps = history.count();
    QTest::keyClick(&o.view.canvas(), Qt::Key_Right);
    QTest::keyClick(&o.view.canvas(), Qt::Key_Right);
    QCOMPARE(history.count(), steps + 0);  // in place of the step that was undone
    history.undo();
    QVERIFY(*o.view.canvas().plan() == dragged);
  }
  void theAxisStaysWhileACutIsDragged() {
    OpenedCut o;
    const auto& figure = static_cast<const CutFigure&>(*o.view.figure());
    const double before = figure.loadAxis();
    const double best = o.view.canvas().evaluation().maxLoad.value();
    QVERIFY(before > 1.5 * best && before < 1.65 * best);  // room for worse cuts, and bars that are seen
    o.view.canvas().moveCut(1, firstLayerOf(*o.view.canvas().plan(), 1) - 1);
    QVERIFY(o.view.canvas().evaluation().maxLoad.value() > best * 1.05);
    QCOMPARE(figure.loadAxis(), before);
    QCOMPARE(figure.draft()->best.size(), figure.draft()->evaluation.stages.size());
  }

  void aSlideAsksForNoDrag() {
    OpenedCut o;
    const auto asks = [&] {
      return !test::matching(test::wordsOf(*o.view.figure(), o.context, {900, 500}), "Drag").isEmpty();
    };
    QVERIFY(asks());
    o.view.showBare();
    QVERIFY(!asks());
  }

  void whatIsDrawnIsShownKeptAndUsed() {
    OpenedCut o;
    QSignalSpy told(&o.view, &CutView::handPlanChanged);
    o.view.canvas().moveCut(1, firstLayerOf(*o.view.canvas().plan(), 1) - 1);
    const Plan mine = *o.view.canvas().plan();
    QTRY_COMPARE(told.count(), 1);
    const auto hand = told.back().front().value<PlanContextPtr>();
    QVERIFY(hand && hand->byHand && hand->plan->plan == mine);
    QCOMPARE(hand->plan->evaluation.batchTime.value(), o.view.canvas().evaluation().batchTime.value());
    QVERIFY(MemoryFigure().asText(*hand) != MemoryFigure().asText(o.context));
    QTest::mouseClick(test::buttonOf(o.view, QStringLiteral("Keep")), Qt::LeftButton);
    QVERIFY(*o.document.scenario().keptPlans.at(0).plan == mine);
    o.view.hide();
    QTRY_COMPARE(told.count(), 2);
    QVERIFY(!told.back().front().value<PlanContextPtr>());
    o.view.show();
    QTest::mouseClick(test::buttonOf(o.view, QStringLiteral("Use cuts")), Qt::LeftButton);
    o.solveAgain();
    QCOMPARE(firstLayerOf(o.context.plan->plan, 1), firstLayerOf(mine, 1));
  }
  void draggingACutDimsNoStage() {
    OpenedCut o;
    const QPoint at = o.view.canvas().cutPosition(1).toPoint();
    QTest::mouseMove(&o.view.canvas(), at - QPoint(30, 0));
    QVERIFY(o.selection.hovered());
    QTest::mousePress(&o.view.canvas(), Qt::LeftButton, {}, at);
    QVERIFY(!o.selection.hovered());
    QTest::mouseRelease(&o.view.canvas(), Qt::LeftButton, {}, at);
  }
  /// A slide of a view that has nothing to show would be an empty page.
  void cutsThatCannotBeDraggedAreNoSlide() {
    const OpenedCut can;
    QCOMPARE(can.view.whyNotKept(), QString());
    const OpenedCut cannot("published/llama-3-405b-h100-16384.nest.json");
    QVERIFY(cannot.context.plan && cannot.context.plan->plan.chunksPerStage() > 1);
    QVERIFY(!cannot.view.whyNotKept().isEmpty());
  }
  /// What has no devices to run on exchanges nothing: its time would look faster than the best.
  void whatHasNoDevicesHasNoTime() {
    OpenedCut o("llama3-70b-h100-1024.nest.json");
    const int width = o.view.canvas().plan()->stages[1].strategy.width();
    while (o.view.canvas().plan()->stages[1].strategy.width() <= width) {
      QVERIFY(o.view.verdict().contains("Yours:"));
      QTest::keyClick(&o.view.canvas(), Qt::Key_T);
    }
    QVERIFY(o.view.verdict().contains("devices, the cluster has"));
    QVERIFY(o.view.verdict().contains("Yours does not run"));
    QVERIFY(!o.view.verdict().contains("Yours:"));
  }
  void aStageTakesAnotherStrategy() {
    OpenedCut o;
    const auto& all = o.context.problem->profile->strategies();
    QVERIFY(all.size() > 1);
    const Strategy before = o.view.canvas().plan()->stages[1].strategy;
    const Plan packed = *o.view.canvas().plan();
    QTest::keyClick(&o.view.canvas(), Qt::Key_T);  // the stage behind the chosen cut
    const Plan& now = *o.view.canvas().plan();
    QVERIFY(now.stages[1].strategy != before);
    QCOMPARE(now.stages[0].strategy, packed.stages[0].strategy);
    QVERIFY(now.blockStride >= now.pipelineWidth());
    const Evaluation again = evaluate(*o.context.problem, now);
    QCOMPARE(o.view.canvas().evaluation().batchTime.value(), again.batchTime.value());
    QVERIFY(o.view.verdict().contains("regret") || o.view.verdict().contains("does not run"));
    for (std::size_t k = 1; k < all.size(); ++k) QTest::keyClick(&o.view.canvas(), Qt::Key_T);
    QCOMPARE(o.view.canvas().plan()->stages[1].strategy, before);
    // The menu on the stage offers them all, and what is chosen there can be pinned.
    QMenu strategies;
    o.view.canvas().addStrategies(strategies, 0);
    QCOMPARE(strategies.actions().size(), static_cast<qsizetype>(all.size()));
    strategies.actions().back()->trigger();
    QCOMPARE(o.view.canvas().plan()->stages[0].strategy, all.back());
    o.view.pinStage(0);
    QCOMPARE(o.document.scenario().constraints.stagePins.size(), std::size_t(1));
    QCOMPARE(*o.document.scenario().constraints.stagePins.front().strategy, all.back());
  }
  void aRightClickIsAboutWhatItIsOn() {
    OpenedCut o;
    const QPoint at = o.view.canvas().cutPosition(1).toPoint() + QPoint(20, 0);
    QContextMenuEvent menu(QContextMenuEvent::Mouse, at, o.view.canvas().mapToGlobal(at));
    QTimer::singleShot(0, [] {
      if (QWidget* open = QApplication::activePopupWidget()) open->close();
    });
    QApplication::sendEvent(&o.view.canvas(), &menu);
    QVERIFY(o.selection.selected());
    QCOMPARE(*o.selection.selected(), (SelectionItem{ItemKind::Stage, 1}));
  }
  void pinsAreShownPricedAndLetGo() {
    OpenedCut o;
    for (int k = 0; k < 2; ++k) QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    auto* pin = test::buttonOf(o.view, QStringLiteral("Pin this cut"));
    QVERIFY(pin);
    QTest::mouseClick(pin, Qt::LeftButton);
    QCOMPARE(o.document.scenario().constraints.layerPins.size(), std::size_t(2));
    o.solveAgain();
    QVERIFY2(o.view.verdict().contains("the pins cost +"), qPrintable(o.view.verdict()));
    QVERIFY2(o.view.verdict().contains("(pinned)"), qPrintable(o.view.verdict()));
    QCOMPARE(pin->text(), QStringLiteral("Unpin this cut"));
    QTest::mouseClick(pin, Qt::LeftButton);
    QVERIFY(o.document.scenario().constraints.layerPins.empty());
    o.solveAgain();
    QCOMPARE(pin->text(), QStringLiteral("Pin this cut"));
    QVERIFY2(!o.view.verdict().contains("pin"), qPrintable(o.view.verdict()));
  }
  void keysMoveTheChosenCut() {
    OpenedCut o;
    const int before = firstLayerOf(*o.view.canvas().plan(), 1);
    QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    QCOMPARE(firstLayerOf(*o.view.canvas().plan(), 1), before - 1);
    for (int i = 0; i < 20; ++i) QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    QCOMPARE(firstLayerOf(*o.view.canvas().plan(), 1), 1);  // every stage keeps a layer
  }
  void pinningACutBindsTheNextSolve() {
    OpenedCut o;
    QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    const int cut = firstLayerOf(*o.view.canvas().plan(), 1);
    o.view.pinCut();
    QCOMPARE(o.document.scenario().constraints.layerPins.size(), std::size_t(2));
    o.solveAgain();
    QVERIFY(o.context.outcome->best());
    QCOMPARE(firstLayerOf(o.context.outcome->best()->plan, 1), cut);
    o.view.clearPins();
    QVERIFY(o.document.scenario().constraints.layerPins.empty());
    o.document.history().undo();
    QCOMPARE(o.document.scenario().constraints.layerPins.size(), std::size_t(2));
  }
};
NEST_TEST(TestCutView)
#include "test_cut_view.moc"
