#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QTest>
#include <cmath>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

namespace {

const char* kLlama = "llama2-7b-h100-128";

}  // namespace

class TestStudyCommands : public QObject {
  Q_OBJECT
private slots:
  void compares() {
    const Ran r = run({"compare", sample(kLlama), "--json", "--walks", "2", "--steps", "50"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    const QJsonObject j = r.json();
    const double best = j["exact"].toObject()["batch_time_s"].toDouble();
    QVERIFY(best > 0);
    const QJsonArray all = j["baselines"].toArray();
    QCOMPARE(all.size(), 5);
    for (const auto& b : all)
      if (b.toObject()["runs"].toBool())
        QVERIFY(b.toObject()["batch_time_s"].toDouble() >= best * (1 - 1e-9));
    const Ran again =
        run({"compare", sample(kLlama), "--only", "MCMC", "--seed", "7", "--walks", "2", "--steps", "50"});
    QVERIFY(again.out.contains("seed 7"));
    QVERIFY(!again.out.contains("Equal split"));
    QVERIFY(run({"compare", sample(kLlama), "--only", "Manual", "--manual", "t=8,p=4"})
                .out.contains("TP8+SP · PP4"));
  }

  void methodsThatAreNotSearchedSaySo() {
    QFile file(sample("teaching-6-layers-2x2"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QJsonObject scenario = QJsonDocument::fromJson(file.readAll()).object(),
                search = scenario["search"].toObject();
    search["schedules"] = QJsonArray{"zb-h1"};
    scenario["search"] = search;
    const QByteArray text = QJsonDocument(scenario).toJson();
    const QStringList manual{"compare", "-", "--only", "Manual"};
    const Ran told = run(manual, text);
    QVERIFY2(told.out.contains(QRegularExpression("Manual +not searched")), qPrintable(told.all()));
    const QJsonObject found = run(manual + QStringList{"--json"}, text).json()["baselines"][0].toObject();
    QCOMPARE(found["status"].toString(), QString("not-searched"));
  }

  // The states of the cluster are told from the jobs' own timings: an all-gather among 64 in 6.0 ms and
  // in 20.0.
  void aTableOfJobsBecomesSweeps() {
    if (QStandardPaths::findExecutable("python3").isEmpty()) QSKIP("there is no python3");
    QTemporaryDir dir;
    const QString table = dir.filePath("jobs.csv"), sweeps = dir.filePath("sweeps.json");
    const auto make = [&](const QByteArray& text, const QStringList& words = {}) {
      QFile file(table);
      if (!file.open(QIODevice::WriteOnly)) return Ran();
      file.write(text);
      file.close();
      QProcess p;
      p.start("python3",
              QStringList{NEST_SOURCE_DIR "/samples/sweeps/nanotron_rows.py", table, "-o", sweeps} + words);
      return finish(p);
    };
    const auto rows = [&] {
      QFile file(sweeps);
      if (!file.open(QIODevice::ReadOnly)) return QJsonArray();
      return QJsonDocument::fromJson(file.readAll())
          .object()["sets"]
          .toArray()[0]
          .toObject()["rows"]
          .toArray();
    };
    const QByteArray jobs =
        "job_id,tp,pp,dp,mbs,batch_accum,zero_stage,tok/s/gpu,Mem Res (GB),AllGather "
        "(GB/s),status,after_pp_fix,num_layers,num_kv_heads,vocab_size\n"
        "13400000,1,1,64,1,4,0,31000,36,176.2,Success,False,16,32.0,131072\n"
        "14100000,2,1,32,8,1,0,30000,58,52.7,Success,True,16,32.0,131072\n"
        "14100001,1,1,64,2,2,1,30800,35,52.7,Success,True,16,32.0,131072\n"
        "14100002,1,2,32,2,4,1,9000,30,52.7,Success,False,16,32.0,131072\n"
        "14100003,1,1,64,4,1,0,31000,66,52.7,Success,True,16,32.0,49152\n"
        "14100004,1,1,64,4,1,0,,,,OOM,True,16,32.0,131072\n";
    const Ran made = make(jobs);
    QVERIFY2(made.code == 0, qPrintable(made.err));
    const QJsonArray all = rows();
    QCOMPARE(all.size(), 3);
    QVERIFY(all[0].toArray()[10].isNull() && all[0].toArray()[11].isNull());
    // A block has 10 calls among 2 ranks of 0.22 ms each; 32 buckets of 25 MiB are calls among 32.
    QCOMPARE(all[1].toArray()[10].toDouble(), 0.0088);
    QVERIFY(std::abs(all[1].toArray()[11].toDouble() / 6.50e-12 - 1) < 0.005);
    QVERIFY(all[2].toArray()[10].isNull() && all[2].toArray()[11].isNull());
    const Ran ranking = run({"study", "ranking", sweeps, "--json"});
    QVERIFY2(ranking.code == 0, qPrintable(ranking.err));
    const QJsonArray read = ranking.json()["sweeps"].toArray();
    QCOMPARE(read.size(), 1);
    QCOMPARE(read[0].toObject()["runs"].toArray().size(), 4);
    QCOMPARE(make(jobs, {"--without-states"}).code, 0);
    QCOMPARE(rows()[1].toArray().size(), 10);
    const Ran other = make("a,b\n1,2\n");
    QVERIFY2(other.code == 1 && other.err.contains("no column job_id"), qPrintable(other.err));
  }

  // In shards, and stopped between rows: the joined file is what one run prints.
  void studiesAreSolvedInShards_data() {
    QTest::addColumn<QStringList>("study");
    QTest::newRow("scaling") << QStringList{"scaling", sample(kLlama), "--from", "16", "--to", "128"};
    QTest::newRow("paper") << QStringList{"paper", "--model", "BERT-large", "--devices", "64"};
  }
  void studiesAreSolvedInShards() {
    QFETCH(QStringList, study);
    QTemporaryDir dir;
    const QString base = dir.filePath("out"), journal = base + ".shard-1-of-2.jsonl";
    const QStringList words = QStringList{"study"} + study, files{"-o", base};
    const Ran whole = run(words + QStringList{"--json"});
    QVERIFY2(whole.code == 0, qPrintable(whole.err));
    QCOMPARE(run(words + files + QStringList{"--shard", "1/2"}).code, 0);
    const Ran missing = run(words + files + QStringList{"--merge"});
    QVERIFY2(missing.code == 3 && missing.err.contains("missing"), qPrintable(missing.err));
    QVERIFY(!QFile::exists(base + ".json"));
    // A row that an interruption cut off is solved again.
    QFile file(journal);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QVERIFY(file.resize(file.size() - 7));
    file.close();
    const Ran again = run(words + files + QStringList{"--shard", "1/2"});
    QVERIFY2(again.code == 0 && again.err.count(" solved, latest row ") == 1, qPrintable(again.err));
    QCOMPARE(run(words + files + QStringList{"--shard", "2/2"}).code, 0);
    QCOMPARE(run(words + files + QStringList{"--merge"}).code, 0);
    QFile joined(base + ".json");
    QVERIFY(joined.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(joined.readAll()), whole.out);
    const Ran other = run(words + QStringList{"--seed", "3"} + files + QStringList{"--shard", "1/2"});
    if (study.front() == "paper")
      QVERIFY2(other.code == 2 && other.err.contains("another study"), qPrintable(other.err));
  }
  void rowsOfAnotherModelAreRefused() {
    QTemporaryDir dir;
    QDir(dir.path()).mkpath("models");
    const QString samples = QStringLiteral(NEST_SOURCE_DIR "/samples/"),
                  scenario = dir.filePath("s.nest.json"), model = dir.filePath("models/llama-2-7b.json");
    QVERIFY(QFile::copy(sample(kLlama), scenario));
    QVERIFY(QFile::copy(samples + "models/llama-2-7b.json", model));
    const QStringList words{"study", "scaling", scenario, "--from",           "64",
                            "--to",  "128",     "-o",     dir.filePath("out")};
    QCOMPARE(run(words).code, 0);
    QFile file(model);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray text = file.readAll();
    QVERIFY(text.contains("\"num_attention_heads\": 32"));  // as many parameters with other heads
    text.replace("\"num_attention_heads\": 32", "\"num_attention_heads\": 64");
    text.replace("\"num_key_value_heads\": 32", "\"num_key_value_heads\": 64");
    file.resize(0);
    file.seek(0);
    file.write(text);
    file.close();
    const Ran stale = run(words);
    QVERIFY2(stale.code == 2 && stale.err.contains("another study"), qPrintable(stale.err));
    QCOMPARE(run(words + QStringList{"--restart"}).code, 0);
  }
  void whatDoesNotGoWithFilesIsSaid_data() {
    QTest::addColumn<QStringList>("more");
    QTest::addColumn<QString>("word");
    QTest::newRow("deadline") << QStringList{"-o", "x", "--deadline", "3"}
                              << "--deadline does not go with -o";
    QTest::newRow("shard alone") << QStringList{"--shard", "1/2"} << "--shard needs -o";
    QTest::newRow("submit alone") << QStringList{"--submit", "slurm"} << "--submit needs -o";
    QTest::newRow("tasks alone") << QStringList{"-o", "x", "--tasks", "3"}
                                 << "--tasks goes with --submit slurm";
  }
  void whatDoesNotGoWithFilesIsSaid() {
    QFETCH(QStringList, more);
    QFETCH(QString, word);
    const Ran r = run(QStringList{"study", "scaling", sample(kLlama)} + more);
    QVERIFY2(r.code == 2 && r.err.contains(word), qPrintable(r.err));
  }

  void explains() {
    const Ran r = run({"why", sample(kLlama)});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY(r.out.contains("max load"));
    const Ran memory = run({"why", sample(kLlama), "--term", "stage1/memory", "--depth", "1", "--json"});
    const QJsonObject j = memory.json();
    double sum = 0;
    for (const auto& c : j["children"].toArray())
      sum += c.toObject()["value"].toDouble() * c.toObject()["factor"].toDouble(1);
    QVERIFY(std::abs(sum / j["value"].toDouble() - 1) < 1e-9);
    QCOMPARE(j["unit"].toString(), QString("bytes"));
  }

  void constantsStandWithTheirSources() {
    const Ran r = run({"why", sample(kLlama), "--term", "constants"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY2(r.out.contains("Dao 2023") && r.out.contains("NVIDIA H100 data sheet"), qPrintable(r.out));
  }
  void allWrongDemandsAreTold() {
    const Ran r = run({"why", sample(kLlama), "t=3", "t=8", "b=1, b=2"});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains("t=3: error") && r.err.contains("conflicts"), qPrintable(r.err));
    QVERIFY2(r.out.startsWith("With TP 8: ") && r.out.count('\n') == 2, "what can be answered is");
    QVERIFY2(r.out.contains("\n    ") && r.out.contains(" per step: "), "and where its time goes");
    const QJsonObject j = run({"why", sample(kLlama), "t=3", "t=8", "--json"}).json();
    QCOMPARE(j["answers"].toArray().size(), 1);
    QCOMPARE(j["diagnostics"].toArray().size(), 1);
    QVERIFY(run({"why", sample(kLlama), "t=3"}).out.isEmpty());
  }
  void answersWhyNot() {
    const Ran r = run({"why", sample(kLlama), "t=8", "layer 18 in stage 2, p=4", "--json"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    const QJsonArray all = r.json()["answers"].toArray();
    QCOMPARE(all.size(), 2);
    for (const auto& a : all) {
      QVERIFY(!a.toObject()["answer"].toString().isEmpty());
      QVERIFY(a.toObject()["difference"].toObject()["time_ratio"].toDouble() >= 1 - 1e-9);
    }
    QCOMPARE(all[0]
                 .toObject()["outcome"]
                 .toObject()["plan"]
                 .toObject()["stages"]
                 .toArray()[0]
                 .toObject()["strategy"]
                 .toObject()["tensor"]
                 .toInt(),
             8);
  }

  /// What no plan has whatever the memory is not put down to memory.
  void memoryIsBlamedForItsOwn() {
    for (const auto& [demand, reason] : {std::pair{"shard=8", "the requirements contradict each other"},
                                         {"layer 1 in stage 2", "the requirements contradict each other"},
                                         {"dp=1000", "DP 1000 does not divide the global batch of 16"}}) {
      const Ran r = run({"why", sample("teaching-6-layers-2x2"), demand});
      QVERIFY2(r.code == 0 && r.out.contains(reason) && !r.out.contains("memory"), qPrintable(r.all()));
    }
    const Ran r = run({"why", sample("teaching-6-layers-2x2"), "cut at layer 9"});
    QVERIFY2(r.out.contains("needs 41.4 MiB more"), qPrintable(r.all()));
  }

  void improves() {
    const Ran r = run({"improve", sample(kLlama), "--failures", "--break-even", "--json"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    const QJsonArray all = r.json()["improvements"].toArray();
    QVERIFY(all.size() >= 6);
    QVERIFY(all[0].toObject()["change"].toDouble() < 0);
    for (int i = 1; i < all.size(); ++i)
      QVERIFY(all[i - 1].toObject()["change"].toDouble() <= all[i].toObject()["change"].toDouble());
    QVERIFY(!r.json()["failures"].toArray().isEmpty());
  }

  /// The gain printed is what the edited scenario has.
  void improvesLevelsAsTyped() {
    QTemporaryDir folder;
    QFile source(sample("teaching-6-layers-2x2"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    const QByteArray text = source.readAll();
    const auto timeOf = [&](const char* command, const char* network) {
      QFile file(folder.filePath("s.nest.json"));
      if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate)) return QJsonObject();
      file.write(QByteArray(text).replace("host:2@100GB/s,2us cluster:2@10GB/s,5us", network));
      file.close();
      return run({command, file.fileName(), "--json"}).json();
    };
    const double edited =
        timeOf("solve", "host:2@12.5GB/s,2us cluster:2@30GB/s,5us")["batch_time_s"].toDouble();
    bool seen = false;
    for (const auto& i :
         timeOf("improve", "host:2@10GB/s,2us cluster:2@30GB/s,5us")["improvements"].toArray()) {
      const QJsonObject one = i.toObject();
      if (!one["what"].toString().contains("bandwidth of level host")) continue;
      seen = true;
      QVERIFY(std::abs(one["batch_time_s"].toDouble() / edited - 1) < 1e-12);
    }
    QVERIFY(seen);
  }

  /// Any numeric field by its key, those that fields lists.
  void improvesWhatIsNamed() {
    const QString teaching = sample("teaching-6-layers-2x2");
    const Ran r = run({"improve", teaching, "--field", "job.sequence_length", "--field",
                       "assumptions.overlap.data", "--field", "devices", "--break-even", "--json"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QStringList keys;
    for (const auto& i : r.json()["improvements"].toArray()) keys << i.toObject()["parameter"].toString();
    keys.sort();
    QCOMPARE(keys, QStringList({"/assumptions/overlap/data", "/job/sequence_length", "devices"}));
    const Ran wrong = run({"improve", teaching, "--field", "job.format"});
    QCOMPARE(wrong.code, 2);
    QVERIFY(wrong.err.contains("nest-plan fields"));
    const Ran listed = run({"fields", "overlap", "--json"});
    const QJsonArray all = listed.json()["fields"].toArray();
    QCOMPARE(all.size(), 7);
    QCOMPARE(all[0].toObject()["most"].toDouble(), 1.0);
    QVERIFY(run({"fields"}).out.contains("from 1 to 67,108,864 tokens"));
    QVERIFY(run({"fields", "/job/global_batch"}).out.contains("job.global_batch"));
    const Ran none = run({"fields", "no_such_field"});
    QVERIFY(none.code == 2 && none.err.contains("no field's key contains"));
  }

  void inverts() {
    const Ran r = run({"inverse", sample(kLlama), "--time", "6s", "--json"});
    QVERIFY2(r.code == 0, qPrintable(r.err));
    QVERIFY(r.json()["batch_time_s"].toDouble() <= 6);
    QVERIFY(r.json()["devices"].toInt() < 128);
    QCOMPARE(run({"inverse", sample(kLlama), "--time", "1ms"}).code, 1);
    const Ran devices = run({"inverse", sample(kLlama), "--devices", "--json"});
    QVERIFY2(devices.code == 0, qPrintable(devices.err));
    QVERIFY(devices.json()["devices"].toArray().size() > 5);
    const QString text = run({"inverse", sample(kLlama), "--devices"}).out;
    QVERIFY2(text.contains("bandwidths") && text.contains("Hosts keep their size"), qPrintable(text));
  }

  void studies() {
    const Ran scaling = run({"study", "scaling", sample(kLlama), "--from", "64", "--to", "512", "--json"});
    QVERIFY2(scaling.code == 0, qPrintable(scaling.err));
    QCOMPARE(scaling.json()["points"].toArray().size(), 4);
    QTemporaryDir folder;
    const Ran paper = run({"study", "paper", "--model", "BERT-large", "--devices", "64", "--csv",
                           folder.filePath("paper.csv")});
    QVERIFY2(paper.code == 0, qPrintable(paper.err));
    QFile csv(folder.filePath("paper.csv"));
    QVERIFY(csv.open(QFile::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), 3);
  }

  void refusesMisuse_data() {
    QTest::addColumn<QStringList>("words");
    QTest::newRow("study without name") << QStringList{"study"};
    QTest::newRow("unknown study") << QStringList{"study", "weather"};
    QTest::newRow("unknown model") << QStringList{"study", "paper", "--model", "GPT-5"};
    QTest::newRow("unreadable demand") << QStringList{"why", sample(kLlama), "quickly"};
    QTest::newRow("no such term") << QStringList{"why", sample(kLlama), "--term", "stage99/load"};
    QTest::newRow("no target") << QStringList{"inverse", sample(kLlama)};
    QTest::newRow("bad time") << QStringList{"inverse", sample(kLlama), "--time", "soon"};
    QTest::newRow("bad degrees") << QStringList{"compare", sample(kLlama), "--manual", "t8"};
    QTest::newRow("bad method") << QStringList{"compare", sample(kLlama), "--only", "Luck"};
    QTest::newRow("from above to") << QStringList{"study", "scaling", sample(kLlama), "--from", "128",
                                                  "--to",  "16"};
    QTest::newRow("no such file") << QStringList{"improve", "nowhere.nest.json"};
  }
  void refusesMisuse() {
    QFETCH(QStringList, words);
    const Ran r = run(words);
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.count("error:") == 1, qPrintable(r.err));
  }

  void nothingFits() {
    const Ran r = run({"why", sample("llama3-70b-a100-16-too-small")});
    QCOMPARE(r.code, 1);
    QVERIFY(r.err.startsWith("Does not fit. Closest plan: stage 1 needs "));
    QCOMPARE(run({"compare", sample("llama3-70b-a100-16-too-small"), "--walks", "1", "--steps", "5"}).code,
             1);
  }
};
NEST_TEST(TestStudyCommands)
#include "test_study_commands.moc"
