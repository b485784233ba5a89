#include <QComboBox>
#include <QImage>
#include <QSettings>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "../figures/plan_contexts.h"
#include "document/playback.h"
#include "editors/network/network_canvas.h"
#include "editors/network/topology_view.h"
#include "evaluation/schedule.h"
#include "figures/paint/interactive_figure.h"
#include "figures/plan/instant_text.h"
#include "figures/plan/timeline_figure.h"
#include "support/test_main.h"
#include "views/figure_canvas.h"
#include "views/figure_views.h"
#include "views/play_bar.h"

using namespace nest;

namespace {

/// Timeline and topology of one plan, that share a selection as in the window.
struct Both {
  Selection selection;
  PlanContextPtr context;
  TimelineView timeline{{&selection}};
  TopologyView topology{{&selection}};

  Both() {
    test::ContextShape shape;
    shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 4, shape.inner = 2, shape.microbatches = 8;
    shape.parametersPerBlock = 1.2e9;
    context = std::make_shared<PlanContext>(test::contextOf(shape));
    for (FigureView* view : {static_cast<FigureView*>(&timeline), static_cast<FigureView*>(&topology)}) {
      view->setContext(context);
      view->resize(900, 600);
      view->show();
      (void)QTest::qWaitForWindowExposed(view);
    }
  }
  static PlayBar& bar(FigureView& view) { return *view.findChild<PlayBar*>(); }
  TimelineFigure& figure() {
    return const_cast<TimelineFigure&>(static_cast<const TimelineFigure&>(*timeline.figure()));
  }
  void moveTo(double share) { timeline.movePlayHead(share * figure().duration(*context)); }
  /// Colour of the first device of a stage, beside its number.
  QColor colourOf(int stage) {
    FigureCanvas* canvas = topology.canvas();
    const Placement placement(context->plan->plan);
    const int device = placement.device(stage, 0, 0).value;
    const QRectF place = canvas->placeOf({ItemKind::Device, device});
    if (place.isEmpty()) return {};
    return canvas->grab().toImage().pixelColor((place.topLeft() + QPointF(4, 4)).toPoint());
  }
};

}  // namespace

/// The play head of the timeline lights up what runs, in the topology and on the drawn network.
class TestPlayHead : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  /// A flag in the ruler: a click sets it, a drag moves it, Escape and another plan take it away.
  void aClickInTheRulerSetsIt() {
    Both b;
    FigureCanvas* canvas = b.timeline.canvas();
    const QRectF ruler = b.figure().rulerOf(canvas->area(), *b.context);
    QVERIFY(ruler.width() > 300 && ruler.height() > 10);
    const auto at = [&](double share) {
      return (QPointF(ruler.left() + share * ruler.width(), ruler.center().y()) * canvas->enlargement())
          .toPoint();
    };
    QTest::mouseClick(canvas, Qt::LeftButton, {}, at(0.5));
    QVERIFY(b.selection.playhead());
    const double whole = b.figure().duration(*b.context);
    QVERIFY(std::abs(b.selection.playhead()->at.value() - 0.5 * whole) < 0.01 * whole);
    QTest::mousePress(canvas, Qt::LeftButton, {}, at(0.5));
    QTest::mouseMove(canvas, at(0.75));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, at(0.75));
    QVERIFY(std::abs(b.selection.playhead()->at.value() - 0.75 * whole) < 0.01 * whole);
    QVERIFY(!b.figure().span());
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!b.selection.playhead());
    b.moveTo(0.2);
    QVERIFY(b.selection.playhead());
    PlanContext other = *b.context;
    other.plan = std::make_shared<RankedPlan>(*other.plan);
    b.timeline.setContext(std::make_shared<PlanContext>(other));
    QVERIFY(!b.selection.playhead());
  }

  void devicesOfWaitingStagesStepBack() {
    Both b;
    const QColor first = b.colourOf(0), last = b.colourOf(3);
    QVERIFY(first.isValid() && first != last);
    // A little after the beginning the first stage works and the last one waits for its first microbatch.
    b.moveTo(0.0005);
    QVERIFY(b.selection.playhead());
    const auto runs = [&](int stage) {
      for (const RunningTask& r : b.selection.playhead()->running)
        if (r.stage == stage) return true;
      return false;
    };
    QVERIFY(runs(0) && !runs(3));
    QCOMPARE(b.colourOf(0), first);
    QVERIFY2(b.colourOf(3) != last, "the last stage waits, and looks so");
    // In the middle all are busy; with the head put away everything looks as before.
    b.moveTo(0.5);
    QVERIFY(runs(0) && runs(3));
    QCOMPARE(b.colourOf(0), first);
    QCOMPARE(b.colourOf(3), last);
    b.selection.setPlayhead(std::nullopt);
    QCOMPARE(b.colourOf(0), first);
    QCOMPARE(b.colourOf(3), last);
  }

  void trafficFollowsIt() {
    Both b;
    auto* traffic = b.topology.findChild<QComboBox*>(QStringLiteral("traffic"));
    QVERIFY(traffic);
    traffic->setCurrentIndex(1);
    const auto at = [&](int share) {
      b.moveTo(share / 100.0);
      return b.topology.canvas()->grab().toImage();
    };
    QVERIFY(at(1) != at(50));
    QCOMPARE(at(50), at(50));
  }

  void theDrawnNetworkFollowsIt() {
    NetworkGraph g;
    std::vector<Seat> seats;
    for (int k = 0; k < 2; ++k) {
      graph::addNode(g, NodeKind::Device, 200.0 * k, 0);
      seats.push_back({k});
    }
    NetworkCanvas canvas;
    canvas.resize(400, 200);
    canvas.setGraph(g, seats, true);
    canvas.fit();
    const auto colour = [&](int node) {
      const NetworkNode& n = canvas.graph().nodes[std::size_t(node)];
      const QPointF corner(n.x - graph::kDeviceWidth / 2 + 4, n.y - graph::kDeviceHeight / 2 + 4);
      return canvas.grab().toImage().pixelColor(canvas.toWidget(corner).toPoint());
    };
    const QColor first = colour(0), second = colour(1);
    canvas.setRunning({static_cast<int>(TaskKind::Forward), NetworkMarks::kWaits});
    QCOMPARE(colour(0), first);
    QVERIFY(colour(1) != second);
    canvas.setRunning({});
    QCOMPARE(colour(1), second);
  }

  /// One playhead for both views, whichever has the keyboard.
  void spacePlaysInBothViews() {
    Both b;
    Playback& play = b.selection.playback();
    QVERIFY(!b.bar(b.topology).isVisible() && !b.bar(b.timeline).isVisible());
    QTest::keyClick(b.topology.canvas(), Qt::Key_Space);
    QVERIFY(play.isPlaying() && b.selection.playhead());
    QVERIFY(b.bar(b.topology).isVisible() && b.bar(b.timeline).isVisible());
    QTest::keyClick(b.timeline.canvas(), Qt::Key_Space);
    QVERIFY(!play.isPlaying() && b.selection.playhead());
    QTest::keyClick(b.topology.canvas(), Qt::Key_BracketRight);
    QCOMPARE(play.speed(), 2.0);
    QCOMPARE(b.bar(b.timeline).findChild<QComboBox*>(QStringLiteral("play_speed"))->currentText(),
             QStringLiteral("2 ×"));
    QTest::keyClick(b.topology.canvas(), Qt::Key_Escape);
    QVERIFY(!b.selection.playhead() && !b.bar(b.topology).isVisible());
  }

  void timePassesAtTheSpeed() {
    Both b;
    Playback& play = b.selection.playback();
    const double pace = play.replay()->pace().value(), end = play.replay()->end().value();
    play.moveTo(Seconds());
    play.advance(1);
    QVERIFY(std::abs(b.selection.playhead()->at.value() - pace / 2) < 1e-9 * end);
    play.setSpeed(0.01);
    QCOMPARE(play.speed(), Playback::kSlowest);
    play.advance(1);
    QVERIFY(std::abs(b.selection.playhead()->at.value() - 0.55 * pace) < 1e-9 * end);
    for (int k = 0; k < 20; ++k) play.changeSpeed(true);
    QCOMPARE(play.speed(), Playback::kFastest);
    // At the end it stops, and from there it begins at the beginning.
    play.setPlaying(true);
    play.advance(2 * end / play.rate());
    QVERIFY(!play.isPlaying());
    QCOMPARE(b.selection.playhead()->at.value(), end);
    play.setPlaying(true);
    QCOMPARE(b.selection.playhead()->at.value(), 0.0);
    play.setPlaying(false);
  }

  void itStepsFromTaskToTask() {
    Both b;
    const ScheduleReplay& r = *b.selection.playback().replay();
    b.selection.playback().moveTo(Seconds());
    QTest::keyClick(b.topology.canvas(), Qt::Key_Period);
    QCOMPARE(b.selection.playhead()->at, r.next(Seconds()));
    QTest::keyClick(b.timeline.canvas(), Qt::Key_Comma);
    QCOMPARE(b.selection.playhead()->at, Seconds());
    b.selection.setSelected(SelectionItem{ItemKind::Stage, 3});
    QTest::keyClick(b.timeline.canvas(), Qt::Key_Period);
    QCOMPARE(b.selection.playhead()->at, r.next(Seconds(), 3));
    QVERIFY(r.next(Seconds(), 3) > r.next(Seconds()));
    const Seconds before = b.selection.playhead()->at;
    QTest::keyClick(b.timeline.canvas(), Qt::Key_Period, Qt::ShiftModifier);
    QVERIFY(std::abs((b.selection.playhead()->at - before) / r.end() - 0.01) < 1e-9);
  }

  /// Between two stages a microbatch is somewhere else at each time; screen readers hear where.
  void microbatchesTravel() {
    Both b;
    Playback& play = b.selection.playback();
    const auto& all = play.replay()->schedule().intervals;
    const auto transfer = std::find_if(all.begin(), all.end(), [](const ScheduleInterval& i) {
      return i.kind == TaskKind::ActivationTransfer && i.microbatch == 2;
    });
    QVERIFY(transfer != all.end());
    const auto at = [&](double share) {
      play.moveTo(transfer->begin + share * (transfer->end - transfer->begin));
      return b.topology.canvas()->grab().toImage();
    };
    const QImage early = at(0.1);
    QVERIFY(early != at(0.9));
    QVERIFY(early == at(0.1));
    const QString said = b.topology.canvas()->accessibleDescription();
    const QString way = QStringLiteral("2 from %1 to %2 over").arg(transfer->stage).arg(transfer->stage + 1);
    QVERIFY2(said.contains(way), qPrintable(said));
  }

  /// What the timeline draws is what plays, on the network too.
  void anotherScheduleIsPlayed() {
    Both b;
    b.moveTo(0.3);
    auto* schedule = b.timeline.findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findData(QStringLiteral("gpipe")));
    QCOMPARE(b.selection.playhead()->kind, ScheduleKind::GPipe);
    const QString said = b.topology.canvas()->currentText();
    QVERIFY2(said.contains(QStringLiteral("under GPipe")), qPrintable(said));
  }

  /// A step of many tasks is simulated in the background, and plays when that has ended.
  void aLongStepPlaysWhenItIsReady() {
    test::ContextShape shape;
    shape.fanouts = {8, 8}, shape.stages = 64, shape.tensor = 1, shape.inner = 1, shape.blocks = 64;
    shape.microbatches = 1000, shape.parametersPerBlock = 1e8;
    const auto context = std::make_shared<PlanContext>(test::contextOf(shape));
    QVERIFY(Playback::isLong(*context));
    Selection selection;
    TopologyView view{{&selection}};
    view.setContext(context);
    view.resize(900, 600);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
    Playback& play = selection.playback();
    QVERIFY(!play.replay() && play.isPreparing());
    QTest::keyClick(view.canvas(), Qt::Key_Space);
    QVERIFY(play.isAwaited() && !play.isPlaying() && !selection.playhead());
    QVERIFY(view.findChild<PlayBar*>()->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(play.isPlaying(), 20000);
    QVERIFY(selection.playhead() && !play.isAwaited());
    // Another plan: what was asked for of the one before does not play.
    auto other = std::make_shared<PlanContext>(*context);
    other->plan = std::make_shared<RankedPlan>(*other->plan);
    view.setContext(other);
    QVERIFY(!play.isPlaying() && !play.isAwaited());
  }

  /// Whose microbatches are shown is said, unless there is one replica.
  void whoseMicrobatchesAreShown() {
    Both b;
    b.moveTo(0.3);
    QCOMPARE(othersText(*b.context), QStringLiteral("; shown on replica 0, the other one does the same"));
    test::ContextShape shape;
    shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 8, shape.inner = 1;
    QCOMPARE(othersText(test::contextOf(shape)), QString());
  }

  void nothingPlaysWithoutAPlan() {
    Selection selection;
    TopologyView view{{&selection}};
    view.resize(600, 400);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
    for (const int key : {Qt::Key_Space, Qt::Key_Period, Qt::Key_Comma})
      QTest::keyClick(view.canvas(), Qt::Key(key));
    QVERIFY(!selection.playhead() && !selection.playback().isPlaying());
  }
};
NEST_TEST(TestPlayHead)
#include "test_play_head.moc"
