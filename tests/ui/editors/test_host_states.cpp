#include <QAction>
#include <QMenu>
#include <QtTest/QTest>

#include "cluster/graph/graph_edit.h"
#include "figures/topology/topology_figure.h"
#include "figures/topology/topology_key.h"
#include "support/desk.h"
#include "ui/editors/network_fixture.h"
#include "views/failure_strip.h"

using namespace nest;
using Opened = test::OpenedNetwork;

namespace {

QAction* actionOf(const QMenu& menu, const QString& text) {
  for (QAction* a : menu.actions()) {
    if (a->text() == text) return a;
    if (a->menu())
      if (QAction* inside = actionOf(*a->menu(), text)) return inside;
  }
  return nullptr;
}

}  // namespace

/// States of hosts in the window: set by hand, undone, and shown with hatch and word.
class TestHostStates : public QObject {
  Q_OBJECT
private slots:
  void aStateIsSetFromTheMenuAndUndone() {
    Opened o;
    const std::string before = writeScenario(o.document.scenario());
    QMenu menu;
    addHostStates(menu, o.document, {"host1"});
    for (const char* state : {"Free", "Busy", "Down", "Drained", "Reserved", "Spare"})
      QVERIFY2(actionOf(menu, QLatin1String(state)), state);
    QVERIFY(actionOf(menu, QStringLiteral("Free"))->isChecked());
    actionOf(menu, QStringLiteral("Drained"))->trigger();
    QCOMPARE(o.document.scenario().cluster.states,
             (std::vector<StateOfHost>{{"host1", {}, HostState::Drained, ""}}));
    QCOMPARE(o.document.history().undoText(), QStringLiteral("Set host1 to drained"));
    QMenu again;
    addHostStates(again, o.document, {"host1"});
    QVERIFY(actionOf(again, QStringLiteral("Drained"))->isChecked());
    actionOf(again, QStringLiteral("What if host1 were free"))->trigger();
    QVERIFY(o.document.scenario().cluster.states.empty());
    o.document.history().undo();
    o.document.history().undo();
    QCOMPARE(writeScenario(o.document.scenario()), before);
  }
  void unplannedHostsBecomeFreeTogether() {
    Opened o;
    o.document.edit({}, QStringLiteral("x"), [](Scenario& s) {
      setHostState(s.cluster, {"host0", "host1"}, HostState::Busy, "alloc");
    });
    QMenu menu;
    addUnplannedHosts(menu, o.document);
    QVERIFY(actionOf(menu, QStringLiteral("What if host1 (busy) were free")));
    actionOf(menu, QStringLiteral("What if all 2 busy hosts were free"))->trigger();
    QVERIFY(o.document.scenario().cluster.states.empty());
    QMenu none;
    addUnplannedHosts(none, o.document);
    QVERIFY(none.actions().isEmpty());
  }
  /// By the canvas' own menu, for levels that nobody has drawn as well.
  void theCanvasOffersStates() {
    Opened o;
    o.canvas().select({o.numberOf("host1")}, {});
    QStringList offered;
    connect(&o.canvas(), &NetworkCanvas::menuMade, this, [&](QMenu* menu) {
      for (const QAction* a : menu->actions()) offered << a->text();
      QTimer::singleShot(0, menu, &QMenu::close);
    });
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, QPoint(10, 10),
                            o.canvas().mapToGlobal(QPoint(10, 10)));
    QApplication::sendEvent(&o.canvas(), &byKey);
    QVERIFY2(offered.contains(QStringLiteral("Set state of host1")), qPrintable(offered.join(u' ')));
  }
  /// A new name, or a host less, leaves no state of a host that nobody knows.
  void statesFollowDrawnHosts() {
    Opened o;
    o.draw();
    o.document.edit({}, QStringLiteral("x"), [](Scenario& s) {
      setHostState(s.cluster, {"host0", "host1"}, HostState::Busy, "alloc");
    });
    o.document.edit({}, QStringLiteral("Rename"), [](Scenario& s) {
      for (NetworkNode& n : std::get<GraphSource>(s.cluster.network).graph.nodes)
        if (n.id == "host1") n.name = "gpu1";
    });
    QCOMPARE(o.document.scenario().cluster.states[1].host, std::string("gpu1"));
    o.document.edit({}, QStringLiteral("Delete"), [](Scenario& s) {
      auto& g = std::get<GraphSource>(s.cluster.network).graph;
      for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i)
        if (g.nodes[i].id == "host0") return graph::remove(g, {i});
    });
    QCOMPARE(o.document.scenario().cluster.states.size(), std::size_t(1));
    QCOMPARE(o.document.scenario().cluster.states[0].host, std::string("gpu1"));
  }
  void theSceneKnowsStates() {
    Scenario s = test::smallScenario();
    s.cluster.states = {{"host1", {}, HostState::Down, "down*"}, {"host0", {1}, HostState::Busy, "mix"}};
    Opened o(s);
    auto context = std::make_shared<PlanContext>();
    context->scenario = o.document.snapshot();
    o.editor.setContext(context);
    const NetworkScene& scene = o.canvas().scene();
    const int host0 = o.numberOf("host0"), host1 = o.numberOf("host1");
    QVERIFY(scene.unplanned(host1) && !scene.unplanned(host0));
    QVERIFY(!scene.unplanned(o.numberOf("host0:0")) && scene.unplanned(o.numberOf("host0:1")));
    QVERIFY(scene.unplanned(o.numberOf("host1:2")));
    QCOMPARE(scene.sentenceOf(host1), QStringLiteral("host1: Down (down*): plans leave it out"));
    QVERIFY(scene.tipOf(host1, -1).contains(QStringLiteral("Down (down*): plans leave it out")));
    QVERIFY(!scene.isCutOff(o.numberOf("host1:2")));
    QCOMPARE(scene.unplannedHosts(HostState::Down), 1);
    QVERIFY(networkKeyHeight(scene) > 0);
  }
  void topologyNamesWhatPlansLeaveOut() {
    test::Desk desk("llama2-7b-h100-128.nest.json");
    desk.document.edit({}, QStringLiteral("x"), [](Scenario& s) {
      setHostState(s.cluster, {"host2", "host3"}, HostState::Busy, "alloc");
      setHostState(s.cluster, {"host9"}, HostState::Spare);
    });
    desk.solveIt();
    QVERIFY(desk.context.plan);
    const TopologyFigure figure;
    const QString words = figure.asText(desk.context);
    QVERIFY2(words.contains(QStringLiteral("3 of 16 hosts are not planned on: 2 busy and 1 spare")),
             qPrintable(words));
    QVERIFY(words.contains(QStringLiteral("host3: busy, not planned on")));
    // Each host has its box, with its name and state; a tip names the source's word.
    const auto groups = unplannedGroups(desk.context.scenario->cluster);
    QCOMPARE(groups.size(), std::size_t(2));
    const double height = unplannedRowsHeight(groups, 900);
    QVERIFY(height > 0);
    QRectF box;
    const QString tip = unplannedTipAt(groups, QRectF(0, 0, 900, height), QPointF(10, 10), &box);
    QVERIFY(tip.contains(QStringLiteral("host2")) && tip.contains(QStringLiteral("busy (alloc)")));
    QVERIFY(!box.isEmpty());
    QVERIFY(unplannedTipAt(groups, QRectF(0, 0, 900, height), QPointF(890, 10), &box).isEmpty());
    // All that are planned on leave no row.
    Scenario all = *desk.context.scenario;
    all.cluster.plannedOn = PlannedOn::All;
    QVERIFY(unplannedGroups(all.cluster).empty());
    QCOMPARE(unplannedRowsHeight({}, 900), 0.0);
  }
  /// Thousands of hosts are a box for each state, in at most two rows.
  void manyHostsAreCounted() {
    ClusterSource c;
    for (int h = 0; h < 2048; ++h) {
      std::string number = std::to_string(h);
      number.insert(0, 4 - number.size(), '0');
      c.states.push_back({"gpu" + number,
                          {},
                          h % 3 == 0   ? HostState::Busy
                          : h % 7 == 0 ? HostState::Down
                                       : HostState::Free,
                          ""});
    }
    const auto groups = unplannedGroups(c);
    for (const double width : {300.0, 700.0, 2000.0}) {
      const double height = unplannedRowsHeight(groups, width);
      QVERIFY2(height > 0 && height <= 2 * 26, qPrintable(QString::number(height)));
    }
    const QString tip = unplannedTipAt(groups, QRectF(0, 0, 700, 52), QPointF(10, 10), nullptr);
    QVERIFY2(tip.contains(QStringLiteral("683 busy")), qPrintable(tip));
  }
};
NEST_TEST(TestHostStates)
#include "test_host_states.moc"
