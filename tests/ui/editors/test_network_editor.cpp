#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QSplitter>
#include <QtTest/QTest>

#include "cluster/graph/graph_edit.h"
#include "editors/network/kind_table_model.h"
#include "editors/network/network_side.h"
#include "editors/network/node_table_model.h"
#include "solver/solve.h"
#include "support/desk.h"
#include "ui/editors/network_fixture.h"

using namespace nest;

using test::sample;
using test::smallScenario;
using Opened = test::OpenedNetwork;

class TestNetworkEditor : public QObject {
  Q_OBJECT
private slots:
  void levelsAreDrawnByOneButtonAndUndone() {
    Opened o;
    QVERIFY(!o.isDrawn());
    o.draw();
    QVERIFY(o.isDrawn());
    QCOMPARE(o.drawn().deviceCount(), 8);
    o.document.history().undo();
    QVERIFY(!o.isDrawn());
  }
  void thePanelComesBackWhateverWasKept() {
    Opened o;
    auto* side = o.editor.findChild<NetworkSide*>();
    QVERIFY(!side->isVisible());  // levels that were typed stand in the scenario's own panel
    o.draw();
    View::State state = o.editor.state();
    state["split.0"] = 1.0, state["split.1"] = 0.0;
    o.editor.setState(state);
    o.editor.resize(1201, 800);
    QApplication::processEvents();
    QVERIFY(side->isVisible());
    QVERIFY2(side->width() > 100, qPrintable(QString::number(side->width())));
    // Nor can the hand push it away for good.
    auto* split = qobject_cast<QSplitter*>(side->parentWidget());
    split->setSizes({1200, 0});
    QApplication::processEvents();
    QVERIFY(side->width() > 100);
  }
  void whatIsForgottenIsGoneWhole() {
    Opened o;
    o.draw();
    o.editor.canvas().select({0, 1}, {0});
    o.editor.canvas().forget();
    QVERIFY(o.editor.canvas().graph().nodes.empty());
    QVERIFY(o.editor.canvas().selectedNodes().empty() && o.editor.canvas().selectedLinks().empty());
    o.editor.resize(900, 700);  // fits what is drawn
    QTest::mouseMove(&o.editor.canvas(), QPoint(200, 200));
    QTest::mouseClick(&o.editor.canvas(), Qt::LeftButton, {}, QPoint(200, 200));
    QVERIFY(!o.editor.canvas().grab().isNull());
  }
  void aNameBeingTypedDoesNotOutliveItsNode() {
    Opened o;
    o.draw();
    NetworkCanvas& canvas = o.editor.canvas();
    const int last = int(o.drawn().nodes.size()) - 1;
    canvas.select({last}, {});
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_F2);
    QVERIFY(canvas.findChild<QLineEdit*>());
    o.document.edit({}, QStringLiteral("Start"), [](Scenario& s) { s.cluster.network = GraphSource{}; });
    QApplication::processEvents();
    QVERIFY(o.drawn().nodes.empty());
    QVERIFY(!canvas.findChild<QLineEdit*>() || !canvas.findChild<QLineEdit*>()->isVisible());
  }
  void editsOfTheSelectionNeedOne() {
    Opened o;
    o.draw();
    const auto action = [&](const QString& text) {
      for (QAction* a : o.editor.findChildren<QAction*>())
        if (a->text() == text) return a;
      return static_cast<QAction*>(nullptr);
    };
    for (const char* name : {"Fail", "Delete", "Duplicate…", "Align", "Group"}) {
      o.editor.canvas().select({}, {});
      QVERIFY2(!action(QString::fromUtf8(name))->isEnabled(), name);
      o.editor.canvas().select({0}, {});
      QVERIFY2(action(QString::fromUtf8(name))->isEnabled(), name);
    }
  }
  void clickAndDeleteRemovesALinkedHost() {
    Opened o;
    o.draw();
    o.canvas().fit();
    o.canvas().select({o.numberOf("host1")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_Delete);
    QCOMPARE(o.drawn().deviceCount(), 4);
    QCOMPARE(o.document.history().undoText(), QString("Delete host1"));
    o.document.history().undo();
    QCOMPARE(o.drawn().deviceCount(), 8);
  }
  void dragMovesThePictureAndIsOneStep() {
    Opened o;
    o.draw();
    o.canvas().fit();
    const int leaf = o.numberOf("leaf 0");
    const double before = o.drawn().nodes[std::size_t(leaf)].x;
    const int steps = o.document.history().count();
    const QPoint at = o.centreOf("leaf 0");
    QTest::mousePress(&o.canvas(), Qt::LeftButton, {}, at);
    for (int d = 10; d <= 60; d += 10) QTest::mouseMove(&o.canvas(), at + QPoint(d, 0));
    // The document hears of it at the end: a place means nothing to the plan.
    QCOMPARE(o.drawn().nodes[std::size_t(leaf)].x, before);
    QVERIFY(o.canvas().graph().nodes[std::size_t(leaf)].x > before + 20);
    QTest::mouseRelease(&o.canvas(), Qt::LeftButton, {}, at + QPoint(60, 0));
    QCOMPARE(o.document.history().count(), steps + 1);
    QVERIFY(o.drawn().nodes[std::size_t(leaf)].x > before + 20);
  }
  /// Files often have no places. The first one that is chosen must not throw all others onto one point.
  void placesThatWereFoundAreKept() {
    Opened o;
    o.draw();
    o.document.edit({}, "forget the places", [](Scenario& s) {
      for (NetworkNode& n : std::get<GraphSource>(s.cluster.network).graph.nodes) n.x = n.y = 0;
    });
    QVERIFY(graph::needsLayout(o.drawn()));
    o.canvas().fit();
    const auto shown = o.canvas().graph().nodes;
    o.canvas().select({o.numberOf("host0")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_D, Qt::ControlModifier);
    for (std::size_t n = 0; n < shown.size(); ++n)
      QVERIFY2(o.drawn().nodes[n].x == shown[n].x && o.drawn().nodes[n].y == shown[n].y,
               shown[n].name.c_str());
    o.document.history().undo();
    QVERIFY(graph::needsLayout(o.drawn()));
  }
  void switchesAreAddedAndConnectedByMouse() {
    Opened o;
    o.draw();
    o.canvas().fit();
    o.canvas().setTool(NetworkCanvas::Tool::AddSwitch);
    const QPoint corner(o.canvas().width() - 60, 30);
    QTest::mouseClick(&o.canvas(), Qt::LeftButton, {}, corner);
    const auto links = o.drawn().links.size();
    QCOMPARE(o.canvas().tool(), NetworkCanvas::Tool::AddSwitch);
    const std::string made = o.drawn().nodes.back().name;
    QCOMPARE(o.drawn().nodes.back().kind, NodeKind::Switch);
    o.canvas().setTool(NetworkCanvas::Tool::Connect);
    QTest::mousePress(&o.canvas(), Qt::LeftButton, {}, o.centreOf(made));
    QTest::mouseMove(&o.canvas(), o.centreOf("leaf 0"));
    QTest::mouseRelease(&o.canvas(), Qt::LeftButton, {}, o.centreOf("leaf 0"));
    QCOMPARE(o.drawn().links.size(), links + 1);
  }
  void duplicateCopyAndPaste() {
    Opened o;
    o.draw();
    o.canvas().select({o.numberOf("host0")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(o.drawn().deviceCount(), 12);
    o.canvas().select({o.numberOf("host0")}, {});
    o.canvas().copySelected();
    QVERIFY(QGuiApplication::clipboard()->text().contains("\"nodes\""));
    o.canvas().paste();
    QCOMPARE(o.drawn().deviceCount(), 16);
    while (o.document.history().canUndo()) o.document.history().undo();
    QVERIFY(o.document.scenario() == smallScenario());
    while (o.document.history().canRedo()) o.document.history().redo();
    QCOMPARE(o.drawn().deviceCount(), 16);
  }
  void arrowKeysWalk() {
    Opened o;
    o.draw();
    o.canvas().select({o.numberOf("host0")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_Right);
    QCOMPARE(o.canvas().selectedNodes().size(), std::size_t(1));
    QVERIFY(o.canvas().selectedNodes().front() != o.numberOf("host0"));
  }
  void figuresAreTypedInTheStrip() {
    Opened o;
    o.draw();
    int uplink = -1;
    for (std::size_t l = 0; l < o.drawn().links.size(); ++l)
      if (o.drawn().links[l].to == o.numberOf("leaf 0")) uplink = static_cast<int>(l);
    o.canvas().select({}, {uplink});
    QLineEdit* field = nullptr;
    for (auto* edit : o.editor.findChildren<QLineEdit*>())
      if (edit->accessibleName().startsWith("Bandwidth")) field = edit;
    QVERIFY(field);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "200 Gb/s");
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(o.drawn().links[std::size_t(uplink)].bandwidth.value(), 25e9);
  }
  void alikeSiblingsAreDrawnOnceAndEditedTogether() {
    Opened o;
    o.draw();
    o.canvas().setFolding(Folding::Everything);
    QVERIFY(o.canvas().scene().isFolded());
    const int host = o.numberOf("host0");
    QCOMPARE(o.canvas().scene().alike(host), 2);
    QVERIFY(!o.canvas().scene().isShown(o.numberOf("host1")));
    // One click selects all that it stands for, and one key takes them all.
    const QRectF whole = o.canvas().scene().bounds();
    QTest::mouseClick(&o.canvas(), Qt::LeftButton, {},
                      o.canvas().toWidget({whole.left() + 4, whole.bottom() - 4}).toPoint());
    QCOMPARE(o.canvas().selectedNodes(), (std::vector<int>{host, o.numberOf("host1")}));
    // Space draws them one by one, and once again.
    QTest::keyClick(&o.canvas(), Qt::Key_Space);
    QVERIFY(o.canvas().scene().isShown(o.numberOf("host1")));
    const auto kept = o.editor.state();
    QTest::keyClick(&o.canvas(), Qt::Key_Space);
    QVERIFY(!o.canvas().scene().isShown(o.numberOf("host1")));
    o.editor.setState(kept);
    QVERIFY(o.canvas().scene().isShown(o.numberOf("host1")));
    o.canvas().setFolding(Folding::Nothing);
  }
  void foldingKeepsNoHiddenSelection() {
    Opened o;
    o.draw();
    o.canvas().setFocus();
    o.canvas().select({o.numberOf("host1")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_F);
    QVERIFY(o.canvas().scene().isFolded());
    QVERIFY(o.canvas().selectedNodes().empty());
    QTest::keyClick(&o.canvas(), Qt::Key_F);
    QVERIFY(!o.canvas().scene().isFolded());
    QCOMPARE(o.canvas().scene().folding(), Folding::Automatic);
  }
  void aJumpUnfoldsWhatHidesItsAim() {
    Opened o;
    o.draw();
    o.canvas().setFolding(Folding::Everything);
    o.canvas().jumpTo(o.numberOf("host1:2"), -1);
    QVERIFY(o.canvas().scene().isShown(o.numberOf("host1:2")));
    QCOMPARE(o.canvas().selectedNodes(), std::vector<int>{o.numberOf("host1:2")});
    o.canvas().setFolding(Folding::Nothing);
  }
  void selectionAndHoverGoBothWays() {
    Opened o;
    o.draw();
    auto context = std::make_shared<PlanContext>();
    context->scenario = o.document.snapshot();
    auto hierarchy = deriveHierarchy(o.document.scenario().cluster);
    QVERIFY(hierarchy);
    auto problem = std::make_shared<Problem>();
    problem->cluster = std::make_shared<const Hierarchy>(*hierarchy);
    context->problem = problem;
    o.editor.setContext(context);
    o.canvas().fit();
    QTest::mouseClick(&o.canvas(), Qt::LeftButton, {}, o.centreOf("host1:2"));
    QVERIFY(o.selection.selected());
    QCOMPARE(o.selection.selected()->kind, ItemKind::Device);
    const auto id = hierarchy->identity(DeviceIndex(o.selection.selected()->index));
    QCOMPARE(id.host, std::string("host1"));
    QCOMPARE(id.slot, 2);
    QTest::mouseMove(&o.canvas(), o.centreOf("leaf 0"));
    QVERIFY(o.selection.hovered());
    QCOMPARE(*o.selection.hovered(), (SelectionItem{ItemKind::Group, 0, 1}));
    // The other way round: a group of level 0 is a host.
    o.selection.setSelected(SelectionItem{ItemKind::Group, hierarchy->groupOf(0, 0), 0});
    QCOMPARE(o.canvas().selectedNodes(),
             std::vector<int>{o.numberOf(hierarchy->identity(DeviceIndex(0)).host)});
  }
  void kindsAreEditedOnceForAll() {
    Opened o;
    o.draw();
    KindTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    connect(&model, &KindTableModel::edited, &o.editor,
            [&](const QString& verb, const QString&, const auto& edit) {
              o.document.edit({}, verb,
                              [edit](Scenario& s) { edit(std::get<GraphSource>(s.cluster.network).graph); });
            });
    model.setGraph(o.drawn(), true);
    QCOMPARE(model.rowCount(), 5);  // device, host, switch, link to devices, link to hosts
    QCOMPARE(model.index(0, KindTableModel::Count).data().toString(), QString("8"));
    QVERIFY(model.setData(model.index(0, KindTableModel::Memory), "40 GiB", Qt::EditRole));
    QVERIFY(!model.setData(model.index(0, KindTableModel::Memory), "much", Qt::EditRole));
    QVERIFY(!(model.flags(model.index(1, KindTableModel::Speed)) & Qt::ItemIsEditable));
    for (const auto& n : o.drawn().nodes)
      if (n.kind == NodeKind::Device) QCOMPARE(n.memory.value(), 40.0 * 1024 * 1024 * 1024);
    QCOMPARE(o.document.history().undoText(), QString("Set memory of 8 × device to 40 GiB"));
  }
  void everythingReachableHasAName() {
    Opened o;
    o.draw();
    for (auto* w : o.editor.findChildren<QWidget*>()) {
      if (!w->isVisible() || !(w->focusPolicy() & Qt::TabFocus) || w->objectName().startsWith("qt_"))
        continue;
      auto* face = QAccessible::queryAccessibleInterface(w);
      QVERIFY2(face && !face->text(QAccessible::Name).isEmpty(), w->metaObject()->className());
    }
  }
  // A cluster from nothing: host, ×8, switch, all joined, bandwidth typed; a plan; back and forth.
  void drawnFromNothingItIsPlannedAndUndone() {
    Opened o(sample("llama2-7b-h100-128.nest.json"));
    const std::string before = writeScenario(o.document.scenario());
    o.pressButton("Start empty");
    QVERIFY(o.isDrawn() && o.drawn().nodes.empty());
    auto& canvas = o.canvas();
    QCoreApplication::processEvents();  // the panel opens next to the canvas
    QTest::keyClick(&canvas, Qt::Key_H);
    QCOMPARE(canvas.tool(), NetworkCanvas::Tool::AddHost);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(200, 400));
    QCOMPARE(o.drawn().deviceCount(), 8);
    // It stays under the hand: half a header above the middle of its devices, and on the grid.
    const double off = canvas.scale() * (graph::kHostHeader / 2 + NetworkCanvas::kGrid);
    QVERIFY((o.centreOf("host0") - QPoint(200, 400)).manhattanLength() <= off + 1);
    // The tool stays until Escape, and what was drawn stays selected.
    QCOMPARE(canvas.tool(), NetworkCanvas::Tool::AddHost);
    QTest::keyClick(&canvas, Qt::Key_Escape);
    QCOMPARE(canvas.tool(), NetworkCanvas::Tool::Select);
    QCOMPARE(canvas.selectedNodes(), std::vector<int>{o.numberOf("host0")});
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, o.centreOf("host0") - QPoint(0, 42));
    QCOMPARE(canvas.selectedNodes(), std::vector<int>{o.numberOf("host0")});
    canvas.duplicateSelected(7);
    QCOMPARE(o.drawn().deviceCount(), 64);
    QCOMPARE(canvas.scene().problems().size(), std::size_t(7));  // seven cannot reach the first
    QTest::keyClick(&canvas, Qt::Key_S);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(canvas.width() / 2, 60));
    const std::string leaf = o.drawn().nodes.back().name;
    std::vector<int> hosts;
    for (std::size_t i = 0; i < o.drawn().nodes.size(); ++i)
      if (o.drawn().nodes[i].kind == NodeKind::Host) hosts.push_back(static_cast<int>(i));
    canvas.select(hosts, {});
    QTest::keyClick(&canvas, Qt::Key_C);
    const QRectF host = QRectF(o.centreOf("host0"), QSizeF());
    QTest::mousePress(&canvas, Qt::LeftButton, {},
                      (host.topLeft() - QPointF(0, 40 * canvas.scale())).toPoint());
    QTest::mouseMove(&canvas, o.centreOf(leaf));
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, o.centreOf(leaf));
    QCOMPARE(o.drawn().links.size(), std::size_t(8));
    QVERIFY(canvas.scene().problems().empty());
    QCOMPARE(canvas.selectedLinks(), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));  // those just drawn
    QLineEdit* field = o.fieldNamed("Bandwidth");
    QVERIFY(field);
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, "200 Gb/s");
    QTest::keyClick(field, Qt::Key_Return);
    for (const auto& l : o.drawn().links) QCOMPARE(l.bandwidth.value(), 25e9);
    QCOMPARE(o.document.history().undoText(), QString("Set 8 links to 200 Gb/s"));

    const auto problem = buildProblem(o.document.scenario());
    QVERIFY(problem);
    QCOMPARE(problem.value->cluster->deviceCount(), 64);
    QCOMPARE(problem.value->cluster->levelCount(), 2);
    const Outcome outcome = solve(*problem.value);
    QVERIFY(!outcome.plans.empty());

    const std::string after = writeScenario(o.document.scenario());
    const int steps = o.document.history().index();
    while (o.document.history().canUndo()) o.document.history().undo();
    QCOMPARE(writeScenario(o.document.scenario()), before);
    while (o.document.history().canRedo()) o.document.history().redo();
    QCOMPARE(writeScenario(o.document.scenario()), after);
    QCOMPARE(o.document.history().index(), steps);
  }
  void theTableIsAProperModel() {
    Opened o;
    o.draw();
    NodeTableModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setGraph(o.drawn());
    QCOMPARE(model.rowCount(), 11);
    QCOMPARE(model.index(0, 0).data().toString(), QString("host0"));
  }
};
NEST_TEST(TestNetworkEditor)
#include "test_network_editor.moc"
