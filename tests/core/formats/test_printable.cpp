#include <QtTest/QTest>

#include "support/test_main.h"
#include "text/printable.h"
#include "text/text_table.h"

using nest::printable;

class TestPrintable : public QObject {
  Q_OBJECT
private slots:
  void controlCharactersBecomeVisible_data() {
    QTest::addColumn<QByteArray>("raw");
    QTest::addColumn<QByteArray>("shown");
    QTest::newRow("title") << QByteArray("a\x1b]0;owned\x07z") << QByteArray("a\\u001b]0;owned\\u0007z");
    QTest::newRow("carriage return") << QByteArray("ok\rbad") << QByteArray("ok\\u000dbad");
    QTest::newRow("DEL") << QByteArray("\x7f") << QByteArray("\\u007f");
    QTest::newRow("C1") << QByteArray(
                               "\xc2\x9b"
                               "2J")
                        << QByteArray("\\u009b2J");
    QTest::newRow("direction") << QByteArray(
                                      "\xe2\x80\xae"
                                      "gpj.exe")
                               << QByteArray("\\u202egpj.exe");
    QTest::newRow("isolate") << QByteArray("\xe2\x81\xa6") << QByteArray("\\u2066");
    QTest::newRow("no UTF-8") << QByteArray("\x9b\xff\xc3") << QByteArray("\\x9b\\xff\\xc3");
    QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray("a\\u0000b");
  }
  void controlCharactersBecomeVisible() {
    QFETCH(QByteArray, raw);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(printable(raw.toStdString())), shown);
    QCOMPARE(QByteArray::fromStdString(printable(printable(raw.toStdString()))), shown);
  }
  void readableTextStays() {
    const std::string text = "α → ×32\tµs · 日本 𝛼\n";
    QCOMPARE(printable(text), text);
    QCOMPARE(printable("a\n\tb", false), std::string("a\\u000a\\u0009b"));
  }
  // A name with a line break (of a level, say) broke its row in two.
  void tablesKeepALineARow() {
    nest::TextTable table({{"level", nest::TextTable::Align::Left}, {"GB/s"}});
    table.add({"le\naf", "50"});
    QCOMPARE(table.text(), std::string("level       GB/s\n──────────  ────\nle\\u000aaf    50\n"));
  }
};
NEST_TEST(TestPrintable)
#include "test_printable.moc"
