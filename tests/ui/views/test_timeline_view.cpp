#include <QComboBox>
#include <QPainter>
#include <QSettings>
#include <QSlider>
#include <QTest>
#include <set>

#include "../figures/plan_contexts.h"
#include "export/figure_export.h"
#include "figures/plan/kinds.h"
#include "figures/plan/timeline_figure.h"
#include "support/test_main.h"
#include "views/figure_canvas.h"
#include "views/figure_views.h"

using namespace nest;

namespace {

/// 64 stages × 1,000 microbatches: more than is simulated within a frame.
PlanContextPtr longRun(int microbatches = 1000) {
  test::ContextShape shape;
  shape.fanouts = {8, 4, 32}, shape.stages = 64, shape.blocks = 126, shape.microbatches = microbatches;
  return std::make_shared<PlanContext>(test::contextOf(shape));
}

/// A timeline in a window, and what it says.
struct Shown {
  Selection selection;
  TimelineView view{{&selection}};
  explicit Shown(PlanContextPtr context) {
    view.setContext(std::move(context));
    view.resize(1000, 700);
    view.show();
    (void)QTest::qWaitForWindowExposed(&view);
  }
  QString text() const { return view.figure()->asText(view.context()); }
  bool isSimulating() const { return text().startsWith(QStringLiteral("Simulating")); }
};

QImage paintedBy(const Figure& figure, const PlanContext& context, bool standalone) {
  QImage image(1000, 600, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  FigureStyle style;
  style.standalone = standalone;
  figure.paint(painter, QRectF(image.rect()), context, style);
  return image;
}

}  // namespace

/// Schedules that take longer than a frame are simulated beside the window.
class TestTimelineView : public QObject {
  Q_OBJECT
private slots:
  void init() { QSettings().clear(); }

  void aLongScheduleComesLater() {
    const auto context = longRun();
    QVERIFY(TimelineFigure::isLong(*context));
    Shown shown(context);
    QVERIFY2(shown.isSimulating(), qPrintable(shown.text()));
    QVERIFY(shown.text().contains(QStringLiteral("64 stages, 1,000 microbatches")));
    // Nothing to walk, to play or to hit until it is here.
    QTest::keyClick(shown.view.canvas(), Qt::Key_Home);
    QVERIFY(!shown.selection.selected());
    QTRY_VERIFY_WITH_TIMEOUT(!shown.isSimulating(), 20000);
    QVERIFY(shown.text().contains(QStringLiteral("1,000 microbatches")));
    QTest::keyClick(shown.view.canvas(), Qt::Key_Home);
    QTest::keyClick(shown.view.canvas(), Qt::Key_End);
    QCOMPARE(*shown.selection.selected(), (SelectionItem{ItemKind::Stage, 63}));
    shown.view.findChild<QSlider*>()->setValue(900);
    QVERIFY(shown.selection.playhead());
    QVERIFY(!shown.selection.playhead()->running.empty());
  }

  void theNewestPlanIsShown() {
    Shown shown(longRun(1000));
    // Two more plans while the first is simulated; only the last may appear.
    shown.view.setContext(longRun(1100));
    (void)shown.view.grab();
    shown.view.setContext(longRun(1200));
    (void)shown.view.grab();
    QTRY_VERIFY_WITH_TIMEOUT(!shown.isSimulating(), 20000);
    QVERIFY2(shown.text().contains(QStringLiteral("1,200 microbatches")), qPrintable(shown.text()));
  }

  void anotherScheduleWhileOneIsSimulated() {
    Shown shown(longRun());
    auto* schedule = shown.view.findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findText(QStringLiteral("GPipe")));
    (void)shown.view.grab();
    QTRY_VERIFY_WITH_TIMEOUT(!shown.isSimulating(), 20000);
    QVERIFY2(shown.text().contains(QStringLiteral("GPipe")), qPrintable(shown.text()));
  }

  void closingDoesNotWaitForAnAnswer() {
    auto shown = std::make_unique<Shown>(longRun());
    QVERIFY(shown->isSimulating());
    shown.reset();
    QCoreApplication::processEvents();  // an answer on its way would find no view
  }

  void anExportIsNeverUnfinished() {
    Shown shown(longRun());
    QVERIFY(shown.isSimulating());
    const QByteArray svg = renderFigure(*shown.view.figure(), shown.view.context(), ExportFormat::Svg);
    QVERIFY(svg.contains("<image"));  // the dense rows
    QVERIFY(!shown.isSimulating());
  }

  /// Tasks of a pixel or two would beat with the pixels: bands tell their shares of the time instead.
  void narrowTasksAreBands() {
    test::ContextShape shape;
    shape.stages = 4, shape.blocks = 30, shape.microbatches = 512;
    const PlanContext context = test::contextOf(shape);
    const TimelineFigure figure;
    const QImage image = paintedBy(figure, context, false);
    const auto row = figure.locate({ItemKind::Stage, 1}, QRectF(image.rect()), context);
    QVERIFY(row);
    const auto tonesAt = [&](double share) {
      std::set<QRgb> tones;
      const int y = static_cast<int>(row->area.top() + share * row->area.height());
      for (double x = 0.4; x < 0.6; x += 0.001)
        tones.insert(image.pixel(static_cast<int>(row->area.left() + x * row->area.width()), y));
      return tones;
    };
    const Theme& theme = Theme::of(Theme::Kind::Light);
    QCOMPARE(tonesAt(0.15), std::set<QRgb>{colorOf(LoadPart::Forward, theme).rgb()});
    QCOMPARE(tonesAt(0.6), std::set<QRgb>{colorOf(LoadPart::Backward, theme).rgb()});
  }

  void bubblesAreHatchedHoweverDense() {
    const auto context = longRun();
    TimelineFigure figure;
    const QImage dense = paintedBy(figure, *context, false);
    // Stage 64 waits first: between its label and its first task there are hatch lines on the ground.
    const Theme& theme = Theme::of(Theme::Kind::Light);
    const auto hit = figure.locate({ItemKind::Stage, 63}, QRectF(dense.rect()), *context);
    QVERIFY(hit);
    std::set<QRgb> tones;
    const int y = static_cast<int>(hit->area.center().y());
    for (int x = static_cast<int>(hit->area.left()) + 2; x < static_cast<int>(hit->area.left()) + 22; ++x)
      tones.insert(dense.pixel(x, y));
    QVERIFY2(tones.size() > 2, "ground and hatch");
    QVERIFY(!tones.contains(theme.color(Theme::Role::Canvas).rgb()));
  }
};
NEST_TEST(TestTimelineView)
#include "test_timeline_view.moc"
