// sweep --submit slurm beside programs that answer as Slurm's do when its controller is away, a node is
// drained, or the scenario changes before the tasks start.
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <csignal>

#include "ran.h"

using namespace nest::test;

namespace {

/// A cluster of scripts: what squeue does stands in a file.
class Cluster {
public:
  Cluster() {
    QDir(m_dir.path()).mkdir("bin");
    script("sbatch", "echo 77");
    script("scancel", "");
    queueIs("");
    QFile::copy(sample("teaching-6-layers-2x2"), scenario());
    QFile::setPermissions(scenario(), QFile::ReadOwner | QFile::WriteOwner);
  }
  QString path(const QString& name) const { return m_dir.filePath(name); }
  QString scenario() const { return path("s.nest.json"); }
  /// Lines of a shell.
  void queueIs(const QByteArray& lines) const { script("squeue", lines); }
  void start(QProcess& p, const QStringList& more = {}) const {
    prepare(p);
    p.start(QStringLiteral(NEST_BINARY_DIR "/nest-plan"),
            QStringList{"sweep", scenario(), "--set", "job.global_batch=8,16,24,32", "-o", path("out"),
                        "--submit", "slurm", "--tasks", "2"} +
                more);
  }
  Ran sweep(const QStringList& more = {}) const {
    QProcess p;
    start(p, more);
    return finish(p);
  }
  /// As Slurm starts one of the array's tasks.
  Ran task(const QString& number) const {
    QProcess p;
    QProcessEnvironment e = prepare(p);
    e.insert("SLURM_ARRAY_TASK_ID", number);
    p.setProcessEnvironment(e);
    p.start("sh", {path("out.slurm.sh")});
    return finish(p);
  }
  int rows() const {
    int n = 0;
    for (const char* shard : {"out.shard-1-of-2.jsonl", "out.shard-2-of-2.jsonl"}) {
      QFile f(path(shard));
      if (f.open(QIODevice::ReadOnly)) n += f.readAll().count("\"index\"");
    }
    return n;
  }

private:
  void script(const QString& name, const QByteArray& lines) const {
    QFile f(m_dir.filePath("bin/" + name));
    if (!f.open(QIODevice::WriteOnly)) return;
    f.write("#!/bin/sh\n" + lines + "\n");
    f.close();
    f.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  }
  QProcessEnvironment prepare(QProcess& p) const {
    QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
    e.insert("PATH", m_dir.filePath("bin") + ':' + e.value("PATH"));
    p.setProcessEnvironment(e);
    return e;
  }

  QTemporaryDir m_dir;
};

/// Waits until standard error has the text.
bool says(QProcess& p, QByteArray& err, const char* text, int milliseconds = 20000) {
  QElapsedTimer clock;
  clock.start();
  while (!err.contains(text) && clock.elapsed() < milliseconds) {
    p.waitForReadyRead(50);
    err += p.readAllStandardError();
  }
  return err.contains(text);
}

}  // namespace

class TestSlurmArray : public QObject {
  Q_OBJECT
private slots:
  void aControllerThatIsAwayIsTold_data() {
    QTest::addColumn<QByteArray>("squeue");
    QTest::addColumn<QByteArray>("told");
    QTest::newRow("no answer") << QByteArray("exec sleep 60")
                               << QByteArray("squeue has had no answer for 3 s");
    QTest::newRow("an error")
        << QByteArray("echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1")
        << QByteArray("squeue: slurm_load_jobs error: Unable to contact slurm controller");
  }
  void aControllerThatIsAwayIsTold() {
    QFETCH(QByteArray, squeue);
    QFETCH(QByteArray, told);
    const Cluster cluster;
    cluster.queueIs("echo 'RUNNING|None'");
    QCOMPARE(cluster.sweep({"--no-wait"}).code, 3);
    cluster.queueIs(squeue);
    QProcess p;
    QByteArray err;
    cluster.start(p);
    QVERIFY2(says(p, err, told), err);
    QVERIFY2(err.contains("Ctrl+C stops waiting"), err);
    // Also while squeue does not answer, an end is one of the waiting alone.
    QElapsedTimer clock;
    clock.start();
    ::kill(static_cast<pid_t>(p.processId()), SIGINT);
    const Ran ended = finish(p, 20000);
    QVERIFY(clock.elapsed() < 5000);
    QCOMPARE(ended.code, 3);
    err += ended.err.toUtf8();
    QVERIFY2(err.contains("job 77 goes on; the same command waits for it"), err);
    QVERIFY2(err.count("Ctrl+C stops waiting") == 1, err);
  }

  void whyAJobIsPendingIsTold() {
    const Cluster cluster;
    cluster.queueIs(
        "echo 'PENDING|ReqNodeNotAvail, UnavailableNodes:node1'; echo 'PENDING|ReqNodeNotAvail, "
        "UnavailableNodes:node1'");
    QProcess p;
    QByteArray err;
    cluster.start(p);
    QVERIFY2(says(p, err, "job 77: pending; Slurm's reason: ReqNodeNotAvail, UnavailableNodes:node1"), err);
    cluster.queueIs("echo 'PENDING|Resources'; echo 'RUNNING|None'");
    QTest::qWait(600);
    cluster.queueIs("");
    const Ran ended = finish(p, 20000);
    QCOMPARE(ended.code, 3);
    err += ended.err.toUtf8();
    QVERIFY2(err.count("pending") == 1 && err.contains("job 77 ended with 2 of 2 shards unfinished"), err);
  }

  void tasksOfAScenarioThatChangedSolveNothing() {
    const Cluster cluster;
    cluster.queueIs("echo 'PENDING|Resources'");
    QCOMPARE(cluster.sweep({"--no-wait"}).code, 3);
    QFile file(cluster.scenario());
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray before = file.readAll();
    file.close();
    const auto put = [&](const QByteArray& text) {
      return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() && (file.close(), true);
    };
    QVERIFY(put(QByteArray(before).replace("\"sequence_length\": 2048", "\"sequence_length\": 1024")));
    const Ran changed = cluster.task("1");
    QCOMPARE(changed.code, 2);
    QVERIFY2(changed.err.contains("another sweep"), qPrintable(changed.err));
    QCOMPARE(cluster.rows(), 0);
    QVERIFY(put(before));
    for (const char* number : {"1", "2"}) QCOMPARE(cluster.task(number).code, 0);
    QCOMPARE(cluster.rows(), 4);
    cluster.queueIs("");
    QCOMPARE(cluster.sweep().code, 0);
    QVERIFY(QFile::exists(cluster.path("out.csv")));
  }
};
NEST_TEST(TestSlurmArray)
#include "test_slurm_array.moc"
