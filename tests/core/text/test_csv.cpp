#include <QtTest/QTest>

#include "support/test_main.h"
#include "text/csv.h"

using namespace nest;

class TestCsv : public QObject {
  Q_OBJECT
private slots:
  void cells_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("cell");
    const auto row = [](const char* name, const char* text, const char* cell) {
      QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(cell);
    };
    row("plain", "TP2 · PP4", "TP2 · PP4");
    row("empty", "", "");
    row("comma", "8 hosts, one leaf", "\"8 hosts, one leaf\"");
    row("quote", "the \"fast\" one", "\"the \"\"fast\"\" one\"");
    row("lines", "a\nb\rc", "\"a\nb\rc\"");
    row("formula", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
    row("formula in quotes", "+1,2", "\"'+1,2\"");
    row("tab", "\t=1", "'\t=1");
  }
  void cells() {
    QFETCH(QString, text);
    QFETCH(QString, cell);
    QCOMPARE(QString::fromStdString(csvCell(text.toStdString())), cell);
  }
};
NEST_TEST(TestCsv)
#include "test_csv.moc"
