#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "formats/format.h"
#include "ran.h"

using namespace nest::test;

class TestNestPlan : public QObject {
  Q_OBJECT
private slots:
  void namesCannotSteerTheTerminal() {
    QFile file(sample("teaching-6-layers-2x2"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object();
    scenario["name"] = QString("a\x1b]0;owned\x07\u202eb");
    scenario["x\x1b[2J\nerror: forged"] = 1;
    const QByteArray text = QJsonDocument(scenario).toJson();
    for (const QStringList& words :
         {QStringList{"solve", "-"}, QStringList{"solve", "-", "--json"}, QStringList{"check", "-"}}) {
      const Ran r = run(words, text);
      QVERIFY2(!(r.out + r.err).contains(QRegularExpression("[\\x00-\\x08\\x0b-\\x1f\\x7f\u202e]")),
               qPrintable(r.out + r.err));
      QVERIFY(!r.err.contains("\nerror: forged"));
      if (words.size() == 3) QCOMPARE(r.json()["scenario"].toString(), scenario["name"].toString());
    }
  }
  void devicesPerHostAreToldOrAsked() {
    const QString tree = "topologies/tree.topology.conf";
    const QStringList words = {"import", tree, "models/llama-2-7b.json"};
    const Ran assumed = run(words), told = run(words + QStringList{"--devices-per-host", "4"});
    QCOMPARE(assumed.code, 0);
    QVERIFY2(assumed.err.contains("host-size-assumed"), qPrintable(assumed.err));
    QVERIFY(assumed.err.contains("8 devices are assumed"));
    QCOMPARE(told.code, 0);
    QVERIFY(!told.err.contains("host-size-assumed"));
    const auto devices = [](const Ran& r) {
      return QRegularExpression("([0-9,]+) devices on").match(r.err).captured(1).remove(',').toInt();
    };
    QVERIFY(devices(told) > 0);
    QCOMPARE(devices(assumed), 2 * devices(told));
    const Ran known = run({"import", "topologies/hgx-pod.astra-sim.yml", "--devices-per-host", "4"});
    QCOMPARE(known.code, 2);
    QVERIFY(known.err.contains("host-size-known"));
  }
  void aScenarioWrittenElsewhereOpensThere() {
    QTemporaryDir folder;
    const QString copy = folder.filePath("copy.nest.json");
    QCOMPARE(run({"export", sample("llama3-70b-h100-1024"), "--as", "scenario", "-o", copy}).code, 0);
    const Ran opened = run({"check", copy});
    QVERIFY2(opened.code == 0, qPrintable(opened.err));
  }
  void aFolderStartsThePlan() {
    QTemporaryDir folder;
    const QString place = folder.filePath("new/launch");
    const Ran made = run({"export", sample("teaching-6-layers-2x2"), "--as", "folder", "-o", place});
    QVERIFY2(made.code == 0, qPrintable(made.err));
    for (const char* name :
         {"README.md", "megatron.sh", "run.sh", "check.sh", "stopwatch.sh", "slurm-hostfile", "ranks.txt"})
      QVERIFY2(QFile::exists(place + '/' + name), name);
    QVERIFY(QFileInfo(place + "/run.sh").isExecutable() && !QFileInfo(place + "/README.md").isExecutable());
    QCOMPARE(run({"export", sample("teaching-6-layers-2x2"), "--as", "folder"}).code, 2);
    QCOMPARE(
        run({"export", sample("teaching-6-layers-2x2"), "--as", "folder", "--for", "hostfile", "-o", place})
            .code,
        2);
  }
  void activeParametersAreTold() {
    const Ran mixture = run({"check", "models/mixtral-8x7b.json"}),
              dense = run({"check", "models/llama-2-7b.json"});
    QVERIFY2(mixture.out.contains("46.703 billion parameters, 12.9 billion active per token"),
             qPrintable(mixture.out));
    QVERIFY(!dense.out.contains("active"));
    const Ran text = run({"solve", sample("mixtral-8x7b-tpuv4-512")});
    QVERIFY2(text.out.contains("12.9 billion active per token"), qPrintable(text.out.left(300)));
    const QJsonObject json = run({"solve", sample("mixtral-8x7b-tpuv4-512"), "--json"}).json();
    QCOMPARE(json["parameters"].toDouble(), 46702792704.0);
    QVERIFY(std::abs(json["active_parameters"].toDouble() / 12.88e9 - 1) < 0.01);
  }
  void measuringChoosesItsDeviceAndRefusesWhatItCannotBuild() {
    const QString script = QString(NEST_SOURCE_DIR) + "/samples/profiling/measure_layers.py";
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3");
    QTemporaryDir folder;
    const auto measure = [&](const QByteArray& config) {
      QFile file(folder.filePath("config.json"));
      if (!file.open(QIODevice::WriteOnly)) return QString();
      file.write(config);
      file.close();
      QProcess p;
      QProcessEnvironment e = QProcessEnvironment::systemEnvironment();
      e.insert("PYTHONPATH", NEST_TEST_DATA "/stub_torch");
      e.insert("PYTHONDONTWRITEBYTECODE", "1");
      p.setProcessEnvironment(e);
      p.setProcessChannelMode(QProcess::MergedChannels);
      p.start("python3", {script, file.fileName(), "--device", "cuda:1"});
      p.waitForFinished(60000);
      return QString::fromUtf8(p.readAllStandardOutput());
    };
    const QString t5 = measure("{\"model_type\":\"t5\",\"is_encoder_decoder\":true}");
    QVERIFY2(t5.contains("set_device cuda:1"), qPrintable(t5));
    QVERIFY(t5.contains("with an encoder and a decoder") && !t5.contains("Traceback"));
    const QString empty = measure("{\"model_type\":\"llama\",\"vocab_size\":1}");
    QVERIFY2(empty.contains("hidden_size or n_embd") && !empty.contains("Traceback"), qPrintable(empty));
  }
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
    QCOMPARE(j["status"].toString(), QString("optimal"));
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
    const Ran told = run({"solve", sample("teaching-6-layers-2x2"), "--front"});
    QVERIFY2(told.code == 0, qPrintable(told.err));
    QVERIFY2(told.out.contains("Pareto front of time, devices and peak memory (the complete front"),
             qPrintable(told.out));
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
         {"per step", "MFU", "samples/s", "tokens/s", "GiB", "stage", "lower bound", "idle", "limit"})
      QVERIFY2(r.out.contains(part), part);
    const Ran no = run({"solve", sample("llama3-70b-a100-16-too-small")});
    QCOMPARE(no.code, 1);
    for (const char* part : {"Does not fit", "stage 1 needs", "Each of these would make one fit"})
      QVERIFY2(no.out.contains(part), part);
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
  void brokenFilesSayWhere_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<QString>("expected");
    QTest::newRow("empty") << QByteArray("") << "line";
    QTest::newRow("binary") << QByteArray("\x7f\x45\x4c\x46\x00\x01\xff\xfe", 8) << "error";
    QTest::newRow("cut off") << QByteArray("{\"version\": 1,\n\"cluster\": {") << ":2:";
    QTest::newRow("deep") << QByteArray(1000000, '[') << "error";
    QTest::newRow("nan") << QByteArray("{\"job\": {\"global_batch\": NaN}}") << ":1:";
    QTest::newRow("overflow") << QByteArray("{\"job\": {\"global_batch\": 1e999}}") << ":1:";
    QTest::newRow("negative")
        << QByteArray(
               "{\"version\": 1, \"cluster\": {\"device\": \"h100-sxm\", \"network\": \"host:8@450GB/s\"}, "
               "\"model\": {\"path\": \"x\"},\n\"job\": {\"global_batch\": -3, \"sequence_length\": 10}}")
        << ":2:";
    QTest::newRow("missing config")
        << QByteArray(
               "{\"version\": 1, \"cluster\": {\"device\": \"h100-sxm\", \"network\": "
               "\"host:8@450GB/s\"},\n\"model\": {\"path\": \"none.json\"}, \"job\": {\"global_batch\": 3, "
               "\"sequence_length\": 10}}")
        << ":2:";
    QTest::newRow("not an object") << QByteArray("[1, 2]") << ":1:";
  }
  void brokenFilesSayWhere() {
    QFETCH(QByteArray, content);
    QFETCH(QString, expected);
    QTemporaryDir dir;
    QFile f(dir.filePath("broken.nest.json"));
    QVERIFY(f.open(QIODevice::WriteOnly));
    f.write(content);
    f.close();
    for (const QStringList& words : {QStringList{"solve", f.fileName()},
                                     {"check", f.fileName()},
                                     {"evaluate", f.fileName(), f.fileName()}}) {
      const Ran r = run(words);
      QVERIFY2(r.code == 2, qPrintable(words[0] + ": " + r.err));
      QVERIFY2(r.err.contains("broken.nest.json"), qPrintable(r.err));
      if (words[0] == "solve" && expected != "line") QVERIFY2(r.err.contains(expected), qPrintable(r.err));
    }
    const Ran json = run({"solve", f.fileName(), "--json"});
    QCOMPARE(json.json()["format"].toString(), QString("nest-diagnostics"));
  }
  void oddPathsEndWithTwo() {
    QTemporaryDir dir;
    for (const QString& path :
         {dir.path(), dir.filePath("missing.nest.json"), QString("/dev/zero"), QString("")}) {
      const Ran r = run({"solve", path});
      QVERIFY2(r.code == 2, qPrintable(path + ": " + r.err));
      QVERIFY(r.err.contains("error"));
    }
    QCOMPARE(
        run({"solve", sample("teaching-6-layers-2x2"), "-o", dir.filePath("no/such/folder/plan.json")}).code,
        2);
  }
  void misuseEndsWithTwo_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("nothing") << QStringList{};
    QTest::newRow("unknown command") << QStringList{"resolve"};
    QTest::newRow("no file") << QStringList{"solve"};
    QTest::newRow("two files") << QStringList{"solve", "a", "b"};
    QTest::newRow("unknown option") << QStringList{"solve", "a", "--jason"};
    QTest::newRow("no value") << QStringList{"solve", "a", "-o"};
    QTest::newRow("bad deadline") << QStringList{"solve", "a", "--deadline", "soon"};
  }
  void misuseEndsWithTwo() {
    QFETCH(QStringList, words);
    const Ran r = run(words);
    QCOMPARE(r.code, 2);
    QVERIFY(!r.err.isEmpty());
  }
  void aClusterAndAModelBecomeAScenario() {
    QTemporaryDir dir;
    QFile conf(dir.filePath("topology.conf"));
    QVERIFY(conf.open(QIODevice::WriteOnly));
    conf.write(
        "SwitchName=leaf0 Nodes=gpu[00-03]\nSwitchName=leaf1 Nodes=gpu[04-07]\nSwitchName=spine "
        "Switches=leaf[0-1]\n");
    conf.close();
    const QString model = QString(NEST_SOURCE_DIR) + "/samples/models/llama-2-7b.json",
                  made = dir.filePath("made.nest.json");
    const Ran r =
        run({"import", conf.fileName(), model, "--level", "1=25GB/s,3us", "--batch", "64", "-o", made});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY(r.err.contains("Slurm topology.conf: 64 devices"));
    QCOMPARE(run({"check", made}).code, 0);
    const Ran hosts = run({"export", made, "--as", "slurm-hostfile"});
    QVERIFY2(hosts.code == 0, qPrintable(hosts.err));
    QVERIFY(hosts.out.startsWith("gpu00\n"));
    QCOMPARE(run({"import", conf.fileName()}).code, 2);
    for (const char* as : {"graphml", "dot"}) {
      const QString graph = dir.filePath(QString("cluster.") + as);
      QCOMPARE(run({"export", made, "--as", as, "-o", graph}).code, 0);
      QCOMPARE(run({"import", graph, "--into", made, "-o", dir.filePath("again.nest.json")}).code, 0);
    }
  }
  void hostsOfTwoKindsAndATreeBecomeACluster() {
    QTemporaryDir dir;
    const QString folder = QString(NEST_SOURCE_DIR) + "/samples/topologies/",
                  made = dir.filePath("made.nest.json");
    const QStringList words{"import",
                            folder + "mixed.topology.conf",
                            QString(NEST_SOURCE_DIR) + "/samples/models/gpt2.json",
                            "--hosts",
                            "a[0-3]=" + folder + "a100-host.nccl.xml",
                            "--hosts",
                            "h[0-3]=" + folder + "h100-host.nccl.xml",
                            "-o",
                            made};
    const Ran r = run(words + QStringList{"--level", "2=5GB/s,9us"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY(r.err.contains("join-devices-differ"));
    QVERIFY(r.err.contains("mixed.topology.conf: Slurm topology.conf: 64 devices"));
    const Ran text = run({"check", made});
    QVERIFY2(text.code == 0 && text.out.contains("64 devices"), qPrintable(text.err));
    const Ran solved = run({"solve", made});
    QVERIFY2(solved.code == 0, qPrintable(solved.err));
    QCOMPARE(run(words + QStringList{"--level", "0=5GB/s"}).code, 2);
    QCOMPARE(run(words + QStringList{"--level", "3=5GB/s"}).code, 2);
    QCOMPARE(run(words + QStringList{"--level", "1=fast"}).code, 2);
    QCOMPARE(run(words + QStringList{"--hosts", "a[0-3]"}).code, 2);
    QVERIFY(run(words + QStringList{"--hosts", "x=" + folder + "rails.dot"}).err.contains("join"));
  }
  void hostileFilesEndWithTwo_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const int deep = 100'000;
    const auto nested = [&](const QByteArray& head, const QByteArray& open, const QByteArray& close) {
      return head + open.repeated(deep) + close.repeated(deep);
    };
    const auto row = [](const char* name, const QByteArray& text, const char* says) {
      QTest::newRow(name) << QString(name) << text << QString(says);
    };
    row("config.json", nested("{\"model_type\": ", "{\"a\": ", "}"), "deeper");
    row("topology.yaml", nested("- topology: x\n  tree: ", "[", "]"), "deep");
    row("a.graphml",
        nested("<graphml><graph>", "<node id='a'><graph>", "</graph></node>") + "</graph></graphml>", "deep");
    row("a.dot", nested("graph ", "{", "}"), "deep");
    row("platform.xml", nested("<platform>", "<zone>", "</zone>") + "</platform>", "deep");
    row("empty.json", "", "empty");
    row("packed.gz", "\x1f\x8b rest", "compressed");
    row("nul.dot", QByteArray("graph { a\0 }", 12), "NUL");
  }
  void hostileFilesEndWithTwo() {
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    QTemporaryDir dir;
    QFile file(dir.filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
    file.close();
    const Ran r = run({"check", file.fileName()});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains(says), qPrintable(r.err.left(400)));
  }
  void namedPipesNeedAWriter() {
    const QTemporaryDir folder;
    const QString pipe = folder.filePath("pipe");
    QCOMPARE(QProcess::execute("mkfifo", {pipe}), 0);
    const Ran silent = run({"check", pipe});
    QCOMPARE(silent.code, 2);
    QVERIFY2(silent.err.contains("file-pipe"), qPrintable(silent.err));
    QProcess writer;
    writer.start("sh", {"-c", "echo 'host:8@450GB/s rack:4@50GB/s' > " + pipe});
    const Ran fed = run({"check", pipe});
    QVERIFY2(fed.code == 0, qPrintable(fed.err));
    QVERIFY(writer.waitForFinished());
  }
  void aGigabyteIsRefusedAtOnce() {
    QTemporaryDir dir;
    QFile file(dir.filePath("huge.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QVERIFY(file.resize(qint64(1) << 30));  // sparse
    file.close();
    const Ran r = run({"solve", file.fileName()});
    QCOMPARE(r.code, 2);
    QVERIFY(r.err.contains("file-too-large"));
  }
  void utf16IsText() {
    QTemporaryDir dir;
    QFile file(dir.filePath("topology.conf"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QString text = QStringLiteral("\uFEFFSwitchName=s Nodes=n[0-3]\r\n");
    file.write(reinterpret_cast<const char*>(text.utf16()), 2 * text.size());
    file.close();
    const Ran r = run({"check", file.fileName()});
    QVERIFY2(r.code == 0 && r.out.contains("32 devices"), qPrintable(r.err));
  }
  void aLineIsANetworkToo() {
    const QString model = QString(NEST_SOURCE_DIR) + "/samples/models/gpt2.json";
    const Ran r = run({"import", model, "--network", "host:8@450GB/s rack:4@50GB/s,2us"});
    QVERIFY2(r.code == 0 && r.out.contains("\"rack\""), qPrintable(r.err));
    QCOMPARE(run({"import", model, "--network", "eight hosts"}).code, 2);
    QVERIFY(run({"formats"}).out.contains("SwitchName=leaf0"));
    QCOMPARE(run({"formats", "dot"}).code, 2);
  }
  void scenariosHaveANormalForm() {
    QTemporaryDir dir;
    for (const char* name : {"teaching-6-layers-2x2", "mixtral-8x7b-tpuv4-512"}) {
      const Ran once = run({"export", sample(name), "--as", "scenario"});
      QCOMPARE(once.code, 0);
      const Ran twice = run({"export", "-", "--as", "scenario"}, once.out.toUtf8());
      QCOMPARE(twice.out, once.out);
    }
  }
  /// What a data sheet says stays that on the way through a graph, so that the same share of it is counted
  /// on.
  void linkEfficiencySurvivesGraphs() {
    QTemporaryDir dir;
    const QString slurm = QStringLiteral(NEST_SOURCE_DIR "/samples/topologies/tree.topology.conf");
    const QString model = QStringLiteral(NEST_SOURCE_DIR "/samples/models/llama-3-8b.json");
    const QString first = dir.filePath("a.nest.json");
    QCOMPARE(run({"import", slurm, model, "--devices-per-host", "8", "-o", first}).code, 0);
    const auto efficiencyOf = [](const QString& path) {
      const QByteArray text = QByteArray::fromStdString(readFile(path.toStdString()));
      return QJsonDocument::fromJson(text)["assumptions"]["link_efficiency"].toDouble(1);
    };
    QVERIFY(efficiencyOf(first) < 1);
    for (const char* format : {"graphml", "dot"}) {
      const QString graph = dir.filePath(QString("g.") + format), second = dir.filePath("b.nest.json");
      QCOMPARE(run({"export", first, "--as", format, "-o", graph}).code, 0);
      QCOMPARE(run({"import", graph, model, "-o", second}).code, 0);
      QCOMPARE(efficiencyOf(second), efficiencyOf(first));
    }
  }
  void exportsRefuseWithReasons() {
    QCOMPARE(run({"export", sample("teaching-6-layers-2x2"), "--as", "megaton"}).code, 2);
    QCOMPARE(run({"export", sample("teaching-6-layers-2x2")}).code, 2);
    QCOMPARE(run({"export", sample("llama3-70b-a100-16-too-small"), "--as", "megatron"}).code, 1);
    QCOMPARE(run({"export", sample("teaching-6-layers-2x2"), "--as", "megatron"}).code, 0);
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
  void helpTellsFormats() {
    for (const char* command : {"solve", "evaluate", "check", "import", "export", "sweep"}) {
      const Ran r = run({command, "--help"});
      QCOMPARE(r.code, 0);
      QVERIFY(r.out.contains("Usage: nest-plan " + QString(command)));
      QVERIFY(r.out.contains("Exit codes"));
    }
    const QString all = run({"formats"}).out, written = run({"export", "--help"}).out;
    QVERIFY(run({"formats", "--help"}).out.contains(all.trimmed()));
    const QString none = run({"export", sample("teaching-6-layers-2x2"), "--as", "none"}).err;
    for (const nest::Format* f : nest::formats()) {
      const QString name = QString::fromUtf8(f->name), key = QString::fromUtf8(f->key);
      QVERIFY2(all.contains("\n  " + name), f->name.data());
      QCOMPARE(written.contains("\n  " + key + ' '), f->write || key == "plan" || key == "scenario");
      QVERIFY2(!f->write || none.contains(key), f->name.data());
    }
  }
  void standardInputWorks() {
    QFile f(sample("teaching-6-layers-2x2"));
    QVERIFY(f.open(QIODevice::ReadOnly));
    QCOMPARE(run({"solve", "-"}, f.readAll()).code, 0);
  }
};
NEST_TEST(TestNestPlan)
#include "test_nest_plan.moc"
