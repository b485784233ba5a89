#include <QComboBox>
#include <QImage>
#include <QSettings>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include "../figures/plan_contexts.h"
#include "editors/network/network_canvas.h"
#include "editors/network/topology_view.h"
#include "evaluation/schedule.h"
#include "figures/paint/interactive_figure.h"
#include "support/test_main.h"
#include "views/figure_canvas.h"
#include "views/figure_views.h"

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
  QSlider* head() { return timeline.findChild<QSlider*>(); }
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

  /// Nothing on the slider points at a time that is no longer shown.
  void theKnobGoesWithThePlayHead() {
    Both b;
    b.head()->setValue(400);
    QVERIFY(b.selection.playhead());
    for (auto* button : b.timeline.findChildren<QToolButton*>())
      if (button->text() == QLatin1String("Clear")) button->click();
    QVERIFY(!b.selection.playhead());
    QCOMPARE(b.head()->value(), 0);
    b.head()->setValue(400);
    QVERIFY(b.selection.playhead());
    b.timeline.setContext(std::make_shared<PlanContext>(*b.context));  // another plan
    QVERIFY(!b.selection.playhead());
    QCOMPARE(b.head()->value(), 0);
  }

  void devicesOfWaitingStagesStepBack() {
    Both b;
    const QColor first = b.colourOf(0), last = b.colourOf(3);
    QVERIFY(first.isValid() && first != last);
    QVERIFY(b.head() && b.head()->isVisible());
    // A little after the beginning the first stage works and the last one waits for its first microbatch.
    b.head()->setFocus();
    QTest::keyClick(b.head(), Qt::Key_Home);
    QTest::keyClick(b.head(), Qt::Key_Right);
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
    const int middle = (b.head()->minimum() + b.head()->maximum()) / 2;
    while (b.head()->value() < middle) QTest::keyClick(b.head(), Qt::Key_PageUp);
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
      b.head()->setValue(b.head()->minimum() + (b.head()->maximum() - b.head()->minimum()) * share / 100);
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
};
NEST_TEST(TestPlayHead)
#include "test_play_head.moc"
