#include <QDockWidget>
#include <QHoverEvent>
#include <QScrollBar>

#include "editors/scenario_panel.h"
#include "window_bench.h"

using namespace nest;

namespace {

void hover(QWidget& w, const QPointF& at) {
  QHoverEvent move(QEvent::HoverMove, at, w.mapToGlobal(at), at);
  QCoreApplication::sendEvent(&w, &move);
}

/// Puts the pointer on the separator between the upper views.
QPoint onSeparator(QWidget& views) {
  const int y = views.height() / 4;
  for (int x = 1; x < views.width(); ++x) {
    hover(views, QPointF(x, y));
    if (views.cursor().shape() == Qt::SplitHCursor) return {x, y};
  }
  return {};
}

}  // namespace

/// The pointer lies on a separator, or holds it, while the keyboard arranges the views anew.
class TestSeparators : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void viewsAreArrangedUnderThePointer_data() {
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<bool>("held");
    for (const char* command : {"view.present", "view.teach", "view.explore"})
      for (const bool held : {false, true})
        QTest::newRow((command + QByteArray(held ? ", held" : "")).constData())
            << QByteArray(command) << held;
  }
  void viewsAreArrangedUnderThePointer() {
    QFETCH(QByteArray, command);
    QFETCH(bool, held);
    test::WindowBench bench;
    ViewsArea& views = bench.window.views();
    QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
    QCoreApplication::processEvents();
    const QPoint at = onSeparator(views);
    QVERIFY(!at.isNull());
    if (held) QTest::mousePress(&views, Qt::LeftButton, {}, at);
    bench.trigger(command.constData());
    QCoreApplication::processEvents();
    if (held) QTest::mouseMove(&views, at + QPoint(30, 0));
    for (int y = 0; y < views.height(); y += 3) hover(views, QPointF(views.width() / 2.0, y));
    hover(views, {1, 1});
    QCOMPARE(views.cursor().shape(), Qt::ArrowCursor);
  }

  /// Dragged narrower than its fields, the panel scrolls to them; at its own width there is nothing to
  /// scroll.
  void aNarrowPanelScrollsToItsFields() {
    test::WindowBench bench;
    QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
    QTRY_VERIFY(bench.solved());
    auto* panel = bench.window.findChild<ScenarioPanel*>();
    QVERIFY(panel && !panel->horizontalScrollBar()->isVisible());
    bench.window.resizeDocks({bench.window.findChild<QDockWidget*>(QStringLiteral("panel"))}, {200},
                             Qt::Horizontal);
    QTRY_VERIFY(panel->width() <= 200);
    QVERIFY(panel->widget()->width() > panel->viewport()->width());
    QVERIFY(panel->horizontalScrollBar()->isVisible());
    panel->horizontalScrollBar()->setValue(panel->horizontalScrollBar()->maximum());
    const BoundLine* name = bench.line("/name");
    QVERIFY(name->mapTo(panel->viewport(), name->rect().topRight()).x() < panel->viewport()->width());
  }
};

NEST_TEST(TestSeparators)
#include "test_separators.moc"
