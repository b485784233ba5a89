// A slide is a state: whatever stood in a view when it was added stands there again, whatever has been edited
// since, on the screen and on paper.
#include <QComboBox>
#include <QImage>
#include <QPainter>
#include <QTabWidget>
#include <atomic>
#include <map>
#include <memory>

#include "catalogue/registry.h"
#include "document/playback.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "formats/scenario/scenario_json.h"
#include "plan/plan_edit.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slides_export.h"
#include "ui/figures/text_recorder.h"
#include "views/background_run.h"
#include "views/compare/compare_view.h"
#include "views/search/search_view.h"
#include "views/study/study_view.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The solver of the window, which can be made to stop before it has a plan.
std::atomic<bool> stopsEarly = false;

Outcome solveUnlessStopped(const Problem& p, const Control& c, const Plan* start) {
  if (!stopsEarly) return solve(p, c, start);
  Outcome o;
  o.status = OutcomeStatus::Stopped;
  o.stopCause = StopCause::Deadline;
  o.statistics.elapsed = Seconds(0.25);
  return o;
}

struct Bench {
  Bench() : window(solveUnlessStopped, options()) {
    for (View* v : window.views().views()) usual[v->id()] = v->state();
    window.show();
    QApplication::setActiveWindow(&window);
  }
  /// The teaching sample again, with every view as it was in the beginning. A window of its own for each test
  /// would cost more than all that is tested.
  void open() {
    stopsEarly = false;
    window.document().close();
    window.session().setLive(true);
    for (View* v : window.views().views()) v->setState(usual[v->id()]);
    window.openPath(teachingSample());
  }

  PlanContextPtr context() { return window.session().context(); }
  bool ended() { return context()->current && context()->outcome && !window.session().search().running; }
  bool solved() { return ended() && context()->plan; }
  void edit(const std::function<void(Scenario&)>& change) {
    window.document().closeStep();
    window.document().edit({}, QStringLiteral("Edit"), change);
  }
  View* view(const QString& id) { return window.views().view(id); }
  const Scenario& scenario() { return window.document().scenario(); }
  /// Brought into sight, as it is when a slide of it is added.
  View* reveal(const QString& id) {
    window.views().reveal(id);
    QApplication::processEvents();
    return view(id);
  }

  MainWindow window;

private:
  std::map<QString, View::State> usual;

  static WindowOptions options() {
    WindowOptions o;
    o.theme = Theme::Kind::Light;
    o.size = {1500, 950};
    o.remembers = false;
    return o;
  }
};

QImage pageOf(const SlideRenderer& sight) {
  QImage page(kSlide.toSize(), QImage::Format_RGB32);
  page.fill(Qt::white);
  QPainter painter(&page);
  sight.paint(painter, {QStringLiteral("A name"), QStringLiteral("1 of 1")});
  return page;
}

QStringList wordsOn(const SlideRenderer& sight) {
  TextRecorder recorder(kSlide.toSize());
  QPainter painter(&recorder);
  sight.paint(painter, {QStringLiteral("A name"), QStringLiteral("1 of 1")});
  painter.end();
  QStringList out;
  for (const auto& word : recorder.words()) out << word.text;
  return out;
}

/// What the view draws at this slide, without the sentence, which on a slide is text.
QImage drawingOf(const View& view) {
  constexpr QSize kSize(992, 420);
  QImage image(kSize, QImage::Format_RGB32);
  QPainter painter(&image);
  FigureReport report;
  FigureStyle style;
  style.report = &report;
  PlanContext still = *view.drawnContext();
  still.search.reset();
  view.figure()->hasContent(still);
  view.figure()->paint(painter, QRectF(QPointF(), kSize), still, style);
  return image;
}

struct Kept {
  QString view;
  QImage drawing;  ///< by the view itself
  QImage page;
  QStringList words;
};

/// A slide of every view that does not refuse with a sentence; what stood there.
std::vector<Kept> keepAll(Bench& b, const QStringList& views) {
  std::vector<Kept> out;
  for (const QString& id : views) {
    View* view = b.view(id);
    view->bringUpToDate();
    if (id == QStringLiteral("accuracy")) view->compute({});  // its runs are predicted in the background
    const std::size_t before = b.scenario().slides.size();
    const QString why = keepSlide(b.window.document(), *view, b.window.selection());
    if (!why.isEmpty()) {
      if (!why.endsWith(u'.')) qWarning("%s", qPrintable(why));
      continue;
    }
    if (b.scenario().slides.size() != before + 1) qWarning("nothing was kept of %s", qPrintable(id));
    auto still = std::make_shared<PlanContext>(*view->shownContext());
    still->search.reset();
    const SlideRenderer now(b.scenario().slides.back(), still, b.scenario(), Theme::Kind::Light);
    out.push_back({id, drawingOf(*view), pageOf(now), wordsOn(now)});
  }
  return out;
}

QStringList allViews() {
  QStringList out;
  for (const ViewEntry& entry : viewRegistry()) out << entry.id;
  return out;
}

/// Five fields of the setting, none of which leaves a plan what it was.
void changeFiveFields(Bench& b) {
  b.edit([](Scenario& s) { s.job.globalBatch *= 2; });
  b.edit([](Scenario& s) { s.job.sequenceLength /= 2; });
  b.edit([](Scenario& s) { s.cluster.device.memory.value = Bytes(300e9); });
  b.edit([](Scenario& s) {
    std::get<LevelsSource>(s.cluster.network).levels[1].bandwidth = BytesPerSecond(3e9);
  });
  b.edit([](Scenario& s) { s.assumptions.reserve = Bytes(1e8); });
}

}  // namespace

class TestSlideStates : public QObject {
  Q_OBJECT
private:
  Bench& bench() {
    if (!m_bench) m_bench = std::make_unique<Bench>();
    m_bench->open();
    return *m_bench;
  }

  void showsTheSame(Bench& b, const std::vector<Kept>& kept) {
    stopsEarly = false;
    changeFiveFields(b);
    b.window.session().setLive(true);
    b.window.session().solve();
    QTRY_VERIFY(b.solved());
    const std::string text = writeScenario(b.scenario());
    const auto again = readScenarioText(QByteArray::fromStdString(text), {});
    QVERIFY2(again && again.diagnostics.empty(),
             again.diagnostics.empty() ? "" : toText(again.diagnostics.front()).c_str());
    QVERIFY(*again == b.scenario());
    QCOMPARE(again->slides.size(), kept.size());
    KeptContexts contexts;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const SavedSlide& m = again->slides[i];
      const auto context = contextOf(m, *again, b.context(), contexts);
      const SlideRenderer sight(m, context, *again, Theme::Kind::Light);
      const QByteArray name = kept[i].view.toUtf8();
      if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty()) {
        const QString stem = dir + u'/' + QString::fromLatin1(QTest::currentDataTag()) + u'-' + kept[i].view;
        kept[i].page.save(stem + QStringLiteral(".png"));
        if (pageOf(sight) != kept[i].page) pageOf(sight).save(stem + QStringLiteral("-again.png"));
        if (drawingOf(*sight.view()) != kept[i].drawing) {
          kept[i].drawing.save(stem + QStringLiteral("-drawing.png"));
          drawingOf(*sight.view()).save(stem + QStringLiteral("-drawing-again.png"));
        }
      }
      QVERIFY2(pageOf(sight) == kept[i].page, name);
      QVERIFY2(drawingOf(*sight.view()) == kept[i].drawing, name);
      // On paper every word of the screen, at the same places.
      const SlideRenderer paper(m, context, *again, Theme::Kind::Print);
      QVERIFY2(wordsOn(paper) == kept[i].words, name);
    }
    const QByteArray pdf = slidesAsPdf(*again, b.context());
    QCOMPARE(pdf.count("/Type /Page\n"), static_cast<qsizetype>(kept.size()));
    QCOMPARE(slidesAsSvg(*again, b.context()).size(), kept.size());
  }

  std::unique_ptr<Bench> m_bench;

private Q_SLOTS:
  void cleanupTestCase() { m_bench.reset(); }

  void everyViewOfEveryOutcome_data() {
    QTest::addColumn<int>("least");
    QTest::newRow("fits") << 8;
    QTest::newRow("does not fit") << 7;
    QTest::newRow("stopped") << 7;
    QTest::newRow("edited") << 7;
    QTest::newRow("cut by hand") << 7;
    QTest::newRow("cut that does not run") << 7;
    QTest::newRow("cut of what does not fit") << 7;
    QTest::newRow("studies and others") << 4;
  }
  void everyViewOfEveryOutcome() {
    QFETCH(int, least);
    const QByteArray outcome = QTest::currentDataTag();
    Bench& b = bench();
    QTRY_VERIFY(b.solved());
    QStringList views = allViews();
    auto* cuts = static_cast<CutView*>(b.view(QStringLiteral("cuts")));
    if (outcome == "does not fit" || outcome == "cut of what does not fit") {
      b.edit([](Scenario& s) { s.cluster.device.memory.value = Bytes(1.5e9); });
      QTRY_VERIFY(b.ended() && b.context()->isNearestMiss());
    } else if (outcome == "stopped") {
      stopsEarly = true;
      // No plan from before stands in: the scenario is another one.
      Scenario other = b.scenario();
      other.job.globalBatch *= 4;
      b.window.document().reset(other, {});
      QTRY_VERIFY(b.ended() && !b.context()->shownPlan());
    } else if (outcome == "edited") {
      b.window.session().setLive(false);
      b.edit([](Scenario& s) { s.job.globalBatch *= 2; });
      QTRY_VERIFY(!b.context()->current && b.context()->plan && !b.context()->isSearching());
    }
    if (outcome.startsWith("cut ")) {
      b.reveal(QStringLiteral("cuts"));
      CutCanvas& canvas = cuts->canvas();
      const int at = firstLayerOf(*canvas.plan(), 1);
      const Plan best = *canvas.plan();
      canvas.moveCut(1, outcome == "cut that does not run" ? at + 1 : at - 1);
      if (*canvas.plan() == best) canvas.moveCut(1, at + 1);
      QTRY_VERIFY(b.view(QStringLiteral("stages"))->context().byHand);
      if (outcome == "cut that does not run") QVERIFY(!canvas.evaluation().feasible());
    }
    if (outcome == "studies and others") {
      views = QStringList{QStringLiteral("timeline"), QStringLiteral("compare"), QStringLiteral("study"),
                          QStringLiteral("whatif"), QStringLiteral("topology")};
      auto* compare = static_cast<CompareView*>(b.reveal(QStringLiteral("compare")));
      compare->runBaselines();
      QTRY_VERIFY_WITH_TIMEOUT(!compare->findChild<BackgroundRun*>()->isBusy() && compare->rowCount() > 3,
                               60000);
      auto* study = static_cast<StudyView*>(b.reveal(QStringLiteral("study")));
      study->chooseField(0);
      study->run();
      QTRY_VERIFY_WITH_TIMEOUT(study->record().isWhole() && !study->isBusy(), 60000);
      b.reveal(QStringLiteral("whatif"));
      b.edit([](Scenario& s) {
        std::get<LevelsSource>(s.cluster.network).levels[1].bandwidth = BytesPerSecond(1e9);
      });
      QTRY_VERIFY(b.solved());
      compare->runBaselines();
      QTRY_VERIFY_WITH_TIMEOUT(!compare->findChild<BackgroundRun*>()->isBusy() && compare->rowCount() > 3,
                               60000);
      b.reveal(QStringLiteral("timeline"));
      auto* schedule = b.view(QStringLiteral("timeline"))->findChild<QComboBox*>(QStringLiteral("schedule"));
      schedule->setCurrentIndex(schedule->findData(QStringLiteral("gpipe")));
      QVERIFY(schedule->currentIndex() > 0);
      b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 1});
      b.window.selection().playback().moveTo(Seconds(0.01));
    }
    cuts->bringUpToDate();
    const auto drawn = cuts->canvas().plan();
    const PlanContextPtr context = b.context();
    const int steps = b.window.document().history().count();
    const auto kept = keepAll(b, views);
    QVERIFY2(static_cast<int>(kept.size()) >= least, qPrintable(QString::number(kept.size())));
    // Nothing else has changed.
    QVERIFY(b.context() == context);
    QVERIFY(cuts->canvas().plan() == drawn);
    QVERIFY(b.scenario().keptPlans.empty());
    QCOMPARE(b.window.document().history().count(), steps + static_cast<int>(kept.size()));
    showsTheSame(b, kept);
    // A slide without a plan says why there is none.
    if (outcome == "stopped")
      for (const SavedSlide& slide : b.scenario().slides) {
        if (slide.view == "accuracy") continue;  // of published runs, not of this plan
        const QString text = SlideRenderer(slide, b.context(), b.scenario(), Theme::Kind::Light).asText();
        QVERIFY2(text.contains(QStringLiteral("Stopped without a plan")), qPrintable(text));
      }
  }

  void everyPartOfSearchAndCompare() {
    Bench& b = bench();
    b.edit([](Scenario& s) { s.search.topPlans = 5; });
    QTRY_VERIFY(b.solved());
    std::vector<Kept> all;
    auto* search = b.reveal(QStringLiteral("search"));
    auto* tabs = search->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      for (Kept& k : keepAll(b, {QStringLiteral("search")})) all.push_back(std::move(k));
    }
    QCOMPARE(all.size(), std::size_t(tabs->count()));
    auto* compare = static_cast<CompareView*>(b.reveal(QStringLiteral("compare")));
    compare->runBaselines();
    QTRY_VERIFY_WITH_TIMEOUT(!compare->findChild<BackgroundRun*>()->isBusy() && compare->rowCount() > 3,
                             60000);
    auto* parts = compare->findChild<QTabWidget*>();
    for (int i = 0; i < parts->count(); ++i) {
      parts->setCurrentIndex(i);
      for (Kept& k : keepAll(b, {QStringLiteral("compare")})) all.push_back(std::move(k));
    }
    showsTheSame(b, all);
    QSettings().remove(QStringLiteral("views/compare/tab"));
    QSettings().remove(QStringLiteral("views/search/tab"));
  }

  /// A slide that says "does not fit" says so for ever.
  void whatDoesNotFitDoesNotFitLater() {
    Bench& b = bench();
    b.edit([](Scenario& s) { s.cluster.device.memory.value = Bytes(1.5e9); });
    QTRY_VERIFY(b.ended() && b.context()->isNearestMiss());
    for (const char* id : {"memory", "stages"})
      QCOMPARE(keepSlide(b.window.document(), *b.reveal(QLatin1String(id)), b.window.selection()), QString());
    b.edit([](Scenario& s) { s.cluster.device.memory.value = Bytes(80e9); });
    QTRY_VERIFY(b.solved());
    KeptContexts contexts;
    for (const SavedSlide& m : b.scenario().slides) {
      QVERIFY2(m.caption.starts_with("Does not fit: "), m.caption.c_str());
      QVERIFY(m.shown->outcome->nearestMiss);
      const SlideRenderer sight(m, contextOf(m, b.scenario(), b.context(), contexts), b.scenario(),
                                Theme::Kind::Light);
      QVERIFY(!wordsOn(sight).filter(QStringLiteral("Closest plan")).isEmpty());
    }
  }

  /// Caption and figure give one number: the time of the schedule that is drawn.
  void captionsAreTheFiguresSentence() {
    Bench& b = bench();
    QTRY_VERIFY(b.solved());
    auto* timeline = b.reveal(QStringLiteral("timeline"));
    auto* schedule = timeline->findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findData(QStringLiteral("gpipe")));
    QCOMPARE(keepSlide(b.window.document(), *timeline, b.window.selection()), QString());
    const SavedSlide& m = b.scenario().slides.front();
    const QString caption = QString::fromStdString(m.caption);
    QVERIFY2(timeline->figure()->asText(timeline->context()).section(u'\n', 1, 1).startsWith(caption) ||
                 caption.startsWith(timeline->figure()->asText(timeline->context()).section(u'\n', 1, 1)),
             qPrintable(caption));
    QVERIFY2(caption.contains(QStringLiteral("GPipe")), qPrintable(caption));
    // Said once, and what is said stays when the caption is changed.
    KeptContexts contexts;
    const auto words = [&] {
      const SavedSlide& now = b.scenario().slides.front();
      return wordsOn(SlideRenderer(now, contextOf(now, b.scenario(), b.context(), contexts), b.scenario(),
                                   Theme::Kind::Light))
          .join(u' ');
    };
    QCOMPARE(words().count(caption), 1);
    captionSlide(b.window.document(), 0, QStringLiteral("What binds"));
    QCOMPARE(words().count(QStringLiteral("What binds")), 1);
    QCOMPARE(words().count(caption), 1);
  }

  /// A cut drawn by hand stays when something is kept, or named, and undo goes on from there.
  void keepingLeavesTheCutAlone() {
    Bench& b = bench();
    QTRY_VERIFY(b.solved());
    auto* cuts = static_cast<CutView*>(b.reveal(QStringLiteral("cuts")));
    const Plan best = *cuts->canvas().plan();
    cuts->canvas().moveCut(1, firstLayerOf(best, 1) - 1);
    const Plan mine = *cuts->canvas().plan();
    QVERIFY(!(mine == best));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    QApplication::processEvents();
    QVERIFY(*cuts->canvas().plan() == mine);
    QVERIFY(b.view(QStringLiteral("stages"))->context().byHand);
    b.edit([](Scenario& s) { s.name = "Another name"; });
    QApplication::processEvents();
    QVERIFY(*cuts->canvas().plan() == mine);
    cuts->keepPlan();
    QVERIFY(*cuts->canvas().plan() == mine);
    QVERIFY(*b.scenario().keptPlans.at(0).plan == mine);
    for (int i = 0; i < 3; ++i) b.window.document().history().undo();
    QVERIFY(b.scenario().slides.empty());
    QVERIFY(*cuts->canvas().plan() == mine);
    b.window.document().history().undo();
    QVERIFY(*cuts->canvas().plan() == best);
  }

  /// The optimum stands behind the loads of a cut by hand, as in the window.
  void aSlideOfCutsShowsWhatIsToBeat() {
    Bench& b = bench();
    QTRY_VERIFY(b.solved());
    auto* cuts = static_cast<CutView*>(b.reveal(QStringLiteral("cuts")));
    cuts->canvas().moveCut(1, firstLayerOf(*cuts->canvas().plan(), 1) - 1);
    QCOMPARE(keepSlide(b.window.document(), *cuts, b.window.selection()), QString());
    const SavedSlide& m = b.scenario().slides.front();
    QVERIFY(m.shown->byHand && m.shown->outcome->best);
    KeptContexts contexts;
    const SlideRenderer sight(m, contextOf(m, b.scenario(), b.context(), contexts), b.scenario(),
                              Theme::Kind::Light);
    const auto& draft = static_cast<const CutFigure&>(*sight.view()->figure()).draft();
    QVERIFY(draft && draft->plan == *cuts->canvas().plan());
    QCOMPARE(draft->best.size(), b.context()->plan->evaluation.stages.size());
    for (std::size_t i = 0; i < draft->best.size(); ++i)
      QCOMPARE(draft->best[i].load.value(), b.context()->plan->evaluation.stages[i].load.value());
    QVERIFY2(sight.caption().startsWith(QStringLiteral("This plan: ")), qPrintable(sight.caption()));
  }

  /// What would be something else a moment later is not kept.
  void aRunningSearchIsNotKept() {
    Bench& b = bench();
    QTRY_VERIFY(b.solved());
    PlanContext searching = *b.context();
    auto state = std::make_shared<SearchState>();
    state->running = true;
    searching.search = state;
    searching.current = false, searching.soFar = true;
    View* stages = b.reveal(QStringLiteral("stages"));
    stages->setContext(std::make_shared<PlanContext>(searching));
    const QString why = keepSlide(b.window.document(), *stages, b.window.selection());
    QVERIFY2(why.contains(QStringLiteral("still running")), qPrintable(why));
    QVERIFY(b.scenario().slides.empty());
    stages->setContext(b.context());
    QCOMPARE(keepSlide(b.window.document(), *stages, b.window.selection()), QString());
  }
};

NEST_TEST(TestSlideStates)
#include "test_slide_states.moc"
