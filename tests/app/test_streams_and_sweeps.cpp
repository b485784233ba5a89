#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

const auto kPlan = QStringLiteral(NEST_BINARY_DIR "/nest-plan");
const auto kSample = QStringLiteral(NEST_SOURCE_DIR "/samples/teaching-6-layers-2x2.nest.json");

Ran shell(const QString& command) {
  QProcess p;
  p.start(QStringLiteral("bash"), {QStringLiteral("-c"), command});
  p.closeWriteChannel();
  return finish(p);
}

QByteArray contentOf(const QString& path) {
  return QByteArray::fromStdString(readFile(path.toStdString()));
}

/// Whether the process has said what it does on the signal.
bool catches(qint64 process, int signal) {
  const QByteArray status = contentOf(QStringLiteral("/proc/%1/status").arg(process));
  const auto caught = status.indexOf("SigCgt:");
  return caught >= 0 && (status.mid(caught + 7, 17).trimmed().toULongLong(nullptr, 16) >> (signal - 1) & 1);
}

QStringList sweepOf(const QString& values, const QStringList& more = {}) {
  return QStringList{QStringLiteral("sweep"),     kSample,
                     QStringLiteral("--set"),     values,
                     QStringLiteral("--threads"), QStringLiteral("1")} +
         more;
}

}  // namespace

/// Where output goes, and what an interruption leaves.
class TestStreamsAndSweeps : public QObject {
  Q_OBJECT
private slots:
  void outputThatDoesNotArriveEndsWithTwo_data() {
    QTest::addColumn<QString>("words");
    for (const char* words : {"solve SAMPLE", "solve SAMPLE --json", "export SAMPLE --as megatron",
                              "check SAMPLE", "compare SAMPLE", "why SAMPLE", "formats", "--help",
                              "solve --help", "--version", "sweep SAMPLE --set job.global_batch=8"})
      QTest::newRow(words) << QString::fromLatin1(words);
  }
  void outputThatDoesNotArriveEndsWithTwo() {
    QFETCH(QString, words);
    words.replace(QStringLiteral("SAMPLE"), u'\'' + kSample + u'\'');
    for (const char* into : {">/dev/full", ">&-"}) {
      const Ran r = shell(u'\'' + kPlan + QStringLiteral("' ") + words + u' ' + QLatin1String(into));
      QCOMPARE(r.code, 2);
      QVERIFY2(r.err.contains(QStringLiteral("error: standard output cannot be written: ")),
               qPrintable(r.err));
    }
  }

  void outputGoesWhereverAPathLeads() {
    QTemporaryDir dir;
    const QString plan =
        u'\'' + kPlan + QStringLiteral("' export '") + kSample + QStringLiteral("' --as megatron");
    const QString text = shell(plan).out;
    QVERIFY(text.size() > 100);
    for (const char* to : {"-o /dev/stdout", "-o /dev/fd/1", "-o /proc/self/fd/1", "-o >(cat)",
                           "-o /dev/stdout | cat", "-o -"})
      QCOMPARE(shell(plan + u' ' + QLatin1String(to) + QStringLiteral("; wait $!; sleep 0.1")).out, text);
    const QString in = QStringLiteral("cd '%1'; ").arg(dir.path());
    QCOMPARE(shell(in + QStringLiteral("mkfifo p; cat p & ") + plan + QStringLiteral(" -o p; wait")).out,
             text);
    QCOMPARE(
        shell(in + QStringLiteral("echo before > f; ") + plan + QStringLiteral(" -o /dev/stdout >> f; cat f"))
            .out,
        QStringLiteral("before\n") + text);
    // A plan on standard output has it for itself.
    const QString program = u'\'' + kPlan + u'\'', sample = u'\'' + kSample + u'\'';
    const Ran piped = shell(program + QStringLiteral(" solve ") + sample + QStringLiteral(" -o - | ") +
                            program + QStringLiteral(" evaluate ") + sample + QStringLiteral(" -"));
    QVERIFY2(piped.code == 0 && piped.out.contains("step time") && piped.err.contains("Optimal in"),
             qPrintable(piped.out + piped.err));
    // The report comes behind the plan, in the same file.
    const Ran both = shell(in + u'\'' + kPlan + QStringLiteral("' solve '") + kSample +
                           QStringLiteral("' -o /dev/stdout > both; head -c 1 both; tail -n 1 both | wc -c"));
    QVERIFY2(both.out.startsWith(u'{') && both.code == 0, qPrintable(both.out + both.err));
  }

  void aScenarioThatReadsElsewhereIsRefused_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("code");
    QTest::newRow("standard input") << "-"
                                    << "file-missing";
    QTest::newRow("above") << "../models/llama-2-7b.json"
                           << "reference-outside";
    QTest::newRow("absolute") << "/etc/passwd"
                              << "reference-outside";
    QTest::newRow("device") << "/dev/zero"
                            << "reference-outside";
  }
  void aScenarioThatReadsElsewhereIsRefused() {
    QFETCH(QString, path);
    QFETCH(QString, code);
    QTemporaryDir dir;
    QFile file(dir.filePath(QStringLiteral("s.nest.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(contentOf(QStringLiteral(NEST_SOURCE_DIR "/samples/llama2-7b-h100-128.nest.json"))
                   .replace("models/llama-2-7b.json", path.toUtf8()));
    file.close();
    // Nobody writes into the pipe that is its standard input: reading it would wait for ever.
    const Ran r = shell(QStringLiteral("cd '%1'; mkfifo p; exec 3<>p; timeout 60 '%2' solve s.nest.json <&3")
                            .arg(dir.path(), kPlan));
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains(u'[' + code + u']'), qPrintable(r.err));
  }

  void anInterruptedSweepSaysWhatIsKept_data() {
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGINT") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
  }
  void anInterruptedSweepSaysWhatIsKept() {
    QFETCH(int, signal);
    QTemporaryDir dir;
    const QString base = dir.filePath(QStringLiteral("all")), journal = base + QStringLiteral(".jsonl");
    const QStringList words =
        sweepOf(QStringLiteral("job.global_batch=8..80000+8"), {QStringLiteral("-o"), base});
    QProcess p;
    p.start(kPlan, words);
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(journal) && contentOf(journal).count('\n') > 3, 60000);
    ::kill(static_cast<pid_t>(p.processId()), signal);
    const Ran r = finish(p);
    QCOMPARE(r.code, 3);
    const auto rows = contentOf(journal).count('\n') - 1;
    const QRegularExpression told(
        QStringLiteral("stopped after ([0-9,]+) rows of 10,000; they are saved in "));
    QVERIFY2(told.match(r.err).hasMatch(), qPrintable(r.err.right(400)));
    QCOMPARE(told.match(r.err).captured(1).remove(u',').toInt(), static_cast<int>(rows));
    QVERIFY(!QFile::exists(base + QStringLiteral(".csv")));
  }

  void withoutAJournalWhatIsSolvedIsPrinted() {
    QProcess p;
    p.start(kPlan, sweepOf(QStringLiteral("job.global_batch=8..80000+8")));
    QVERIFY(p.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(catches(p.processId(), SIGINT), 60000);
    QTest::qWait(500);  // until some rows are solved; none at all would be told rightly, too
    ::kill(static_cast<pid_t>(p.processId()), SIGINT);
    const Ran r = finish(p);
    QCOMPARE(r.code, 3);
    QVERIFY(r.out.startsWith(QStringLiteral("job/global_batch,status,")));
    const QRegularExpression told(
        QStringLiteral("stopped after ([0-9,]+) rows? of 10,000; use -o to be able"));
    QVERIFY2(told.match(r.err).hasMatch(), qPrintable(r.err));
    QCOMPARE(told.match(r.err).captured(1).remove(u',').toInt(), static_cast<int>(r.out.count(u'\n')) - 1);
  }

  void rowsOfAnotherModelAreRefused() {
    QTemporaryDir dir;
    QDir(dir.path()).mkpath(QStringLiteral("models"));
    const QString samples = QStringLiteral(NEST_SOURCE_DIR "/samples/");
    const QString scenario = dir.filePath(QStringLiteral("s.nest.json"));
    const QString model = dir.filePath(QStringLiteral("models/llama-2-7b.json"));
    QVERIFY(QFile::copy(samples + QStringLiteral("llama2-7b-h100-128.nest.json"), scenario));
    QVERIFY(QFile::copy(samples + QStringLiteral("models/llama-2-7b.json"), model));
    const QString words = QStringLiteral("'%1' sweep '%2' --set job.global_batch=512,1024 -o '%3'")
                              .arg(kPlan, scenario, dir.filePath(QStringLiteral("all")));
    QCOMPARE(shell(words).code, 0);
    const QByteArray table = contentOf(dir.filePath(QStringLiteral("all.csv")));
    QCOMPARE(
        shell(
            QStringLiteral("sed -i 's/\"num_hidden_layers\": 32/\"num_hidden_layers\": 16/' '%1'").arg(model))
            .code,
        0);
    const Ran stale = shell(words);
    QCOMPARE(stale.code, 2);
    QVERIFY2(stale.err.contains(QStringLiteral("other contents of models/llama-2-7b.json")),
             qPrintable(stale.err));
    QCOMPARE(contentOf(dir.filePath(QStringLiteral("all.csv"))), table);
    QCOMPARE(shell(words + QStringLiteral(" --restart")).code, 0);
    QVERIFY(contentOf(dir.filePath(QStringLiteral("all.csv"))) != table);
  }

  void aSweepWithoutAValidRowIsBadInput() {
    const QString words = QStringLiteral("'%1' sweep '%2' --set ").arg(kPlan, kSample);
    QTemporaryDir dir;
    const QString base = QStringLiteral(" -o '%1'").arg(dir.filePath(QStringLiteral("out")));
    for (const QString& to : {QString(), base}) {
      const Ran bad = shell(words + QStringLiteral("'job.microbatches=0,[-1]'") + to);
      QCOMPARE(bad.code, 2);
      QVERIFY2(bad.err.contains(QStringLiteral("no combination is valid; the first: /job/microbatches")) &&
                   bad.err.contains(QStringLiteral("--set 'job.microbatches=[1,2],[4]'")),
               qPrintable(bad.err));
    }
    const Ran merged = shell(
        QStringLiteral("'%1' sweep --merge '%2' -o '%3'")
            .arg(kPlan, dir.filePath(QStringLiteral("out.jsonl")), dir.filePath(QStringLiteral("joined"))));
    QCOMPARE(merged.code, 2);
    QCOMPARE(shell(words + QStringLiteral("'job.microbatches=0,1'")).code, 0);
  }

  void aJournalOfAnySizeIsReadBack() {
    QTemporaryDir dir;
    const QString base = dir.filePath(QStringLiteral("all"));
    const QStringList words = sweepOf(
        QStringLiteral("job.global_batch=8..800000+8"),
        {QStringLiteral("--set"), QStringLiteral("constraints.tensor=1,2"), QStringLiteral("-o"), base});
    QProcess p;
    p.start(kPlan, words);
    const QString journal = base + QStringLiteral(".jsonl");
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(journal) && contentOf(journal).count('\n') > 1, 60000);
    ::kill(static_cast<pid_t>(p.processId()), SIGKILL);
    finish(p);
    // All 200,000 rows, each like the first: more than 64 MiB, which is where readers of texts end.
    const QByteArray text = contentOf(journal);
    const auto head = text.indexOf('\n') + 1;
    const QByteArray row = text.mid(head, text.indexOf('\n', head) + 1 - head);
    QVERIFY(row.startsWith("{\"index\":0,\"values\":[8,1],"));
    const QByteArray rest = row.mid(static_cast<int>(qstrlen("{\"index\":0,\"values\":[8,1],")));
    QFile file(journal);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text.left(head));
    for (int i = 0; i < 200'000; ++i)
      file.write("{\"index\":" + QByteArray::number(i) + ",\"values\":[" +
                 QByteArray::number(8 * (i / 2 + 1)) + (i % 2 == 0 ? ",1]," : ",2],") + rest);
    file.close();
    QVERIFY(file.size() > qint64(64) << 20);
    QProcess again;
    again.start(kPlan, words);
    const Ran resumed = finish(again);
    QVERIFY2(resumed.code == 0, qPrintable(resumed.err.right(400)));
    QVERIFY(resumed.out.isEmpty());
    QVERIFY(resumed.err.contains(QStringLiteral("200,000 rows in ")));
    QCOMPARE(contentOf(base + QStringLiteral(".csv")).count('\n'), 200'001);
    QCOMPARE(shell(QStringLiteral("'%1' sweep --merge '%2' -o '%3'")
                       .arg(kPlan, journal, dir.filePath(QStringLiteral("joined"))))
                 .code,
             0);
  }
};
NEST_TEST(TestStreamsAndSweeps)
#include "test_streams_and_sweeps.moc"
