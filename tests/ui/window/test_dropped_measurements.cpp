// Logs and benchmarks of runs, opened in a window.
#include <QFileInfo>
#include <QLabel>
#include <QProcess>
#include <QSettings>

#include "cluster/devices/device_catalog.h"
#include "test_paths.h"
#include "window/message_bar.h"
#include "window_bench.h"

using namespace nest;
using namespace nest::test;

namespace {

QString dataOf(const char* name) {
  return QStringLiteral(NEST_TEST_DATA "/") + QLatin1String(name);
}

/// A log of a run of the plan that is shown, of the given step time.
QString logOf(WindowBench& b, const QTemporaryDir& dir, double milliseconds, int tensor, int steps = 3) {
  const Job& job = b.scenario().job;
  QFile file(dir.filePath(QStringLiteral("run.log")));
  if (!file.open(QIODevice::WriteOnly)) return {};
  file.write("------------ arguments ------------\n");
  file.write(QStringLiteral("  tensor_model_parallel_size ........... %1\n").arg(tensor).toUtf8());
  file.write("  attention_backend ........... AttnBackend.auto\n-------- end of arguments --------\n");
  for (int i = 1; i <= steps; ++i)
    file.write(QStringLiteral(
                   " [2025-03-02 11:04:10] iteration %1/ 100 | elapsed time per iteration (ms): %2 | global "
                   "batch size: %3 |\n")
                   .arg(i)
                   .arg(milliseconds)
                   .arg(job.globalBatch)
                   .toUtf8());
  return file.fileName();
}

/// What the bars of the window say now.
QString told(WindowBench& b) {
  QString all;
  for (const auto* bar : b.window.findChildren<MessageBar*>())
    if (bar->isVisible()) all += bar->text();
  return all;
}

int tensorOf(WindowBench& b) {
  return b.window.session().context()->plan->plan.stages.front().strategy.tensor;
}

}  // namespace

class TestDroppedMeasurements : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void init() { QSettings().clear(); }
  void cleanup() { QSettings().clear(); }

  void aLogOfTheShownPlanCalibrates() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const double predicted = b.window.session().context()->plan->evaluation.batchTime.value();
    const Scenario before = b.scenario();
    QVERIFY(b.window.openPath(logOf(b, dir, predicted * 1300, tensorOf(b))));
    QVERIFY(b.scenario().model.calibration > 1);
    QVERIFY(b.scenario().constraints == before.constraints);
    QVERIFY2(told(b).contains(QStringLiteral("bias that all plans share")), qPrintable(told(b)));
    QTRY_VERIFY(b.solved());
    b.window.document().history().undo();
    QVERIFY(b.scenario() == before);
    QVERIFY2(told(b).isEmpty(), qPrintable(told(b)));  // it is so no longer
  }
  void longAndCompressedLogsAreRead() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const double predicted = b.window.session().context()->plan->evaluation.batchTime.value();
    const QString log = logOf(b, dir, predicted * 1300, tensorOf(b), 5000);
    QVERIFY(QFileInfo(log).size() > 512 << 10);  // more than is read at once
    QVERIFY(b.window.openPath(log));
    const double calibration = b.scenario().model.calibration;
    QVERIFY(calibration > 1);
    b.window.document().history().undo();
    QTRY_VERIFY(b.solved());
    QCOMPARE(QProcess::execute(QStringLiteral("gzip"), {log}), 0);
    QVERIFY(b.window.openPath(log + QStringLiteral(".gz")));
    QCOMPARE(b.scenario().model.calibration, calibration);
    QVERIFY(!QGuiApplication::overrideCursor());
  }
  void aLogOfAnotherPlanSetsWhatRan() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const int other = tensorOf(b) == 1 ? 2 : 1;
    QVERIFY(b.window.openPath(logOf(b, dir, 1000, other)));
    QCOMPARE(b.scenario().program, std::string("megatron-core-2025"));
    QVERIFY(b.scenario().constraints.tensor == (Bound{other, other}));
    QCOMPARE(b.scenario().model.calibration, 1.0);
    QVERIFY2(told(b).contains(QStringLiteral("megatron-core-2025")), qPrintable(told(b)));
    QVERIFY2(told(b).contains(QStringLiteral("as soon as")), qPrintable(told(b)));
    QTRY_VERIFY2(b.scenario().model.calibration != 1, qPrintable(told(b)));
    QVERIFY2(told(b).contains(QStringLiteral("step time")), qPrintable(told(b)));
    QTRY_VERIFY(b.solved());
    QCOMPARE(tensorOf(b), other);
  }
  void aLogWhoseSettingsWereUndoneDoesNotCalibrate() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QTRY_VERIFY(b.solved());
    const Scenario before = b.scenario();
    QVERIFY(b.window.openPath(logOf(b, dir, 1000, tensorOf(b) == 1 ? 2 : 1)));
    b.window.document().history().undo();
    QTRY_VERIFY(b.solved());
    QCoreApplication::processEvents();
    QVERIFY(b.scenario() == before);
    QVERIFY2(told(b).isEmpty(), qPrintable(told(b)));
  }
  void aLogWaitsForThePlan() {
    QTemporaryDir dir;
    double predicted = 0;
    int tensor = 1;
    {
      WindowBench b(ownCopy(dir));
      QTRY_VERIFY(b.solved());
      predicted = b.window.session().context()->plan->evaluation.batchTime.value();
      tensor = tensorOf(b);
    }
    for (const int run : {tensor, tensor == 1 ? 2 : 1}) {  // of the plan to come, and of another
      WindowBench b(ownCopy(dir));
      QVERIFY(!b.solved());  // as when both are given at the start
      const Scenario before = b.scenario();
      QVERIFY(b.window.openPath(logOf(b, dir, predicted * 1300, run)));
      QTRY_VERIFY2(b.scenario().model.calibration != 1, qPrintable(told(b)));
      QVERIFY2(!told(b).contains(QStringLiteral("drop")), qPrintable(told(b)));
      QCOMPARE(b.scenario().constraints == before.constraints, run == tensor);
    }
  }
  void whereNothingFitsALogTakesItsSettings() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    b.window.document().edit({}, QStringLiteral("No memory"),
                             [](Scenario& s) { s.cluster.device.memory = Bytes(1e6); });
    QVERIFY(b.window.openPath(logOf(b, dir, 1000, 2)));
    QTRY_VERIFY2(b.scenario().constraints.tensor == (Bound{2, 2}), qPrintable(told(b)));
  }
  void aTraceWaitsForThePlan() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QVERIFY(!b.solved());  // as when both are given at the start
    QVERIFY(b.window.openPath(dataOf("profiler-trace/record_function.json")));
    QVERIFY2(told(b).contains(QStringLiteral("as soon as the plan")), qPrintable(told(b)));
    QTRY_VERIFY2(told(b).contains(QStringLiteral("record_function.json")) &&
                     !told(b).contains(QStringLiteral("as soon as")),
                 qPrintable(told(b)));
    QVERIFY2(!told(b).contains(QStringLiteral("drop")), qPrintable(told(b)));
  }
  void aTraceDoesNotWaitForAnotherScenario() {
    QTemporaryDir dir;
    WindowBench b(ownCopy(dir));
    QVERIFY(b.window.openPath(dataOf("profiler-trace/record_function.json")));
    QVERIFY(b.window.openPath(ownCopy(dir)));
    QTRY_VERIFY(b.solved());
    QCoreApplication::processEvents();
    QVERIFY2(!told(b).contains(QStringLiteral("record_function.json")), qPrintable(told(b)));
  }
  void aBenchmarkThatDoesNotFitChangesNothing() {
    WindowBench b;
    QTRY_VERIFY(b.solved());
    const Scenario before = b.scenario();
    b.window.openPath(dataOf("nccl-tests/all_reduce_2x8.txt"));
    QVERIFY(b.scenario() == before);
    QVERIFY2(told(b).contains(QStringLiteral("changes nothing")), qPrintable(told(b)));
  }
  // What the measurement does not tell stays, and the bar says so.
  void aBenchmarkFasterThanTheLineWarns() {
    WindowBench b;
    b.window.document().edit({}, QStringLiteral("Wire the cluster"), [](Scenario& s) {
      s.cluster.device = *findDevice("h100-sxm");
      LevelsSource levels;
      levels.levels.resize(2);
      levels.levels[0].name = "host", levels.levels[0].fanout = 8;
      levels.levels[0].bandwidth = BytesPerSecond(450e9), levels.levels[0].latency = Seconds(2e-6);
      levels.levels[1].name = "rack", levels.levels[1].fanout = 4;
      levels.levels[1].bandwidth = BytesPerSecond(50e9), levels.levels[1].latency = Seconds(2e-6);
      s.cluster.network = levels;
    });
    QTRY_VERIFY(b.solved());
    b.window.openPath(dataOf("nccl-tests/tree_2x8.txt"));
    QVERIFY2(told(b).contains(QStringLiteral("its line carries 50 GB/s")), qPrintable(told(b)));
    QCOMPARE(std::get<LevelsSource>(b.scenario().cluster.network).levels[1].bandwidth, BytesPerSecond(50e9));
  }
  void withoutAScenarioItSaysWhatToDo() {
    WindowBench b{QString()};
    b.window.openPath(dataOf("megatron-log/core_2025.log"));
    QVERIFY(b.window.document().isEmpty());
    QVERIFY2(told(b).contains(QStringLiteral("Open the scenario")), qPrintable(told(b)));
  }
};
NEST_TEST(TestDroppedMeasurements)
#include "test_dropped_measurements.moc"
