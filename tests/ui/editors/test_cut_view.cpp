#include <QtTest/QTest>

#include "cluster/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "formats/scenario_json.h"
#include "plan/plan_edit.h"
#include "solver/solve.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Opened {
  ScenarioDocument document;
  Selection selection;
  CutView view{{&selection, &document, nullptr}};
  PlanContext context;

  Opened() {
    const std::string dir = std::string(NEST_SOURCE_DIR) + "/samples/";
    auto scenario = readScenario(test::readFile(dir + "teaching-6-layers-2x2.nest.json"), "teaching",
                                 [&](const std::string& path) {
                                   Reading<std::string> r;
                                   r.value = test::readFile(dir + path);
                                   return r;
                                 });
    document.reset(*scenario, {});
    solveIt();
    view.resize(900, 600);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
  }
  void solveIt() {
    context = {};
    context.scenario = document.snapshot();
    context.problem = std::make_shared<const Problem>(*buildProblem(document.scenario()).value);
    auto outcome = std::make_shared<const Outcome>(solve(*context.problem));
    context.outcome = outcome;
    context.plan = std::shared_ptr<const RankedPlan>(outcome, outcome->best());
    view.setContext(std::make_shared<PlanContext>(context));
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
    o.solveIt();
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
