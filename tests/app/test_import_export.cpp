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
#include "test_paths.h"

using namespace nest::test;

/// What nest-plan makes of networks and models, and what it writes for other programs.
class TestImportExport : public QObject {
  Q_OBJECT
private slots:
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
  void whatIsAssumedIsTold() {
    const QStringList words = {"import", "models/llama-2-7b.json", "host:8@450GB/s"};
    const Ran bare = run(words);
    QVERIFY2(bare.err.contains("assumed: H100 80 GB SXM, a global batch of 1,024, sequences of 4,096 tokens"),
             qPrintable(bare.err));
    const Ran device = run(words + QStringList{"--device", "a100-80", "--sequence", "2048"});
    QVERIFY2(device.err.contains("assumed: a global batch of 1,024; set job.global_batch (--batch)"),
             qPrintable(device.err));
    const Ran told = run(words + QStringList{"--device", "a100-80", "--sequence", "2048", "--batch", "64"});
    QVERIFY2(told.code == 0 && !told.err.contains("job-assumed"), qPrintable(told.err));
    // The scenario keeps it, for whoever reads it next.
    QTemporaryDir kept;
    const QString file = kept.filePath("a.nest.json");
    QCOMPARE(run(words + QStringList{"--device", "a100-80", "-o", file}).code, 0);
    const QString said = "assumed: a global batch of 1,024, sequences of 4,096 tokens";
    const Ran checked = run({"check", file});
    QVERIFY2(checked.err.contains(said + "; set job.global_batch, job.sequence_length"),
             qPrintable(checked.err));
    QVERIFY(run({"solve", file}).out.contains('\n' + said + '\n'));
    QCOMPARE(run({"solve", "--json", file}).json()["assumed"].toString(), said);
    QCOMPARE(run({"import", "--into", file, "--batch", "64", "-o", file}).code, 0);
    const Ran set = run({"check", file});
    QVERIFY2(set.err.contains("assumed: sequences of 4,096 tokens; set job.sequence_length ["),
             qPrintable(set.err));
    const QString data = NEST_SOURCE_DIR "/tests/data/";
    const Ran profile = run({"import", data + "piper/two.json", "host:8@450GB/s"});
    QVERIFY2(profile.err.contains("assumed: H100 80 GB SXM, sequences of"), qPrintable(profile.err));
    QTemporaryDir dir;
    QFile small(data + "nest-artifact/merged.json"), large(dir.filePath("large.json"));
    QVERIFY(small.open(QIODevice::ReadOnly) && large.open(QIODevice::WriteOnly));
    large.write(small.readAll().replace("\"maxMemoryPerDevice\":1e9", "\"maxMemoryPerDevice\":80e9"));
    large.close();
    const Ran artifact = run({"import", large.fileName()});
    // Its costs belong to a length of sequences that it does not state.
    QVERIFY2(artifact.code == 0 && artifact.err.contains("assumed: sequences of 4,096 tokens; set"),
             qPrintable(artifact.err));
  }
  /// Of each value that a run does not state, and of none that it does.
  void whatARunLeavesOpenIsAssumed() {
    const QString data = NEST_SOURCE_DIR "/tests/data/", model = "models/llama-2-7b.json";
    const auto told = [&](const char* file, const char* network) {
      return run({"import", model, network, data + file}).err;
    };
    const QString config = told("torchtitan-config/no_batch.toml", "host:8@450GB/s");
    QVERIFY2(config.contains("assumed: H100 80 GB SXM; set the device (--device)"), qPrintable(config));
    QVERIFY2(config.contains("global batch 48 (6 for each of 8 data-parallel ranks)"), qPrintable(config));
    const QString cut = told("megatron-log/cut_arguments.log", "host:8@450GB/s rack:4@50GB/s");
    QVERIFY2(cut.contains("assumed: H100 80 GB SXM, sequences of 4,096 tokens; set"), qPrintable(cut));
    const QString tokens = told("nanotron-log/steps.log", "host:8@450GB/s rack:16@50GB/s");
    QVERIFY2(tokens.contains("global batch 512 (2.1 million tokens)"), qPrintable(tokens));
  }
  /// What check would refuse is refused here, at its place in what was read.
  void nothingIsWrittenThatCheckRefuses() {
    QTemporaryDir dir;
    QFile whole(sample("teaching-6-layers-2x2"));
    QVERIFY(whole.open(QIODevice::ReadOnly));
    QByteArray text = whole.readAll();
    const QByteArray network = "\"network\": \"host:2@100GB/s,2us cluster:2@10GB/s,5us\"";
    QVERIFY(text.contains(network));
    text.replace(network,
                 "\"levels\": [{\"name\": \"host\",\n\"fanout\": 2, \"bandwidth_bytes_per_s\": 100e9, "
                 "\"latency_s\": 2e-6}]");
    const auto import = [&](const QByteArray& changed, const QStringList& more) {
      QFile bad(dir.filePath("bad.nest.json"));
      if (bad.open(QIODevice::WriteOnly)) bad.write(changed);
      bad.close();
      QFile::remove(dir.filePath("made.nest.json"));
      return run(QStringList{"import", bad.fileName(), "-o", dir.filePath("made.nest.json")} + more);
    };
    QCOMPARE(import(text, {}).code, 0);
    QVERIFY(QFile::exists(dir.filePath("made.nest.json")));
    const auto refuses = [&](const char* key, const char* value, const QStringList& more) {
      QByteArray changed = text;
      const auto at = changed.indexOf(QByteArray("\"") + key + "\":");
      if (at < 0) return false;
      const auto begin = changed.indexOf(':', at) + 1;
      auto end = begin;
      while (changed[end] != ',' && changed[end] != '\n' && changed[end] != '}') ++end;
      changed.replace(begin, end - begin, value);
      const Ran r = import(changed, more);
      const auto line = changed.left(at).count('\n') + 1;
      return r.code == 2 && !QFile::exists(dir.filePath("made.nest.json")) &&
             r.err.contains(QStringLiteral("bad.nest.json:%1:").arg(line));
    };
    QVERIFY(refuses("fanout", " 2147483647", {}));
    QVERIFY(refuses("global_batch", " 0", {}));
    QVERIFY(refuses("sequence_length", " 1000000000", {"--program", "ideal"}));
    // A device of less memory than what is kept free.
    const Ran r = run({"import", NEST_SOURCE_DIR "/tests/data/nest-artifact/merged.json"});
    QVERIFY2(r.code == 2 && r.out.isEmpty(), qPrintable(r.all()));
    QVERIFY2(r.err.contains("merged.json: error: the reserve of 2 GiB"), qPrintable(r.err));
  }
  void aScenarioWrittenElsewhereOpensThere() {
    QTemporaryDir folder;
    const QString copy = folder.filePath("copy.nest.json");
    QCOMPARE(run({"export", sample("llama3-70b-h100-1024"), "--as", "scenario", "-o", copy}).code, 0);
    const Ran opened = run({"check", copy});
    QVERIFY2(opened.code == 0, qPrintable(opened.err));
  }
  void aLevelWithoutAUnitIsTold() {
    const QStringList words = {"import", "models/llama-2-7b.json", "--network",
                               "host:8@450GB/s rack:4@50GB/s"};
    const Ran bare = run(words + QStringList{"--level", "1=50"});
    QVERIFY2(bare.err.contains("--level 1=50 names no unit; it counts with 50 GB/s"), qPrintable(bare.err));
    QVERIFY(!run(words + QStringList{"--level", "1=50GB/s"}).err.contains("bandwidth-unit"));
  }
  /// A scenario among the files keeps its device; another one may be named.
  void aScenariosDeviceStays() {
    QTemporaryDir dir;
    const QString made = dir.filePath("made.nest.json");
    QCOMPARE(run({"import", "models/llama-3-8b.json", "host:8@900GB/s", "--device", "b200", "-o", made}).code,
             0);
    QCOMPARE(run({"import", made, "host:4@900GB/s"}).json()["cluster"].toObject()["device"].toString(),
             QString("b200"));
    QCOMPARE(run({"import", made, "--device", "h200"}).json()["cluster"].toObject()["device"].toString(),
             QString("h200"));
  }
  void typedLevelsAreNoDataSheets() {
    const QStringList words = {"import", "models/llama-2-7b.json", "host:8@450GB/s"};
    QVERIFY(run(words).err.contains("link-efficiency-not-assumed"));
    const Ran r = run(words + QStringList{"--level", "0=300GB/s"});
    QVERIFY2(r.code == 0 && !r.err.contains("link-efficiency-not-assumed"), qPrintable(r.err));
  }
  /// What was read is not lost to what is written, under whatever name.
  void whatWasReadIsNotReplaced() {
    QTemporaryDir folder;
    const auto put = [&](const QString& name, const QByteArray& text) {
      QFile file(folder.filePath(name));
      if (file.open(QIODevice::WriteOnly)) file.write(text);
      return folder.filePath(name);
    };
    const auto textOf = [](const QString& path) {
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const QByteArray scenario = textOf(sample("teaching-6-layers-2x2"));
    const QString s = put("x.json", scenario), p = folder.filePath("p.json");
    const QString other = folder.path() + "/./x.json";
    QCOMPARE(run({"solve", s, "-o", p}).code, 0);
    const QByteArray plan = textOf(p);
    const QString config = put("config.json", textOf(NEST_SOURCE_DIR "/samples/models/llama-2-7b.json"));
    const QByteArray model = textOf(config);
    for (const QStringList& words :
         {QStringList{"solve", s, "-o", other},
          {"evaluate", s, p, "--measured", "500ms", "--calibrated", p},
          {"export", s, p, "--as", "megatron", "-o", p},
          {"export", s, "--as", "graphml", "-o", s},
          {"import", config, "--network", "host:8@450GB/s", "-o", config},
          {"sweep", s, "--set", "job.global_batch=8,16", "-o", folder.filePath("x")}}) {
      const Ran r = run(words);
      QVERIFY2(r.code == 2, qPrintable(words.join(' ') + r.all()));
      QCOMPARE(textOf(s), scenario);
      QCOMPARE(textOf(p), plan);
      QCOMPARE(textOf(config), model);
    }
    // A new version of the same thing is what was asked for.
    for (const QStringList& words : {QStringList{"evaluate", s, p, "--measured", "500ms", "--calibrated", s},
                                     {"import", "--into", s, "--batch", "32", "-o", s},
                                     {"export", s, "--as", "scenario", "-o", s},
                                     {"export", s, p, "--as", "plan", "-o", p}}) {
      const Ran r = run(words);
      QVERIFY2(r.code == 0, qPrintable(words.join(' ') + r.all()));
    }
    put("README.md", "mine");
    const Ran into = run({"export", sample("teaching-6-layers-2x2"), "--as", "folder", "-o", folder.path()});
    QCOMPARE(into.code, 2);
    QVERIFY2(into.err.contains("README.md would be replaced"), qPrintable(into.err));
    QCOMPARE(textOf(folder.filePath("README.md")), QByteArray("mine"));
    const QString fresh = folder.filePath("launch");
    for (int i = 0; i < 2; ++i)
      QCOMPARE(run({"export", sample("teaching-6-layers-2x2"), "--as", "folder", "-o", fresh}).code, 0);
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
  /// Killed as soon as anything of it appears: the folder is not there or whole, and the same command
  /// succeeds.
  void anExportThatIsKilledCanBeRepeated() {
    const auto everything = [](const QString& place) {
      return QDir(place).entryList(QDir::Files | QDir::Hidden).size();
    };
    QTemporaryDir dir;
    const QString whole = dir.filePath("whole");
    const auto command = [](const QString& place) {
      return QStringList{"export", sample("teaching-6-layers-2x2"), "--as", "folder", "-o", place};
    };
    QCOMPARE(run(command(whole)).code, 0);
    const auto expected = everything(whole);
    for (int i = 0; i < 6; ++i) {
      QDir(dir.path()).mkdir(QString::number(i));
      const QDir above(dir.filePath(QString::number(i)));
      const QString place = above.filePath("launch");
      QProcess p;
      p.start(QStringLiteral(NEST_BINARY_DIR "/nest-plan"), command(place));
      while (p.state() != QProcess::NotRunning &&
             above.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty())
        p.waitForFinished(0);
      if (i > 0) QTest::qSleep(i);
      p.kill();
      p.waitForFinished();
      QVERIFY2(!QFile::exists(place) || everything(place) == expected, qPrintable(QString::number(i)));
      const Ran again = run(command(place));
      QVERIFY2(again.code == 0, qPrintable(again.err));
      QCOMPARE(everything(place), expected);
      QCOMPARE(above.entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
               QStringList{"launch"});
    }
    // Of another framework nothing stays; what others put there does.
    QFile log(whole + "/train.log");
    QVERIFY(log.open(QIODevice::WriteOnly));
    QCOMPARE(run(command(whole) + QStringList{"--for", "torchtitan"}).code, 0);
    QVERIFY(!QFile::exists(whole + "/megatron.sh") && QFile::exists(whole + "/torchtitan.toml"));
    QVERIFY(log.exists());
  }
  /// What no scenario may hold is refused where its file is known, not when the scenario is opened.
  void aNetworkOutOfRangeIsRefused() {
    QTemporaryDir dir;
    const QString network = dir.filePath("x.cluster.txt"), made = dir.filePath("x.nest.json");
    QFile file(network);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("host:8@450GB/s,2us rack:4@99999999999GB/s,2us\n");
    file.close();
    const Ran ran =
        run({"import", network, QString(NEST_SOURCE_DIR) + "/samples/models/llama-3-8b.json", "-o", made});
    QCOMPARE(ran.code, 2);
    QVERIFY2(
        ran.err.contains("x.cluster.txt: error: /cluster/levels/1/bandwidth_bytes_per_s: Bandwidth must"),
        qPrintable(ran.err));
    QVERIFY(!QFile::exists(made));
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
    const auto measure = [&](const QByteArray& config, const QStringList& device = {"--device", "cuda:1"}) {
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
      p.start("python3", QStringList{script, file.fileName()} + device);
      p.waitForFinished(60000);
      return QString::fromUtf8(p.readAllStandardOutput());
    };
    const QString t5 = measure("{\"model_type\":\"t5\",\"is_encoder_decoder\":true}");
    QVERIFY2(t5.contains("set_device cuda:1"), qPrintable(t5));
    QVERIFY(t5.contains("with an encoder and a decoder") && !t5.contains("Traceback"));
    const QString usual = measure("{\"model_type\":\"clip\",\"vision_config\":{\"hidden_size\":8}}", {});
    QVERIFY2(usual.contains("set_device cuda:0"), qPrintable(usual));
    QVERIFY(usual.contains("models that see") && !usual.contains("Traceback"));
    const QString empty = measure("{\"model_type\":\"llama\",\"vocab_size\":1}");
    QVERIFY2(empty.contains("hidden_size or n_embd") && !empty.contains("Traceback"), qPrintable(empty));
    // Blocks of another family would be measured as Llama's.
    const QByteArray sizes = "\"num_hidden_layers\":2,\"num_attention_heads\":4,\"vocab_size\":9}";
    const QString gptj = measure("{\"model_type\":\"gptj\",\"hidden_size\":8," + sizes);
    QVERIFY2(gptj.contains("not built by this script"), qPrintable(gptj));
    const QString uneven = measure("{\"model_type\":\"llama\",\"hidden_size\":9," + sizes);
    QVERIFY2(uneven.contains("not a multiple of the 4 attention heads"), qPrintable(uneven));
    for (const auto& [options, told] :
         {std::pair{QStringList{"--tensor", "0"}, "a whole number above 0"},
          {QStringList{"--repeats", "-1"}, "a whole number above 0"},
          {QStringList{"--device", "mps"}, "--device takes cuda"},
          {QStringList{"-o", folder.path()}, "cannot be written"},
          {QStringList{"-o", folder.filePath("none/profile.json")}, "cannot be written"}}) {
      const QString refused = measure("{\"model_type\":\"llama\",\"hidden_size\":8," + sizes, options);
      QVERIFY2(refused.contains(told) && !refused.contains("Traceback"), qPrintable(refused));
    }
    const QString broken = measure("{");
    QVERIFY2(broken.contains("is no JSON") && !broken.contains("Traceback"), qPrintable(broken));
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
  void aLineIsANetworkToo() {
    const QString model = QString(NEST_SOURCE_DIR) + "/samples/models/gpt2.json";
    const Ran r = run({"import", model, "--network", "host:8@450GB/s rack:4@50GB/s,2us"});
    QVERIFY2(r.code == 0 && r.out.contains("\"rack\""), qPrintable(r.err));
    QCOMPARE(run({"import", model, "host:8@450GB/s rack:4@50GB/s,2us"}).out, r.out);  // as errors advise
    QVERIFY(run({"import", model, "host:8@fast"}).err.contains("not a positive bandwidth"));
    QCOMPARE(run({"import", model, "--network", "eight hosts"}).code, 2);
    QVERIFY(run({"formats"}).out.contains("SwitchName=leaf0"));
    QCOMPARE(run({"formats", "dot"}).code, 2);
  }
  /// Nothing but what the options say; the network follows the device where it had the catalog's values.
  void optionsAloneChangeAScenario() {
    QTemporaryDir dir;
    const QString model = QString(NEST_SOURCE_DIR) + "/samples/models/llama-3-8b.json",
                  made = dir.filePath("made.nest.json"), other = dir.filePath("other.nest.json");
    const Ran r = run({"import", model, "--network", "host:8@450GB/s,2us rack:4@40GB/s,4us", "--sequence",
                       "16384", "--program", "megatron-core-2025", "-o", made});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY2(r.err.contains("VPP 1, 2, 4, 8 and CP") && r.err.contains("search-proposed"), qPrintable(r.err));
    QVERIFY2(r.err.contains("host (450 GB/s)") && !r.err.contains("rack (40 GB/s)"), qPrintable(r.err));
    const Ran changed = run({"import", "--into", made, "--device", "b200", "--batch", "256", "-o", other});
    QVERIFY2(changed.code == 0, qPrintable(changed.err));
    QFile file(other);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject s = QJsonDocument::fromJson(file.readAll()).object();
    QCOMPARE(s["cluster"].toObject()["device"].toString(), QString("b200"));
    QVERIFY2(s["name"].toString().endsWith("on 32 B200"), qPrintable(s["name"].toString()));
    QCOMPARE(s["job"].toObject()["global_batch"].toInt(), 256);
    const QJsonArray levels = s["cluster"].toObject()["levels"].toArray();
    QCOMPARE(levels[0].toObject()["bandwidth_bytes_per_s"].toDouble(), 900e9);
    QCOMPARE(levels[1].toObject()["bandwidth_bytes_per_s"].toDouble(), 40e9);
    QVERIFY(s["search"].toObject()["context_parallel"].toBool());
    QCOMPARE(run({"import", "--into", made, "--network", "host:4@450GB/s rack:2@50GB/s", "-o", other}).code,
             0);
    QCOMPARE(run({"import", "--into", made, "-o", other}).code, 2);
    QCOMPARE(run({"import", "-o", other}).code, 2);
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
};
NEST_TEST(TestImportExport)
#include "test_import_export.moc"
