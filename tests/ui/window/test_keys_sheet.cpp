// Keys that the user chooses: seen everywhere, kept across starts, conflicts named.
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QSettings>
#include <QTreeWidget>

#include "window/keys_sheet.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

struct Sheet {
  explicit Sheet(WindowBench& b) {
    b.trigger("help.keys");
    sheet = b.window.findChild<KeysSheet*>();
  }
  void choose(const QString& command) {
    auto* query = sheet->findChild<QLineEdit*>();
    query->clear();
    QTest::keyClicks(query, command);
    for (QTreeWidgetItemIterator it(sheet->findChild<QTreeWidget*>()); *it; ++it)
      if ((*it)->text(0) == command) (*it)->treeWidget()->setCurrentItem(*it);
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    auto* edit = sheet->findChild<QKeySequenceEdit*>();
    edit->setFocus();
    QTest::keyClick(edit, key, modifiers);
  }
  QPushButton* button(const QString& text) const {
    for (auto* b : sheet->findChildren<QPushButton*>())
      if (b->text() == text) return b;
    return nullptr;
  }
  bool says(const QString& words) const {
    for (auto* label : sheet->findChildren<QLabel*>())
      if (label->text().contains(words)) return true;
    return false;
  }
  KeysSheet* sheet;
};

}  // namespace

class TestKeysSheet : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { QSettings().remove(QStringLiteral("keys")); }
  void cleanup() { QSettings().remove(QStringLiteral("keys")); }

  void aChangedKeyWorksIsShownAndIsKept() {
    {
      WindowBench b(teachingSample(), true);
      QTRY_VERIFY(b.solved());
      QAction* theme = b.window.actions().find(QStringLiteral("view.inspector"));
      Sheet s(b);
      QVERIFY(s.sheet);
      s.choose(theme->text());
      s.press(Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
      QTRY_VERIFY(s.button(QStringLiteral("Assign"))->isEnabled());
      QVERIFY(s.says(QStringLiteral("is free")));
      QTest::mouseClick(s.button(QStringLiteral("Assign")), Qt::LeftButton);
      QCOMPARE(theme->shortcut(), QKeySequence(QStringLiteral("Ctrl+Alt+I")));
      QVERIFY2(theme->toolTip().contains(QStringLiteral("Ctrl+Alt+I")), qPrintable(theme->toolTip()));
      s.sheet->close();
      auto* dock = b.window.findChild<QWidget*>(QStringLiteral("inspector"));
      const bool before = dock->isHidden();
      QApplication::setActiveWindow(&b.window);
      QTest::keyClick(&b.window, Qt::Key_F7);
      QCOMPARE(dock->isHidden(), before);
      QTest::keyClick(&b.window, Qt::Key_I, Qt::ControlModifier | Qt::AltModifier);
      QTRY_COMPARE(dock->isHidden(), !before);
    }
    WindowBench again(teachingSample(), true);
    QCOMPARE(again.window.actions().find(QStringLiteral("view.inspector"))->shortcut(),
             QKeySequence(QStringLiteral("Ctrl+Alt+I")));
  }

  void aConflictIsNamedAndTheOtherLosesItsKey() {
    WindowBench b;
    Sheet s(b);
    s.choose(QStringLiteral("Glossary"));
    s.press(Qt::Key_F5);
    QTRY_VERIFY(s.says(QStringLiteral("\"Solve\"")));
    QTest::mouseClick(s.button(QStringLiteral("Assign")), Qt::LeftButton);
    QVERIFY(b.window.actions().find(QStringLiteral("plan.solve"))->shortcut().isEmpty());
    QCOMPARE(b.window.actions().find(QStringLiteral("help.words"))->shortcut(), QKeySequence(Qt::Key_F5));
    QTest::mouseClick(s.button(QStringLiteral("Reset all")), Qt::LeftButton);
    QCOMPARE(b.window.actions().find(QStringLiteral("plan.solve"))->shortcut(), QKeySequence(Qt::Key_F5));
    QCOMPARE(b.window.actions().find(QStringLiteral("help.words"))->shortcut(), QKeySequence(Qt::Key_F1));
    QVERIFY(!s.button(QStringLiteral("Reset all"))->isEnabled());
  }

  void keysThatFieldsNeedAreRefused() {
    WindowBench b;
    Sheet s(b);
    s.choose(QStringLiteral("Solve"));
    s.press(Qt::Key_Left);
    QTRY_VERIFY(s.says(QStringLiteral("is used in fields")));
    QVERIFY(!s.button(QStringLiteral("Assign"))->isEnabled());
  }
};

NEST_TEST(TestKeysSheet)
#include "test_keys_sheet.moc"
