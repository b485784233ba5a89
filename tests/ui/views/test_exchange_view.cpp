#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

#include "../figures/plan_contexts.h"
#include "document/playback.h"
#include "editors/network/topology_view.h"
#include "figures/plan/exchange_figure.h"
#include "inspector/inspector.h"
#include "inspector/term_model.h"
#include "support/test_main.h"
#include "views/exchange_view.h"
#include "views/figure_canvas.h"
#include "views/play_bar.h"

using namespace nest;

namespace {

/// Exchange and topology of one plan, that share a selection as in the window.
struct ExchangeDesk {
  Selection selection;
  PlanContextPtr context;
  ExchangeView view{{&selection}};
  TopologyView topology{{&selection}};

  ExchangeDesk() {
    test::ContextShape shape;
    shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 8, shape.inner = 1, shape.microbatches = 8;
    shape.parametersPerBlock = 1.2e9;
    context = std::make_shared<PlanContext>(test::contextOf(shape));
    for (FigureView* one : {static_cast<FigureView*>(&view), static_cast<FigureView*>(&topology)}) {
      one->setContext(context);
      one->resize(900, 600);
      one->show();
      (void)QTest::qWaitForWindowExposed(one);
    }
  }
  ExchangePlayer& player() { return selection.exchangePlayer(); }
  std::string shownId() { return static_cast<const ExchangeFigure*>(view.figure())->shownId(*context); }
};

}  // namespace

/// Playing an exchange of the plan over the levels.
class TestExchangeView : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void keysPlayAndStep() {
    ExchangeDesk d;
    QVERIFY(!d.selection.exchange());
    QTest::keyClick(d.view.canvas(), Qt::Key_Space);
    QVERIFY(d.player().isPlaying() && d.selection.exchange());
    QTest::keyClick(d.view.canvas(), Qt::Key_Space);
    QVERIFY(!d.player().isPlaying());
    d.player().moveTo(Seconds());
    const ExchangeReplay& r = *d.player().replay();
    QTest::keyClick(d.view.canvas(), Qt::Key_Period);
    QCOMPARE(d.selection.exchange()->at, r.startOf(1));
    QTest::keyClick(d.view.canvas(), Qt::Key_Period);
    QTest::keyClick(d.view.canvas(), Qt::Key_Comma);
    QCOMPARE(d.selection.exchange()->at, r.startOf(1));
    for (int k = 0; k < 20; ++k) QTest::keyClick(d.view.canvas(), Qt::Key_Period);
    QCOMPARE(d.selection.exchange()->at, r.end());
    QVERIFY(!d.selection.exchange()->running());
    QTest::keyClick(d.view.canvas(), Qt::Key_Escape);
    QVERIFY(!d.selection.exchange());
    d.player().moveTo(Seconds());
    d.player().advance(ExchangePlayer::kWhole / 4);
    QVERIFY(std::abs(d.selection.exchange()->at / r.end() - 0.25) < 1e-9);
  }

  /// In the topology Space plays the step, unless an exchange is shown there.
  void theTopologyPlaysWhatItShows() {
    ExchangeDesk d;
    QTest::keyClick(d.view.canvas(), Qt::Key_Period);
    QVERIFY(d.selection.exchange());
    QTest::keyClick(d.topology.canvas(), Qt::Key_Period);
    QCOMPARE(d.selection.exchange()->at, d.player().replay()->startOf(1));
    QVERIFY(!d.selection.playhead());
    QVERIFY2(d.topology.canvas()->currentText().contains(QStringLiteral("step 2 of")),
             qPrintable(d.topology.canvas()->currentText()));
    // One takes the other's place.
    d.selection.playback().moveTo(Seconds(0.001));
    QVERIFY(d.selection.playhead() && !d.selection.exchange());
    QTest::keyClick(d.topology.canvas(), Qt::Key_Space);
    QVERIFY(d.selection.playback().isPlaying());
    d.player().moveTo(Seconds());
    QVERIFY(d.selection.exchange() && !d.selection.playhead() && !d.selection.playback().isPlaying());
  }

  void itFollowsTheSelectedStage() {
    ExchangeDesk d;
    const std::string first = d.shownId();
    d.selection.setSelected(SelectionItem{ItemKind::Stage, 2});
    QCOMPARE(d.shownId(), "stage3" + first.substr(6));
    auto* box = d.view.findChild<QComboBox*>(QStringLiteral("exchange"));
    QVERIFY(box->count() >= 3);
    const QString said = d.view.figure()->asText(*d.context);
    QVERIFY2(said.contains(QStringLiteral("of stage 3")), qPrintable(said));
    box->setCurrentIndex((box->currentIndex() + 1) % box->count());
    QCOMPARE(d.player().replay()->exchange().id, d.shownId());
  }

  /// A slide and a session keep the choice, before there is a plan too.
  void theChoiceIsKept() {
    ExchangeDesk d;
    d.selection.setSelected(SelectionItem{ItemKind::Stage, 3});
    auto* box = d.view.findChild<QComboBox*>(QStringLiteral("exchange"));
    box->setCurrentIndex(box->count() - 1);
    const std::string id = d.shownId();
    const View::State kept = d.view.state();
    Selection other;
    ExchangeView view{{&other, nullptr, nullptr, false}};
    view.setState(kept);
    view.setContext(d.context);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
    QCOMPARE(static_cast<const ExchangeFigure*>(view.figure())->shownId(*d.context), id);
  }

  /// A term that is one run of an exchange leads to its steps.
  void theInspectorLeadsToIt() {
    ExchangeDesk d;
    Inspector inspector(d.selection);
    inspector.setContext(d.context);
    inspector.resize(400, 700);
    inspector.show();
    (void)QTest::qWaitForWindowExposed(&inspector);
    auto* tree = inspector.findChild<QTreeView*>();
    auto* model = qobject_cast<TermModel*>(tree->model());
    QTRY_VERIFY(model->rowCount() > 0);
    const auto all = exchangesOf(*d.context->problem, *d.context->shownPlan(), *d.context->shownEvaluation());
    const PlanExchange& last = all.back();
    const QModelIndex at = model->indexOf(QString::fromStdString(last.id));
    QVERIFY(at.isValid());
    tree->setCurrentIndex(at);
    QLabel* detail = nullptr;
    for (QLabel* label : inspector.findChildren<QLabel*>())
      if (label->text().contains(QStringLiteral("play:"))) detail = label;
    QVERIFY(detail);
    QSignalSpy wanted(&d.player(), &ExchangePlayer::viewWanted);
    Q_EMIT detail->linkActivated(QStringLiteral("play:") + QString::fromStdString(last.id));
    QCOMPARE(wanted.count(), 1);
    QCOMPARE(d.selection.exchange()->at, Seconds());
    QCOMPARE(d.selection.exchange()->replay->exchange().id, last.id);
    QCOMPARE(d.shownId(), last.id);
  }

  void menusLeadToIt() {
    ExchangeDesk d;
    QMenu menu;
    addExchangeTo(menu, d.selection, *d.context);
    QVERIFY(menu.actions().isEmpty());
    // Between the first two devices of stage 2: TP.
    d.selection.setSelected(SelectionItem{ItemKind::Pair, 8, -1, 9});
    addExchangeTo(menu, d.selection, *d.context);
    QVERIFY(!menu.actions().isEmpty());
    menu.actions().back()->trigger();
    QVERIFY(d.selection.exchange());
    QVERIFY2(d.shownId().starts_with("stage2/tensor"), d.shownId().c_str());
  }

  void anotherPlanEndsIt() {
    ExchangeDesk d;
    QTest::keyClick(d.view.canvas(), Qt::Key_Space);
    PlanContext other = *d.context;
    other.plan = std::make_shared<RankedPlan>(*other.plan);
    d.view.setContext(std::make_shared<PlanContext>(other));
    QVERIFY(!d.selection.exchange() && !d.player().isPlaying());
    QTest::keyClick(d.view.canvas(), Qt::Key_Space);
    QVERIFY(d.player().isPlaying());
  }
};
NEST_TEST(TestExchangeView)
#include "test_exchange_view.moc"
