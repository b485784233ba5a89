// What runs have left behind, given to nest-plan.
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

QString dataOf(const char* name) {
  return QStringLiteral(NEST_TEST_DATA "/") + QLatin1String(name);
}

const QString kModel = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-70b.json");

}  // namespace

class TestMeasured : public QObject {
  Q_OBJECT
private slots:
  /// Without PyTorch the script says which Python lacks it, and what else tells the rates of a machine.
  void measuringWithoutPyTorchSaysWhatToDo() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3");
    QTemporaryDir folder;
    QFile torch(folder.filePath("torch.py"));
    QVERIFY(torch.open(QIODevice::WriteOnly) && torch.write("raise ImportError('no torch here')\n") > 0);
    torch.close();
    const auto measure = [&](const QStringList& words) {
      QProcess p;
      QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
      e.insert("PYTHONPATH", folder.path());
      e.insert("PYTHONDONTWRITEBYTECODE", "1");
      p.setProcessEnvironment(e);
      p.setWorkingDirectory(folder.path());
      p.start("python3", QStringList{NEST_SOURCE_DIR "/samples/profiling/measure_cluster.py"} + words);
      p.closeWriteChannel();
      return finish(p);
    };
    const Ran help = measure({"--help"});
    QVERIFY2(help.code == 0 && help.out.contains("--only"), qPrintable(help.all()));
    const Ran without = measure({"-o", "machine.json"});
    QCOMPARE(without.code, 1);
    for (const char* part : {"PyTorch 2.1", "python3", "no torch here", "nccl-tests"})
      QVERIFY2(without.err.contains(part) && !without.err.contains("Traceback"), qPrintable(without.err));
    QVERIFY(!QFile::exists(folder.filePath("machine.json")));
  }
  /// Logs that state the time of each step calibrate, whatever program printed them.
  void everyProgramsLogCalibrates() {
    QTemporaryDir dir;
    for (const char* name : {"nemo-log/nemo2.log", "nanotron-log/config.log", "maxtext-log/configured.log"}) {
      const QString log = dataOf(name), made = dir.filePath("run.nest.json"),
                    plan = dir.filePath("plan.json");
      const bool isNemo = QString(name).startsWith("nemo");
      const Ran import =
          run({"import",
               QString(NEST_SOURCE_DIR "/samples/models/%1.json")
                   .arg(QString(name).startsWith("maxtext") ? "llama-3-8b" : "llama-2-7b"),
               "--network",
               isNemo ? "host:8@450GB/s,3us rack:8@50GB/s,5us" : "host:8@450GB/s,3us rack:2@50GB/s,5us", log,
               "-o", made});
      QVERIFY2(import.code == 0, qPrintable(import.err));
      QVERIFY2(import.err.contains("runs the plan"), qPrintable(import.err));
      QVERIFY2(!import.err.contains("a global batch of 1,024"), qPrintable(import.err));
      // NeMo's does not print the length of its sequences.
      QVERIFY2(import.err.contains("assumed: H100 80 GB SXM, sequences of 4,096 tokens") == isNemo,
               qPrintable(import.err));
      const Ran solved = run({"solve", made, "-o", plan});
      QVERIFY2(solved.code == 0, qPrintable(solved.all()));
      const Ran evaluated = run({"evaluate", made, plan, "--measured", log});
      QVERIFY2(evaluated.code == 0 && evaluated.out.contains("predicted ÷ measured"),
               qPrintable(evaluated.all()));
    }
  }
  // The way from a log to a calibrated scenario.
  void aLogIsImportedThenCalibratesTheScenario() {
    QTemporaryDir dir;
    const QString log = dataOf("megatron-log/core_2025.log"), made = dir.filePath("run.nest.json"),
                  plan = dir.filePath("plan.json"), calibrated = dir.filePath("calibrated.nest.json");
    const Ran import =
        run({"import", kModel, "--network", "host:8@450GB/s,3us rack:8@50GB/s,5us", log, "-o", made});
    QVERIFY2(import.code == 0, qPrintable(import.err));
    QVERIFY2(import.err.contains("assuming that megatron-core-2025 runs the plan"), qPrintable(import.err));
    QVERIFY(import.err.contains("TP 8 + SP · PP 4 · VPP 5 · DP 2 · MBS 1 · ZeRO-1"));
    QCOMPARE(run({"solve", made, "-o", plan}).code, 0);

    const Ran text = run({"evaluate", made, plan, "--measured", log, "--calibrated", calibrated});
    QVERIFY2(text.code == 0, qPrintable(text.all()));
    for (const char* part : {"30.8 s; predicted ÷ measured", "median of 9 lines, 1 left out",
                             "bias that all plans share", "56.8 GiB allocated (predicted "})
      QVERIFY2(text.out.contains(QString::fromUtf8(part)), part);
    const QJsonObject json = run({"evaluate", made, plan, "--measured", log, "--json"}).json();
    const QJsonObject c = json["calibration"].toObject();
    QCOMPARE(c["measured_s"].toDouble(), c["rescaled_s"].toDouble());
    QVERIFY(c["notes"].isArray() && c["factor"].toDouble() != 1);
    QCOMPARE(run({"evaluate", calibrated, plan, "--json"}).json()["batch_time_s"].toDouble(),
             c["rescaled_s"].toDouble());
  }
  // Which lines count is told where they are used; the file does not wait for who reads the report.
  void whatIsLeftOutIsToldAndTheFileIsWrittenFirst() {
    QTemporaryDir dir;
    const QString made = dir.filePath("run.nest.json"), plan = dir.filePath("plan.json"),
                  log = dir.filePath("run.log"), calibrated = dir.filePath("calibrated.nest.json");
    QFile whole(dataOf("megatron-log/core_2025.log")), cut(log);
    QVERIFY(whole.open(QIODevice::ReadOnly) && cut.open(QIODevice::WriteOnly));
    QByteArray text = whole.readAll();
    cut.write(text.left(text.lastIndexOf("(ms): 3") + 7));
    cut.close();
    QCOMPARE(
        run({"import", kModel, "--network", "host:8@450GB/s,3us rack:8@50GB/s,5us", log, "-o", made}).code,
        0);
    QCOMPARE(run({"solve", made, "-o", plan}).code, 0);
    const Ran told = run({"evaluate", made, plan, "--measured", log});
    QVERIFY2(told.code == 0 && told.err.contains("a line is cut off and left out"), qPrintable(told.err));
    const Ran json = run({"evaluate", made, plan, "--measured", plan, "--json"});
    QVERIFY(json.code == 2 && json.json()["format"].toString() == "nest-diagnostics");
    QProcess piped;
    piped.start("sh", {"-c", "\"$0\" evaluate \"$1\" \"$2\" --measured 12s --calibrated \"$3\" | true",
                       NEST_BINARY_DIR "/nest-plan", made, plan, calibrated});
    QVERIFY(piped.waitForFinished(60000));
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(calibrated), 60000);
  }
  void benchmarksAndTracesTellBeforeAndAfter() {
    QTemporaryDir dir;
    const QString made = dir.filePath("s.nest.json"), plan = dir.filePath("plan.json"),
                  nccl = dataOf("nccl-tests/all_reduce_2x8.txt");
    const QStringList cluster{"import", kModel, "--network",
                              "host:8@360GB/s,3us rack:4@50GB/s,5us spine:2@20GB/s,9us"};
    QCOMPARE(run(cluster + QStringList{"-o", made}).code, 0);
    QCOMPARE(run({"solve", made, "-o", plan}).code, 0);
    const Ran open = run({"evaluate", made, plan, "--measured", nccl});
    QCOMPARE(open.code, 2);
    QVERIFY2(open.err.contains("1 (rack) or 2 (spine)"), qPrintable(open.err));
    const Ran rack = run({"evaluate", made, plan, "--measured", nccl, "--level", "rack"});
    QVERIFY2(rack.code == 0, qPrintable(rack.err));
    QVERIFY2(rack.out.contains("level rack: 44 GB/s, 9 µs in place of 50 GB/s, 5 µs"), qPrintable(rack.out));
    QVERIFY(rack.out.contains("with measured"));
    const Ran unknown = run({"evaluate", made, plan, "--measured", nccl, "--level", "pod"});
    QVERIFY(unknown.code == 2 && unknown.err.contains("0 (host), 1 (rack), 2 (spine)"));
    const Ran imported = run(cluster + QStringList{"--level", "1=" + nccl, "-o", made});
    QVERIFY2(imported.code == 0 && imported.err.contains("level rack: 44 GB/s"), qPrintable(imported.err));

    const Ran trace =
        run({"evaluate", made, plan, "--measured", dataOf("profiler-trace/record_function.json"),
             "--calibrated", dir.filePath("traced.nest.json")});
    QVERIFY2(trace.code == 0 && trace.out.contains("takes 100 µs forward (estimated "),
             qPrintable(trace.all()));
    QCOMPARE(run({"check", dir.filePath("traced.nest.json")}).code, 0);
    for (const char* name : {"layers.sqlite", "megatron.sqlite"}) {
      const Ran nsight =
          run({"evaluate", made, plan, "--measured", dataOf("nsight-export/") + QLatin1String(name)});
      QVERIFY2(nsight.code == 0 && nsight.out.contains("takes 100 µs forward (estimated "),
               qPrintable(nsight.all()));
    }
    for (const auto& [file, part] :
         {std::pair("galvatron/computation_profiling_bf16_llama2-7b_all.json",
                    "all compute is multiplied by "),
          std::pair("aiconfigurator/gemm_perf.txt", "16-bit products reach 72 % of the peak rate"),
          std::pair("aiconfigurator/nccl_perf.txt", "level host: 330 GB/s")}) {
      const Ran table = run({"evaluate", made, plan, "--measured", dataOf(file)});
      QVERIFY2(table.code == 0 && table.out.contains(QString::fromUtf8(part)), qPrintable(table.all()));
    }
    // A machine as a whole: what it changes, and the time before and after.
    const QStringList own{"import", kModel, "--network", "host:8@450GB/s,3us rack:8@50GB/s,5us"};
    const QString mine = dir.filePath("mine.nest.json"), ours = dir.filePath("ours.json"),
                  times = dataOf("machine/two-hosts.json");
    QCOMPARE(run(own + QStringList{"-o", mine}).code, 0);
    QCOMPARE(run({"solve", mine, "-o", ours}).code, 0);
    const Ran machine = run({"evaluate", mine, ours, "--measured", times});
    for (const char* part : {"16-bit products reach 70", "level host: ", "level rack: ", "with measured"})
      QVERIFY2(machine.code == 0 && machine.out.contains(QString::fromUtf8(part)), qPrintable(machine.all()));
    const Ran known = run(own + QStringList{times, "-o", mine});
    QVERIFY2(known.code == 0 && known.err.contains("level rack: "), qPrintable(known.err));
    const Ran device = run(cluster + QStringList{dataOf("aiconfigurator/gemm_perf.txt"), "-o", made});
    QVERIFY2(device.code == 0 && device.err.contains("16-bit products reach"), qPrintable(device.err));
    const Ran named = run({"check", dataOf("nsight-export/layers.sqlite")});
    QVERIFY2(named.code == 0 && named.all().contains("Nsight Systems export"), qPrintable(named.all()));
    QCOMPARE(run(cluster + QStringList{dataOf("profiler-trace/record_function.json")}).code, 2);
  }
  void whatCannotBeMeasuredWithIsSaid_data() {
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QString>("word");
    QTest::newRow("no file") << QStringList{"--measured", "fast"} << "a file that can be read, not \"fast\"";
    QTest::newRow("no measurement") << QStringList{"--measured", kModel} << "nccl-tests output";
    QTest::newRow("zero") << QStringList{"--measured", "0s"} << "12.3s";
    QTest::newRow("level alone") << QStringList{"--level", "1"} << "--level needs";
    QTest::newRow("level of a time") << QStringList{"--measured", "480ms", "--level", "1"}
                                     << "--level names what nccl-tests measured";
    QTest::newRow("nothing to write") << QStringList{"--calibrated", "c.json"} << "--calibrated needs";
  }
  void whatCannotBeMeasuredWithIsSaid() {
    QFETCH(QStringList, more);
    QFETCH(QString, word);
    const Ran r =
        run(QStringList{"evaluate", sample("llama2-7b-h100-128"), sample("llama2-7b-h100-128")} + more);
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains(word), qPrintable(r.err));
  }
};
NEST_TEST(TestMeasured)
#include "test_measured.moc"
