// The command palette: what the letters typed find.
#include <QLineEdit>
#include <QListWidget>

#include "window/command_palette.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

class TestPalette : public QObject {
  Q_OBJECT
private Q_SLOTS:
  /// Who types the name of a view gets the view, not a field or a stage that has the letters, too.
  void paletteFindsViewsByTheirNames() {
    WindowBench b;
    for (const View* view : b.window.views().views()) {
      b.window.actions().find(QStringLiteral("edit.find"))->trigger();
      auto* palette = b.window.findChild<CommandPalette*>();
      QVERIFY(palette);
      palette->findChild<QLineEdit*>()->setText(view->title());
      const QString first = palette->findChild<QListWidget*>()->item(0)->text();
      QVERIFY2(first.startsWith(QStringLiteral("Show ") + view->title().toLower()), qPrintable(first));
      delete palette;
    }
  }

  void paletteSaysThatNothingMatches() {
    WindowBench b;
    b.window.actions().find(QStringLiteral("edit.find"))->trigger();
    auto* palette = b.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    query->setText(QStringLiteral("qqqq"));
    const auto* list = palette->findChild<QListWidget*>();
    QCOMPARE(list->count(), 1);
    QVERIFY(list->item(0)->text().contains(QStringLiteral("qqqq")));
    QTest::keyClick(query, Qt::Key_Return);  // does nothing
    QVERIFY(palette->isVisible());
    delete palette;
  }

  void paletteFindsCommandsAndFields() {
    QVERIFY(CommandPalette::match(QStringLiteral("sa"), QStringLiteral("Save as")) >
            CommandPalette::match(QStringLiteral("sa"), QStringLiteral("Show glossary")));
    QCOMPARE(CommandPalette::match(QStringLiteral("xyz"), QStringLiteral("Save")), -1);
    WindowBench b;
    b.window.actions().find(QStringLiteral("edit.find"))->trigger();
    auto* palette = b.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    QTest::keyClicks(query, QStringLiteral("global batch"));
    QTest::keyClick(query, Qt::Key_Return);
    QTRY_COMPARE(b.window.focusWidget(), (b.window.findChild<QWidget*>(QStringLiteral("/job/global_batch"))));
  }

  /// What a view runs is found by its name or its view's, and runs where it is seen.
  void paletteRunsWhatViewsAsk_data() {
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("view");
    QTest::addColumn<QString>("button");
    QTest::newRow("baselines") << "run baselines"
                               << "compare"
                               << "Run baselines";
    QTest::newRow("study") << "run study"
                           << "study"
                           << "Run study";
    QTest::newRow("failures") << "search rank fail"
                              << "search"
                              << "Rank failures";
  }
  void paletteRunsWhatViewsAsk() {
    QFETCH(QString, typed);
    QFETCH(QString, view);
    QFETCH(QString, button);
    WindowBench b;
    QTRY_VERIFY(b.solved());
    b.trigger("edit.find");
    auto* palette = b.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    QTest::keyClicks(query, typed);
    QVERIFY2(palette->findChild<QListWidget*>()->item(0)->text().contains(button),
             qPrintable(palette->findChild<QListWidget*>()->item(0)->text()));
    int pressed = 0;
    for (auto* p : b.window.views().view(view)->findChildren<QPushButton*>())
      if (p->text() == button) connect(p, &QPushButton::clicked, this, [&pressed] { ++pressed; });
    QTest::keyClick(query, Qt::Key_Return);
    QTRY_COMPARE(pressed, 1);
    QTRY_VERIFY(b.button(button) && !b.button(button)->visibleRegion().isEmpty());
  }

  void withoutAScenarioNothingIsRunIn() {
    WindowBench b{QString()};
    b.trigger("edit.find");
    auto* palette = b.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    palette->findChild<QLineEdit*>()->setText(QStringLiteral("run baselines"));
    QVERIFY(!palette->findChild<QListWidget*>()->item(0)->text().startsWith(QStringLiteral("Compare:")));
    delete palette;
  }

  /// The lessons lie in the same place: nobody types into a field that is behind them.
  void aFieldThatIsCalledComesIntoSight() {
    WindowBench b;
    auto* field = b.line("/job/global_batch");
    b.trigger("help.lessons");
    QTRY_VERIFY(field->visibleRegion().isEmpty());
    b.trigger("edit.find");
    auto* palette = b.window.findChild<CommandPalette*>();
    QVERIFY(palette);
    auto* query = palette->findChild<QLineEdit*>();
    QTest::keyClicks(query, QStringLiteral("global batch"));
    QTest::keyClick(query, Qt::Key_Return);
    QTRY_VERIFY(!field->visibleRegion().isEmpty());
    QVERIFY(field->hasFocus());
  }
};

NEST_TEST(TestPalette)
#include "test_palette.moc"
