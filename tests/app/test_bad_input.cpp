#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "ran.h"
#include "test_paths.h"

using namespace nest::test;

/// What nest-plan does with files and command lines that it cannot use: an error with its place, and exit
/// code 2.
class TestBadInput : public QObject {
  Q_OBJECT
private slots:
  void checkTellsOfUnevenHosts() {
    QTemporaryDir dir;
    QFile sampleFile(sample("teaching-6-layers-2x2"));
    QVERIFY(sampleFile.open(QIODevice::ReadOnly));
    QJsonObject s = QJsonDocument::fromJson(sampleFile.readAll()).object();
    QJsonObject constraints = s["constraints"].toObject();
    constraints["excluded_devices"] = QJsonArray{3};
    s["constraints"] = constraints;
    QFile file(dir.filePath("s.nest.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QJsonDocument(s).toJson());
    file.close();
    const Ran r = run({"check", file.fileName()});
    QVERIFY2(r.code == 0 &&
                 r.err.contains("hosts have 1 to 2 devices: in addition to all 3, solve plans on even hosts"),
             qPrintable(r.all()));
    QVERIFY(!run({"check", sample("teaching-6-layers-2x2")}).all().contains("even hosts"));
  }
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
    QTest::newRow("empty command") << QStringList{""};
  }
  void misuseEndsWithTwo() {
    QFETCH(QStringList, words);
    const Ran r = run(words);
    QCOMPARE(r.code, 2);
    QVERIFY(!r.err.isEmpty());
  }
  /// What is asked for and would not be done is told once, before any work.
  void whatWouldBeIgnoredIsRefused_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    const QString s = sample("teaching-6-layers-2x2");
    const auto row = [](const char* name, const QStringList& words, const char* says) {
      QTest::newRow(name) << words << QString(says);
    };
    row("no output name", {"solve", s, "-o", ""}, "--output needs a value");
    row("an option in its place", {"solve", s, "-o", "--json"}, "--output needs a value");
    row("two on one stream", {"solve", s, "-o", "-", "--json"}, "both write to standard output");
    row("huge limit", {"solve", s, "--work-limit", "-1"}, "from 0 to 1000000000000000000,");
    row("standard input twice", {"evaluate", "-", "-"}, "standard input: error: it was read already");
    row("term and demand", {"why", s, "tp 1", "--term", "memory"}, "--term is of the formula");
    row("depth and demand", {"why", s, "tp 1", "--depth", "2"}, "--depth is of the formula");
    row("no such stage", {"why", s, "layer 1 in stage 99999999999"}, "9 layers make at most as many stages");
    row("most of devices", {"inverse", s, "--devices", "--most", "8"}, "--most counts devices");
    row("fields of journals", {"sweep", "--merge", s, "-o", "x", "--set", "a=1"}, "--set does not go with");
    row("no degree of 0", {"compare", s, "--manual", "t=0"}, "\"t=0\" is not a valid degree");
    row("a degree twice", {"compare", s, "--manual", "t=2,t=1"}, "--manual says t twice");
    row("a seed of none", {"compare", s, "--only", "equal-split", "--seed", "2"}, "--seed is of MCMC");
    row("degrees of none", {"compare", s, "--only", "mcmc", "--manual", "t=2"}, "--manual is of Manual");
    row("a part of the schema", {"fields", "tensor", "--schema"}, "--schema is of all fields");
    row("restart of nothing", {"sweep", s, "--set", "job.global_batch=8", "--restart"},
        "--restart goes with -o");
    row("two forms of a table", {"sweep", s, "--set", "job.global_batch=8", "-o", "x", "--json"},
        "-o writes the table as JSON, too");
    row("a form of a join", {"sweep", "--merge", s, "-o", "x", "--json"}, "--merge writes the table as JSON");
    row("two forms of a study", {"study", "scaling", s, "-o", "x", "--json"}, "-o writes what --json prints");
    row("a folder on a stream", {"export", s, "--as", "folder", "-o", "-"}, "a folder needs a place");
    row("files named -", {"sweep", s, "--set", "job.global_batch=8", "-o", "-"},
        "-o names the files to write");
    row("a report behind a scenario", {"evaluate", s, s, "--measured", "1s", "--calibrated", "-", "--json"},
        "both write to standard output");
    row("a plan of none", {"export", s, s, "--as", "scenario"}, "--as scenario writes no plan");
    row("a limit of none", {"export", s, "--as", "dot", "--deadline", "1"}, "nothing is searched here");
    const QStringList import = {"import", "models/llama-3-8b.json", "--network", "host:8@450GB/s"};
    row("a level twice", import + QStringList{"--level", "0=1GB/s", "--level", "0=2GB/s"},
        "gives level 0 twice");
    row("a size of none", import + QStringList{"--devices", "16"}, "--devices chooses a size");
  }
  void whatWouldBeIgnoredIsRefused() {
    QFETCH(QStringList, words);
    QFETCH(QString, says);
    QFile scenario(sample("teaching-6-layers-2x2"));
    QVERIFY(scenario.open(QIODevice::ReadOnly));
    const Ran r = run(words, scenario.readAll());
    QVERIFY2(r.code == 2 && r.err.contains(says), qPrintable(r.all()));
    QVERIFY2(r.err.count("error:") == 1, qPrintable(r.err));
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
  void aFileThatMayGrowNoFurtherIsAnError() {
    QTemporaryDir dir;
    QProcess p;
    p.start("bash", {"-c", "ulimit -f 1; exec \"$@\"", "bash", NEST_BINARY_DIR "/nest-plan", "solve",
                     sample("gpt3-175b-h100-1024"), "-o", dir.filePath("plan.json")});
    const Ran r = finish(p);
    QVERIFY2(r.code == 2 && r.err.contains("file-unwritable"), qPrintable(r.all()));
    QVERIFY(!QFile::exists(dir.filePath("plan.json")));
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
  void standardInputWorks() {
    QFile f(sample("teaching-6-layers-2x2"));
    QVERIFY(f.open(QIODevice::ReadOnly));
    QCOMPARE(run({"solve", "-"}, f.readAll()).code, 0);
  }
};
NEST_TEST(TestBadInput)
#include "test_bad_input.moc"
