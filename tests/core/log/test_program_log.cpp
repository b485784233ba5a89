#include <spdlog/spdlog.h>

#include <QRegularExpression>
#include <QTemporaryDir>
#include <fstream>

#include "log/log.h"
#include "log/program_log.h"
#include "support/log_guard.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

class TestProgramLog : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { m_before = spdlog::default_logger(); }
  void cleanup() { spdlog::set_default_logger(m_before); }

  void anErrorInTheLogFailsATest() {
    spdlog::warn("what the user is told is no defect");
    QCOMPARE(LogGuard::take(), 0);
    spdlog::error("a defect, for the guard to hear");
    QCOMPARE(LogGuard::take(), 1);
  }
  void aWarningOfQtFailsATest() {
    QObject::connect(nullptr, nullptr, nullptr, nullptr);
    QCOMPARE(LogGuard::take(), 1);
  }

  /// Braces and percent signs of what is logged are no format.
  void aListenerHearsEachLine() {
    QStringList heard;
    const auto sink = lineSink([&](std::string_view line) {
      heard += QString::fromUtf8(line.data(), static_cast<qsizetype>(line.size()));
    });
    addLogSink(sink);
    logLine(LogLevel::Info, "half {} of 50 %s");
    removeLogSink(sink);
    logLine(LogLevel::Info, "unheard");
    QCOMPARE(heard.size(), 1);
    QVERIFY2(QRegularExpression("^\\d\\d:\\d\\d:\\d\\d  half \\{\\} of 50 %s$").match(heard[0]).hasMatch(),
             qPrintable(heard[0]));
  }

  void aFileTakesAllFromItsLevelOn_data() {
    QTest::addColumn<QString>("level");
    QTest::addColumn<QStringList>("lines");
    QTest::newRow("default") << QString() << QStringList{"info", "warning", "error"};
    QTest::newRow("debug") << QStringLiteral("debug") << QStringList{"debug", "info", "warning", "error"};
    QTest::newRow("error") << QStringLiteral("error") << QStringList{"error"};
    QTest::newRow("off") << QStringLiteral("off") << QStringList{};
  }
  void aFileTakesAllFromItsLevelOn() {
    QFETCH(QString, level);
    QFETCH(QStringList, lines);
    QTemporaryDir dir;
    LogOptions options{"test", {}, dir.filePath("a.log").toStdString(), {}};
    if (!level.isEmpty()) options.level = level.toStdString();
    std::ofstream(*options.file) << "what was there\n";
    QVERIFY(startLog(options).empty());
    spdlog::debug("one");
    spdlog::info("one");
    spdlog::warn("one");
    spdlog::error("one");
    const QString text = QString::fromStdString(readFile(*options.file));
    QVERIFY(text.startsWith("what was there\n"));
    QStringList found;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts).mid(1)) {
      QVERIFY2(line.endsWith(" one"), qPrintable(line));
      found += line.split(' ', Qt::SkipEmptyParts).at(2);
    }
    QCOMPARE(found, lines);
  }

  void theFileOfTheStateFolderRotates() {
    QTemporaryDir dir;
    const std::string path = dir.filePath("state/nest/a.log").toStdString();
    QVERIFY(startLog({"test", {}, {}, path}).empty());
    const std::string line(100'000, 'x');
    for (int i = 0; i < 60; ++i) spdlog::info(line);
    const QFileInfoList files = QDir(dir.filePath("state/nest")).entryInfoList(QDir::Files);
    QCOMPARE(files.size(), 3);
    for (const QFileInfo& f : files) QVERIFY(f.size() > 0 && f.size() <= 1 << 20);
  }

  void whatCannotBeWrittenIsTold() {
    QTemporaryDir dir;
    std::ofstream(dir.filePath("file").toStdString()) << "no folder";
    const std::string path = dir.filePath("file/a.log").toStdString();
    const Diagnostics asked = startLog({"test", {}, path, {}});
    QVERIFY(hasErrors(asked));
    QCOMPARE(asked.front().where.file, path);
    const Diagnostics unasked = startLog({"test", {}, {}, path});
    QCOMPARE(unasked.size(), std::size_t(1));
    QVERIFY(!hasErrors(unasked));
    spdlog::info("goes on without");
  }

private:
  std::shared_ptr<spdlog::logger> m_before;
};
NEST_TEST(TestProgramLog)
#include "test_program_log.moc"
