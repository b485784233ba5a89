#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest/QTest>

#include "cluster/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/network/network_canvas.h"
#include "editors/network/network_editor.h"
#include "editors/network/node_table_model.h"
#include "support/test_main.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>

using namespace nest;

namespace {

Scenario smallScenario() {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  LevelsSource levels;
  levels.levels.resize(2);
  levels.levels[0] = {"host", 4, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"leaf", 2, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  s.cluster.network = levels;
  return s;
}

struct Opened {
  ScenarioDocument document;
  Selection selection;
  NetworkEditor editor{{&selection, &document, nullptr}};

  Opened() {
    document.reset(smallScenario(), {});
    editor.resize(1200, 800);
    editor.show();
    (void)QTest::qWaitForWindowExposed(&editor);
    editor.setContext(std::make_shared<PlanContext>());
  }
  const NetworkGraph& drawn() const {
    return std::get<GraphSource>(document.scenario().cluster.network).graph;
  }
  bool isDrawn() const { return std::holds_alternative<GraphSource>(document.scenario().cluster.network); }
  void draw() {
    for (auto* button : editor.findChildren<QPushButton*>())
      if (button->text() == "Draw this network") QTest::mouseClick(button, Qt::LeftButton);
  }
  NetworkCanvas& canvas() { return editor.canvas(); }
  QPoint centreOf(const std::string& name) {
    const auto& g = canvas().graph();
    for (const auto& n : g.nodes)
      if (n.name == name) return canvas().toWidget({n.x, n.y}).toPoint();
    return {-1, -1};
  }
  int numberOf(const std::string& name) {
    const auto& g = canvas().graph();
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].name == name) return static_cast<int>(i);
    return -1;
  }
};

}  // namespace

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
  void switchesAreAddedAndConnectedByMouse() {
    Opened o;
    o.draw();
    o.canvas().fit();
    o.canvas().setTool(NetworkCanvas::Tool::AddSwitch);
    const QPoint corner(o.canvas().width() - 60, 30);
    QTest::mouseClick(&o.canvas(), Qt::LeftButton, {}, corner);
    const auto links = o.drawn().links.size();
    QCOMPARE(o.canvas().tool(), NetworkCanvas::Tool::Select);
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
