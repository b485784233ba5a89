// Every option of every command, as its help lists them, in every mode of the command: it changes what comes
// out, or is refused by name. None is taken and ignored.
#include <QDir>
#include <QMap>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <functional>

#include "ran.h"

using namespace nest::test;

namespace {

struct Option {
  QString name;
  bool takesValue = false;
};

/// The options that a help text lists.
QList<Option> optionsIn(const QString& help) {
  static const QRegularExpression line(QStringLiteral("^  (?:-\\w, )?(--[a-z-]+)( [^ ]+)?"),
                                       QRegularExpression::MultilineOption);
  QList<Option> all;
  for (auto it = line.globalMatch(help); it.hasNext();) {
    const auto m = it.next();
    all.append({m.captured(1), !m.captured(2).isEmpty()});
  }
  return all;
}

/// What comes of a run, without the times that it took.
struct Result {
  int code = -1;
  QString text, err;
  QMap<QString, QByteArray> files;
  bool operator==(const Result& other) const {
    return code == other.code && text == other.text && files == other.files;
  }
};

/// One way to call a command, in a folder that is new each time.
struct Mode {
  QString program, command;  ///< "nest-plan", "study piper"
  QStringList words;
};

}  // namespace

class TestOptions : public QObject {
  Q_OBJECT
  QTemporaryDir m_given;  ///< files that commands read

  QString given(const QString& name) const { return m_given.filePath(name); }

  static Result result(const Mode& mode, const QStringList& more) {
    const QTemporaryDir made;
    QStringList words = mode.command.split(' ', Qt::SkipEmptyParts) + mode.words + more;
    for (QString& w : words) w.replace(QStringLiteral("@"), made.path() + '/');
    QDir(made.path()).mkdir(QStringLiteral("in"));
    for (const QFileInfo& f : QDir(s_journals).entryInfoList(QDir::Files))
      QFile::copy(f.filePath(), made.path() + QStringLiteral("/in/") + f.fileName());
    const Ran ran = runProgram(mode.program, words);
    static const QRegularExpression times(QStringLiteral(
        R"re((?:\b(?:in|after|took)(?: +|</th><td class="l">)[0-9.,]+ (?:µs|ms|s|min)(?:, [0-9.]+ MiB)?)|(?:"elapsed_s": ?[0-9.e-]+(?:,\s*"peak_memory_bytes": \d+)?))re"));
    Result r{ran.code, {}, ran.err, {}};
    const auto settled = [&](QString text) {
      return text.replace(made.path(), QString()).replace(times, QStringLiteral("…"));
    };
    r.text = settled(ran.out) + QStringLiteral("\n--\n") + settled(ran.err);
    std::function<void(const QString&)> collect = [&](const QString& folder) {
      for (const QFileInfo& f :
           QDir(folder).entryInfoList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)) {
        if (f.isDir()) {
          collect(f.filePath());
          continue;
        }
        QFile file(f.filePath());
        // A PDF holds the time at which it was made.
        if (file.open(QIODevice::ReadOnly))
          r.files[f.filePath().mid(made.path().size())] =
              f.suffix() == "pdf" ? QByteArray() : settled(QString::fromUtf8(file.readAll())).toUtf8();
      }
    };
    collect(made.path());
    return r;
  }

  inline static QString s_journals;

private slots:
  void initTestCase() {
    const auto put = [&](const QString& name, const QByteArray& text) {
      QFile f(given(name));
      QVERIFY(f.open(QIODevice::WriteOnly) && f.write(text) == text.size());
    };
    s_journals = given("journals");
    QVERIFY(QDir(m_given.path()).mkdir("journals"));
    const QString teaching = sample("teaching-6-layers-2x2");
    QCOMPARE(run({"solve", teaching, "-o", given("plan.json")}).code, 0);
    QCOMPARE(run({"sweep", teaching, "--set", "job.global_batch=8", "-o", s_journals + "/j"}).code, 0);
    for (const char* shard : {"1/2", "2/2"})
      QCOMPARE(run({"study", "scaling", teaching, "--from", "4", "--to", "8", "-o", s_journals + "/c",
                    "--shard", shard})
                   .code,
               0);
    put("optima.json", R"({"rows": [[1, 2, 1.0, 2]], "infeasible": []})");
    put("sweep.json",
        R"({"sets": [{"id": "x", "program": "scaling-2023", "device": "a100-80", "model": {"model_type": "llama",
      "hidden_size": 2048, "num_hidden_layers": 16, "intermediate_size": 8192, "num_attention_heads": 32, "vocab_size": 32000,
      "max_position_embeddings": 4096}, "seq": 4096, "global_batch": 64, "columns": ["tp", "pp", "dp", "microbatch", "step_s"],
      "rows": [[1, 2, 4, 1, 1], [1, 4, 2, 1, 1]]}]})");
    put("runs.json",
        R"({"sets": [{"id": "r", "program": "scaling-2023", "source": "s", "flash": true, "device": "A100 80GB",
      "hidden": 4096, "heads": 32, "layers": 32, "vocab": 32000, "seq": 2048, "convention": "model",
      "columns": ["gpus", "t", "p", "global_batch", "microbatch", "iter_s"], "rows": [[8, 1, 1, 64, 1, 10]]}]})");
    put("class.answers.json",
        R"({"format": "nest-lesson-answers", "version": 1, "student": "4711", "lessons": [
      {"lesson": "class-03-the-bubble", "answers": [{"question": "gpipe", "given": [2], "hints": 1}]}]})");
    QFile lesson(QStringLiteral(NEST_SOURCE_DIR "/resources/lessons/class-03-the-bubble.json"));
    QVERIFY(lesson.open(QIODevice::ReadOnly));
    put("own.lesson.json", lesson.readAll());
    put("tables.json", R"({"h100_readme": [{"model": "bert", "devices": 64, "Manual": 2, "NEST": 3}]})");
  }

  void eachOptionDoesSomethingOrIsRefused_data() {
    QTest::addColumn<QString>("program");
    QTest::addColumn<QString>("command");
    QTest::addColumn<QStringList>("words");
    const QString s = sample("teaching-6-layers-2x2"), plan = given("plan.json");
    const QString data = QStringLiteral(NEST_SOURCE_DIR "/tests/data/"),
                  samples = QStringLiteral(NEST_SOURCE_DIR "/samples/");
    const auto mode = [](const char* command, const QStringList& words, const char* program = "nest-plan") {
      QTest::addRow("%s %s %s", program, command, qPrintable(words.join(' ').right(60)))
          << QString(program) << QString(command) << words;
    };
    mode("solve", {s});
    mode("solve", {sample("llama2-7b-h100-128"), "--json"});  // whose front is wider than what is met
    mode("solve", {s, "-o", "@plan.json"});
    mode("evaluate", {s, plan});
    mode("evaluate", {s, plan, "--measured", "500ms"});
    mode("compare", {s, "--walks", "1", "--steps", "5"});
    mode("compare", {s, "--only", "Manual"});
    mode("why", {s});
    mode("why", {s, "tp=2"});
    mode("improve", {s, "--field", "cluster.levels.1.bandwidth"});
    mode("failures", {sample("three-offers-three-jobs")});
    mode("failures", {sample("three-offers-three-jobs"), "--lost", "host0"});
    mode("matrix", {sample("three-offers-three-jobs")});
    mode("lessons check", {"class-03-the-bubble"});
    mode("lessons sheet", {"class-03-the-bubble"});
    mode("grade", {given("class.answers.json")});
    mode("inverse", {s, "--time", "1s"});
    mode("inverse", {s, "--devices"});
    mode("check", {s});
    mode("import", {samples + "topologies/rails.dot", samples + "models/llama-3-8b.json"});
    mode("import", {"--into", s, "--batch", "32"});
    mode("import", {samples + "topologies/tree.topology.conf", samples + "models/llama-3-8b.json"});
    mode("export", {s, "--as", "megatron"});
    mode("export", {s, plan, "--as", "rankfile"});
    mode("export", {s, "--as", "folder", "-o", "@launch"});
    mode("export", {s, "--as", "scenario"});
    mode("report", {s, "-o", "@report.html"});
    mode("report", {s, sample("llama2-7b-h100-128"), "-o", "@difference.html"});
    mode("fields", {});
    mode("fields", {"--schema"});
    mode("sweep", {s, "--set", "job.global_batch=8,16"});
    mode("sweep",
         {s, "--set", "job.global_batch=8,16", "-o", "@b", "--threads", "1"});  // rows in their order
    mode("sweep", {"--merge", "@in/j.jsonl", "-o", "@b"});
    mode("study scaling", {s, "--from", "4", "--to", "8"});
    mode("study scaling", {s, "--from", "4", "--to", "8", "-o", "@b", "--threads", "1"});
    mode("study scaling", {s, "--from", "4", "--to", "8", "-o", "@in/c", "--merge"});
    mode("study validation", {given("runs.json")});
    mode("study validation", {given("runs.json"), "--json"});
    mode("study ranking", {given("sweep.json")});
    mode("study piper", {data + "piper/two.json", "--optima", given("optima.json")});
    mode("study paper", {"--model", "BERT-large", "--devices", "64", "--json"});
    mode("", {"--write-manual", "@m"});
    mode("", {"--version"});
    mode("", {"--export", "@out", s, "--view", "stages"}, "nest-explorer");
    mode("", {"--report", "@page.html", s}, "nest-explorer");
    mode("", {"--thumbnail", "@t.png", s}, "nest-explorer");
    mode("", {"--write-manual", "@m"}, "nest-explorer");
    mode("", {"--version"}, "nest-explorer");
  }
  void eachOptionDoesSomethingOrIsRefused() {
    QFETCH(QString, program);
    QFETCH(QString, command);
    QFETCH(QStringList, words);
    if (program == "nest-explorer" && !QFile::exists(QStringLiteral(NEST_BINARY_DIR "/nest-explorer")))
      QSKIP("nest-explorer is not built");
    const Mode mode{program, command, words};
    const QMap<QString, QStringList> values = {{"--output", {"@x"}},
                                               {"--program", {"nemo-2024"}},
                                               {"--deadline", {"0.000001"}},
                                               {"--work-limit", {"0"}},
                                               {"--measured", {"700ms"}},
                                               {"--level", {command == "import" ? "1=70GB/s,3us" : "1"}},
                                               {"--calibrated", {"@c.nest.json"}},
                                               {"--only", {"PipeDream"}},
                                               {"--manual", {"t=2,p=2"}},
                                               {"--seed", {"3"}},
                                               {"--walks", {"2"}},
                                               {"--free-hosts", {"host999"}},
                                               {"--taken-hosts", {"host1"}},
                                               {"--plan-on", {"all"}},
                                               {"--steps", {"6"}},
                                               {"--depth", {"1"}},
                                               {"--term", {"memory"}},
                                               {"--by", {command == "matrix" ? "energy" : "50"}},
                                               {"--lost", {"host0/1"}},
                                               {"--confidence", {"50"}},
                                               {"--flip", {"run.price_per_device_hour"}},
                                               {"--lesson", {given("own.lesson.json")}},
                                               {"--student", {"4711"}},
                                               {"--field", {"job.sequence_length"}},
                                               {"--time", {"2s"}},
                                               {"--most", {"1"}},
                                               {"--into", {sample("gpt3-175b-h100-1024")}},
                                               {"--device", {"a100-80"}},
                                               {"--network", {"host:4@100GB/s"}},
                                               {"--hosts", {"a=" + given("plan.json")}},
                                               {"--devices-per-host", {"4"}},
                                               {"--devices", {"128"}},
                                               {"--batch", {"64"}},
                                               {"--sequence", {"1024"}},
                                               {"--as", {"hostfile"}},
                                               {"--for", {"torchtitan"}},
                                               {"--cores-per-host", {"64"}},
                                               {"--set", {"job.sequence_length=1024"}},
                                               {"--shard", {"1/2"}},
                                               {"--submit", {"slurm"}},
                                               {"--tasks", {"2"}},
                                               {"--sbatch", {"--partition=x"}},
                                               {"--threads", {"1"}},
                                               {"--published", {given("tables.json")}},
                                               {"--model", {"Llama-2 7B"}},
                                               {"--csv", {"@t.csv"}},
                                               {"--from", {"8"}},
                                               {"--to", {"4"}},
                                               {"--optima", {"/nowhere"}},
                                               {"--seconds", {"0.000001"}},
                                               {"--export", {"@e"}},
                                               {"--report", {"@r.html"}},
                                               {"--theme", {"dark"}},
                                               {"--view", {"memory"}},
                                               {"--size", {"700x500"}},
                                               {"--thumbnail", {"@u.png"}},
                                               {"--pixels", {"64"}},
                                               {"--write-manual", {"@n"}},
                                               {"--log-level", {"debug"}},
                                               {"--log-file", {"@log"}}};
    // Of these the result is the same; how it comes about is not. They are refused where nothing is solved.
    const QStringList silent = {"--threads", "--restart"};
    const bool solves = (command == "sweep" || command == "matrix" || command.startsWith("study")) &&
                        !words.contains("--merge");

    const Result plain = result(mode, {});
    QVERIFY2(plain.code == 0, qPrintable(plain.text));
    QVERIFY2(result(mode, {}) == plain, "a run differs from itself, so that nothing can be told by it");
    QString help = runProgram(program, command.split(' ', Qt::SkipEmptyParts) + QStringList{"--help"}).out;
    if (program == "nest-plan" && command.isEmpty()) help.truncate(help.indexOf("Every command takes"));
    const QList<Option> options = optionsIn(help);
    QVERIFY(!options.isEmpty() || command == "formats");
    QStringList ignored;
    for (const Option& o : options) {
      if (o.name == "--help" || words.contains(o.name) || (o.name == "--output" && words.contains("-o")))
        continue;
      if (o.takesValue && !values.contains(o.name)) {
        ignored += o.name + " has no value to try";
        continue;
      }
      const Result with = result(mode, QStringList{o.name} + values.value(o.takesValue ? o.name : QString()));
      const bool refused = with.code == 2 && with.err.contains(o.name);
      if (silent.contains(o.name) && solves && with.code == 0) continue;
      if (!refused && with == plain) ignored += o.name;
    }
    QVERIFY2(ignored.isEmpty(), qPrintable(ignored.join(", ")));
  }

  /// No command is left out above.
  void everyCommandIsTried() {
    const QString help = run({"--help"}).out;
    static const QRegularExpression line("^  ([a-z]+)  ", QRegularExpression::MultilineOption);
    const QString commands = help.mid(help.indexOf("Commands:")).section("\n\n", 0, 0);
    const QString own = QString::fromUtf8([] {
      QFile f(QStringLiteral(NEST_SOURCE_DIR "/tests/app/test_options.cpp"));
      return f.open(QIODevice::ReadOnly) ? f.readAll() : QByteArray();
    }());
    int count = 0;
    for (auto it = line.globalMatch(commands); it.hasNext(); ++count) {
      const QString name = it.next().captured(1);
      if (name == "formats") continue;  // it has no options
      QVERIFY2(own.contains("mode(\"" + name), qPrintable(name));
    }
    QVERIFY(count > 10);
  }
};
NEST_TEST(TestOptions)
#include "test_options.moc"
