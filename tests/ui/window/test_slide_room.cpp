// Slides in a room: text that the last row reads, and motion that keeps things where eyes follow them.
#include <QPainter>
#include <QProxyStyle>
#include <QTest>

#include "slide_bench.h"
#include "slides/slide_edits.h"
#include "slides/slide_morph.h"
#include "slides/slide_show.h"
#include "slides/slides_export.h"
#include "ui/figures/text_recorder.h"

using namespace nest;
using namespace nest::test;

namespace {

std::vector<TextRecorder::Word> pageWords(const SlideRenderer& slide) {
  TextRecorder page(kSlide.toSize());
  QPainter painter(&page);
  slide.paint(painter, {QStringLiteral("A name"), QStringLiteral("1 of 3")});
  painter.end();
  return page.words();
}

int shortenedIn(const std::vector<TextRecorder::Word>& words) {
  return static_cast<int>(std::count_if(words.begin(), words.end(),
                                        [](const auto& w) { return w.text.endsWith(QChar(0x2026)); }));
}

struct Still : QProxyStyle {
  int styleHint(StyleHint hint, const QStyleOption* o, const QWidget* w, QStyleHintReturn* r) const override {
    return hint == SH_Widget_Animation_Duration ? 0 : QProxyStyle::styleHint(hint, o, w, r);
  }
};

SlideShow* present(SlideBench& b) {
  QApplication::setActiveWindow(&b.window);
  if (!QTest::qWaitForWindowActive(&b.window)) return nullptr;
  QTest::keyClick(&b.window, Qt::Key_F9);
  auto* show = b.window.findChild<SlideShow*>();
  return show && QTest::qWaitForWindowExposed(show) ? show : nullptr;
}

}  // namespace

class TestSlideRoom : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }

  /// Larger, inside the page, and nothing shortened that was whole: a page is laid out once for all screens.
  void textGrowsAndNothingIsClipped() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    QTRY_VERIFY(b.solved());
    for (const char* view : {"topology", "timeline", "cuts", "run"}) {
      b.window.views().reveal(QLatin1String(view));
      QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    }
    auto* show = present(b);
    QVERIFY(show && show->count() >= 6);
    for (const QSize& screen : {QSize(1280, 720), QSize(1920, 1080)}) {
      show->resize(screen);
      for (int slide = 0; slide < show->count(); ++slide) {
        show->setTextSize(0);
        show->showSlide(slide);
        const auto usual = pageWords(*show->sight());
        double caption = 0;
        for (int size = 0; size < SlideShow::kTextSizes; ++size) {
          show->setTextSize(size);
          const auto words = pageWords(*show->sight());
          const QString which = QStringLiteral("slide %1, size %2").arg(slide + 1).arg(size);
          QVERIFY2(shortenedIn(words) <= shortenedIn(usual), qPrintable(which));
          double largest = 0;
          for (const auto& w : words) {
            QVERIFY2(QRectF(QPointF(), kSlide).adjusted(-1, -1, 1, 1).contains(w.box),
                     qPrintable(which + w.text));
            largest = std::max(largest, w.box.height());
          }
          QVERIFY2(largest > caption, qPrintable(which));
          caption = largest;
        }
      }
    }
    show->close();
  }

  void theSizeIsKeptAndPaperHasItsOwn() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.keepThree();
    QTRY_VERIFY(b.solved());
    const auto paper = slidesAsSvg(b.scenario(), b.window.session().context());
    auto* show = present(b);
    QVERIFY(show);
    QCOMPARE(show->textSize(), 0);
    QTest::keyClick(show, Qt::Key_T);
    QTest::keyClick(show, Qt::Key_T);
    QCOMPARE(show->textSize(), 2);
    show->close();
    QTRY_VERIFY(!b.window.findChild<SlideShow*>());
    show = present(b);
    QVERIFY(show && show->textSize() == 2);
    QVERIFY(slidesAsSvg(b.scenario(), b.window.session().context()) == paper);
    QTest::keyClick(show, Qt::Key_T);
    QCOMPARE(show->textSize(), 0);
    show->close();
  }

  /// Stages go from their columns in one figure to those in the other, half way at half time.
  void stagesMove() {
    SlideBench b;
    QTRY_VERIFY(b.solved());
    b.window.views().reveal(QStringLiteral("stages"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    b.window.views().reveal(QStringLiteral("memory"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    b.window.views().reveal(QStringLiteral("accuracy"));
    QTest::keyClick(&b.window, Qt::Key_M, Qt::ControlModifier);
    auto* show = present(b);
    QVERIFY(show && show->count() >= 2);
    const auto first = show->rendererOf(0), second = show->rendererOf(1);
    const auto pieces = SlideMorph::shared(*first, *second);
    QCOMPARE(pieces.size(), b.window.session().context()->plan->plan.stages.size());
    QVERIFY(pieces.front().from != pieces.front().to);
    QCOMPARE(pieces.front().at(0), pieces.front().from);
    QCOMPARE(pieces.front().at(1), pieces.front().to);
    QCOMPARE(pieces.front().at(0.5).center(),
             (pieces.front().from.center() + pieces.front().to.center()) / 2);
    QVERIFY(!show->isMoving());
    show->next();
    QVERIFY(show->isMoving());
    QTRY_VERIFY(!show->isMoving());
    if (show->count() > 2) {
      QVERIFY(SlideMorph::shared(*second, *show->rendererOf(2)).empty());
      show->next();
      QVERIFY(!show->isMoving());  // nothing in common: a cut
      show->back();
    }
    QTRY_VERIFY(!show->isMoving());
    show->showSlide(1);
    QTest::keyClick(show, Qt::Key_M);
    QVERIFY(!show->moves());
    show->back();
    QVERIFY(!show->isMoving());
    QTest::keyClick(show, Qt::Key_M);
    Still still;
    show->setStyle(&still);
    show->next();
    QVERIFY(!show->isMoving());
    show->setStyle(nullptr);
    show->close();
  }

  /// At its ends a move shows the slides themselves.
  void aMoveBeginsAndEndsAtTheSlides() {
    QPixmap before((kSlide).toSize()), after((kSlide).toSize());
    before.fill(Qt::white), after.fill(Qt::white);
    QPainter(&before).fillRect(100, 100, 50, 50, Qt::red);
    QPainter(&after).fillRect(300, 200, 100, 50, Qt::blue);
    const SlideMorph morph(before, after, {{QRectF(100, 100, 50, 50), QRectF(300, 200, 100, 50)}}, Qt::white);
    const auto at = [&](double t) {
      QImage image(kSlide.toSize(), QImage::Format_RGB32);
      QPainter painter(&image);
      morph.paint(painter, t);
      painter.end();
      return image;
    };
    QCOMPARE(at(0), before.toImage().convertToFormat(QImage::Format_RGB32));
    QCOMPARE(at(1), after.toImage().convertToFormat(QImage::Format_RGB32));
    const QImage half = at(0.5);
    QCOMPARE(half.pixelColor(125, 125), QColor(Qt::white));
    const QColor middle = half.pixelColor(237, 175);
    QVERIFY(middle.red() > 100 && middle.blue() > 100 && middle.green() < 20);
  }
};
NEST_TEST(TestSlideRoom)
#include "test_slide_room.moc"
