// The type of the window from 80 to 200 %, remembered, and nothing cut.
#include <QLabel>

#include "theme/appearance.h"
#include "views/figure_canvas.h"
#include "window/headline.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestTypeScale : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { forgetWindows(); }
  void cleanup() { setWindowScale(1); }

  void typeGrowsAndShrinksByKeys() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    const BoundLine* name = b.line("/name");
    const int usual = name->fontMetrics().height();
    const auto largest = [&] {
      int size = 0;
      for (const auto* label : b.window.headline().findChildren<QLabel*>())
        size = std::max(size, label->font().pixelSize());
      return size;
    };
    QCOMPARE(largest(), 26);
    b.window.views().reveal(QStringLiteral("memory"));
    auto* canvas = b.window.views().view(QStringLiteral("memory"))->findChild<FigureCanvas*>();
    QTRY_VERIFY(canvas->isVisible());
    const QRectF bar = canvas->placeOf({ItemKind::Stage, 0});
    QTRY_VERIFY(b.window.views().view(QStringLiteral("topology"))->isInSight());
    QTest::keyClick(&b.window, Qt::Key_Equal, Qt::ControlModifier);
    QCOMPARE(windowScale(), 1.1);
    setWindowScale(1.9);
    for (int i = 0; i < 2; ++i) QTest::keyClick(&b.window, Qt::Key_Equal, Qt::ControlModifier);
    QCOMPARE(windowScale(), 2.0);
    QCOMPARE(largest(), 52);
    b.trigger("view.theme");
    QCOMPARE(largest(), 52);
    QTRY_VERIFY(name->fontMetrics().height() > usual * 18 / 10);
    QVERIFY(canvas->placeOf({ItemKind::Stage, 0}) != bar);
    // The window is as full as a small one.
    QVERIFY(b.window.views().isOneAtATime());
    setWindowScale(0.9);
    for (int i = 0; i < 2; ++i) QTest::keyClick(&b.window, Qt::Key_Minus, Qt::ControlModifier);
    QCOMPARE(windowScale(), 0.8);
    QTest::keyClick(&b.window, Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(windowScale(), 1.0);
    QVERIFY(!b.window.views().isOneAtATime());
    QCOMPARE(largest(), 26);
    QTRY_COMPARE(name->fontMetrics().height(), usual);
  }

  void theSizeIsRemembered() {
    {
      WindowBench b(teachingSample(), true);
      b.trigger("view.larger");
      b.trigger("view.larger");
      QCOMPARE(windowScale(), 1.2);
    }
    setWindowScale(1);
    WindowBench b(teachingSample(), true);
    QCOMPARE(windowScale(), 1.2);
    QTRY_VERIFY(b.solved());
    int largest = 0;
    for (const auto* label : b.window.headline().findChildren<QLabel*>())
      largest = std::max(largest, label->font().pixelSize());
    QCOMPARE(largest, 31);
    // What is made later has that size, too.
    QLabel label(QStringLiteral("later"));
    label.setFont(Theme::font(20));
    label.show();
    QCOMPARE(label.font().pixelSize(), 24);
  }

  void aDamagedSizeIsTheUsualOne() {
    for (const char* bad : {"nan", "-3", "900", "large"}) {
      QSettings().setValue(QStringLiteral("window/scale"), QLatin1String(bad));
      WindowBench b(QString(), true);
      QVERIFY2(windowScale() >= kSmallestScale && windowScale() <= kLargestScale, bad);
    }
  }
};

NEST_TEST(TestTypeScale)
#include "test_type_scale.moc"
