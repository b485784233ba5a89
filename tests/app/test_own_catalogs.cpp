#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

/// The walk of samples/catalogs/README.md: a device, a number format and a program of the user's own, by data
/// alone.
class TestOwnCatalogs : public QObject {
  Q_OBJECT
  QTemporaryDir m_dir;

  Ran runWith(const QStringList& words, const std::function<void(QProcessEnvironment&)>& change) {
    QProcess p;
    p.setWorkingDirectory(QStringLiteral(NEST_SOURCE_DIR "/samples"));
    auto environment = QProcessEnvironment::systemEnvironment();
    change(environment);
    p.setProcessEnvironment(environment);
    p.start(QStringLiteral(NEST_BINARY_DIR "/nest-plan"), words);
    p.closeWriteChannel();
    return finish(p);
  }
  Ran runWith(const QStringList& words, const QString& catalog) {
    return runWith(words, [&](QProcessEnvironment& e) { e.insert("NEST_CATALOG", catalog); });
  }
  QString written(const QString& name, const QByteArray& text) {
    QFile file(m_dir.filePath(name));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(text);
    return file.fileName();
  }
  const QString m_example = QStringLiteral("catalogs/example.json");

private slots:
  void aScenarioOfOnlyOwnEntries() {
    const QString path = m_dir.filePath("s.nest.json");
    const Ran made = runWith({"import", "models/llama-3-8b.json", "--network", "host:4@450GB/s rack:4@50GB/s",
                              "--device", "h200-nvl", "--program", "megatron-bridge-2026-10", "-o", path},
                             m_example);
    QVERIFY2(made.code == 0, qPrintable(made.err));
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    QVERIFY(text.contains(R"("device": "h200-nvl")") && text.contains(R"("format": "bf16")"));
    const QString narrow =
        written("narrow.nest.json", text.replace(R"("format": "bf16")", R"("format": "mxfp6")"));

    const auto stepOf = [&](const QString& scenario) {
      const Ran solved = runWith({"solve", scenario, "--json"}, m_example);
      return solved.json()["batch_time_s"].toDouble();
    };
    const double wide = stepOf(path), fast = stepOf(narrow);
    QVERIFY2(wide > 0 && fast > 0.4 * wide && fast < 0.9 * wide,
             qPrintable(QString("%1 %2").arg(wide).arg(fast)));

    // Launch files have no setting for the format, and say so.
    const Ran launched = runWith({"export", narrow, "--as", "megatron"}, m_example);
    QCOMPARE(launched.code, 1);
    QVERIFY2(launched.err.contains("mxfp6"), qPrintable(launched.err));
    QCOMPARE(runWith({"export", path, "--as", "megatron"}, m_example).code, 0);

    // Who has not got the catalog is referred to it.
    const Ran without = runWith({"solve", narrow}, QString());
    QCOMPARE(without.code, 2);
    for (const char* code : {"program-unknown", "device-unknown", "json-choice"})
      QVERIFY2(without.err.contains(code), qPrintable(without.err));
    QVERIFY(without.err.contains("samples/catalogs"));
  }

  void aLogOfTheContainerIsOfTheProgram() {
    QFile log(QStringLiteral(NEST_SOURCE_DIR "/tests/data/nemo-log/nemo2.log"));
    QVERIFY(log.open(QIODevice::ReadOnly));
    const QString path = written("run.log", "docker run nvcr.io/nvidia/nemo:26.10.01\n" + log.readAll());
    const QStringList words{
        "import", "models/llama-3-8b.json",       "--network", "host:8@450GB/s rack:8@50GB/s", path,
        "-o",     m_dir.filePath("run.nest.json")};
    const Ran own = runWith(words, m_example), built = runWith(words, QString());
    QVERIFY2(own.code == 0 && own.all().contains("nemo:26.10.01"), qPrintable(own.all()));
    QVERIFY2(built.code == 0 && !built.all().contains("nemo:26.10.01"), qPrintable(built.all()));
    QFile scenario(m_dir.filePath("run.nest.json"));
    QVERIFY(runWith(words, m_example).code == 0 && scenario.open(QIODevice::ReadOnly));
    QVERIFY(scenario.readAll().contains("megatron-bridge-2026-10"));
  }

  void theFolderOfTheUserIsRead() {
    const QString folder = m_dir.filePath("data/nest-explorer/catalogs");
    QVERIFY(QDir().mkpath(folder));
    QVERIFY(QFile::copy(QStringLiteral(NEST_SOURCE_DIR "/samples/") + m_example, folder + "/a.json"));
    const auto inFolder = [&](QProcessEnvironment& e) {
      e.remove("NEST_CATALOG");
      e.insert("XDG_DATA_HOME", m_dir.filePath("data"));
    };
    QVERIFY(runWith({"fields", "job.format"}, inFolder).out.contains("mxfp6"));
    // A second file with the same ids is refused, by name.
    QVERIFY(QFile::copy(folder + "/a.json", folder + "/b.json"));
    const Ran twice = runWith({"fields", "job.format"}, inFolder);
    QCOMPARE(twice.code, 2);
    QVERIFY2(twice.err.contains("b.json:5:10") && twice.err.contains("catalog-taken"), qPrintable(twice.err));
    QVERIFY(!run({"fields", "job.format"}).out.contains("mxfp6"));
  }

  void checkNamesWhatItIs() {
    const Ran r = run({"check", m_example});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains("NEST_CATALOG"), qPrintable(r.all()));
  }
};

NEST_TEST(TestOwnCatalogs)
#include "test_own_catalogs.moc"
