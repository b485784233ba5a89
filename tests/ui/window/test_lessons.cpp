// Lessons: found by those who bring nothing, and every one can be done to its end.
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSettings>
#include <QSlider>
#include <QTabBar>
#include <QTabWidget>

#include "catalogue/registry.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "lessons/lesson_library.h"
#include "lessons/lessons_pane.h"
#include "plan/plan_edit.h"
#include "theme/qt_text.h"
#include "views/figure_canvas.h"
#include "views/figure_views.h"
#include "views/search/search_view.h"
#include "window/headline.h"
#include "window/lesson_stage.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The tours: lessons without questions.
const std::vector<LibraryLesson>& tours() {
  static const std::vector<LibraryLesson> all = [] {
    std::vector<LibraryLesson> out;
    for (const LibraryLesson& l : builtInLessons())
      if (!l.asks()) out.push_back(l);
    return out;
  }();
  return all;
}

struct LessonBench : WindowBench {
  explicit LessonBench(const QString& lesson) : WindowBench(QString()) {
    QTest::mouseClick(button(lesson), Qt::LeftButton);  // in the gallery
    if (!QTest::qWaitFor([this] { return pane()->play() && pane()->play()->isReady(); }))
      qWarning("the lesson does not begin");
  }
  LessonsPane* pane() { return window.findChild<LessonsPane*>(); }
  View* view(const char* id) { return window.views().view(QLatin1String(id)); }
  void select(ItemKind kind, int index) { window.selection().setSelected(SelectionItem{kind, index}); }
  bool done(int steps) {
    window.findChild<LessonStage*>()->check();
    return pane()->step() == steps;
  }
};

/// All that stands on the controls of a window.
QString namesIn(const QWidget& window) {
  QStringList out;
  for (const auto* w : window.findChildren<QWidget*>()) {
    out += w->windowTitle();
    if (const auto* button = qobject_cast<const QAbstractButton*>(w)) out += button->text();
    if (const auto* tabs = qobject_cast<const QTabBar*>(w))
      for (int i = 0; i < tabs->count(); ++i) out += tabs->tabText(i);
    if (const auto* box = qobject_cast<const QComboBox*>(w))
      for (int i = 0; i < box->count(); ++i) out += box->itemText(i);
    const auto* label = qobject_cast<const QLabel*>(w);
    if (label && !label->wordWrap()) out += label->text();
  }
  return out.join(u'\n');
}

}  // namespace

class TestLessons : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void lessonsAreWhole() {
    QVERIFY(tours().size() >= 4);
    for (const LibraryLesson& entry : builtInLessons()) {
      const Lesson& lesson = *entry.lesson;
      QVERIFY2(!lesson.title.empty() && !lesson.about.empty() && lesson.steps.size() >= 3, lesson.id.c_str());
      for (const LessonStep& step : lesson.steps) {
        QVERIFY2(entry.asks() || !step.done.empty(), lesson.id.c_str());
        QVERIFY2(
            step.view.empty() || std::any_of(viewRegistry().begin(), viewRegistry().end(),
                                             [&](const ViewEntry& e) { return toQt(step.view) == e.id; }),
            step.view.c_str());
      }
    }
  }

  /// What a step bids to press, choose or read is there under that name.
  void whatStepsNameIsThere_data() {
    QTest::addColumn<int>("lesson");
    for (std::size_t i = 0; i < tours().size(); ++i)
      QTest::newRow(qPrintable(tours()[i].key)) << static_cast<int>(i);
  }
  void whatStepsNameIsThere() {
    QFETCH(int, lesson);
    const LibraryLesson& taken = tours()[lesson];
    LessonBench b(taken.title());
    QTRY_VERIFY(b.window.session().context()->outcome && b.window.session().context()->current);
    for (const LessonStep& step : taken.lesson->steps) {
      b.window.views().reveal(toQt(step.view));
      QApplication::processEvents();
      QString there = namesIn(b.window);
      for (const View* view : b.window.views().views())
        for (const Figure* figure : view->figures()) there += figure->asText(view->context()) + u'\n';
      static const QRegularExpression bold(QStringLiteral("<b>(.*?)</b>"));
      for (const auto& name : bold.globalMatch(toQt(step.text.source())))
        QVERIFY2(there.contains(name.captured(1), Qt::CaseInsensitive), qPrintable(name.captured(1)));
    }
  }

  /// At its usual width and narrower, the pane shows each step to its last word.
  void stepsAreShownWhole_data() { whatStepsNameIsThere_data(); }
  void stepsAreShownWhole() {
    QFETCH(int, lesson);
    LessonBench b(tours()[lesson].title());
    QTRY_VERIFY(b.pane()->lesson());
    for (const int width : {b.pane()->width(), 240, 420}) {
      b.pane()->resize(width, b.pane()->height());
      QApplication::processEvents();
      for (const auto* label : b.pane()->widget()->findChildren<QLabel*>())
        if (label->wordWrap())
          QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                   qPrintable(QStringLiteral("%1: %2").arg(width).arg(label->text())));
    }
  }

  /// What is chosen in a lesson is of that lesson: another begins without it, and it goes when one leaves.
  void choicesDoNotOutliveTheirLesson() {
    WindowBench b(teachingSample());
    QTRY_VERIFY(b.solved());
    auto* pane = b.window.findChild<LessonsPane*>();
    const auto box = [&](const char* view, const char* name) {
      return b.window.views().view(QLatin1String(view))->findChild<QComboBox*>(QLatin1String(name));
    };
    auto *schedule = box("timeline", "schedule"), *kind = box("communication", "kind");
    kind->setCurrentIndex(kind->findText(QStringLiteral("PP")));
    Q_EMIT pane->startRequested(tours()[2].key);
    QTRY_VERIFY(pane->lesson() && b.solved());
    QCOMPARE(kind->currentIndex(), 0);
    schedule->setCurrentIndex(schedule->findText(QStringLiteral("GPipe")));
    Q_EMIT pane->startRequested(tours()[1].key);
    QTRY_VERIFY(pane->lesson() == tours()[1].lesson.get() && b.solved());
    QCOMPARE(schedule->currentIndex(), 0);
    schedule->setCurrentIndex(schedule->findText(QStringLiteral("GPipe")));
    Q_EMIT pane->leaveRequested();
    QTRY_VERIFY(!pane->lesson() && b.solved());
    QCOMPARE(schedule->currentIndex(), 0);
    QCOMPARE(kind->currentText(), QStringLiteral("PP"));
    const QSettings settings;
    QVERIFY(settings.value(QStringLiteral("views/timeline/schedule")).toString() != QLatin1String("gpipe"));
    QCOMPARE(settings.value(QStringLiteral("views/communication/kind")).toString(),
             QStringLiteral("pipeline"));
  }

  void theListLeadsBackToo() {
    WindowBench b(teachingSample());
    QTRY_VERIFY(b.solved());
    b.window.document().edit({}, QStringLiteral("Mine"), [](Scenario& s) { s.name = "Mine"; });
    b.trigger("help.lessons");
    QVERIFY(!b.button(QStringLiteral("Leave lesson")));
    Q_EMIT b.window.findChild<LessonsPane*>()->startRequested(tours()[1].key);
    QTRY_VERIFY(b.button(QStringLiteral("All lessons")));
    QTest::mouseClick(b.button(QStringLiteral("All lessons")), Qt::LeftButton);
    QTRY_VERIFY(b.button(QStringLiteral("Open lesson…")) && b.button(QStringLiteral("Leave lesson")));
    QApplication::processEvents();
    QVERIFY(b.scenario().name != "Mine");
    QTest::mouseClick(b.button(QStringLiteral("Leave lesson")), Qt::LeftButton);
    QTRY_COMPARE(b.scenario().name, std::string("Mine"));
    QTRY_VERIFY(!b.button(QStringLiteral("Leave lesson")));
  }

  void aLearnerReadsAPlan() {
    LessonBench b(QStringLiteral("Read a plan"));
    QTRY_VERIFY(b.pane()->lesson());
    QVERIFY(b.pane()->isVisible());
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(0));
    b.select(ItemKind::Layer, 1);
    QVERIFY(b.done(0));
    b.select(ItemKind::Stage, 1);
    QVERIFY(b.done(1));
    b.select(ItemKind::Device, 2);
    QVERIFY(b.done(2));
    b.select(ItemKind::Stage, 0);
    QVERIFY(b.done(3));
    b.window.selection().setSelected(std::nullopt);
    QVERIFY(b.done(4));
    QVERIFY(b.pane()->isFinished(toQt(b.pane()->lesson()->id)));
    QTRY_VERIFY(b.button(QStringLiteral("Next: Move the stage cuts yourself")));
  }

  void cutsAreMovedAndScored() {
    LessonBench b(QStringLiteral("Move the stage cuts yourself"));
    QTRY_VERIFY(b.solved());
    auto* cuts = qobject_cast<CutView*>(b.view("cuts"));
    QTRY_VERIFY(cuts->canvas().plan());
    QVERIFY(b.done(0));
    // With the mouse, a layer to the right and back.
    CutCanvas& canvas = cuts->canvas();
    const QPointF from = canvas.cutPosition(1);
    const Plan best = *canvas.plan();
    const auto drag = [&](const QPointF& a, const QPointF& z) {
      QTest::mousePress(&canvas, Qt::LeftButton, {}, a.toPoint());
      for (int i = 1; i <= 8; ++i) QTest::mouseMove(&canvas, (a + (z - a) * i / 8.0).toPoint());
      QTest::mouseRelease(&canvas, Qt::LeftButton, {}, z.toPoint());
    };
    drag(from, from + QPointF(canvas.width() * 0.2, 0));
    QVERIFY(!(*canvas.plan() == best));
    QVERIFY(b.done(1));
    drag(canvas.cutPosition(1), from);
    QVERIFY(*canvas.plan() == best);
    QVERIFY(b.done(2));
    QTest::mouseClick(b.button(QStringLiteral("Pin this cut")), Qt::LeftButton);
    QVERIFY(b.done(3));
    QTest::mouseClick(b.button(QStringLiteral("Clear pins")), Qt::LeftButton);
    QVERIFY(b.done(4));
  }

  /// A lesson is taken in a document of its own: nothing is asked, and what was open comes back.
  void whatWasOpenComesBack() {
    WindowBench b(teachingSample());
    QTRY_VERIFY(b.solved());
    b.window.document().edit({}, QStringLiteral("Mine"), [](Scenario& s) { s.name = "Mine"; });
    QVERIFY(b.window.document().isModified());
    auto* pane = b.window.findChild<LessonsPane*>();
    Q_EMIT pane->startRequested(tours()[1].key);  // a question would never return here
    QTRY_VERIFY(pane->lesson() == tours()[1].lesson.get());
    QVERIFY(b.scenario().name != "Mine");
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QVERIFY(!b.window.document().isModified());
    QVERIFY(!b.window.isWindowModified());
    Q_EMIT pane->startRequested(tours()[2].key);
    QTRY_VERIFY(pane->lesson() == tours()[2].lesson.get());
    Q_EMIT pane->leaveRequested();
    QTRY_COMPARE(b.scenario().name, std::string("Mine"));
    QVERIFY(!pane->lesson());
    QVERIFY(b.window.document().isModified());
    QTRY_VERIFY(b.solved());
  }

  void theHistoryComesBackToo() {
    const QTemporaryDir dir;
    const QString path = ownCopy(dir);
    WindowBench b(path);
    QTRY_VERIFY(b.solved());
    ScenarioDocument& d = b.window.document();
    d.edit({}, QStringLiteral("First"), [](Scenario& s) { s.job.globalBatch = 20; });
    d.edit({}, QStringLiteral("Second"), [](Scenario& s) { s.job.globalBatch = 24; });
    d.edit({}, QStringLiteral("Third"), [](Scenario& s) { s.job.globalBatch = 28; });
    d.history().undo();
    auto* pane = b.window.findChild<LessonsPane*>();
    Q_EMIT pane->startRequested(tours()[1].key);
    QTRY_VERIFY(pane->lesson());
    QVERIFY(!d.history().canUndo());
    d.edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch = 32; });
    Q_EMIT pane->leaveRequested();
    QTRY_COMPARE(b.scenario().job.globalBatch, 24);
    QVERIFY(d.isModified());
    QCOMPARE(d.history().undoText(), QStringLiteral("Second"));
    d.history().redo();
    QCOMPARE(b.scenario().job.globalBatch, 28);
    for (int i = 0; i < 3; ++i) d.history().undo();
    QCOMPARE(b.scenario().job.globalBatch, 16);
    QVERIFY(!d.isModified());
    QVERIFY(!d.history().canUndo());
    // Nobody else has changed the file, so nothing is asked.
    d.history().redo();
    auto* files = b.window.findChild<ScenarioFiles*>();
    QVERIFY(files && !files->differsOnDisk());
    QVERIFY(files->save(path));
  }

  /// In the teaching arrangement the schedule below the cuts is that of the cuts as they are drawn.
  void theScheduleFollowsTheCuts() {
    LessonBench b(QStringLiteral("Move the stage cuts yourself"));
    QTRY_VERIFY(b.solved());
    auto* cuts = qobject_cast<CutView*>(b.view("cuts"));
    QTRY_VERIFY(cuts->canvas().plan() && cuts->isInSight());
    const QString best = b.view("timeline")->figure()->asText(b.view("timeline")->context());
    cuts->canvas().moveCut(1, firstLayerOf(*cuts->canvas().plan(), 1) - 1);
    QTRY_VERIFY(b.view("timeline")->context().byHand);
    QVERIFY(b.view("timeline")->context().plan->plan == *cuts->canvas().plan());
    QVERIFY(b.view("timeline")->figure()->asText(b.view("timeline")->context()) != best);
    QVERIFY(b.view("memory")->context().byHand);
    b.window.document().history().undo();
    QTRY_VERIFY(!b.view("timeline")->context().byHand);
    QCOMPARE(b.view("timeline")->figure()->asText(b.view("timeline")->context()), best);
  }

  /// Its time is below the best plan's only because it has not the memory.
  void aPlanByHandThatDoesNotRunIsCalledSo() {
    LessonBench b(QStringLiteral("Move the stage cuts yourself"));
    QTRY_VERIFY(b.solved());
    auto* cuts = qobject_cast<CutView*>(b.view("cuts"));
    QTRY_VERIFY(cuts->canvas().plan() && cuts->isInSight());
    cuts->canvas().moveCut(1, firstLayerOf(*cuts->canvas().plan(), 1) + 1);
    QVERIFY(!cuts->canvas().evaluation().feasible());
    const auto said = [&] {
      for (const auto* label : b.window.findChild<Headline*>()->findChildren<QLabel*>())
        if (label->text().contains(QStringLiteral("it does not run"))) return true;
      return false;
    };
    QTRY_VERIFY(said());
    b.window.document().history().undo();
    QTRY_VERIFY(!said());
  }

  void bubblesShrinkWithTheBatch() {
    LessonBench b(QStringLiteral("See each bubble"));
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(0));
    QWidget* head = qobject_cast<TimelineView*>(b.view("timeline"))->canvas();
    QTest::keyClick(head, Qt::Key_Period);
    QTRY_VERIFY(b.done(1));
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) { s.job.globalBatch = 32; });
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(2));
    auto* schedule = b.view("timeline")->findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findText(QStringLiteral("GPipe")));
    QVERIFY(b.done(3));
    schedule->setCurrentIndex(0);
  }

  void bytesAreFoundAndSlowedDown() {
    LessonBench b(QStringLiteral("See each byte"));
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(0));
    View* communication = b.view("communication");
    communication->findChild<QComboBox*>(QStringLiteral("value"))->setCurrentIndex(1);
    b.window.selection().setSelected(SelectionItem{ItemKind::Pair, 0, 0, 2});
    QVERIFY(b.done(1));
    auto* kind = communication->findChild<QComboBox*>(QStringLiteral("kind"));
    kind->setCurrentIndex(kind->findText(QStringLiteral("TP")));
    QVERIFY(b.done(2));
    kind->setCurrentIndex(kind->findText(QStringLiteral("PP")));
    QVERIFY(b.done(3));
    kind->setCurrentIndex(0);
    auto* slow = b.view("whatif")->findChild<QWidget*>();
    QVERIFY(slow);
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      levels[1].bandwidth = BytesPerSecond(1e9);
    });
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(4));
    QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
    QVERIFY(b.done(5));
  }

  void theTableIsWalkedAndAsked() {
    LessonBench b(QStringLiteral("How the optimum is found"));
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(0));
    View* search = b.view("search");
    auto* tabs = search->findChild<QTabWidget*>();
    const auto openTab = [&](const QString& name) {
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabText(i) == name)
          QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(i).center());
    };
    QTRY_VERIFY(search->isInSight());
    openTab(QStringLiteral("DP table"));
    QVERIFY(b.done(1));
    FigureCanvas* table = nullptr;
    for (auto* canvas : search->findChildren<FigureCanvas*>())
      if (canvas->figure().id() == QStringLiteral("dp-table")) table = canvas;
    QTRY_VERIFY(table && table->isVisible());
    table->setFocus();
    QTest::keyClick(table, Qt::Key_Down);
    QTest::keyClick(table, Qt::Key_Right);
    QVERIFY(b.window.selection().selected());
    QCOMPARE(b.window.selection().selected()->kind, ItemKind::Stage);
    QVERIFY(b.done(2));
    openTab(QStringLiteral("Pareto front"));
    QVERIFY(b.done(2));  // not before something was asked
    openTab(QStringLiteral("Questions"));
    auto* question = search->findChild<QLineEdit*>(QStringLiteral("question"));
    QTest::keyClicks(question, QStringLiteral("t=1"));
    QTest::keyClick(question, Qt::Key_Return);
    QTRY_VERIFY2(qobject_cast<SearchView*>(search)->answer().contains(QStringLiteral("Why not")),
                 qPrintable(qobject_cast<SearchView*>(search)->answer()));
    QVERIFY(b.done(3));
    openTab(QStringLiteral("Pareto front"));
    QVERIFY(b.done(4));
    QVERIFY(b.pane()->isFinished(toQt(b.pane()->lesson()->id)));
  }

  void whatDoesNotFitIsMended() {
    LessonBench b(QStringLiteral("When nothing fits"));
    QTRY_VERIFY(b.window.session().context()->isNearestMiss());
    b.select(ItemKind::Stage, 0);
    QVERIFY(b.done(1));
    b.window.document().edit({}, QStringLiteral("x"), [](Scenario& s) {
      s.cluster.device.memory.value = Bytes(80.0 * 1024 * 1024 * 1024);
    });
    QTRY_VERIFY(b.solved());
    QVERIFY(b.done(2));
    QTest::mouseClick(b.button(QStringLiteral("Keep this what-if")), Qt::LeftButton);
    QVERIFY(b.done(3));
  }
};

NEST_TEST(TestLessons)
#include "test_lessons.moc"
