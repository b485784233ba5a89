// Slides: kept, captioned, ordered, walked over the whole screen, exported, saved with the scenario.
#include <QComboBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPainter>
#include <QSvgRenderer>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>

#include "catalogue/registry.h"
#include "figures/plan/waterfall_figure.h"
#include "formats/scenario/scenario_json.h"
#include "slide_bench.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "slides/slides_export.h"
#include "slides/slides_pane.h"
#include "ui/figures/text_recorder.h"
#include "views/accuracy/accuracy_view.h"
#include "views/background_run.h"
#include "views/compare/compare_view.h"
#include "views/figure_pane.h"
#include "views/search/search_view.h"
#include "views/study/study_view.h"
#include "views/view.h"
#include "window/message_bar.h"

using namespace nest;
using namespace nest::test;

class TestSlides : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keptSlidesShowWhatWasSeen() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    const int batch = b.scenario().job.globalBatch;
    b.keepThree();
    QCOMPARE(b.scenario().slides.size(), std::size_t(3));
    QVERIFY(b.scenario().keptPlans.empty());  // a slide holds its plan itself
    QVERIFY(b.scenario().slides[0].shown->setting == b.scenario().slides[1].shown->setting);
    QCOMPARE(b.scenario().slides[0].view, std::string("stages"));
    QCOMPARE(b.scenario().slides[0].selected->index, 1);
    QCOMPARE(*b.scenario().slides[1].state.at("value").name(), std::string("time"));
    QCOMPARE(b.scenario().slides[0].shown->setting->job.globalBatch, batch);
    QCOMPARE(b.scenario().slides[2].shown->setting->job.globalBatch, 2 * batch);
    const auto again = readScenarioText(QByteArray::fromStdString(writeScenario(b.scenario())), {});
    QVERIFY(again);
    QVERIFY(*again == b.scenario());
    while (b.window.document().history().canUndo()) b.window.document().history().undo();
    QVERIFY(b.scenario().slides.empty());
  }

  void presentingWithoutSlidesSaysHowToAddOne() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    const auto said = [&] {
      QString out;
      for (const auto* m : b.window.findChildren<MessageBar*>())
        if (m->isVisible()) out += m->text();
      return out;
    };
    QTest::keyClick(&b.window, Qt::Key_F9);
    QCOMPARE(said(), QStringLiteral("No slides yet: Ctrl+M adds one"));
    b.window.actions().setKeys(QStringLiteral("present.keep"), QKeySequence(QStringLiteral("Ctrl+Alt+K")));
    b.trigger("present.from");
    QCOMPARE(said(), QStringLiteral("No slides yet: Ctrl+Alt+K adds one"));
    b.window.actions().setKeys(QStringLiteral("present.keep"), {});
    b.trigger("present.start");
    QCOMPARE(said(), QStringLiteral("No slides yet"));
    QTest::mouseClick(b.button(QStringLiteral("Add slide")), Qt::LeftButton);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    for (const char* step : {"step 1", "step 2"}) {
      b.trigger("present.step");
      QVERIFY2(said().contains(QStringLiteral("Added as %1 of slide 1").arg(QLatin1String(step))),
               qPrintable(said()));
    }
  }

  /// The message goes with the slide.
  void anUndoneSlideIsNotSaidToBeThere() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("stages"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QVERIFY(b.window.messages().text().contains(QStringLiteral("Added as slide 1")));
    b.window.document().edit({}, QStringLiteral("Go on"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QVERIFY(b.window.messages().text().contains(QStringLiteral("Added as slide 1")));
    b.window.document().history().undo();
    b.window.document().history().undo();
    QVERIFY(b.scenario().slides.empty());
    QVERIFY(b.window.messages().text().isEmpty());
  }

  /// Slides hold what they show: nothing of them stands in Compare, and no removal takes one along.
  void slidesAreMovedAndRemovedAlone() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    const Scenario whole = b.scenario();
    removeSlide(b.window.document(), 0);
    QCOMPARE(b.scenario().slides.size(), std::size_t(2));
    QVERIFY(b.scenario().slides[0] == whole.slides[1]);
    moveSlide(b.window.document(), 0, 1);
    QVERIFY(b.scenario().slides[0] == whole.slides[2]);
    QVERIFY(b.scenario().slides[1] == whole.slides[1]);
    for (int i = 0; i < 2; ++i) b.window.document().history().undo();
    QVERIFY(b.scenario() == whole);
  }

  /// Thumbnail and page show what the slide shows: the published runs, and the part of Search in front.
  void accuracyIsThereAtOnce() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    SavedSlide slide;
    slide.view = "accuracy";
    for (const char* program : {"", "megatron-bridge-2026"}) {
      if (*program) slide.state["program"] = program;
      const SlideRenderer sight(slide, b.window.session().context(), b.scenario(), Theme::Kind::Print);
      QVERIFY(sight.view()->figure()->hasContent(sight.view()->context()));
    }
  }

  /// Compare with one bar would show on the slide whatever was kept later.
  void onePlanIsNoComparison() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("compare"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QVERIFY(b.scenario().slides.empty());
    QVERIFY(!b.window.views().view(QStringLiteral("compare"))->whyNotKept().isEmpty());
  }

  /// What a slide would lose is refused with a word.
  void answersAndRunsOfOnesOwnAreNotKept() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("search"));
    auto* search = qobject_cast<SearchView*>(b.window.views().view(QStringLiteral("search")));
    search->findChild<QTabWidget*>()->setCurrentIndex(0);
    QVERIFY(search->whyNotKept().isEmpty());
    search->ask(QStringLiteral("tp 1"));
    QTRY_VERIFY(search->isAnswered());
    QVERIFY(!search->whyNotKept().isEmpty());
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QVERIFY(b.scenario().slides.empty());
    search->findChild<QTabWidget*>()->setCurrentIndex(1);
    QVERIFY(search->whyNotKept().isEmpty());
    auto* accuracy = qobject_cast<AccuracyView*>(b.window.views().view(QStringLiteral("accuracy")));
    QVERIFY(accuracy->whyNotKept().isEmpty());
    accuracy->openFile(QStringLiteral("/tmp/runs of <b>mine.json"));
    QVERIFY(accuracy->whyNotKept().contains(QStringLiteral("runs of <b>mine")));
  }

  /// What is selected is said: nothing on a slide depends on hovering.
  void aSlideSaysWhatIsSelected() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("stages"));
    b.window.selection().setSelected(SelectionItem{ItemKind::Stage, 1});
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    const View* stages = b.window.views().view(QStringLiteral("stages"));
    const SavedSlide& m = b.scenario().slides[0];
    QCOMPARE(QString::fromStdString(m.caption),
             stages->figure()->asText(stages->context()).section(u'\n', 1, 1));
    QVERIFY2(m.sentence.find("\nStage 2: ") != std::string::npos, m.sentence.c_str());
  }

  void captionsAndOrderAreEdits() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    b.trigger("present.show");
    QListWidget* strip = b.strip();
    QTRY_VERIFY(strip->isVisible());
    QCOMPARE(strip->count(), 3);
    for (int i = 0; i < 3; ++i) QVERIFY(!strip->item(i)->icon().isNull());
    const std::string first = b.scenario().slides[0].caption;
    strip->setFocus();
    strip->setCurrentRow(0);
    QTest::keyClick(strip, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(b.scenario().slides[1].caption, first);
    QCOMPARE(strip->currentRow(), 1);
    QTest::keyClick(strip, Qt::Key_F2);
    QWidget* editor = QApplication::focusWidget();
    QVERIFY(editor && strip->isAncestorOf(editor));
    QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(editor, QStringLiteral("What binds"));
    QTest::keyClick(editor, Qt::Key_Return);
    QTRY_COMPARE(b.scenario().slides[1].caption, std::string("What binds"));
    strip->setFocus();
    strip->setCurrentRow(2);
    QTest::keyClick(strip, Qt::Key_Delete);
    QCOMPARE(b.scenario().slides.size(), std::size_t(2));
    b.window.document().history().undo();
    QTRY_COMPARE(strip->count(), 3);
  }

  /// The curve is of the scenario that was studied, whatever has been edited since: so is its slide.
  void aStudyBelongsToItsScenario() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    auto* study = qobject_cast<StudyView*>(b.window.views().view(QStringLiteral("study")));
    b.window.views().reveal(QStringLiteral("study"));
    study->chooseField(0);
    study->run();
    QTRY_VERIFY_WITH_TIMEOUT(study->record().isWhole() && !study->isBusy(), 60000);
    const auto saysSo = [&] {
      return study->findChild<BackgroundRun*>()->text().contains(
          QStringLiteral("has changed since this study"));
    };
    QVERIFY(!saysSo());
    const int batch = b.scenario().job.globalBatch;
    b.window.document().edit({}, QStringLiteral("Go on"), [](Scenario& s) { s.job.globalBatch *= 4; });
    QTRY_VERIFY(b.solved());
    QTRY_VERIFY(saysSo());
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QCOMPARE(b.scenario().slides.size(), std::size_t(1));
    QCOMPARE(b.scenario().slides[0].shown->setting->job.globalBatch, batch);
    b.window.document().history().undo();
    b.window.document().history().undo();
    QTRY_VERIFY(b.solved());
    QTRY_VERIFY(!saysSo());
  }

  /// What a study found, the baselines and the plan before a change are the slide: they are kept with it.
  void slidesKeepWhatTheyShow() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    const auto keep = [&](const char* view) {
      b.window.views().reveal(QLatin1String(view));
      QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    };
    // Nothing to show yet: a sentence says so.
    keep("study");
    keep("whatif");
    QVERIFY(b.scenario().slides.empty());
    auto* study = qobject_cast<StudyView*>(b.window.views().view(QStringLiteral("study")));
    study->chooseField(0);
    study->run();
    QTRY_VERIFY_WITH_TIMEOUT(study->record().isWhole() && !study->isBusy(), 60000);
    const QString curve = study->figure()->asText(study->context());
    keep("study");
    auto* compare = qobject_cast<CompareView*>(b.window.views().view(QStringLiteral("compare")));
    b.window.views().reveal(QStringLiteral("compare"));
    compare->runBaselines();
    QTRY_VERIFY_WITH_TIMEOUT(
        b.button(QStringLiteral("Run baselines")) && b.button(QStringLiteral("Run baselines"))->isEnabled(),
        60000);
    const int bars = compare->rowCount();
    QVERIFY(bars > 3);
    keep("compare");
    const double before = b.window.session().context()->plan->evaluation.batchTime.value();
    b.window.views().reveal(QStringLiteral("whatif"));
    b.window.document().edit({}, QStringLiteral("Slow down"), [](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).levels[1].bandwidth = BytesPerSecond(1e9);
    });
    QTRY_VERIFY(b.solved());
    keep("whatif");
    QCOMPARE(b.scenario().slides.size(), std::size_t(3));
    // It goes on, and is saved and read again.
    b.window.document().edit({}, QStringLiteral("Go on"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QTRY_VERIFY(b.solved());
    const auto again = readScenarioText(QByteArray::fromStdString(writeScenario(b.scenario())), {});
    QVERIFY2(again, again.diagnostics.empty() ? "" : again.diagnostics.front().message.c_str());
    QVERIFY(*again == b.scenario());
    SlideShow show(std::make_shared<const Scenario>(*again), b.window.session().context(),
                   Theme::Kind::Light);
    show.resize(1280, 800);
    show.show();
    const auto figure = [&] {
      return show.sight()->view()->figure()->asText(show.sight()->view()->context());
    };
    QCOMPARE(figure(), curve);
    show.next();
    QCOMPARE(qobject_cast<CompareView*>(show.sight()->view())->rowCount(), bars);
    QVERIFY(figure().contains(QStringLiteral("Manual")));
    show.next();
    const auto& pair = static_cast<const WaterfallFigure&>(*show.sight()->view()->figure());
    QVERIFY(pair.side(0).plan && pair.side(1).plan);
    QCOMPARE(pair.side(0).plan->evaluation.batchTime.value(), before);
    QVERIFY(pair.side(1).plan->evaluation.batchTime.value() > before);
    // Screen and page say what changes, in the picture, which has the memory below the times.
    QVERIFY2(figure().contains(QStringLiteral("andwidth")), qPrintable(figure()));
    for (const Theme::Kind kind : {Theme::Kind::Light, Theme::Kind::Print}) {
      SlideRenderer sight(again->slides[2], show.sight()->view()->contextPtr(), *again, kind);
      TextRecorder seen(kSlide.toSize());
      QPainter painter(&seen);
      sight.paint(painter);
      painter.end();
      QCOMPARE(
          std::count_if(seen.words().begin(), seen.words().end(),
                        [](const auto& word) { return word.text.startsWith(QLatin1String("Changed: ")); }),
          1);
    }
    const QByteArray pdf = slidesAsPdf(*again, b.window.session().context());
    QCOMPARE(pdf.count("/Type /Page\n"), 3);
    if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty()) {
      for (int i = 0; i < 3; ++i) {
        show.showSlide(i);
        QTest::qWait(50);
        show.grab().save(dir + QStringLiteral("/slide-%1.png").arg(i + 1));
      }
      QFile out(dir + QStringLiteral("/slides.pdf"));
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write(pdf);
    }
  }

  /// From the menu: a file for each slide, none replaced without a question.
  void slidesAreExportedAsSvg() {
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    SlideBench b;
    QTRY_VERIFY(b.solved());
    QAction* svg = b.window.actions().find(QStringLiteral("present.export_svg"));
    QVERIFY(svg && !svg->isEnabled());
    b.keepThree();
    QVERIFY(svg->isEnabled());
    QTemporaryDir dir;
    const auto write = [&] {
      QTimer::singleShot(0, &b.window, [&dir] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (!dialog) return;
        dialog->setDirectory(dir.path());
        static_cast<QDialog*>(dialog)->accept();
      });
      svg->trigger();
    };
    write();
    const auto nameOf = [&](int i) { return dir.filePath(QStringLiteral("slide-%1.svg").arg(i)); };
    for (int i = 1; i <= 3; ++i) QVERIFY2(QSvgRenderer(nameOf(i)).isValid(), qPrintable(nameOf(i)));
    QFile own(nameOf(2));
    QVERIFY(own.open(QIODevice::WriteOnly | QIODevice::Truncate) && own.write("mine") == 4);
    own.close();
    bool asked = false;
    QTimer refuses;
    connect(&refuses, &QTimer::timeout, this, [&asked] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      asked = true;
      box->button(QMessageBox::No)->click();
    });
    refuses.start(20);
    write();
    QVERIFY(asked);
    QCOMPARE(QFileInfo(nameOf(2)).size(), 4);
  }

  /// Files of earlier versions hold a choice by its place.
  void placesOfEarlierFilesAreRead() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    Scenario s = b.scenario();
    SavedSlide old;
    old.view = "communication";
    old.state = {{"value", 2}, {"kind", 4}, {"level", 1}};
    s.slides = {old};
    const auto read = readScenarioText(QByteArray::fromStdString(writeScenario(s)), {});
    QVERIFY(read && *read == s);
    SlideShow show(std::make_shared<const Scenario>(*read), b.window.session().context(), Theme::Kind::Light);
    const auto state = show.sight()->view()->state();
    QCOMPARE(*state.at("value").name(), std::string("time"));
    QCOMPARE(*state.at("kind").name(), std::string("pipeline"));
    QCOMPARE(*state.at("level").name(), std::string("level0"));
  }

  void aPageForEach() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    const QByteArray pdf = slidesAsPdf(b.scenario(), b.window.session().context());
    QVERIFY(pdf.startsWith("%PDF"));
    QCOMPARE(pdf.count("/Type /Page\n"), 3);
    if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty()) {
      QFile out(dir + QStringLiteral("/moments.pdf"));
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write(pdf);
    }
  }
};

NEST_TEST(TestSlides)
#include "test_slides.moc"
