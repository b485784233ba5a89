#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <algorithm>
#include <filesystem>

#include "catalogue/export_all.h"
#include "document/scenario_files.h"
#include "export/figure_export.h"
#include "files/file_reader.h"
#include "files/file_writer.h"
#include "support/desk.h"
#include "support/small_disk.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;
using nest::test::SmallDisk;

#define NEED(disk) \
  if (!(disk).whyNot().empty()) QSKIP((disk).whyNot().c_str())

namespace {

struct Ran {
  int code = -1;
  QString err;
};

/// A program of this build, its standard output in a file.
Ran run(const char* program, const QStringList& words, const std::string& out = "/dev/null") {
  QProcess p;
  p.setStandardOutputFile(QString::fromStdString(out));
  p.start(QStringLiteral(NEST_BINARY_DIR "/") + QLatin1String(program), words);
  if (!p.waitForFinished(120000)) p.kill(), p.waitForFinished();
  return {p.exitStatus() == QProcess::NormalExit ? p.exitCode() : -2,
          QString::fromUtf8(p.readAllStandardError())};
}

QString sample(const char* name) {
  return QStringLiteral(NEST_SOURCE_DIR "/samples/%1.nest.json").arg(QLatin1String(name));
}

std::string textOf(const std::string& path) {
  return *readText(path);
}

void setBatch(ScenarioDocument& d, int batch) {
  d.edit(QStringLiteral("/job/global_batch"), QStringLiteral("Change global batch"),
         [batch](Scenario& s) { s.job.globalBatch = batch; });
}

}  // namespace

/// On a file system without room everything that was there stays, everything new is refused in words, and
/// nothing lies about.
class TestFullDisk : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void theOldFileStands() {
    SmallDisk disk(64 << 10);
    NEED(disk);
    for (const std::size_t size : {std::size_t(100), std::size_t(5000), std::size_t(40'000)}) {
      const std::string old(size, 'o');
      QVERIFY(writeFile(disk / "a", old).empty());
      disk.fill();
      for (const std::size_t more : {std::size_t(1), std::size_t(4096), std::size_t(100'000)}) {
        const Diagnostics d = writeFile(disk / "a", std::string(more, 'n'));
        QCOMPARE(d.size(), std::size_t(1));
        QVERIFY(toText(d[0]).find("No space left on device; free some space") != std::string::npos);
        QVERIFY(textOf(disk / "a") == old);
        QVERIFY(!writeFile(disk / "new", std::string(more, 'n')).empty());
        QCOMPARE(disk.entries(), 1);
      }
      disk.makeRoom();
    }
    QVERIFY(writeFile(disk / "a", "new").empty());
    QCOMPARE(textOf(disk / "a"), std::string("new"));
  }

  void aScenarioAndItsUnsavedEditsStay() {
    SmallDisk disk(64 << 10);
    NEED(disk);
    QTemporaryDir home;
    ScenarioDocument document;
    ScenarioFiles files(document, home.filePath(QStringLiteral("journals")));
    QSignalSpy failed(&files, &ScenarioFiles::failed);
    QVERIFY(files.open(QStringLiteral(":/samples/teaching-6-layers-2x2.nest.json")));
    const QString path = QString::fromStdString(disk / "a.nest.json");
    QVERIFY(files.save(path));
    const std::string old = textOf(disk / "a.nest.json");
    disk.fill();
    setBatch(document, 24);
    QVERIFY(!files.save(path));
    QCOMPARE(failed.count(), 1);
    QCOMPARE(textOf(disk / "a.nest.json"), old);
    QVERIFY(document.isModified());
    const auto journals = [&] {
      return QDir(home.filePath(QStringLiteral("journals")))
          .entryList({QStringLiteral("*.journal")}, QDir::Files);
    };
    QTRY_COMPARE(journals().size(), 1);
    disk.makeRoom();
    QVERIFY(files.save(path));
    QCOMPARE(textOf(disk / "a.nest.json"), writeScenario(document.scenario()));
    QTRY_COMPARE(journals().size(), 0);
  }

  void protectionThatFindsNoRoomIsTold() {
    SmallDisk disk(64 << 10);
    NEED(disk);
    ScenarioDocument document;
    ScenarioFiles files(document, QString::fromStdString(disk / "journals"));
    QSignalSpy told(&files, &ScenarioFiles::protectionChanged);
    QVERIFY(files.open(QStringLiteral(":/samples/teaching-6-layers-2x2.nest.json")));
    setBatch(document, 24);
    const QDir folder(QString::fromStdString(disk / "journals"));
    QTRY_COMPARE(folder.entryList({QStringLiteral("*.journal")}, QDir::Files).size(), 1);
    const QString journal =
        folder.filePath(folder.entryList({QStringLiteral("*.journal")}, QDir::Files).at(0));
    QVERIFY(textOf(journal.toStdString()).find("24") != std::string::npos);
    disk.fill();
    setBatch(document, 4801);
    QTRY_COMPARE(told.count(), 1);
    QVERIFY(textOf(journal.toStdString()).find("24") != std::string::npos);  // what was kept stays
    disk.makeRoom();
    setBatch(document, 4802);
    QTRY_COMPARE(told.count(), 2);
    QVERIFY(told.at(1).at(0).value<Diagnostics>().empty());
    QVERIFY(textOf(journal.toStdString()).find("4802") != std::string::npos);
  }

  void figuresAreWholeOrMissing() {
    SmallDisk disk(256 << 10);
    NEED(disk);
    const nest::test::Desk desk;
    const ExportReport report = exportAll(QString::fromStdString(disk.path()), desk.context);
    QVERIFY(!report.ok() && !report.written.isEmpty());
    QVERIFY(report.problems.at(0).contains(QStringLiteral("No space left on device")));
    QCOMPARE(report.written.size(), disk.entries());
    for (const QString& file : report.written) QVERIFY2(QFileInfo(file).size() > 0, qPrintable(file));
  }

  void commandsEndWithTwo_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<bool>("prints");  // to standard output; else to a file of its own
    const QString small = sample("teaching-6-layers-2x2"), to = QStringLiteral("TO"),
                  network = QStringLiteral(NEST_SOURCE_DIR "/samples/topologies/pod.cluster.txt"),
                  model = QStringLiteral(NEST_SOURCE_DIR "/samples/models/gpt2.json");
    const auto row = [](const char* name, const char* program, const QStringList& words, bool prints) {
      QTest::newRow(name) << QString::fromLatin1(program) << words << prints;
    };
    row("solve", "nest-plan", {"solve", small}, true);
    row("solve --json", "nest-plan", {"solve", small, "--json"}, true);
    row("solve -o", "nest-plan", {"solve", small, "-o", to}, false);
    row("export", "nest-plan", {"export", small, "--as", "megatron"}, true);
    row("export -o", "nest-plan", {"export", small, "--as", "megatron", "-o", to}, false);
    row("export folder", "nest-plan", {"export", small, "--as", "folder", "-o", to}, false);
    row("export, long", "nest-plan", {"export", small, "--as", "scenario", "--output", to}, false);
    row("import", "nest-plan", {"import", network, model}, true);
    row("import -o", "nest-plan", {"import", network, model, "-o", to}, false);
    row("evaluate", "nest-plan", {"evaluate", small, "PLAN"}, true);
    row("evaluate --calibrated", "nest-plan",
        {"evaluate", small, "PLAN", "--measured", "3s", "--calibrated", to}, false);
    row("study --csv", "nest-plan", {"study", "paper", "--model", "bert", "--devices", "64", "--csv", to},
        false);
    row("improve", "nest-plan", {"improve", small}, true);
    row("inverse", "nest-plan", {"inverse", small, "--time", "900s"}, true);
    row("fields", "nest-plan", {"fields"}, true);
    row("compare", "nest-plan", {"compare", small}, true);
    row("why", "nest-plan", {"why", small}, true);
    row("check", "nest-plan", {"check", small}, true);
    row("formats", "nest-plan", {"formats"}, true);
    row("help", "nest-plan", {"--help"}, true);
    row("version", "nest-plan", {"--version"}, true);
    row("sweep -o", "nest-plan", {"sweep", small, "--set", "job.global_batch=8,16", "-o", to}, false);
    row("sweep", "nest-plan", {"sweep", small, "--set", "job.global_batch=8,16"}, true);
    row("explorer --help", "nest-explorer", {"--help"}, true);
    row("explorer --export", "nest-explorer", {"--export", to, small}, false);
  }
  void commandsEndWithTwo() {
    QFETCH(QString, program);
    QFETCH(QStringList, words);
    QFETCH(bool, prints);
    SmallDisk disk(32 << 10);
    NEED(disk);
    if (!QFile::exists(QStringLiteral(NEST_BINARY_DIR "/") + program)) QSKIP("this program is not built");
    disk.fill();
    if (words.contains(QStringLiteral("PLAN"))) {
      const QString plan = QDir(m_folder.path()).filePath(QStringLiteral("plan.json"));
      if (!QFile::exists(plan)) QCOMPARE(run("nest-plan", {"solve", words.at(1), "-o", plan}).code, 0);
      words.replaceInStrings(QStringLiteral("PLAN"), plan);
    }
    words.replaceInStrings(QStringLiteral("TO"), QString::fromStdString(disk / "out"));
    const Ran ran = run(program.toLatin1(), words, prints ? disk / "stdout" : "/dev/null");
    QCOMPARE(ran.code, 2);
    QVERIFY2(ran.err.contains(QStringLiteral("No space left on device")), qPrintable(ran.err));
    if (!prints)
      for (const auto& entry : std::filesystem::recursive_directory_iterator(disk.path()))
        QVERIFY2(entry.is_directory() || entry.path().filename() == "fill", entry.path().c_str());
  }

  void aSweepStopsAtOnceAndKeepsItsRows() {
    SmallDisk disk(24 << 10);
    NEED(disk);
    const auto sweep = [&](const std::string& base, const QStringList& more = {}) {
      return run("nest-plan",
                 QStringList{"sweep", sample("teaching-6-layers-2x2"), "--set", "job.global_batch=8..2008+8",
                             "--threads", "1", "-o", QString::fromStdString(base)} +
                     more);
    };
    const Ran stopped = sweep(disk / "all");
    QCOMPARE(stopped.code, 2);
    QVERIFY2(stopped.err.contains(QStringLiteral("No space left on device")), qPrintable(stopped.err));
    const QRegularExpression told(
        QStringLiteral("stopped after (\\d+) rows of 251; they are saved in .*all.jsonl"));
    const auto match = told.match(stopped.err);
    QVERIFY2(match.hasMatch(), qPrintable(stopped.err));
    const auto kept = textOf(disk / "all.jsonl");
    QCOMPARE(std::count(kept.begin(), kept.end(), '\n'), match.captured(1).toInt() + 1);
    QVERIFY(kept.ends_with("}\n"));  // whole rows only
    QCOMPARE(stopped.err.count(QStringLiteral(" solved, latest")), match.captured(1).toInt());

    // On a larger disk the same rows go on, and the table is that of a sweep that was never stopped.
    QTemporaryDir large;
    const std::string base = large.filePath(QStringLiteral("all")).toStdString();
    QVERIFY(writeFile(base + ".jsonl", kept).empty());
    QCOMPARE(sweep(base).code, 0);
    QCOMPARE(sweep(base + "2").code, 0);
    const auto table = [&](const std::string& file) {
      QString text = QString::fromStdString(textOf(file));
      return text.remove(QRegularExpression(QStringLiteral(",[^,\n]*,(?=\n)")));  // elapsed_s differs
    };
    QCOMPARE(table(base + ".csv"), table(base + "2.csv"));

    // The rows are complete, only the tables find no room.
    const auto rows = std::filesystem::file_size(base + ".jsonl");
    SmallDisk exact((rows / 4096 + 3) * 4096);
    QVERIFY(writeFile(exact / "all.jsonl", textOf(base + ".jsonl")).empty());
    exact.fill();
    const Ran tables = sweep(exact / "all");
    QCOMPARE(tables.code, 2);
    QVERIFY2(tables.err.contains(QStringLiteral("all 251 rows are kept in ")), qPrintable(tables.err));
    QCOMPARE(exact.entries(), 1);
  }

  /// Random sizes of disk and file: NEST_SEED, for NEST_SECONDS.
  void anyDiskLeavesOldOrNew() {
    const int seconds = qEnvironmentVariableIntValue("NEST_SECONDS");
    const auto seed = static_cast<quint32>(qgetenv("NEST_SEED").toULongLong());
    QRandomGenerator dice(seed);
    QElapsedTimer clock;
    clock.start();
    int full = 0, i = 0;
    for (; seconds > 0 ? clock.elapsed() < 1000LL * seconds : i < 200; ++i) {
      SmallDisk disk(std::size_t(4096) * dice.bounded(2u, 24u));
      NEED(disk);
      std::string known;
      for (int k = 0; k < 6; ++k) {
        const std::string next(dice.bounded(60'000u), static_cast<char>('a' + k));
        FileWriter file(disk / "a");
        for (std::size_t at = 0; at < next.size();) {
          const std::size_t piece = std::min<std::size_t>(next.size() - at, dice.bounded(1u, 9000u));
          file.write(std::string_view(next).substr(at, piece));
          at += piece;
        }
        const bool written = file.commit().empty();
        full += !written;
        const auto now = readText(disk / "a");
        const std::string holds = now ? *now : std::string();
        QVERIFY2(holds == (written ? next : known),
                 qPrintable(QStringLiteral("seed %1, round %2, file %3").arg(seed).arg(i).arg(k)));
        QVERIFY(disk.entries() <= 1);
        known = holds;
      }
    }
    QVERIFY2(full > i / 10, "most disks were large enough for everything");
  }

private:
  QTemporaryDir m_folder;
};

NEST_TEST(TestFullDisk)
#include "test_full_disk.moc"
