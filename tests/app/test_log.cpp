#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"

using namespace nest::test;

/// --log-level and --log-file, of both programs.
class TestLog : public QObject {
  Q_OBJECT
private slots:
  void nothingIsLoggedUnasked() {
    const Ran r = run({"solve", sample("teaching-6-layers-2x2")});
    QCOMPARE(r.code, 0);
    QCOMPARE(r.err, QString());
  }
  void debugTellsWhatTookHowLong() {
    const Ran r = run({"--log-level", "debug", "solve", sample("teaching-6-layers-2x2")});
    QCOMPARE(r.code, 0);
    QVERIFY2(r.err.contains("nest-plan: debug: solve: optimal, "), qPrintable(r.err));
    QVERIFY(r.out.startsWith("Six layers on 2 × 2 devices\n"));
  }
  void aFileTakesTheLog() {
    QTemporaryDir dir;
    const QString path = dir.filePath("new/folder/a.log");
    for (int i = 1; i <= 2; ++i) {
      const Ran r =
          run({"solve", sample("teaching-6-layers-2x2"), "--log-file=" + path, "--log-level=debug"});
      QCOMPARE(r.code, 0);
      QCOMPARE(r.err, QString());
      QFile file(path);
      QVERIFY(file.open(QIODevice::ReadOnly));
      QCOMPARE(file.readAll().count("debug   solve: optimal"), i);
    }
  }
  void misuseIsRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("told");
    QTest::newRow("level") << QStringList{"--log-level", "loud"} << "trace, debug, info, warning, error, off";
    QTest::newRow("no level") << QStringList{"--log-level"} << "trace, debug, info, warning, error, off";
    QTest::newRow("no file") << QStringList{"--log-file"} << "--log-file needs a";
    QTest::newRow("no log") << QStringList{"--log-level", "off", "--log-file", "x.log"}
                            << "--log-level off writes no log";
    QTest::newRow("two levels") << QStringList{"--log-level", "info", "--log-level=debug"}
                                << "--log-level is given twice";
    QTest::newRow("a folder") << QStringList{"--log-file", "/proc"} << "/proc";
  }
  void misuseIsRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, told);
    for (const auto& [program, first] :
         {std::pair{QString("nest-plan"), QStringList{"solve", sample("teaching-6-layers-2x2")}},
          std::pair{QString("nest-explorer"), QStringList{"--export", "/nowhere"}}}) {
      const Ran r = runProgram(program, first + words);
      QCOMPARE(r.code, 2);
      QVERIFY2(r.err.contains(told), qPrintable(r.err));
    }
  }
};

NEST_TEST(TestLog)
#include "test_log.moc"
