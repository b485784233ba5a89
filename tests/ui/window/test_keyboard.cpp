// The window without a mouse: Tab, menus, and the sheet that lists the keys.
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>

#include "window/keys_sheet.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

QString nameOf(const QWidget* w) {
  return QString::fromLatin1(w->metaObject()->className()) + u' ' + w->accessibleName();
}

/// Lies in a dock behind other tabs.
bool isBehind(const QWidget* w) {
  for (; w; w = w->parentWidget())
    if (qobject_cast<const QDockWidget*>(w) && w->visibleRegion().isEmpty()) return true;
  return false;
}

}  // namespace

class TestKeyboard : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { QSettings().clear(); }

  void tabStaysInSight_data() {
    QTest::addColumn<QString>("arrangement");
    for (const char* id : {"view.explore", "view.present", "view.teach"})
      QTest::newRow(id) << QString::fromLatin1(id);
  }
  void tabStaysInSight() {
    QFETCH(QString, arrangement);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    b.trigger(qPrintable(arrangement));
    QTest::qWait(50);  // docks are laid out
    QVERIFY2(!b.window.selection().selected(), "an arrangement selects nothing");
    for (const auto key : {Qt::Key_Tab, Qt::Key_Backtab}) {
      std::vector<QWidget*> stops;
      for (int i = 0; i < 200; ++i) {
        QWidget* before = b.window.focusWidget();
        QTest::keyClick(before ? before : static_cast<QWidget*>(&b.window), key);
        QWidget* now = b.window.focusWidget();
        QVERIFY(now);
        QVERIFY2(!isBehind(now), qPrintable(nameOf(now)));
        if (!stops.empty() && now == stops.front()) break;
        stops.push_back(now);
      }
      QVERIFY(stops.size() > 8);
      QVERIFY2(stops.size() < 200, "Tab comes round");
    }
  }

  void menusOpenByKey() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    QVERIFY(QTest::qWaitForWindowActive(&b.window));
    auto* bar = b.window.findChild<QMenuBar*>();
    QString letters;
    for (const QAction* menu : bar->actions()) {
      const auto at = menu->text().indexOf(QLatin1Char('&'));
      QVERIFY2(at >= 0, qPrintable(menu->text()));
      QVERIFY2(!letters.contains(menu->text().at(at + 1), Qt::CaseInsensitive), qPrintable(menu->text()));
      letters += menu->text().at(at + 1);
    }
    QVERIFY(letters.startsWith(QLatin1Char('F')));
    QTest::keyClick(&b.window, Qt::Key_F, Qt::AltModifier);
    QTRY_VERIFY(QApplication::activePopupWidget());
    QCOMPARE(QApplication::activePopupWidget(), bar->actions().front()->menu());
    QApplication::activePopupWidget()->close();
    QTest::keyClick(&b.window, Qt::Key_F10);
    QTRY_COMPARE(bar->activeAction(), bar->actions().front());
  }

  void theSheetListsTheKeysOfTheViews() {
    QString all;
    for (const FixedKeys& k : fixedKeys()) all += k.group + u' ' + k.keys + u'\n';
    for (const char* key : {"+, −, 0", "Shift+Arrow", "Home, End", "V, H, S, D, C", "Delete", "Ctrl+D", "F2",
                            "Space", "R, T", "Page Down", "Shift+Enter", "Alt+Left", "F10", "Tab"})
      QVERIFY2(all.contains(QString::fromUtf8(key)), key);
  }
};
NEST_TEST(TestKeyboard)
#include "test_keyboard.moc"
