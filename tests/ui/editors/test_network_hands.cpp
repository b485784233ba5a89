#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QTabWidget>
#include <QTimer>
#include <QToolButton>
#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/network/alignment_guides.h"
#include "editors/network/network_canvas.h"
#include "editors/network/network_editor.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "support/desk.h"
#include "support/golden.h"
#include "ui/editors/network_fixture.h"

using namespace nest;

namespace {

/// Two leaves of two hosts with four devices each, drawn.
Scenario drawnScenario() {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  LevelsSource levels;
  levels.levels = {{"host", 4, BytesPerSecond(450e9), {}, Seconds(2e-6)},
                   {"leaf", 2, BytesPerSecond(50e9), {}, Seconds(4e-6)},
                   {"spine", 2, BytesPerSecond(25e9), {}, Seconds(6e-6)}};
  GraphSource drawn;
  drawn.graph = graph::fromLevels(levels);
  s.cluster.network = drawn;
  return s;
}

struct Drawing : test::OpenedNetwork {
  explicit Drawing(const Scenario& scenario = drawnScenario()) : OpenedNetwork(scenario) { canvas().fit(); }
  const NetworkGraph& graph() const { return drawn(); }
  const NetworkNode& node(const std::string& name) { return graph().nodes[std::size_t(numberOf(name))]; }
  QPoint at(const std::string& name) { return canvas().toWidget({node(name).x, node(name).y}).toPoint(); }
  /// Where a host can be taken: its header.
  QPoint headerOf(const std::string& name) {
    const auto box = graph::boxOf(graph(), numberOf(name), graph::hostContents(graph()));
    return canvas().toWidget({box.x + box.width / 2, box.y + graph::kHostHeader / 2}).toPoint();
  }
  void drag(const QPoint& from, const QPoint& to, bool release = true) {
    QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
    for (int k = 1; k <= 6; ++k) QTest::mouseMove(&canvas(), from + (to - from) * k / 6);
    if (release) QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
  }
};

}  // namespace

/// What hands do on the canvas and expect of it.
class TestNetworkHands : public QObject {
  Q_OBJECT
private slots:
  void edgesAndCentresComeIntoLine() {
    const AlignmentGuides guides({QRectF(0, 0, 100, 40), QRectF(300, 200, 60, 60)});
    const auto centre = guides.at(QRectF(33, 400, 40, 20), 6);  // centre at 53: 3 from that of the first
    QVERIFY(centre.x && !centre.y);
    QCOMPARE(centre.by, QPointF(-3, 0));
    QCOMPARE(centre.lines, std::vector<QLineF>{QLineF(50, 0, 50, 420)});
    const auto both = guides.at(QRectF(302, 38, 60, 60), 6);  // left edges
    QVERIFY(both.x && !both.y);
    QCOMPARE(both.by, QPointF(-2, 0));
    QCOMPARE(both.lines,
             std::vector<QLineF>{QLineF(330, 38, 330, 260)});  // of one width: the centre says all
    const auto none = guides.at(QRectF(500, 500, 10, 10), 6);
    QVERIFY(!none.x && !none.y && none.lines.empty() && none.by.isNull());
    QVERIFY(AlignmentGuides().at(QRectF(0, 0, 1, 1), 6).lines.empty());
  }

  void aDraggedSwitchComesIntoLineAndSaysSo() {
    Drawing d;
    const double goal = d.node("leaf 1").y;
    d.document.edit({}, "Move", [&](Scenario& s) {
      auto& g = std::get<GraphSource>(s.cluster.network).graph;
      g.nodes[std::size_t(d.numberOf("leaf 0"))].y = goal + 33;  // off the grid, too
    });
    const QPoint from = d.at("leaf 0");
    const QPoint to(from.x() - qRound(27 * d.canvas().scale()),
                    qRound(d.canvas().toWidget({0, goal}).y()) + 3);
    d.drag(from, to, false);
    QVERIFY(!d.canvas().guides().empty());
    QTest::mouseRelease(&d.canvas(), Qt::LeftButton, {}, to);
    QVERIFY(d.canvas().guides().empty());
    QCOMPARE(d.node("leaf 0").y, goal);
    // Far from everything it stands on the grid that it came from.
    const double x = d.node("leaf 0").x, y = d.node("leaf 0").y;
    d.drag(d.at("leaf 0"), d.at("leaf 0") + QPoint(qRound(24 * d.canvas().scale()), 0));
    QCOMPARE(std::remainder(d.node("leaf 0").x - x, NetworkCanvas::kGrid), 0.0);
    QCOMPARE(d.node("leaf 0").y, y);
  }

  void nothingIsDimmedByWhatIsMoved() {
    Drawing d;
    std::vector<int> hovers;
    connect(&d.canvas(), &NetworkCanvas::hovered, [&](int node) { hovers.push_back(node); });
    const QPoint from = d.headerOf("host0"), to = from + QPoint(-20, 90);
    QTest::mouseMove(&d.canvas(), from);
    QCOMPARE(hovers, std::vector<int>{d.numberOf("host0")});
    d.drag(from, to, false);
    QCOMPARE(hovers.back(), -1);
    QTest::mouseRelease(&d.canvas(), Qt::LeftButton, {}, to);
    QCOMPARE(hovers.back(), d.numberOf("host0"));  // it stands under the hand again
  }

  void whatIsMadeIsSelectedAndTheViewStays() {
    Drawing d;
    const double scale = d.canvas().scale();
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, d.headerOf("host0"));
    QTest::keyClick(&d.canvas(), Qt::Key_C, Qt::ControlModifier);
    QTest::keyClick(&d.canvas(), Qt::Key_V, Qt::ControlModifier);
    const auto pasted = d.canvas().selectedNodes();
    QCOMPARE(pasted.size(), std::size_t(1));
    QVERIFY(d.graph().nodes[std::size_t(pasted.front())].name != "host0");
    QCOMPARE(d.graph().nodes[std::size_t(pasted.front())].kind, NodeKind::Host);
    // Taken away again at once, and nothing has been zoomed.
    QTest::keyClick(&d.canvas(), Qt::Key_Delete);
    QCOMPARE(d.graph().deviceCount(), 16);
    QCOMPARE(d.canvas().scale(), scale);
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, d.headerOf("host0"));
    QTest::keyClick(&d.canvas(), Qt::Key_Delete);
    QCOMPARE(d.graph().deviceCount(), 12);
    QCOMPARE(d.canvas().scale(), scale);
    // A copy that stands out of sight is brought into it.
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, d.headerOf("host3"));
    d.canvas().duplicateSelected(15);
    QCOMPARE(d.canvas().selectedNodes().size(), std::size_t(15));
    QVERIFY(d.canvas().scale() < scale);
    for (int n : d.canvas().selectedNodes()) {
      const auto& host = d.graph().nodes[std::size_t(n)];
      QVERIFY(d.canvas().rect().contains(d.canvas().toWidget({host.x, host.y}).toPoint()));
    }
  }

  void aStencilPlacesBesideAndAsManyAsTyped() {
    Drawing d;
    QTest::keyClick(&d.canvas(), Qt::Key_H);
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, d.headerOf("host0"));  // onto another
    const auto boxes = [&] {
      std::vector<QRectF> out;
      const auto inside = graph::hostContents(d.graph());
      for (std::size_t i = 0; i < d.graph().nodes.size(); ++i)
        if (d.graph().nodes[i].kind != NodeKind::Device) {
          const auto b = graph::boxOf(d.graph(), static_cast<int>(i), inside);
          out.emplace_back(b.x, b.y, b.width, b.height);
        }
      return out;
    };
    const auto overlaps = [&] {
      const auto all = boxes();
      int count = 0;
      for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) count += all[i].intersects(all[j]);
      return count;
    };
    QCOMPARE(boxes().size(), std::size_t(4 + 3 + 1));
    QCOMPARE(overlaps(), 0);
    // Digits say how many the next click places; Escape takes them back before it takes the tool.
    QTest::keyClicks(&d.canvas(), QStringLiteral("12"));
    QCOMPARE(d.canvas().stamped(), 12);
    QTest::keyClick(&d.canvas(), Qt::Key_Escape);
    QCOMPARE(d.canvas().stamped(), 1);
    QCOMPARE(d.canvas().tool(), NetworkCanvas::Tool::AddHost);
    d.canvas().fit();
    const double scale = d.canvas().scale();
    QTest::keyClicks(&d.canvas(), QStringLiteral("24"));
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, QPoint(20, d.canvas().height() - 60));
    QCOMPARE(boxes().size(), std::size_t(8 + 24));
    QVERIFY(d.canvas().scale() < scale);  // brought into sight
    QTest::keyClick(&d.canvas(), Qt::Key_Escape);
    d.document.history().undo();
    QCOMPARE(boxes().size(), std::size_t(8));
    QVERIFY2(qAbs(d.canvas().scale() - scale) < 1e-9, "the view comes back with what it was for");
  }

  void copiesMakeABlockAndCoverNothing() {
    Drawing d;
    const int host = d.numberOf("host0");
    d.canvas().select({host}, {});
    Q_EMIT d.canvas().selectedByHand();
    d.canvas().duplicateSelected(63);
    const auto inside = graph::hostContents(d.graph());
    std::vector<QRectF> all;
    QRectF copies;
    for (std::size_t i = 0; i < d.graph().nodes.size(); ++i) {
      if (d.graph().nodes[i].kind == NodeKind::Device) continue;
      const auto b = graph::boxOf(d.graph(), static_cast<int>(i), inside);
      all.emplace_back(b.x, b.y, b.width, b.height);
      if (d.graph().nodes[i].kind == NodeKind::Host && i > 20) copies |= all.back();
    }
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + 1; j < all.size(); ++j) QVERIFY(!all[i].intersects(all[j]));
    QVERIFY2(copies.width() < 3 * copies.height() && copies.height() < 3 * copies.width(),
             "a block, no line");
    // Undo gives the selection back, redo that of the copies.
    QCOMPARE(d.canvas().selectedNodes().size(), std::size_t(63));
    d.document.history().undo();
    QCOMPARE(d.canvas().selectedNodes(), std::vector<int>{host});
    d.document.history().redo();
    QCOMPARE(d.canvas().selectedNodes().size(), std::size_t(63));
    // What was deleted is selected again as well.
    QTest::keyClick(&d.canvas(), Qt::Key_Delete);
    QVERIFY(d.canvas().selectedNodes().empty());
    d.document.history().undo();
    QCOMPARE(d.canvas().selectedNodes().size(), std::size_t(63));
  }

  void whatLacksAnUplinkHasAButtonForIt() {
    Drawing d;
    d.document.edit({}, "Unlink", [&](Scenario& s) {
      auto& g = std::get<GraphSource>(s.cluster.network).graph;
      std::erase_if(g.links, [&](const NetworkLink& l) {
        return g.nodes[std::size_t(l.from)].kind == NodeKind::Switch &&
               g.nodes[std::size_t(l.to)].kind == NodeKind::Switch;
      });
    });
    const auto& problems = d.canvas().scene().problems();
    QVERIFY(!problems.empty());
    const int leaf = problems.front().node;
    QCOMPARE(d.graph().nodes[std::size_t(leaf)].kind, NodeKind::Switch);
    d.canvas().fit();
    d.canvas().zoomBy(0.8, QPointF(d.canvas().rect().center()));
    const QRectF button = d.canvas().uplinkButton(leaf);
    QVERIFY(!button.isEmpty());
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, button.center().toPoint());
    QVERIFY(d.canvas().uplinkButton(leaf).isEmpty());
    QVERIFY(d.canvas().scene().problems().size() <= 1);  // the spine that nothing hangs on, at most
  }

  void bandwidthsStandInTheUnitThatWasTyped() {
    Drawing d;
    int uplink = -1;
    for (std::size_t l = 0; l < d.graph().links.size(); ++l)
      if (d.graph().nodes[std::size_t(d.graph().links[l].to)].kind == NodeKind::Switch)
        uplink = static_cast<int>(l);
    QVERIFY(uplink >= 0);
    d.canvas().select({}, {uplink});
    auto* field = d.fieldNamed(QStringLiteral("Bandwidth"));
    QVERIFY(field);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("800 Gb/s"));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(d.graph().links[std::size_t(uplink)].bandwidth, BytesPerSecond(100e9));
    QCOMPARE(d.canvas().scene().figuresOf(uplink).section(QStringLiteral("× "), -1),
             QStringLiteral("800 Gb/s"));
    QCOMPARE(field->text(), QStringLiteral("800 Gb/s"));
    const View::State kept = d.editor.state();
    d.canvas().setTyped({});
    QCOMPARE(field->text(), QStringLiteral("100 GB/s"));
    d.editor.setState(kept);
    QCOMPARE(field->text(), QStringLiteral("800 Gb/s"));
    // A switch has no speed and no memory.
    d.canvas().select({d.graph().links[std::size_t(uplink)].to}, {});
    QVERIFY(!d.fieldNamed(QStringLiteral("Speed"))->isVisible());
    d.canvas().select({d.numberOf("host0")}, {});
    QVERIFY(d.fieldNamed(QStringLiteral("Speed"))->isVisible());
  }

  void allThatIsSelectedIsJoinedEvenToASelectedSwitch() {
    Drawing d;
    QTest::keyClick(&d.canvas(), Qt::Key_S);
    QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, QPoint(30, 30));
    const std::string made = d.graph().nodes.back().name;
    const auto links = d.graph().links.size();
    QTest::keyClick(&d.canvas(), Qt::Key_A, Qt::ControlModifier);
    QTest::keyClick(&d.canvas(), Qt::Key_C);
    d.drag(d.headerOf("host1"), d.at(made));
    QCOMPARE(d.graph().links.size(), links + 4);  // each host, no device and no other switch
  }

  /// The order of the file is not that of the plan: hosts of one leaf need not stand beside each other.
  void coloursFollowTheHostsInWhateverOrderTheyAreDrawn() {
    Scenario scenario = drawnScenario();
    auto& g = std::get<GraphSource>(scenario.cluster.network).graph;
    const auto numberOf = [&](const char* name) {
      return static_cast<int>(
          std::find_if(g.nodes.begin(), g.nodes.end(), [&](const auto& n) { return n.name == name; }) -
          g.nodes.begin());
    };
    for (auto& l : g.links) {  // host1 and host2 change places
      if (l.from == numberOf("host1") && l.to == numberOf("leaf 0"))
        l.to = numberOf("leaf 1");
      else if (l.from == numberOf("host2") && l.to == numberOf("leaf 1"))
        l.to = numberOf("leaf 0");
    }
    Drawing d(scenario);
    auto context = std::make_shared<PlanContext>();
    context->scenario = d.document.snapshot();
    auto problem = std::make_shared<Problem>();
    problem->cluster = std::make_shared<const Hierarchy>(*deriveHierarchy(scenario.cluster));
    context->problem = problem;
    d.editor.setContext(context);
    for (const char* host : {"host1", "host2"}) {
      QTest::mouseClick(&d.canvas(), Qt::LeftButton, {}, d.at(std::string(host) + ":3"));
      QVERIFY(d.selection.selected());
      const auto id = problem->cluster->identity(DeviceIndex(d.selection.selected()->index));
      QCOMPARE(id.host, std::string(host));
      QCOMPARE(id.slot, 3);
    }
  }

  /// Whatever stands in the middle of the canvas.
  void theMenuByKeyIsAboutWhatIsSelected() {
    Drawing o;
    const int host0 = o.numberOf("host0"), host1 = o.numberOf("host1");
    o.canvas().jumpTo(host1, -1);
    o.canvas().select({host0}, {});
    QStringList offered;
    connect(&o.canvas(), &NetworkCanvas::menuMade, this, [&](QMenu* menu) {
      for (const QAction* a : menu->actions()) offered << a->text();
      QTimer::singleShot(0, menu, &QMenu::close);
    });
    const QPoint middle = o.canvas().rect().center();
    QContextMenuEvent byKey(QContextMenuEvent::Keyboard, middle, o.canvas().mapToGlobal(middle));
    QApplication::sendEvent(&o.canvas(), &byKey);
    QVERIFY2(offered.contains(QStringLiteral("Fail host0")), qPrintable(offered.join(u' ')));
    QCOMPARE(o.canvas().selectedNodes(), std::vector<int>{host0});
    // With the mouse it is about what is pointed at.
    offered.clear();
    QContextMenuEvent byMouse(QContextMenuEvent::Mouse, middle, o.canvas().mapToGlobal(middle));
    QApplication::sendEvent(&o.canvas(), &byMouse);
    QVERIFY(o.canvas().selectedNodes() != std::vector<int>{host0});
  }

  void everyDrawingToolIsReachedByTab() {
    Drawing o;
    int tools = 0;
    for (auto* b : o.editor.findChildren<QToolButton*>())
      if (b->isVisible() && b->isEnabled()) {
        QVERIFY2(b->focusPolicy() & Qt::TabFocus, qPrintable(b->text()));
        ++tools;
      }
    QVERIFY(tools > 8);
  }

  void aProblemIsRepairedByOneClick() {
    Drawing d;
    auto* tabs = d.editor.findChild<QTabWidget*>();
    QVERIFY(tabs);
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i).startsWith(QStringLiteral("Problems"))) tabs->setCurrentIndex(i);
    d.document.edit({}, "Unlink", [&](Scenario& s) {
      std::erase_if(std::get<GraphSource>(s.cluster.network).graph.links,
                    [&](const NetworkLink& l) { return l.from == d.numberOf("host2"); });
    });
    auto* view = d.editor.findChild<IssueView*>();
    QVERIFY(view && view->isVisible());
    QCOMPARE(view->model()->rowCount(), 1);
    const QModelIndex repair = view->model()->index(0, IssueModel::Repair);
    QVERIFY2(repair.data().toString().startsWith(QStringLiteral("Link host2 to")),
             qPrintable(repair.data().toString()));
    const QRect cell = view->visualRect(repair);
    QVERIFY2(view->viewport()->rect().contains(cell.center()), "the repair can be seen without scrolling");
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, cell.center());
    QVERIFY(d.canvas().scene().problems().empty());
    QCOMPARE(view->model()->rowCount(), 0);
    d.document.history().undo();
    QCOMPARE(d.canvas().scene().problems().size(), std::size_t(1));
  }

  /// A link that is degraded, or a host taken away: what it costs stands beside what was typed.
  void theEffectOfAnEditIsSaid() {
    test::Desk desk;
    desk.document.edit({}, "Draw", [](Scenario& s) {
      GraphSource source;
      source.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
      s.cluster.network = source;
    });
    desk.solveIt();
    NetworkEditor editor(desk.services());
    desk.show(editor, {1200, 800});
    const auto& g = editor.canvas().graph();
    std::vector<int> uplinks;
    for (std::size_t l = 0; l < g.links.size(); ++l)
      if (g.nodes[std::size_t(g.links[l].to)].kind == NodeKind::Switch)
        uplinks.push_back(static_cast<int>(l));
    QVERIFY(!uplinks.empty());
    editor.canvas().select({}, uplinks);
    QVERIFY(editor.effectText().isEmpty());
    QLineEdit* field = nullptr;
    for (auto* edit : editor.findChildren<QLineEdit*>())
      if (edit->accessibleName().startsWith(QStringLiteral("Bandwidth")) && edit->isVisible()) field = edit;
    QVERIFY(field);
    QTest::mouseClick(field, Qt::LeftButton);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("1 GB/s"));
    QTest::keyClick(field, Qt::Key_Return);
    QVERIFY(editor.effectText().isEmpty());  // not solved yet
    desk.solveIt();
    editor.setContext(desk.snapshot());
    const QString said = editor.effectText();
    QVERIFY2(said.contains(QStringLiteral("1 GB/s:")) && said.contains(QStringLiteral(" → ")) &&
                 said.contains(QStringLiteral("(+")),
             qPrintable(said));
    bool shown = false;
    for (const auto* label : editor.findChildren<QLabel*>())
      shown = shown || (label->isVisible() && label->text().contains(said));
    QVERIFY(shown);
    desk.document.history().undo();
    desk.solveIt();
    editor.setContext(desk.snapshot());
    QVERIFY(editor.effectText().isEmpty());
  }

  void looksAsItDid_data() {
    QTest::addColumn<QString>("state");
    QTest::addColumn<int>("theme");
    const auto row = [](const char* state, const char* theme, Theme::Kind kind) {
      QTest::addRow("network-%s-%s", state, theme) << QString::fromLatin1(state) << static_cast<int>(kind);
    };
    row("drawn", "light", Theme::Kind::Light);
    row("drawn", "dark", Theme::Kind::Dark);
    row("folded", "light", Theme::Kind::Light);
    row("dragging", "light", Theme::Kind::Light);
    row("broken", "light", Theme::Kind::Light);
    row("broken", "dark", Theme::Kind::Dark);
  }
  void looksAsItDid() {
    QFETCH(QString, state);
    QFETCH(int, theme);
    Scenario scenario = drawnScenario();
    NetworkGraph graph = std::get<GraphSource>(scenario.cluster.network).graph;
    if (state == QStringLiteral("broken")) {
      for (auto& n : graph.nodes) n.failed = n.name == "host1:2" || n.name == "leaf 1";
      for (auto& l : graph.links) l.failed = graph.nodes[std::size_t(l.from)].name == "host0";
    }
    std::vector<Seat> seats(graph.nodes.size());
    int devices = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i)
      if (graph.nodes[i].kind == NodeKind::Device) seats[i].stage = devices++ / 4;
    NetworkCanvas canvas;
    canvas.resize(440, 280);
    canvas.setTheme(Theme::of(static_cast<Theme::Kind>(theme)));
    canvas.setFolding(state == QStringLiteral("folded") ? Folding::Everything : Folding::Nothing);
    canvas.setGraph(graph, seats, true);
    canvas.fit();
    if (state == QStringLiteral("dragging")) {
      const auto leaf = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                     [](const auto& n) { return n.name == "leaf 1"; });
      const QPoint from = canvas.toWidget({leaf->x, leaf->y}).toPoint();
      QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
      QTest::mouseMove(&canvas, from + QPoint(-60, 2));
      QVERIFY(!canvas.guides().empty());
    }
    QImage now(canvas.size(), QImage::Format_RGB32);
    now.fill(Qt::magenta);
    canvas.render(&now);
    const QString difference = test::differenceFromGolden(now, QLatin1String(QTest::currentDataTag()));
    QVERIFY2(difference.isEmpty(), qPrintable(difference));
  }
};
NEST_TEST(TestNetworkHands)
#include "test_network_hands.moc"
