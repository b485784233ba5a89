#include <QComboBox>
#include <QPainter>
#include <QRegularExpression>
#include <QSettings>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <set>

#include "../figures/plan_contexts.h"
#include "document/playback.h"
#include "evaluation/schedule.h"
#include "export/figure_export.h"
#include "figures/plan/focus.h"
#include "figures/plan/kinds.h"
#include "figures/plan/timeline_figure.h"
#include "inspector/selection_facts.h"
#include "support/test_main.h"
#include "units/at.h"
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

PlanContextPtr shortRun() {
  test::ContextShape shape;
  shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 4, shape.inner = 2, shape.microbatches = 8;
  shape.parametersPerBlock = 1.2e9;
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
    QVERIFY(Playback::isLong(*context));
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
    shown.view.movePlayHead(0.45 * shown.view.context().shownEvaluation()->batchTime.value());
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

  /// Every schedule that the stages can run, on one axis, each with its time and whether it fits.
  void allSchedulesSideBySide() {
    test::ContextShape shape;
    shape.stages = 4, shape.blocks = 30, shape.microbatches = 16;
    PlanContext context = test::contextOf(shape);
    // As much memory as the plan's own schedule needs: GPipe, which keeps every microbatch, needs more.
    const Evaluation& own = *context.shownEvaluation();
    const MemoryUse& use = own.stages[static_cast<std::size_t>(own.fullestStage())].memory;
    shape.memoryGiB = use.total().value() * 1.02 / (1024.0 * 1024 * 1024);
    Shown shown(std::make_shared<PlanContext>(test::contextOf(shape)));
    auto* schedule = shown.view.findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findData(QStringLiteral("all")));
    auto* memory = shown.view.findChild<QToolButton*>(QStringLiteral("memory"));
    QVERIFY2(!memory->isEnabled(), "it has no curve to switch");
    const QString text = shown.text();
    QVERIFY2(text.contains(QStringLiteral("under 3 schedules")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("not with these stages: Interleaved")), qPrintable(text));
    const QStringList lines = text.split(u'\n');
    const auto lineOf = [&](const char* name) {
      for (const QString& line : lines)
        if (line.startsWith(QLatin1String(name) + QStringLiteral(": "))) return line;
      return QString();
    };
    QVERIFY2(lineOf("1F1B").contains(QStringLiteral("as planned; fits: stage ")), qPrintable(text));
    QVERIFY2(lineOf("GPipe").contains(
                 QRegularExpression(QStringLiteral("; does not fit: stage \\d needs .* more"))),
             qPrintable(text));
    QVERIFY2(!lineOf("ZB-H1").isEmpty(), qPrintable(text));
    // Stages are walked, tasks and spans are not there, and it does not zoom.
    FigureCanvas* canvas = shown.view.canvas();
    QTest::keyClick(canvas, Qt::Key_Home);
    QTest::keyClick(canvas, Qt::Key_Right);
    QTest::keyClick(canvas, Qt::Key_Down);
    QCOMPARE(*shown.selection.selected(), (SelectionItem{ItemKind::Stage, 1}));
    QVERIFY(canvas->placeOf(*shown.selection.selected()).height() > 8);
    QVERIFY(!canvas->figure().canZoom());
    shown.selection.playback().moveTo(Seconds(own.batchTime.value() / 2));
    QVERIFY(canvas->grab().toImage().size().isValid());
    schedule->setCurrentIndex(0);
    QVERIFY(memory->isEnabled());
  }

  /// Rows of one stage are taller than those of four.
  void fewStagesHaveTallRows() {
    const auto heightOf = [](int stages) {
      test::ContextShape shape;
      shape.fanouts = {8}, shape.stages = stages, shape.tensor = 8 / stages, shape.microbatches = 4;
      Shown shown(std::make_shared<PlanContext>(test::contextOf(shape)));
      auto* schedule = shown.view.findChild<QComboBox*>(QStringLiteral("schedule"));
      schedule->setCurrentIndex(schedule->findData(QStringLiteral("all")));
      return shown.view.canvas()->placeOf({ItemKind::Stage, 0}).height();
    };
    QVERIFY(heightOf(4) > 8);
    QVERIFY(heightOf(1) > 1.3 * heightOf(4));
  }

  void tooManyTasksAreNotStacked() {
    Shown shown(longRun());
    auto* schedule = shown.view.findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findData(QStringLiteral("all")));
    for (const char* said :
         {"Choose one schedule", "at most 40,000", "64,000: 64 stages, 1,000 microbatches"})
      QVERIFY2(shown.text().contains(QLatin1String(said)), qPrintable(shown.text()));
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

  /// A click takes the task that is there; its terms are in the inspector, and keys walk on from it.
  void aClickSelectsATask() {
    Shown shown(shortRun());
    const auto& c = shown.view.context();
    auto& f = static_cast<const TimelineFigure&>(*shown.view.figure());
    FigureCanvas* canvas = shown.view.canvas();
    const auto third = f.find(QStringLiteral("forward 3 stage 2"), std::nullopt, c);
    QVERIFY(third);
    QCOMPARE(third->id, (TaskId{1, static_cast<int>(TaskKind::Forward), 0, 3}));
    const auto place = f.locate(taskItem(third->id), canvas->area(), c);
    QVERIFY(place);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, (place->area.center() * canvas->enlargement()).toPoint());
    QCOMPARE(*shown.selection.selected(), taskItem(third->id));
    QVERIFY(shown.selection.taskTimes());
    QCOMPARE(shown.selection.taskTimes()->begin, third->times.begin);
    const Facts facts = factsOf(c, shown.selection.selected(), shown.selection.taskTimes());
    QCOMPARE(facts.title, QStringLiteral("Forward of microbatch 3"));
    QStringList names;
    for (const auto& [name, value] : facts.rows) names << name;
    for (const char* name : {"Stage", "Takes", "Begins", "Compute", "TP communication"})
      QVERIFY2(names.contains(QLatin1String(name)), qPrintable(names.join(u'|')));
    // Down: the same microbatch on the next stage; up and back again.
    const auto chosen = [&] { return taskOf(*shown.selection.selected()).value_or(TaskId{-1, 0, 0, 0}); };
    QTest::keyClick(canvas, Qt::Key_Down);
    QCOMPARE(chosen(), (TaskId{2, third->id.kind, 0, 3}));
    QTest::keyClick(canvas, Qt::Key_Up);
    QCOMPARE(chosen(), third->id);
    const double before = shown.selection.taskTimes()->begin;
    QTest::keyClick(canvas, Qt::Key_Right);
    QCOMPARE(chosen().stage, 1);
    QVERIFY(shown.selection.taskTimes()->begin > before);
    QTest::keyClick(canvas, Qt::Key_Left);
    QCOMPARE(chosen(), third->id);
    QTest::keyClick(canvas, Qt::Key_Home);
    QVERIFY(shown.selection.taskTimes()->begin < before);
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!shown.selection.selected());
    // The other views light up the stage.
    shown.selection.selectTask(third->id, third->times);
    QCOMPARE(stageOf(*shown.selection.selected(), c).value_or(-1), 1);
  }

  /// Each task of a microbatch begins after the one before it has ended: down the stages, and back.
  void theChainOfAMicrobatchIsInOrder() {
    Shown shown(shortRun());
    const auto& f = static_cast<const TimelineFigure&>(*shown.view.figure());
    const auto chain = f.chainOf({0, static_cast<int>(TaskKind::Backward), 0, 5}, shown.view.context());
    QCOMPARE(chain.size(), std::size_t(8));
    for (std::size_t k = 0; k < chain.size(); ++k) {
      QCOMPARE(chain[k].id.stage, static_cast<int>(k < 4 ? k : 7 - k));
      if (k > 0) QVERIFY(chain[k].times.begin >= chain[k - 1].times.end - 1e-12);
    }
  }

  /// The whole step marked is what the stage is busy in the whole step; a part of it is measured as it is.
  void aSpanIsMeasured() {
    Shown shown(shortRun());
    const auto& c = shown.view.context();
    auto& f = static_cast<const TimelineFigure&>(*shown.view.figure());
    const double whole = f.duration(c);
    const Schedule s = simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation());
    for (int stage = 0; stage < 4; ++stage)
      QVERIFY(std::abs(f.busyShare({0, whole}, stage, c) - s.busy[at(stage)] / s.total) < 1e-9);
    FigureCanvas* canvas = shown.view.canvas();
    const QRectF ruler = f.rulerOf(canvas->area(), c);
    const auto point = [&](double share) {
      return (QPointF(ruler.left() + share * ruler.width(), ruler.center().y()) * canvas->enlargement())
          .toPoint();
    };
    QTest::mousePress(canvas, Qt::LeftButton, {}, point(0.6));
    QTest::mouseMove(canvas, point(0.4));
    QTest::mouseMove(canvas, point(0.3));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, point(0.3));
    QVERIFY(f.span());
    QVERIFY(std::abs(f.span()->from - 0.3 * whole) < 0.01 * whole);
    QVERIFY(std::abs(f.span()->to - 0.6 * whole) < 0.01 * whole);
    QVERIFY(!shown.selection.playhead());
    const QString said = f.spanText(c, 1);
    QVERIFY2(said.contains(QStringLiteral(", stage 2 busy ")), qPrintable(said));
    QVERIFY(shown.text().contains(QStringLiteral("stages busy")));
    // It is kept with the view, and goes by Escape.
    QCOMPARE(shown.view.state().count("mark_from") + f.viewport().count("mark_from") > 0, true);
    QTest::keyClick(canvas, Qt::Key_Escape);
    QVERIFY(!f.span());
  }

  void keysZoomAndPan() {
    Shown shown(shortRun());
    const auto& f = static_cast<const TimelineFigure&>(*shown.view.figure());
    FigureCanvas* canvas = shown.view.canvas();
    const auto value = [&](const char* key) { return f.viewport().at(key); };
    QTest::keyClick(canvas, Qt::Key_W);
    QTest::keyClick(canvas, Qt::Key_W);
    QVERIFY(value("span") < 0.7);
    const double from = value("from");
    QTest::keyClick(canvas, Qt::Key_D);
    QVERIFY(value("from") > from);
    QTest::keyClick(canvas, Qt::Key_A);
    QVERIFY(std::abs(value("from") - from) < 1e-9);
    for (int i = 0; i < 4; ++i) QTest::keyClick(canvas, Qt::Key_S);
    QCOMPARE(value("span"), 1.0);
  }

  void tasksAreFound() {
    Shown shown(shortRun());
    const auto& f = static_cast<const TimelineFigure&>(*shown.view.figure());
    QVERIFY(shown.view.find(QStringLiteral("backward 2")));
    const TaskId first = *taskOf(*shown.selection.selected());
    QCOMPARE(first.microbatch, 2);
    QVERIFY(shown.view.find(QStringLiteral("backward 2")));  // the next one
    QVERIFY(*taskOf(*shown.selection.selected()) != first);
    QVERIFY(shown.view.find(QStringLiteral("optimizer stage 4")));
    QCOMPARE(taskOf(*shown.selection.selected())->stage, 3);
    const auto before = shown.selection.selected();
    for (const char* wrong : {"", "nothing", "forward 99", "stage 0", "stage"})
      QVERIFY2(!shown.view.find(QLatin1String(wrong)), wrong);
    QCOMPARE(shown.selection.selected(), before);
    QVERIFY(f.find(QStringLiteral("mb=1, stage: 1"), std::nullopt, shown.view.context()));
  }
};
NEST_TEST(TestTimelineView)
#include "test_timeline_view.moc"
