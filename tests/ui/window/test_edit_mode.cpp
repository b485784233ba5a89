// Topology and its edit mode: one view, whatever name earlier versions gave to it.
#include <QAccessible>
#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QToolButton>

#include "catalogue/export_all.h"
#include "catalogue/registry.h"
#include "editors/network/network_editor.h"
#include "editors/network/topology_view.h"
#include "export/figure_export.h"
#include "slides/slide_renderer.h"
#include "support/desk.h"
#include "window/scenario_session.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

struct EditBench : WindowBench {
  using WindowBench::WindowBench;
  TopologyView& topology() { return *window.views().findChild<TopologyView*>(); }
  NetworkCanvas& canvas() { return topology().editor()->canvas(); }
  QToolButton* edit() { return topology().findChild<QToolButton*>(QStringLiteral("edit")); }
};

constexpr int kLayoutVersion = 1;

/// Docks as an earlier version kept them: the network has one of its own.
QByteArray layoutWithNetwork(bool inFront, bool topologyHidden) {
  Desk desk;
  ViewsArea area(desk.services());
  auto* dock = new QDockWidget(QStringLiteral("Network"), &area);
  dock->setObjectName(QStringLiteral("view.network"));
  dock->setWidget(new QWidget);
  area.tabifyDockWidget(area.dockOf(QStringLiteral("topology")), dock);
  area.resize(1400, 900);
  area.show();
  QApplication::processEvents();
  (inFront ? dock : area.dockOf(QStringLiteral("topology")))->raise();
  if (topologyHidden) area.dockOf(QStringLiteral("topology"))->hide();
  QApplication::processEvents();
  return area.saveState(kLayoutVersion);
}

}  // namespace

class TestEditMode : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }
  void cleanup() { init(); }

  void theButtonLeadsThereAndBack() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.window.selection().setSelected(SelectionItem{ItemKind::Group, 1, 0});
    b.window.views().reveal(QStringLiteral("topology"));
    QTRY_VERIFY(b.topology().isInSight());
    QVERIFY(!b.canvas().isVisible());
    QCOMPARE(b.topology().figure()->id(), QStringLiteral("topology"));
    const QPoint place = b.edit()->mapTo(&b.topology(), QPoint());
    QTest::mouseClick(b.edit(), Qt::LeftButton);
    QTRY_VERIFY(b.canvas().isVisible() && b.canvas().hasFocus());
    QCOMPARE(b.edit()->mapTo(&b.topology(), QPoint()), place);
    QCOMPARE(b.topology().figure()->id(), QStringLiteral("network"));
    // What is selected stays so, and is the same part.
    QTRY_COMPARE(b.canvas().selectedNodes().size(), std::size_t(1));
    const auto& node = b.canvas().graph().nodes[std::size_t(b.canvas().selectedNodes().front())];
    QCOMPARE(node.name, b.window.session().context()->problem->cluster->groupName(0, 1));
    QCOMPARE(*b.window.selection().selected(), (SelectionItem{ItemKind::Group, 1, 0}));
    QTest::mouseClick(b.edit(), Qt::LeftButton);
    QTRY_VERIFY(!b.canvas().isVisible() && b.topology().focusProxy()->isVisible());
    QCOMPARE(*b.window.selection().selected(), (SelectionItem{ItemKind::Group, 1, 0}));
    QCOMPARE(b.topology().figure()->id(), QStringLiteral("topology"));
  }

  void theShortcutDoesSo() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("timeline"));
    b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 1});
    QTest::keyClick(&b.window, Qt::Key_2, Qt::ControlModifier);  // as ever
    QTRY_VERIFY(b.topology().isInSight() && b.canvas().isVisible() && b.canvas().hasFocus());
    QCOMPARE(*b.window.selection().selected(), (SelectionItem{ItemKind::Stage, 1}));
    QTest::keyClick(&b.window, Qt::Key_2, Qt::ControlModifier);
    QTRY_VERIFY(!b.canvas().isVisible());
    QVERIFY(b.topology().isInSight());
    QCOMPARE(*b.window.selection().selected(), (SelectionItem{ItemKind::Stage, 1}));
    QTest::keyClick(&b.window, Qt::Key_2, Qt::ControlModifier);
    QTRY_VERIFY(b.canvas().isVisible());
    QTest::keyClick(&b.window, Qt::Key_1, Qt::ControlModifier);  // the plan, whatever was shown
    QTRY_VERIFY(!b.canvas().isVisible());
    QTest::keyClick(&b.window, Qt::Key_3, Qt::ControlModifier);
    QTRY_COMPARE(b.window.views().current()->id(), QStringLiteral("stages"));
  }

  void undoStaysInTheMode() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("network"));
    QTRY_VERIFY(b.canvas().isVisible());
    QPushButton* draw = b.button(QStringLiteral("Draw this network"));
    QVERIFY(draw);
    QTest::mouseClick(draw, Qt::LeftButton);
    const auto drawn = [&]() -> const NetworkGraph& {
      return std::get<GraphSource>(b.scenario().cluster.network).graph;
    };
    const NetworkGraph before = drawn();
    b.canvas().select({0}, {});
    b.canvas().setFocus();
    QTest::keyClick(&b.canvas(), Qt::Key_Delete);
    QVERIFY(drawn().nodes.size() < before.nodes.size());
    b.trigger("edit.undo");
    QVERIFY(drawn() == before);
    b.trigger("edit.undo");
    QVERIFY(std::holds_alternative<LevelsSource>(b.scenario().cluster.network));
    QVERIFY(b.canvas().isVisible() && b.button(QStringLiteral("Draw this network")));
  }

  /// A new window and another file start with the plan; the mode was for what was looked at then.
  void theModeIsOfTheFileAtHand() {
    QTemporaryDir dir;
    const QString first = ownCopy(dir), second = ownCopy(dir, QStringLiteral("other.nest.json"));
    {
      EditBench b(first, true);
      QTRY_VERIFY(b.solved());
      b.window.views().reveal(QStringLiteral("topology"));
      QTest::mouseClick(b.edit(), Qt::LeftButton);
      QVERIFY(b.topology().isEditing());
      b.window.openPath(second);
      QVERIFY(!b.topology().isEditing());
      b.window.openPath(first);
      QVERIFY(!b.topology().isEditing());
      b.topology().setEditing(true);
      b.window.close();
    }
    EditBench again(first, true);
    QTRY_VERIFY(again.solved());
    QVERIFY(!again.topology().isEditing());
    QCOMPARE(again.topology().title(), QStringLiteral("Topology"));
  }

  void theModeThatIsAskedForOutlivesOpening() {
    WindowOptions o;
    o.onlyView = QStringLiteral("network");
    MainWindow window(
        [](const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }, o);
    window.openPath(teachingSample());
    QVERIFY(window.views().findChild<TopologyView*>()->isEditing());
  }

  /// As its export is called, whichever mode it shows.
  void slidesAreCalledAsTheFigureInFront() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("topology"));
    b.trigger("present.keep");
    b.topology().setEditing(true);
    b.trigger("present.keep");
    QVERIFY2(b.scenario().slides.at(0).caption.starts_with("4 × Teaching device"),
             b.scenario().slides.at(0).caption.c_str());
    QVERIFY2(b.scenario().slides.at(1).caption.starts_with("Network"),
             b.scenario().slides.at(1).caption.c_str());
  }

  void choicesAreOneForBoth() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("network"));
    QTRY_VERIFY(b.canvas().isVisible());
    auto* collapse = b.topology().findChild<QComboBox*>(QStringLiteral("folding"));
    collapse->setCurrentIndex(collapse->findData(QStringLiteral("never")));
    QCOMPARE(b.canvas().scene().folding(), Folding::Nothing);
    b.canvas().setFocus();
    QTest::keyClick(&b.canvas(), Qt::Key_F);
    QTRY_COMPARE(collapse->currentData().toString(), QStringLiteral("always"));
    QCOMPARE(b.canvas().scene().folding(), Folding::Everything);
    for (auto* a : b.topology().findChildren<QAction*>())
      if (a->text() == QStringLiteral("Auto")) a->trigger();
    QTRY_COMPARE(collapse->currentData().toString(), QStringLiteral("small"));
    QCOMPARE(b.canvas().scene().folding(), Folding::Automatic);
  }

  /// As in every figure: the same as text, heard by screen readers, panned by keys.
  void theDrawingIsReadAndPannedAsFiguresAre() {
    EditBench b;
    QTRY_VERIFY(b.solved());
    b.trigger("view.show.network");
    QTRY_VERIFY(b.canvas().isVisible() && b.canvas().hasFocus());
    QTest::keyClick(&b.canvas(), Qt::Key_Right);
    QCOMPARE(b.canvas().selectedNodes().size(), std::size_t(1));
    const auto* heard = QAccessible::queryAccessibleInterface(&b.canvas());
    const int host = b.canvas().selectedNodes().front();
    QVERIFY2(heard->text(QAccessible::Value).startsWith(b.canvas().scene().nameOf(host) + u':'),
             qPrintable(heard->text(QAccessible::Value)));
    const auto& nodes = b.canvas().graph().nodes;
    const auto device =
        std::find_if(nodes.begin(), nodes.end(), [](const auto& n) { return n.kind == NodeKind::Device; });
    b.canvas().select({static_cast<int>(device - nodes.begin())}, {});
    QVERIFY2(heard->text(QAccessible::Value).contains(QStringLiteral("stage ")),
             qPrintable(heard->text(QAccessible::Value)));
    const QPointF before = b.canvas().toWidget({0, 0});
    QTest::keyClick(&b.canvas(), Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(b.canvas().toWidget({0, 0}), before + QPointF(60, 0));
    QAction* text = nullptr;
    for (auto* a : b.topology().findChildren<QAction*>())
      if (a->text() == QStringLiteral("Text")) text = a;
    QVERIFY(text && !text->isChecked());
    text->trigger();
    auto* shown = b.topology().editor()->findChild<QPlainTextEdit*>();
    QVERIFY(shown->isVisible() && !b.canvas().isVisible());
    QVERIFY(shown->toPlainText().contains(b.canvas().scene().nameOf(host)));
    b.topology().editor()->jumpTo(host, -1);  // what is shown must be seen
    QTRY_VERIFY(b.canvas().isVisible() && !text->isChecked());
  }

  void whichTrafficIsShownIsKept() {
    Desk desk;
    TopologyView view(desk.services());
    desk.show(view);
    view.setEditing(true);
    QCOMPARE(*view.state().at("links").name(), std::string("all"));
    for (auto* a : view.findChildren<QAction*>())
      if (a->text() == QStringLiteral("DP")) a->trigger();
    QCOMPARE(*view.state().at("links").name(), std::string("data"));
    TopologyView other(desk.services());
    other.setState(view.state());
    QCOMPARE(*other.state().at("links").name(), std::string("data"));
    other.setState({{"links", "none"}});
    QCOMPARE(*other.state().at("links").name(), std::string("none"));
    QCOMPARE(*TopologyView(desk.services()).state().at("links").name(), std::string("all"));
  }

  /// What a slide enlarges it shows enlarged, in a canvas of another size too.
  void theZoomOfTheDrawingIsKept() {
    Desk desk;
    TopologyView view(desk.services());
    desk.show(view);
    view.setEditing(true);
    QVERIFY(!view.state().contains("drawing zoom"));  // fitted, whatever the size
    NetworkCanvas& canvas = view.editor()->canvas();
    canvas.zoomBy(1.7, {100, 90});
    const QPointF middle = canvas.toScene(canvas.fittedArea().center());
    TopologyView other(desk.services());
    other.setState(view.state());
    desk.show(other, {800, 500});
    const NetworkCanvas& again = other.editor()->canvas();
    QVERIFY(again.isVisible());
    QCOMPARE(again.scale(), canvas.scale());
    const QPointF there = again.toScene(again.fittedArea().center());
    QVERIFY2(QLineF(there, middle).length() < 1, qPrintable(QString::number(QLineF(there, middle).length())));
  }

  /// A slide shows what it showed, whatever the user has in front and whichever version kept it.
  void slidesNameEitherView() {
    const Desk desk;
    const auto figureOf = [&](const SavedSlide& slide) {
      const SlideRenderer sight(slide, desk.snapshot(), desk.document.scenario(), Theme::Kind::Light);
      return sight.view() ? sight.view()->figure()->id() : QString();
    };
    SavedSlide old;
    old.view = "network";
    old.state = {{"colour", "stage"}, {"fold", 1}, {"part", 0}};
    QCOMPARE(figureOf(old), QStringLiteral("network"));
    old.view = "topology";
    old.state = {{"colour", "stage"}, {"folding", "small"}};
    QCOMPARE(figureOf(old), QStringLiteral("topology"));
    old.state["edit"] = 1;
    QCOMPARE(figureOf(old), QStringLiteral("network"));
  }

  void sessionsNameEitherView_data() {
    QTest::addColumn<QString>("current");
    QTest::newRow("network") << QStringLiteral("network");
    QTest::newRow("topology") << QStringLiteral("topology");
    QTest::newRow("another") << QStringLiteral("stages");
  }
  void sessionsNameEitherView() {
    QFETCH(QString, current);
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    ScenarioSession session;
    session.currentView = current;
    session.viewStates[QStringLiteral("network")] = {{"colour", nameOf(Together::Tensor)}, {"fold", 1}};
    session.viewStates[QStringLiteral("topology")] = {{"colour", "stage"}, {"traffic", "all"}};
    writeSession(path, session);
    EditBench b(path, true);
    QTRY_VERIFY(b.solved());
    const bool editing = current == QLatin1String("network");
    QCOMPARE(b.window.views().current()->id(), editing ? QStringLiteral("topology") : current);
    QCOMPARE(b.topology().isEditing(), editing);
    QCOMPARE(b.canvas().scene().folding(), Folding::Everything);
    QCOMPARE(b.canvas().scene().colouredBy(), editing ? Together::Tensor : Together::Stage);
    QCOMPARE(*b.topology().state().at("traffic").name(), std::string("all"));
  }

  /// The network lay in front of Topology, and another view had the keyboard.
  void sessionsKeepWhichWasInFront() {
    QTemporaryDir dir;
    const QString path = ownCopy(dir);
    for (const bool inFront : {true, false}) {
      ScenarioSession session;
      session.currentView = QStringLiteral("stages");
      session.views = layoutWithNetwork(inFront, false);
      session.viewStates[QStringLiteral("network")] = {{"fold", 0}};
      session.viewStates[QStringLiteral("topology")] = {{"traffic", "all"}};
      writeSession(path, session);
      EditBench b(path, true);
      QTRY_VERIFY(b.solved());
      QCOMPARE(b.topology().isEditing(), inFront);
      QCOMPARE(b.window.views().current()->id(), QStringLiteral("stages"));
      b.window.close();
    }
  }

  void layoutsNameEitherView_data() {
    QTest::addColumn<bool>("inFront");
    QTest::addColumn<bool>("topologyHidden");
    QTest::addColumn<bool>("editing");
    QTest::newRow("network in front") << true << false << true;
    QTest::newRow("network behind") << false << false << false;
    QTest::newRow("network alone") << true << true << true;
  }
  void layoutsNameEitherView() {
    QFETCH(bool, inFront);
    QFETCH(bool, topologyHidden);
    QFETCH(bool, editing);
    QSettings().setValue(QStringLiteral("window/views"), layoutWithNetwork(inFront, topologyHidden));
    EditBench b(teachingSample(), true);
    QTRY_VERIFY(b.topology().isInSight());
    QCOMPARE(b.topology().isEditing(), editing);
    QVERIFY(!b.window.findChild<QDockWidget*>(QStringLiteral("view.network")));
    const QByteArray now = b.window.views().saveState(kLayoutVersion);
    QVERIFY(!b.window.views().restoreLayout(QByteArray("no layout"), kLayoutVersion));
    QVERIFY(b.window.views().restoreLayout(now, kLayoutVersion));
    QTRY_VERIFY(b.topology().isInSight());
  }

  void bothFiguresAreExported() {
    const Desk desk;
    QTemporaryDir dir;
    QVERIFY(exportAll(dir.path(), desk.context).ok());
    for (const char* name : {"topology.svg", "network.svg", "topology.png", "network.pdf"})
      QVERIFY2(QFileInfo(dir.filePath(QLatin1String(name))).size() > 1000, name);
  }
};

NEST_TEST(TestEditMode)
#include "test_edit_mode.moc"
