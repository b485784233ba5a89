#include <QAbstractItemModelTester>
#include <QDockWidget>
#include <QMenu>
#include <QTimer>

#include "cluster/graph/graph_edit.h"
#include "editors/network/network_editor.h"
#include "panes/issue_model.h"
#include "panes/issue_view.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

/// A window whose network is drawn: sixteen hosts, of which two were never joined.
struct Torn : WindowBench {
  Torn() {
    LevelsSource levels;
    levels.levels.resize(2);
    levels.levels[0] = {"host", 2, BytesPerSecond(450e9), {}, Seconds(2e-6)};
    levels.levels[1] = {"leaf", 16, BytesPerSecond(50e9), {}, Seconds(4e-6)};
    GraphSource source;
    source.graph = graph::fromLevels(levels);
    auto& g = source.graph;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].kind == NodeKind::Host) hosts.push_back(static_cast<int>(i));
    apart = {hosts[4], hosts[9]};
    for (int h : apart) {
      const auto inside = graph::withContents(g, {h});
      const auto reaches = [&](int n) { return std::find(inside.begin(), inside.end(), n) != inside.end(); };
      std::erase_if(g.links, [&](const NetworkLink& l) { return reaches(l.from) != reaches(l.to); });
    }
    window.document().edit({}, QStringLiteral("Draw"), [&](Scenario& s) { s.cluster.network = source; });
    for (auto* v : window.findChildren<IssueView*>())
      if (v->accessibleName() == QStringLiteral("Issues")) pane = v;
    issues = qobject_cast<IssueModel*>(pane->model());
    editor = window.views().findChild<NetworkEditor*>();
    window.views().reveal(editor->id());
    editor->canvas().setFolding(Folding::Nothing);  // places are the graph's own
    window.findChild<QDockWidget*>(QStringLiteral("below"))->show();
    (void)QTest::qWaitForWindowExposed(&window);
  }
  ~Torn() { editor->canvas().setFolding(Folding::Automatic); }  // the choice is kept for others
  const NetworkGraph& drawn() {
    return std::get<GraphSource>(window.document().scenario().cluster.network).graph;
  }
  QModelIndex cell(int node, int column) const {
    for (int r = 0; r < issues->rowCount(); ++r)
      if (const auto at = issues->index(r, column); at.data(IssueModel::kNodeRole).toInt() == node) return at;
    return {};
  }
  void click(const QModelIndex& at) {
    pane->scrollTo(at);
    QTest::mouseClick(pane->viewport(), Qt::LeftButton, {}, pane->visualRect(at).center());
  }
  bool isInTheMiddle(int node) {
    const NetworkCanvas& canvas = editor->canvas();
    const auto& g = canvas.graph();
    const auto box = graph::boxOf(g, node, graph::hostContents(g));
    const QRectF at(box.x, box.y, box.width, box.height);
    return QRectF(canvas.toWidget(at.topLeft()), canvas.toWidget(at.bottomRight()))
        .contains(QPointF(canvas.width(), canvas.height()) / 2);
  }
  bool isSelected(int node) const {
    const auto chosen = editor->canvas().selectedNodes();
    return std::find(chosen.begin(), chosen.end(), node) != chosen.end();
  }

  std::vector<int> hosts, apart;
  IssueView* pane;
  IssueModel* issues;
  NetworkEditor* editor;
};

}  // namespace

class TestNetworkIssues : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void everyProblemIsARowWithItsPlaceAndRepair() {
    Torn t;
    QAbstractItemModelTester tester(t.issues, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(t.issues->errorCount(), 2);  // and not a third one that says the same of both
    for (int node : t.apart) {
      const QString name = QString::fromStdString(t.drawn().nodes[node].name);
      QVERIFY(t.cell(node, IssueModel::Where).data().toString().contains(name));
      const QModelIndex repair = t.cell(node, IssueModel::Repair);
      QVERIFY(repair.data().toString().startsWith(QStringLiteral("Link ") + name));
      QCOMPARE(repair.data(Qt::AccessibleTextRole).toString(),
               QStringLiteral("Repair: ") + repair.data().toString());
    }
    QVERIFY(!t.pane->isColumnHidden(IssueModel::Repair));
    QVERIFY(!t.pane->accessibleName().isEmpty() && !t.pane->accessibleDescription().isEmpty());
  }

  void aDoubleClickShowsTheHostFromBehindAnotherTab() {
    Torn t;
    t.window.views().arrangeTabbed();
    t.window.views().reveal(QStringLiteral("stages"));
    QTRY_VERIFY(!t.editor->isVisible() || t.editor->visibleRegion().isEmpty());
    const QModelIndex at = t.cell(t.apart[1], IssueModel::Message);
    t.pane->scrollTo(at);
    const QPoint p = t.pane->visualRect(at).center();
    QTest::mouseClick(t.pane->viewport(), Qt::LeftButton, {}, p);
    QVERIFY(!t.isSelected(t.apart[1]));  // one click only chooses the row
    QTest::mouseDClick(t.pane->viewport(), Qt::LeftButton, {}, p);
    QTRY_VERIFY(t.isSelected(t.apart[1]));
    QVERIFY(!t.editor->visibleRegion().isEmpty());
    QVERIFY(t.isInTheMiddle(t.apart[1]));
    QVERIFY(t.editor->canvas().hasFocus());
  }

  void enterUnfoldsWhatHidesTheHost() {
    Torn t;
    t.editor->canvas().setFolding(Folding::Everything);
    const int hidden = t.apart[1];
    QVERIFY(!t.editor->canvas().scene().isShown(hidden));
    t.pane->setCurrentIndex(t.cell(hidden, IssueModel::Message));
    t.pane->setFocus();
    QTest::keyClick(t.pane, Qt::Key_Return);
    QTRY_VERIFY(t.isSelected(hidden));
    QVERIFY(t.editor->canvas().scene().isShown(hidden));
  }

  void aClickOnThePlaceShowsIt() {
    Torn t;
    t.click(t.cell(t.apart[0], IssueModel::Where));
    QTRY_VERIFY(t.isSelected(t.apart[0]));
    QVERIFY(t.isInTheMiddle(t.apart[0]));
  }

  void oneClickRepairsAndUndoTakesItBack() {
    Torn t;
    const NetworkGraph before = t.drawn();
    NetworkGraph wanted = before;
    const QModelIndex repair = t.cell(t.apart[0], IssueModel::Repair);
    const auto* known = t.issues->repairOf(repair);
    QVERIFY(known);
    known->repair(wanted);
    const QString verb = repair.data().toString();
    t.click(repair);
    QVERIFY(t.drawn() == wanted);  // what the canvas's own repair does
    QCOMPARE(t.window.document().history().undoText(), verb);
    QCOMPARE(t.issues->errorCount(), 1);
    t.trigger("edit.undo");
    QVERIFY(t.drawn() == before);
    QCOMPARE(t.issues->errorCount(), 2);
  }

  void aDoubleClickRepairsOnlyOnce() {
    Torn t;
    const int before = t.window.document().history().count();
    const QModelIndex repair = t.cell(t.apart[0], IssueModel::Repair);
    t.pane->scrollTo(repair);
    const QPoint p = t.pane->visualRect(repair).center();
    QTest::mouseClick(t.pane->viewport(), Qt::LeftButton, {}, p);
    QTest::mouseDClick(t.pane->viewport(), Qt::LeftButton, {}, p);
    QCOMPARE(t.window.document().history().count(), before + 1);
  }

  void keysRepairEverythingAndThePlanReturns() {
    Torn t;
    t.pane->setFocus();
    for (int node : t.apart) {
      t.pane->setCurrentIndex(t.cell(node, IssueModel::Message));
      QTest::keyClick(t.pane, Qt::Key_Return, Qt::ShiftModifier);
    }
    QCOMPARE(t.issues->errorCount(), 0);
    QVERIFY(t.pane->isColumnHidden(IssueModel::Repair));
    QVERIFY(t.editor->canvas().scene().problems().empty());
    QTRY_VERIFY(t.solved());
    QCOMPARE(t.window.session().context()->problem->cluster->deviceCount(), 32);
  }

  void theMenuOffersBoth() {
    Torn t;
    const QModelIndex at = t.cell(t.apart[0], IssueModel::Message);
    const QPoint p = t.pane->visualRect(at).center();
    QStringList offered;
    QTimer::singleShot(0, &t.window, [&] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (!menu) return;
      for (QAction* a : menu->actions()) offered += a->text();
      menu->close();
    });
    QContextMenuEvent asked(QContextMenuEvent::Mouse, p, t.pane->viewport()->mapToGlobal(p));
    QApplication::sendEvent(t.pane->viewport(), &asked);
    QCOMPARE(offered.size(), 2);
    QCOMPARE(offered[0], QStringLiteral("Show on the network"));
    QCOMPARE(offered[1], at.siblingAtColumn(IssueModel::Repair).data().toString());
  }

  void typedLevelsHaveNoNetworkIssues() {
    Torn t;
    t.trigger("edit.undo");
    QCOMPARE(t.issues->errorCount(), 0);
    QVERIFY(!t.issues->offersRepair());
  }
};

NEST_TEST(TestNetworkIssues)
#include "test_network_issues.moc"
