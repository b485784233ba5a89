#include <QProcessEnvironment>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

/// nest-explorer where no window can be had.
class TestDisplay : public QObject {
  Q_OBJECT
private slots:
  void aDeadDisplayIsToldInASentence_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("value");
    QTest::newRow("X") << "DISPLAY"
                       << ":4711";
    QTest::newRow("Wayland") << "WAYLAND_DISPLAY"
                             << "nobody-0";
    QTest::newRow("platform") << "QT_QPA_PLATFORM"
                              << "nonsense";
  }
  void aDeadDisplayIsToldInASentence() {
    QFETCH(QString, name);
    QFETCH(QString, value);
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char* other : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
      environment.remove(QLatin1String(other));
    environment.insert(name, value);
    QProcess p;
    p.setProcessEnvironment(environment);
    p.start(QStringLiteral(NEST_BINARY_DIR "/nest-explorer"), {sample("teaching-6-layers-2x2")});
    const Ran r = finish(p);
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.startsWith(QStringLiteral("nest-explorer: the display cannot be opened (%1=%2). "
                                             "nest-explorer --export DIR [SCENARIO] ")
                                  .arg(name, value)),
             qPrintable(r.err));
    QCOMPARE(r.err.count(u'\n'), 1);
  }
};

NEST_TEST(TestDisplay)
#include "test_display.moc"
