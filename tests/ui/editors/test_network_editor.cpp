#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSplitter>
#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/network/kind_table_model.h"
#include "editors/network/network_canvas.h"
#include "editors/network/network_editor.h"
#include "editors/network/network_side.h"
#include "editors/network/node_table_model.h"
#include "formats/scenario/scenario_json.h"
#include "solver/solve.h"
#include "support/desk.h"
#include "support/test_main.h"
#include "ui/figures/text_recorder.h"

#include <QAbstractItemModelTester>
#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QGuiApplication>
#include <QPushButton>
#include <QSettings>

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

Scenario sample(const std::string& name) {
  const std::string dir = std::string(NEST_SOURCE_DIR) + "/samples/";
  return *readScenario(test::readFile(dir + name), name, [&](const std::string& path) {
    Reading<std::string> r;
    r.value = test::readFile(dir + path);
    return r;
  });
}

struct Opened {
  ScenarioDocument document;
  Selection selection;
  NetworkEditor editor{{&selection, &document, nullptr}};

  explicit Opened(const Scenario& scenario = smallScenario()) {
    document.reset(scenario, {});
    editor.resize(1200, 800);
    editor.show();
    (void)QTest::qWaitForWindowExposed(&editor);
    QApplication::setActiveWindow(&editor);  // keys of the canvas are shortcuts
    editor.canvas().setFocus();
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
  void pressButton(const QString& text) {
    for (auto* button : editor.findChildren<QPushButton*>())
      if (button->text() == text) QTest::mouseClick(button, Qt::LeftButton);
  }
  QLineEdit* fieldNamed(const QString& start) {
    for (auto* edit : editor.findChildren<QLineEdit*>())
      if (edit->accessibleName().startsWith(start)) return edit;
    return nullptr;
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
  void devicesAreColouredByTheirGroups() {
    QSettings().remove("views/network/colour");
    test::Desk desk("gpt3-175b-h100-1024.nest.json");
    const auto colours = [](const NetworkEditor& editor) {
      return editor.canvas().grab(QRect(0, 0, 600, 400)).toImage();
    };
    const auto choose = [](NetworkEditor& editor, const QString& label) {
      for (auto* a : editor.findChildren<QAction*>())
        if (a->text() == label && a->isCheckable()) a->trigger();
    };
    NetworkEditor editor(desk.services());
    desk.show(editor);
    const QImage byStage = colours(editor);
    choose(editor, QStringLiteral("TP group"));
    QTRY_COMPARE(editor.canvas().colouredBy(), Together::Tensor);
    QVERIFY(colours(editor) != byStage);
    const View::State kept = editor.state();
    choose(editor, QStringLiteral("Stage"));
    QTRY_COMPARE(editor.canvas().colouredBy(), Together::Stage);
    QCOMPARE(colours(editor), byStage);
    editor.setState(kept);
    QCOMPARE(editor.canvas().colouredBy(), Together::Tensor);
    // The next window begins with what the user chose, not with what a slide showed.
    QCOMPARE(NetworkEditor(desk.services()).canvas().colouredBy(), Together::Stage);
  }
  void aDeviceTellsItsRank() {
    test::Desk desk;
    NetworkEditor editor(desk.services());
    desk.show(editor);
    const auto& nodes = editor.canvas().graph().nodes;
    const auto device = std::find_if(nodes.begin(), nodes.end(),
                                     [](const NetworkNode& n) { return n.kind == NodeKind::Device; });
    const QString tip = editor.canvas().tipOf(static_cast<int>(device - nodes.begin()), -1);
    for (const char* word : {"Stage", "Replica", "Rank in the replica", "TP group", "Memory at the peak"})
      QVERIFY2(tip.contains(QLatin1String(word)), qPrintable(tip));
  }
  void theFirstViewLeavesTheLegendFree() {
    Opened o(sample("llama2-7b-h100-128.nest.json"));
    o.editor.resize(1200, 330);  // the height decides
    o.draw();
    auto& canvas = o.canvas();
    const QRectF all = canvas.sceneBounds();
    QVERIFY(canvas.toWidget(all.bottomRight()).y() <= canvas.height() - NetworkCanvas::kLegendHeight);
    QVERIFY(canvas.toWidget(all.topLeft()).y() >= 0);
  }
  void joinedHostsCountAndTheirNamesFit() {
    Opened o;
    GraphSource joined;
    const auto add = [&](const char* id, NodeKind kind, const char* host, double x, double y) {
      NetworkNode n;
      n.id = n.name = id, n.kind = kind, n.host = host, n.x = x, n.y = y;
      joined.graph.nodes.push_back(n);
    };
    add("the one spine of a long name at the left", NodeKind::Switch, "", 0, 0);
    for (const char* h : {"a0", "a1"}) {
      const double x = h[1] == '0' ? 0 : 3000;
      add((std::string(h) + ":nvswitch").c_str(), NodeKind::Switch, "", x, 100);
      add((std::string(h) + ":GPU0").c_str(), NodeKind::Device, h, x, 200);
    }
    for (auto [a, b] : {std::pair{0, 1}, {0, 3}, {1, 2}, {3, 4}}) {
      NetworkLink l;
      l.from = a, l.to = b, l.bandwidth = BytesPerSecond(1e9);
      joined.graph.links.push_back(l);
    }
    o.document.edit({}, "Join", [&](Scenario& s) { s.cluster.network = joined; });
    o.canvas().fit();
    bool said = false;
    for (auto* label : o.editor.findChildren<QLabel*>())
      said = said || label->text().startsWith("2 devices, 2 hosts, 1 switch, 2 parts inside hosts, 4 links");
    QVERIFY(said);
    const QFontMetricsF metrics(Theme::font(11, true));
    QVERIFY(o.canvas().toWidget({0, 0}).x() >=
            metrics.horizontalAdvance("the one spine of a long name at the left") / 2);
  }
  void stagesAreNumberedAndExplainedWhereBoxesAreSmall_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QSize>("size");
    QTest::newRow("hundreds in sight") << std::string("gpt3-175b-h100-1024.nest.json") << QSize(1500, 900);
    QTest::newRow("few in a small window") << std::string("llama2-7b-h100-128.nest.json") << QSize(560, 420);
  }
  void stagesAreNumberedAndExplainedWhereBoxesAreSmall() {
    QFETCH(const std::string, file);
    QFETCH(const QSize, size);
    test::Desk desk(file);
    NetworkEditor editor(desk.services());
    desk.show(editor, size);
    const NetworkCanvas& canvas = editor.canvas();
    const int stages = desk.context.shownPlan()->stageCount();
    QVERIFY(stages > 3 && canvas.scale() < 0.55);
    test::TextRecorder recorder(size);
    FigureStyle style;
    QPainter painter(&recorder);
    editor.figure()->paint(painter, QRectF(QPointF(), size), desk.context, style);
    painter.end();
    std::set<QString> legend, inBoxes;
    double lowest = 0;
    for (const auto& word : recorder.words()) lowest = std::max(lowest, word.box.bottom());
    for (const auto& word : recorder.words())
      (word.box.bottom() > lowest - 12 ? legend : inBoxes).insert(word.text);
    for (int s = 1; s <= stages; ++s) {
      QVERIFY2(legend.contains(QString::number(s)), qPrintable(QString::number(s)));
      QVERIFY2(inBoxes.contains(QString::number(s)), qPrintable(QString::number(s)));
    }
    // Host names where they fit, as on a poster.
    test::TextRecorder large(QSize(4200, 2600));
    QPainter poster(&large);
    editor.figure()->paint(poster, QRectF(0, 0, 4200, 2600), desk.context, style);
    poster.end();
    QVERIFY(std::any_of(large.words().begin(), large.words().end(),
                        [](const auto& word) { return word.text == QStringLiteral("host0"); }));
  }
  void thePanelComesBackWhateverWasKept() {
    Opened o;
    auto* side = o.editor.findChild<NetworkSide*>();
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
  void alikeSiblingsAreDrawnOnceAndEditedTogether() {
    Opened o;
    o.draw();
    o.canvas().setFoldWhen(NetworkCanvas::FoldWhen::Always);
    QVERIFY(o.canvas().isFolded());
    const int host = o.numberOf("host0");
    QCOMPARE(o.canvas().alike(host), 2);
    QVERIFY(!o.canvas().isShown(o.numberOf("host1")));
    // One click selects all that it stands for, and one key takes them all.
    const QRectF whole = o.canvas().sceneBounds();
    QTest::mouseClick(&o.canvas(), Qt::LeftButton, {},
                      o.canvas().toWidget({whole.left() + 4, whole.bottom() - 4}).toPoint());
    QCOMPARE(o.canvas().selectedNodes(), (std::vector<int>{host, o.numberOf("host1")}));
    // Space draws them one by one, and once again.
    QTest::keyClick(&o.canvas(), Qt::Key_Space);
    QVERIFY(o.canvas().isShown(o.numberOf("host1")));
    const auto kept = o.editor.state();
    QTest::keyClick(&o.canvas(), Qt::Key_Space);
    QVERIFY(!o.canvas().isShown(o.numberOf("host1")));
    o.editor.setState(kept);
    QVERIFY(o.canvas().isShown(o.numberOf("host1")));
    o.canvas().setFoldWhen(NetworkCanvas::FoldWhen::Never);
  }
  void foldingKeepsNoHiddenSelection() {
    Opened o;
    o.draw();
    o.canvas().setFocus();
    o.canvas().select({o.numberOf("host1")}, {});
    QTest::keyClick(&o.canvas(), Qt::Key_F);
    QVERIFY(o.canvas().isFolded());
    QVERIFY(o.canvas().selectedNodes().empty());
    QTest::keyClick(&o.canvas(), Qt::Key_F);
    QVERIFY(!o.canvas().isFolded());
    QCOMPARE(o.canvas().foldWhen(), NetworkCanvas::FoldWhen::Huge);
  }
  void aJumpUnfoldsWhatHidesItsAim() {
    Opened o;
    o.draw();
    o.canvas().setFoldWhen(NetworkCanvas::FoldWhen::Always);
    o.canvas().jumpTo(o.numberOf("host1:2"), -1);
    QVERIFY(o.canvas().isShown(o.numberOf("host1:2")));
    QCOMPARE(o.canvas().selectedNodes(), std::vector<int>{o.numberOf("host1:2")});
    o.canvas().setFoldWhen(NetworkCanvas::FoldWhen::Never);
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
    QTest::keyClick(&canvas, Qt::Key_H);
    QCOMPARE(canvas.tool(), NetworkCanvas::Tool::AddHost);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(200, 400));
    QCOMPARE(o.drawn().deviceCount(), 8);
    // It stays under the hand: half a header above the middle of its devices, and on the grid.
    const double off = canvas.scale() * (graph::kHostHeader / 2 + NetworkCanvas::kGrid);
    QVERIFY((o.centreOf("host1") - QPoint(200, 400)).manhattanLength() <= off + 1);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, o.centreOf("host1") - QPoint(0, 42));
    QCOMPARE(canvas.selectedNodes(), std::vector<int>{o.numberOf("host1")});
    canvas.duplicateSelected(7);
    QCOMPARE(o.drawn().deviceCount(), 64);
    QCOMPARE(canvas.problems().size(), std::size_t(7));  // seven cannot reach the first
    QTest::keyClick(&canvas, Qt::Key_S);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPoint(canvas.width() / 2, 60));
    const std::string leaf = o.drawn().nodes.back().name;
    std::vector<int> hosts;
    for (std::size_t i = 0; i < o.drawn().nodes.size(); ++i)
      if (o.drawn().nodes[i].kind == NodeKind::Host) hosts.push_back(static_cast<int>(i));
    canvas.select(hosts, {});
    QTest::keyClick(&canvas, Qt::Key_C);
    const QRectF host = QRectF(o.centreOf("host1"), QSizeF());
    QTest::mousePress(&canvas, Qt::LeftButton, {},
                      (host.topLeft() - QPointF(0, 40 * canvas.scale())).toPoint());
    QTest::mouseMove(&canvas, o.centreOf(leaf));
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, o.centreOf(leaf));
    QCOMPARE(o.drawn().links.size(), std::size_t(8));
    QVERIFY(canvas.problems().empty());
    std::vector<int> links{0, 1, 2, 3, 4, 5, 6, 7};
    canvas.select({}, links);
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
