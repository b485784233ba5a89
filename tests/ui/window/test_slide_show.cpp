#include <QHelpEvent>
#include <QLabel>
#include <QListWidget>
#include <QPointer>
#include <QSpinBox>
#include <QTextBrowser>
#include <QToolTip>
#include <QtTest/QTest>

#include "formats/scenario/scenario_json.h"
#include "slide_bench.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "slides/slides_export.h"
#include "slides/speaker_window.h"
#include "views/view.h"

using namespace nest;
using namespace nest::test;

namespace {
/// Whether one of its labels says this.
bool named(const QWidget& in, const QString& words) {
  for (const auto* label : in.findChildren<QLabel*>())
    if (label->text().contains(words)) return true;
  return false;
}
}  // namespace

/// Slides over the whole screen.
class TestSlideShow : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void keysWalkTheWholeScreen() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    b.window.document().edit({}, QStringLiteral("Go on"), [](Scenario& s) { s.job.globalBatch *= 2; });
    QTRY_VERIFY(b.solved());
    QTest::keyClick(&b.window, Qt::Key_F9);
    QPointer<SlideShow> show = b.window.findChild<SlideShow*>();
    QVERIFY(show);
    QVERIFY(show->isFullScreen());
    QVERIFY(QTest::qWaitForWindowExposed(show));
    QCOMPARE(show->current(), 0);
    QCOMPARE(show->sight()->view()->id(), QStringLiteral("stages"));
    QTest::keyClick(show, Qt::Key_Space);
    QCOMPARE(show->current(), 1);
    QCOMPARE(show->sight()->view()->id(), QStringLiteral("communication"));
    QCOMPARE(*show->sight()->view()->state().at("value").name(), std::string("time"));
    QTest::keyClick(show, Qt::Key_Right);
    QTest::keyClick(show, Qt::Key_Right);
    QCOMPARE(show->current(), 2);
    // It shows the plan that was kept, not the one that the scenario has come to.
    const auto& kept = *b.scenario().slides[2].shown;
    QVERIFY(show->sight()->view()->context().plan->plan == *kept.plan);
    QCOMPARE(show->sight()->view()->context().scenario->job.globalBatch, kept.setting->job.globalBatch);
    QTest::keyClick(show, Qt::Key_Left);
    QCOMPARE(show->current(), 1);
    QTest::keyClick(show, Qt::Key_Escape);
    QTRY_VERIFY(!show);
    QVERIFY(b.window.isVisible());
  }

  void aTalkIsGivenByKeysAlone() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    noteSlide(b.window.document(), 1, QStringLiteral("Say **this**"));
    QTest::keyClick(&b.window, Qt::Key_F9);
    auto* show = b.window.findChild<SlideShow*>();
    QVERIFY(QTest::qWaitForWindowExposed(show));
    for (const auto& [key, cover] :
         {std::pair{Qt::Key_B, SlideShow::Cover::Black}, {Qt::Key_W, SlideShow::Cover::White}}) {
      QTest::keyClick(show, key);
      QCOMPARE(show->cover(), cover);
      const QImage all = show->grab().toImage();
      QCOMPARE(all.pixelColor(all.rect().center()),
               QColor(cover == SlideShow::Cover::Black ? Qt::black : Qt::white));
      QTest::keyClick(show, key);
      QCOMPARE(show->cover(), SlideShow::Cover::None);
    }
    QTest::keyClicks(show, QStringLiteral("3"));
    QTest::keyClick(show, Qt::Key_Return);
    QCOMPARE(show->current(), 2);
    QTest::keyClick(show, Qt::Key_G);
    QVERIFY(show->showsOverview());
    auto* all = show->findChild<QListWidget*>();
    QCOMPARE(all->count(), 3);
    QVERIFY(all->iconSize().width() > 256);  // there is room for more
    all->setCurrentRow(1);
    QTest::keyClick(all, Qt::Key_Return);
    QVERIFY(!show->showsOverview());
    QCOMPARE(show->current(), 1);
    QTest::keyClick(show, Qt::Key_L);
    QVERIFY(show->hasSpotlight());
    QToolTip::showText(QPoint(5, 5), QStringLiteral("of before"), show);
    const QPoint middle = show->rect().center();
    QHelpEvent help(QEvent::ToolTip, middle, show->mapToGlobal(middle));
    QVERIFY(QApplication::sendEvent(show, &help));
    QTest::keyClick(show, Qt::Key_L);
    QTest::keyClick(show, Qt::Key_L);
    QTRY_VERIFY(!QToolTip::isVisible());
    QTest::keyClick(show, Qt::Key_P);
    auto* speaker = show->findChild<SpeakerWindow*>();
    QVERIFY(speaker);
    QCOMPARE(speaker->findChild<QTextBrowser*>()->toPlainText().trimmed(), QStringLiteral("Say this"));
    QTest::keyClick(speaker, Qt::Key_Right);
    QCOMPARE(show->current(), 2);
    QVERIFY(speaker->findChild<QTextBrowser*>()->toPlainText().contains(QStringLiteral("No notes")));
    // Where there is nothing to select, a click goes on; on the last slide it stays.
    QTest::keyClick(show, Qt::Key_Home);
    QTest::mouseClick(show, Qt::LeftButton, {}, QPoint(2, 2));
    QCOMPARE(show->current(), 1);
    // Kept with the scenario.
    const auto again = readScenario(writeScenario(b.scenario()), "s", {});
    QVERIFY(again && again->slides[1].notes == "Say **this**");
    show->close();
  }

  /// The same plan is the same however long its search took.
  void aStepMayComeFromAnotherSearch() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    QTRY_VERIFY(b.solved());
    b.window.document().edit({}, QStringLiteral("Searched before"), [](Scenario& s) {
      auto state = std::make_shared<SavedState>(*s.slides[2].shown);
      state->outcome = SavedOutcome{};
      state->outcome->elapsed = Seconds(99);
      s.slides[2].shown = std::move(state);
    });
    const auto* view = b.window.views().view(QStringLiteral("memory"));
    QCOMPARE(addStep(b.window.document(), 2, *view, b.window.selection()), QString());
    QCOMPARE(b.scenario().slides[2].steps.size(), std::size_t(1));
  }

  /// A slide says one thing after the other: steps are other looks at its plan.
  void aSlideIsShownInSteps() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    ScenarioDocument& document = b.window.document();
    QTRY_VERIFY(b.solved());
    for (const int stage : {0, 1}) {
      b.window.selection().setSelected(SelectionItem{ItemKind::Stage, stage});
      QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    }
    const auto steps = [&] { return b.scenario().slides[2].steps; };
    QCOMPARE(steps().size(), std::size_t(2));
    QCOMPARE(steps()[1].selected->index, 1);
    QVERIFY(steps()[0].sentence != steps()[1].sentence);
    const auto* view = b.window.views().view(QStringLiteral("stages"));
    const QString otherView = addStep(document, 2, *view, b.window.selection());
    QVERIFY(otherView.contains(QStringLiteral("another view")) &&
            !otherView.contains(QStringLiteral("memory")));
    QVERIFY(addStep(document, 0, *view, b.window.selection()).contains(QStringLiteral("another plan")));
    const auto again = readScenario(writeScenario(b.scenario()), "s", {});
    QVERIFY(again && again->slides == b.scenario().slides);
    QCOMPARE(slidesAsSvg(b.scenario(), b.window.session().context()).size(), std::size_t(5));

    QTest::keyClick(&b.window, Qt::Key_F9);
    auto* show = b.window.findChild<SlideShow*>();
    QVERIFY(QTest::qWaitForWindowExposed(show));
    QTest::keyClick(show, Qt::Key_End);
    QVERIFY(show->current() == 2 && show->step() == 0);
    const QString before = show->sight()->asText();
    QTest::keyClick(show, Qt::Key_Right);
    QVERIFY(show->current() == 2 && show->step() == 1);
    QVERIFY(show->sight()->asText() != before);
    QTest::keyClick(show, Qt::Key_P);
    auto* speaker = show->findChild<SpeakerWindow*>();
    speaker->findChild<QSpinBox*>()->setValue(600);
    QVERIFY(named(*speaker, QStringLiteral("min ahead")));  // the last slide after a second
    QTest::keyClick(speaker, Qt::Key_Right);
    QTest::keyClick(speaker, Qt::Key_Right);
    QVERIFY(show->current() == 2 && show->step() == 2);
    for (int back = 0; back < 3; ++back) QTest::keyClick(show, Qt::Key_Left);
    QVERIFY(show->current() == 1 && show->step() == 0);
    show->close();
    removeSteps(document, 2);
    QVERIFY(steps().empty());
    document.history().undo();
    QCOMPARE(steps().size(), std::size_t(2));
  }

  /// Not on every slide of a talk.
  void theKeysAreNamedAtTheBeginning() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    QTest::keyClick(&b.window, Qt::Key_F9);
    auto* show = b.window.findChild<SlideShow*>();
    const auto* keys = show->findChild<QLabel*>(QStringLiteral("keys"));
    QVERIFY(keys && keys->text().contains(QStringLiteral("Esc")));
    QVERIFY(!keys->isHidden());
    QTRY_VERIFY_WITH_TIMEOUT(keys->isHidden(), 20000);
    show->close();
  }

  /// A slide is the same on every projector, only larger.
  void slidesGrowWithTheScreen() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    SlideShow show(std::make_shared<const Scenario>(b.scenario()), b.window.session().context(),
                   Theme::Kind::Light);
    show.resize(1024, 576);
    show.show();
    QCOMPARE(show.enlargement(), 1.0);
    const QImage small = show.grab().toImage();
    show.resize(3840, 2160);
    QCOMPARE(show.enlargement(), 3.75);
    QCOMPARE(show.page(), QRectF(0, 0, 3840, 2160));
    show.resize(1024, 768);  // a screen of another shape has margins
    QCOMPARE(show.page(), QRectF(0, 96, 1024, 576));
    // The same but for the rounding of edges that lie between two pixels.
    const QImage moved = show.grab().toImage();
    int other = 0;
    for (int y = 0; y < 540; ++y)
      for (int x = 0; x < 1024; ++x) other += moved.pixel(x, y + 96) != small.pixel(x, y) ? 1 : 0;
    QVERIFY2(other < 1024 * 540 / 100, qPrintable(QString::number(other)));
  }
};

NEST_TEST(TestSlideShow)
#include "test_slide_show.moc"
