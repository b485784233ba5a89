#include <QtTest/QTest>

#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "plan/plan_edit.h"
#include "support/desk.h"

using namespace nest;

namespace {

struct Opened : test::Desk {
  CutView view{services()};

  Opened() { show(view, {900, 600}); }
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
    Opened o;
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
  void keysMoveTheChosenCut() {
    Opened o;
    const int before = firstLayerOf(*o.view.canvas().plan(), 1);
    QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    QCOMPARE(firstLayerOf(*o.view.canvas().plan(), 1), before - 1);
    for (int i = 0; i < 20; ++i) QTest::keyClick(&o.view.canvas(), Qt::Key_Left);
    QCOMPARE(firstLayerOf(*o.view.canvas().plan(), 1), 1);  // every stage keeps a layer
  }
  void pinningACutBindsTheNextSolve() {
    Opened o;
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
