#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QTest>
#include <cmath>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

/// nest-plan on scenarios: plans, reports, samples.
class TestNestPlan : public QObject {
  Q_OBJECT
private slots:
  void everySampleSolves_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("code");
    const QDir samples(QString(NEST_SOURCE_DIR) + "/samples");
    for (const QString& name : samples.entryList({"*.nest.json"}))
      QTest::newRow(qPrintable(name)) << samples.filePath(name) << (name.contains("too-small") ? 1 : 0);
  }
  void everySampleSolves() {
    QFETCH(QString, file);
    QFETCH(int, code);
    const Ran r = run({"solve", file, "--json"});
    QVERIFY2(r.code == code, qPrintable(r.err));
    const QJsonObject j = r.json();
    QCOMPARE(j["format"].toString(), QString("nest-outcome"));
    if (code == 1) {
      QCOMPARE(j["status"].toString(), QString("infeasible"));
      const QJsonObject miss = j["nearest_miss"].toObject();
      QVERIFY(miss["shortfall_bytes"].toDouble() > 0);
      QVERIFY(!miss["remedies"].toArray().isEmpty());
      return;
    }
    QCOMPARE(j["status"].toString(), QString(file.contains("mixed") ? "within-gap" : "optimal"));
    QVERIFY(j["statistics"].toObject()["states"].toDouble() > 0);
    QVERIFY(j["batch_time_s"].toDouble() > 0);
    QVERIFY(j["simulated_time_s"].toDouble() > 0);
    QVERIFY(j["tokens_per_s"].toDouble() > j["samples_per_s"].toDouble());
    QVERIFY(j["mfu"].toDouble() > 0 && j["mfu"].toDouble() < 1);
    QVERIFY(!j["mfu_convention"].toString().isEmpty());
    QVERIFY(!j["stages"].toArray().isEmpty());
    for (const auto& s : j["stages"].toArray()) {
      const QJsonObject memory = s.toObject()["memory"].toObject();
      QVERIFY(memory["total_bytes"].toDouble() <= memory["capacity_bytes"].toDouble());
      QVERIFY(!s.toObject()["layers"].toArray().isEmpty());
    }
  }
  void theFrontIsSearchedOnRequest() {
    const auto front = [](const QStringList& more) {
      return run(QStringList{"solve", sample("llama2-7b-h100-128"), "--json"} + more).json();
    };
    const QJsonObject met = front({}), wide = front({"--front"});
    QCOMPARE(met["front_reach"].toString(), QString("met"));
    QVERIFY(wide["front_reach"].toString() == "exact" || wide["front_reach"].toString() == "stepped");
    QCOMPARE(wide["plan"], met["plan"]);
    const QJsonArray plans = wide["front"].toArray();
    QVERIFY(plans.size() > 1);
    // None of the plans met before beats one of the wider front.
    const auto covers = [](const QJsonObject& a, const QJsonObject& b) {
      bool better = false;
      for (const char* key : {"batch_time_s", "devices_used", "peak_memory_bytes"}) {
        if (a[key].toDouble() > b[key].toDouble() * (1 - 1e-9)) {
          if (a[key].toDouble() > b[key].toDouble() * (1 + 1e-9)) return false;
        } else {
          better = true;
        }
      }
      return better;
    };
    for (const auto& m : met["front"].toArray())
      for (const auto& w : plans) QVERIFY(!covers(m.toObject(), w.toObject()));
    const Ran fronts = run({"solve", sample("teaching-6-layers-2x2"), "--front"});
    QVERIFY2(fronts.code == 0, qPrintable(fronts.err));
    QVERIFY2(fronts.out.contains("Pareto front of step time, devices and peak memory: complete"),
             qPrintable(fronts.out));
    QVERIFY(!run({"solve", sample("teaching-6-layers-2x2")}).out.contains("Pareto front"));
    QVERIFY(run({"solve", "--help"}).out.contains("--front"));
  }
  void aSolvedPlanEvaluatesToTheSameTime() {
    QTemporaryDir dir;
    const QString plan = dir.filePath("plan.json");
    const Ran solved = run({"solve", sample("teaching-6-layers-2x2"), "--json", "-o", plan});
    QCOMPARE(solved.code, 0);
    for (const QString& file : {plan}) {
      const Ran again = run({"evaluate", sample("teaching-6-layers-2x2"), file, "--json"});
      QVERIFY2(again.code == 0, qPrintable(again.err));
      const double a = solved.json()["batch_time_s"].toDouble(), b = again.json()["batch_time_s"].toDouble();
      QVERIFY(std::abs(a - b) <= 1e-9 * a);
    }
    QFile outcome(dir.filePath("outcome.json"));
    QVERIFY(outcome.open(QIODevice::WriteOnly));
    outcome.write(solved.out.toUtf8());
    outcome.close();
    QCOMPARE(run({"evaluate", sample("teaching-6-layers-2x2"), outcome.fileName()}).code, 0);
  }
  void thePlanIsWrittenThoughNobodyReadsTheReport() {
    QTemporaryDir dir;
    const QString file = dir.filePath("plan.json");
    QProcess shell;  // the reader is gone before the report comes
    shell.start(
        "sh", {"-c", QStringLiteral("(sleep 0.2; exec '%1/nest-plan' solve '%2' --json -o '%3') | true")
                         .arg(NEST_BINARY_DIR,
                              QString(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json", file)});
    QVERIFY(shell.waitForFinished(60000));
    QTRY_VERIFY(QFile::exists(file));
  }
  void aPlanThatCannotRunEndsWithOne() {
    QTemporaryDir dir;
    QFile plan(dir.filePath("plan.json"));
    QVERIFY(plan.open(QIODevice::WriteOnly));
    plan.write(
        R"({"format": "nest-plan", "version": 1, "microbatch": 1, "data_inner": 64, "data_outer": 1, "stages": [{"layers": [0, 1]}]})");
    plan.close();
    const Ran r = run({"evaluate", sample("teaching-6-layers-2x2"), plan.fileName()});
    QCOMPARE(r.code, 1);
    QVERIFY(r.out.contains("cannot run"));
    QVERIFY(r.out.contains("only the part of it that has costs"));
    QCOMPARE(run({"evaluate", sample("teaching-6-layers-2x2"), plan.fileName(), "--json"})
                 .json()["feasible"]
                 .toBool(true),
             false);
  }
  void humansReadTheFigures() {
    const Ran r = run({"solve", sample("teaching-6-layers-2x2")});
    QCOMPARE(r.code, 0);
    QVERIFY(r.out.contains("1–4 (embedding … block 3)"));
    QVERIFY(!r.out.contains("stage 0"));
    for (const char* part :
         {"per step", "MFU", "samples/s", "tokens/s", "GiB", "stage", "lower bound", "idle", "time goes to"})
      QVERIFY2(r.out.contains(part), part);
    const Ran no = run({"solve", sample("llama3-70b-a100-16-too-small")});
    QCOMPARE(no.code, 1);
    for (const char* part : {"Does not fit", "stage 1 needs", "Each of these would make one fit"})
      QVERIFY2(no.out.contains(part), part);
  }

  /// The share of useful time by formula, and what a simulation of the same run has.
  void aRunIsSimulatedNextToItsFormula() {
    const Ran r = run({"solve", sample("three-offers-three-jobs")});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    const auto share = [&](const char* name) {
      const QString line = r.out.section(QLatin1String(name), 1).section(u'\n', 0, 0).trimmed();
      return line.section(u' ', 0, 0).toDouble();
    };
    const double formula = share("\n  useful time"), simulated = share("\n  run simulated");
    QVERIFY2(formula > 90 && formula < 100, qPrintable(r.out));
    QVERIFY2(std::abs(simulated - formula) < 1, qPrintable(r.out));
  }

  void utilisationNamesItsPeak() {
    QFile file(sample("llama3-70b-a100-16-too-small"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    QJsonObject job = scenario["job"].toObject();
    job["format"] = "fp8";
    scenario["job"] = job;
    scenario["cluster"] = QJsonObject{{"device", "a100-80"}, {"network", "host:8@300GB/s leaf:8@25GB/s"}};
    const Ran r = run({"solve", "-"}, QJsonDocument(scenario).toJson());
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY2(r.err.contains("A100 80 GB SXM has no fp8 rate"), qPrintable(r.err));
    QVERIFY2(
        r.out.contains("the dense bf16 peak of the devices in use, 312 TFLOP/s each; the device has no fp8"),
        qPrintable(r.out));
  }
  void aDeviceWithoutBf16SaysSo() {
    QFile file(sample("teaching-6-layers-2x2"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    const auto solved = [&](const char* format) {
      QJsonObject cluster = scenario["cluster"].toObject(), job = scenario["job"].toObject();
      cluster["device"] = "v100", job["format"] = format;
      scenario["cluster"] = cluster, scenario["job"] = job;
      return run({"solve", "-"}, QJsonDocument(scenario).toJson());
    };
    const Ran bf16 = solved("bf16"), fp16 = solved("fp16");
    QVERIFY2(bf16.code == 0 && bf16.err.contains("V100 32 GB SXM2 has no bf16"), qPrintable(bf16.err));
    QVERIFY2(bf16.out.contains("the dense fp16 peak of the devices in use"), qPrintable(bf16.out));
    QVERIFY2(fp16.code == 0 && !fp16.err.contains("bf16"), qPrintable(fp16.err));
  }
  void samplesAreInOrder() {
    const QDir samples(QString(NEST_SOURCE_DIR) + "/samples");
    for (const QString& name : samples.entryList({"*.nest.json"})) {
      const Ran r = run({"check", samples.filePath(name), "--json"});
      QCOMPARE(r.code, 0);
      for (const auto& d : r.json()["files"].toArray()[0].toObject()["diagnostics"].toArray())
        QVERIFY2(d.toObject()["severity"].toString() == "note", qPrintable(r.out));
      QFile f(samples.filePath(name));
      QVERIFY(f.open(QIODevice::ReadOnly));
      QVERIFY(QJsonDocument::fromJson(f.readAll()).object()["description"].toString().size() > 20);
    }
  }
  void sweepsResumeAndJoin() {
    QTemporaryDir dir;
    const QStringList sweep = {"sweep", sample("teaching-6-layers-2x2"),
                               "--set", "job.global_batch=8..64x2",
                               "-o",    dir.filePath("all")};
    QCOMPARE(run(sweep).code, 0);
    QFile journal(dir.filePath("all.jsonl"));
    QVERIFY(journal.open(QIODevice::ReadWrite));
    QVERIFY(journal.resize(journal.size() - 30));
    journal.close();
    const Ran again = run(sweep);
    QCOMPARE(again.code, 0);
    QCOMPARE(again.err.count("solved"), 1);
    for (int i = 1; i <= 2; ++i)
      QCOMPARE(run({"sweep", sweep[1], sweep[2], sweep[3], "-o", dir.filePath("part"), "--shard",
                    QString("%1/2").arg(i)})
                   .code,
               0);
    QCOMPARE(run({"sweep", "--merge", dir.filePath("part.shard-1-of-2.jsonl"),
                  dir.filePath("part.shard-2-of-2.jsonl"), "-o", dir.filePath("joined")})
                 .code,
             0);
    QFile csv(dir.filePath("joined.csv")), whole(dir.filePath("all.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly) && whole.open(QIODevice::ReadOnly));
    const QByteArray joined = csv.readAll();
    QCOMPARE(joined.count('\n'), 5);
    QCOMPARE(joined, whole.readAll());
    QCOMPARE(
        run({"sweep", "--merge", dir.filePath("part.shard-1-of-2.jsonl"), "-o", dir.filePath("half")}).code,
        3);
    const QStringList array = {"sweep", sweep[1], sweep[2], sweep[3], "--submit", "slurm"};
    QVERIFY(run(array).err.contains("--submit needs -o"));
    QVERIFY(run(array + QStringList{"-o", "x", "--shard", "1/2"}).err.contains("--tasks"));
    QVERIFY(run({"sweep", sweep[1], sweep[2], sweep[3], "--tasks", "4"}).err.contains("--submit slurm"));
    QCOMPARE(run({"sweep", sweep[1], "--set", "job.global_batch=8", "-o", dir.filePath("all")}).code, 2);
    QCOMPARE(run({"sweep", sweep[1]}).code, 2);
    QCOMPARE(run({"sweep", sweep[1], "--set", "a=1", "--shard", "3/2"}).code, 2);
  }
};
NEST_TEST(TestNestPlan)
#include "test_nest_plan.moc"
