#include <QPainter>
#include <QPointer>
#include <QtTest/QTest>

#include "document/playback.h"
#include "figures/plan/exchange_figure.h"
#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "slide_bench.h"
#include "slides/slide_edits.h"
#include "slides/slide_renderer.h"
#include "slides/slide_show.h"
#include "views/figure_views.h"
#include "views/view.h"

using namespace nest;
using namespace nest::test;

namespace {

QImage barePageOf(const SlideRenderer& r) {
  QImage image(kSlide.toSize(), QImage::Format_RGB32);
  QPainter painter(&image);
  r.paint(painter);
  return image;
}

}  // namespace

/// Slides that keep a playhead play from there.
class TestSlidesPlay : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void scheduleAndSpeedAreKept() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    Selection& selection = b.window.selection();
    b.window.views().reveal(QStringLiteral("timeline"));
    View* timeline = b.window.views().view(QStringLiteral("timeline"));
    auto* schedule = timeline->findChild<QComboBox*>(QStringLiteral("schedule"));
    schedule->setCurrentIndex(schedule->findData(QStringLiteral("gpipe")));
    qobject_cast<TimelineView*>(timeline)->movePlayHead(0.02);
    QCOMPARE(selection.playhead()->kind, ScheduleKind::GPipe);
    selection.playback().setSpeed(5);
    b.window.views().reveal(QStringLiteral("topology"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    const SavedSlide& kept = b.scenario().slides.front();
    QCOMPARE(kept.view, std::string("topology"));
    QCOMPARE(kept.playHead->schedule, std::string("gpipe"));
    QCOMPARE(kept.playHead->speed, 5.0);

    const SlideRenderer page(kept, b.window.session().context(), b.scenario(), Theme::Kind::Light);
    QCOMPARE(page.selection().playhead()->kind, ScheduleKind::GPipe);
    QCOMPARE(page.player()->speed(), 5.0);
    // Paper has the frame at the position.
    SavedSlide still = kept;
    still.playHead.reset();
    const SlideRenderer without(still, b.window.session().context(), b.scenario(), Theme::Kind::Light);
    QVERIFY(!without.player());
    QVERIFY(barePageOf(page) != barePageOf(without));
  }

  void spacePlays() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("topology"));
    b.window.selection().playback().moveTo(Seconds(0.01));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    b.window.selection().playback().hide();
    b.window.views().reveal(QStringLiteral("stages"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    QVERIFY(!b.scenario().slides[1].playHead);
    QTest::keyClick(&b.window, Qt::Key_F9);
    QPointer<SlideShow> show = b.window.findChild<SlideShow*>();
    QVERIFY(show && QTest::qWaitForWindowExposed(show));
    show->showSlide(0);
    Player* player = show->sight()->player();
    QVERIFY(player && !player->isPlaying());
    const QImage before = barePageOf(*show->sight());
    const QString said = show->sight()->caption();
    QTest::keyClick(show, Qt::Key_Space);
    QVERIFY(player->isPlaying());
    QCOMPARE(show->current(), 0);
    QTest::keyClick(show, Qt::Key_Space);
    QVERIFY(!player->isPlaying());
    player->moveTo(player->end() * 0.7);
    QVERIFY(barePageOf(*show->sight()) != before);
    player->moveTo(Seconds(0.01));
    QCOMPARE(barePageOf(*show->sight()), before);
    QCOMPARE(show->sight()->caption(), said);
    // The window's own playhead stays where it is.
    QVERIFY(!b.window.selection().playhead());
    QTest::keyClick(show, Qt::Key_Right);
    QCOMPARE(show->current(), 1);
    QVERIFY(!show->sight()->player());
    QTest::keyClick(show, Qt::Key_Left);
    QTest::keyClick(show, Qt::Key_Right);
    QTest::keyClick(show, Qt::Key_Escape);
    QTRY_VERIFY(!show);
  }

  /// A slide of an exchange, and a step of it at another time.
  void anExchangeIsKept() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    ExchangePlayer& player = b.window.selection().exchangePlayer();
    b.window.views().reveal(QStringLiteral("exchange"));
    QTRY_VERIFY(player.replay());
    const std::string id = player.replay()->exchange().id;
    player.moveTo(player.end() * 0.25);
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    const SavedSlide& kept = b.scenario().slides.front();
    QCOMPARE(kept.view, std::string("exchange"));
    QCOMPARE(kept.playHead->exchange, id);
    QCOMPARE(kept.playHead->seconds, 0.25 * player.end().value());
    player.moveTo(player.end() * 0.75);
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(b.scenario().slides.front().steps.size(), 1U);

    const SavedSlide& slide = b.scenario().slides.front();
    const SlideRenderer first(atStep(slide, 0), b.window.session().context(), b.scenario(),
                              Theme::Kind::Dark),
        second(atStep(slide, 1), b.window.session().context(), b.scenario(), Theme::Kind::Dark);
    QCOMPARE(first.selection().exchange()->at, 0.25 * player.end());
    QCOMPARE(second.selection().exchange()->at, 0.75 * player.end());
    QVERIFY(barePageOf(first) != barePageOf(second));
    QVERIFY(first.player());
    QCOMPARE(first.caption(), QString::fromStdString(slide.caption));

    const auto read =
        readScenario(writeScenario(b.scenario()), "slides.nest.json", loaderBeside("slides.nest.json"));
    QVERIFY(read.value);
    QVERIFY(read.value->slides == b.scenario().slides);
  }
};
NEST_TEST(TestSlidesPlay)
#include "test_slides_play.moc"
