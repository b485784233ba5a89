#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QTest>
#include <algorithm>
#include <set>

#include "files/file_reader.h"
#include "lessons/builtin_lessons.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_check.h"
#include "support/test_main.h"
#include "test_paths.h"

using namespace nest;

namespace {

/// A lesson on the teaching sample with these further members, "steps" among them.
std::string lessonWith(const std::string& members) {
  return R"({"format": "nest-lesson", "version": 2, "title": "T", "about": "A",
  "scenario": "teaching-6-layers-2x2.nest.json", )" +
         members + "}";
}

const std::string kLessonSource = NEST_SOURCE_DIR;

Reading<Lesson> lessonFile(const std::string& path) {
  return readLesson(test::readFile(path), path, loaderBeside(path));
}

const char* const kQuestion = R"("steps": [{"kind": "number", "id": "q", "text": "How long?",
  "answer": "base.step_time", "unit": "ms"}])";

Reading<Lesson> read(const std::string& text) {
  return readLesson(text, "own.lesson.json", {});
}

std::string firstError(const Diagnostics& all) {
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error) return toText(d);
  return {};
}

std::optional<LessonValue> value(const std::string& text, std::string* why = nullptr) {
  const auto parsed = Expression::parse(text, {});
  if (!parsed) return std::nullopt;
  std::string reason;
  const auto v = parsed->evaluate(
      [](const LessonName& n, const std::vector<double>& arguments,
         std::string& wrong) -> std::optional<LessonValue> {
        if (n.scope == "a" && n.name == "time") return LessonValue{0.5, ValueKind::Time};
        if (n.scope == "a" && n.name == "memory") return LessonValue{1024, ValueKind::Memory};
        if (n.scope == "a" && n.name == "of") return LessonValue{arguments.at(0)};
        if (n.name == "batch") return LessonValue{8};
        wrong = "unknown";
        return std::nullopt;
      },
      reason);
  if (why) *why = reason;
  return v;
}

LessonAnswer given(const char* question, std::vector<double> values, int hints = 0) {
  return {question, std::move(values), hints, false};
}

}  // namespace

class TestLessons : public QObject {
  Q_OBJECT
private slots:
  void builtinLessonsAreRight_data() {
    QTest::addColumn<int>("lesson");
    std::size_t lessons = 0, tasks = 0;
    for (const Lesson& l : builtinLessons()) {
      const auto questions = static_cast<std::size_t>(std::count_if(
          l.steps.begin(), l.steps.end(), [](const LessonStep& step) { return step.isQuestion(); }));
      lessons += l.id.starts_with("class-") && questions >= 3;
      tasks += l.id.starts_with("task-") ? questions : 0;
    }
    QVERIFY(lessons >= 10);
    QVERIFY(tasks >= 30);
    for (std::size_t i = 0; i < builtinLessons().size(); ++i)
      QTest::newRow(builtinLessons()[i].id.c_str()) << static_cast<int>(i);
  }
  /// Every number, answer and condition, with the solver of today.
  void builtinLessonsAreRight() {
    QFETCH(int, lesson);
    const Lesson& l = builtinLessons()[static_cast<std::size_t>(lesson)];
    for (const Diagnostic& d : checkLesson(l, sampleLoader())) QFAIL(toText(d).c_str());
    if (l.version == 1) return;
    if (l.id.starts_with("class-")) QVERIFY(lessonSheet(l, sampleLoader()));
    // Whoever answers what is right gets all points, whoever answers nothing gets none.
    const LessonVariables variables = variablesOf(l, "4711");
    LessonSolver solver(l, variables, sampleLoader());
    LessonProgress all{l.id, l.digest, static_cast<int>(l.steps.size()), true, {}};
    const LessonProgress none{l.id, l.digest, 0, false, {}};
    for (const LessonStep& step : l.steps) {
      if (!step.isQuestion()) continue;
      std::string why;
      const auto right = rightAnswer(step, solver, why);
      QVERIFY2(right, why.c_str());
      std::vector<double> values;
      for (const LessonValue& v : *right) values.push_back(v.value / step.unit.scale);
      all.answers.push_back(given(step.id.c_str(), values));
    }
    const auto best = gradeLesson(all, "4711", "", solver), worst = gradeLesson(none, "4711", "", solver);
    QVERIFY(best && worst && l.points() > 0);
    QCOMPARE(best->points, l.points());
    QCOMPARE(worst->points, 0.0);
    // A question is followed by what shows its answer.
    for (std::size_t k = 0; k < l.steps.size(); ++k)
      if (l.steps[k].isQuestion()) {
        QVERIFY2(k + 1 < l.steps.size() && l.steps[k + 1].of == l.steps[k].id, l.steps[k].id.c_str());
        QVERIFY2(!l.steps[k].solution.empty() && l.steps[k].hints.size() >= 2, l.steps[k].id.c_str());
      }
  }

  void expressions() {
    const auto is = [](const char* text, double expected, ValueKind kind = ValueKind::Number) {
      const auto v = value(text);
      return v && std::abs(v->value - expected) < 1e-12 * std::max(1.0, std::abs(expected)) &&
             v->kind == kind;
    };
    QVERIFY(is("1 + 2 * 3", 7));
    QVERIFY(is("(1 + 2) * -3 / 2", -4.5));
    QVERIFY(is("8 - 3 - 2", 3));
    QVERIFY(is("a.time * 2 + 250 ms", 1.25, ValueKind::Time));
    QVERIFY(is("a.time / 250 ms", 2));
    QVERIFY(is("2 GiB - a.memory", 2.0 * 1024 * 1024 * 1024 - 1024, ValueKind::Memory));
    QVERIFY(is("5 % + batch", 8.05, ValueKind::Share));
    QVERIFY(is("max(1, batch, 3) + min(4, 2) + abs(-1) + round(2.4)", 13));
    QVERIFY(is("if(batch > 4, 1, a.nothing)", 1));
    QVERIFY(is("not (batch == 8) or 1 < 2 and 0.1 + 0.2 == 0.3", 1));
    QVERIFY(is("a.of(3) >= 3", 1));
    QVERIFY(is("0.3 > 0.1 + 0.2", 0));
    for (const char* bad :
         {"", "1 +", "(1", "1 2", "a.", "min()", "sqrt(1, 2)", "1 ; 2", "a..b", "Batch", "1e999"})
      QVERIFY2(!Expression::parse(bad, {}), bad);
    QVERIFY(!Expression::parse(std::string(2000, '('), {}));
    QVERIFY(!Expression::parse(std::string(900, '-') + "1", {}));
    QVERIFY(!Expression::parse(std::string(100, '(') + "1" + std::string(100, ')'), {}));
    std::string why;
    QVERIFY(!value("a.time + a.memory", &why));
    QCOMPARE(why, std::string("\"a.time + a.memory\" puts a time against an amount of memory"));
    QVERIFY(!value("1 / 0"));
    QVERIFY(!value("a.nothing + 1", &why));
    QCOMPARE(why, std::string("unknown"));
  }

  void unitsAreReadAsPeopleTypeThem() {
    const LessonUnit ms = lessonUnit("ms"), gib = lessonUnit("GiB"), stages = lessonUnit("stages");
    QCOMPARE(readInUnit("412", ms), std::optional(412.0));
    QCOMPARE(readInUnit(" 0.5 s ", ms), std::optional(500.0));
    QCOMPARE(readInUnit("1,024 MiB", gib), std::optional(1.0));
    QCOMPARE(readInUnit("4 stages", stages), std::optional(4.0));
    QCOMPARE(readInUnit("25 %", lessonUnit("%")), std::optional(25.0));
    for (const char* bad : {"", "ms", "1 GiB", "x", "1 2", "nan", "1e999"})
      QVERIFY2(!readInUnit(bad, ms), bad);
    QCOMPARE(inUnit(3.25, gib), std::string("3.25 GiB"));
    QCOMPARE(valueText(LessonValue{1024}), std::string("1,024"));
    QCOMPARE(valueText(LessonValue{0.5}, "change"), std::optional<std::string>("+50 %"));
  }

  /// Every broken file is refused, with the place and what is allowed.
  void brokenLessonsAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* what, const std::string& text, const char* expected) {
      QTest::newRow(what) << QByteArray::fromStdString(text) << QString(expected);
    };
    const std::string step = R"({"kind": "do", "text": "x"})";
    row("not JSON", "{", "own.lesson.json:1:2: error");
    row("a list", "[]", "a lesson is a JSON object");
    row("deep", std::string(5000, '['), "");
    row("large", "{\"title\": \"" + std::string(2u << 20, 'x') + "\"}", "");
    row("version 3",
        R"({"version": 3, "title": "T", "about": "A", "scenario": "teaching-6-layers-2x2.nest.json", "steps": []})",
        "\"version\" is 3");
    row("no steps", lessonWith(R"("steps": [])"), "at least one step");
    row("unknown key", lessonWith("\"steps\": [" + step + R"(], "scren": {})"), "did you mean \"screen\"?");
    row("unknown kind", lessonWith(R"("steps": [{"kind": "ask", "text": "x"}])"),
        "do, choose, number, draw, reveal");
    row("unknown view", lessonWith(R"("steps": [{"kind": "do", "text": "x", "view": "stage"}])"),
        "\"stage\" is not known here");
    row("an image", lessonWith(R"("steps": [{"kind": "do", "text": "<img src='file:///etc/passwd'>"}])"),
        "only <b>, <i>, <code>");
    // The first brace is balanced for moc, which counts them in raw strings, too.
    row("open brace", lessonWith(R"("steps": [{"kind": "do", "text": "} {base.step_time"}])"), "has no }");
    row("bad form", lessonWith(R"("steps": [{"kind": "do", "text": "{base.step_time : hex}"}])"),
        "percent, change, times or number");
    row("unknown case", lessonWith(R"("steps": [{"kind": "do", "text": "{x.step_time}"}])"),
        "there is no case \"x\"");
    row("unknown quantity", lessonWith(R"("steps": [{"kind": "do", "text": "{base.steptime}"}])"),
        "there is no quantity \"steptime\"; did you mean \"step_time\"?");
    row("case misspelt",
        lessonWith(R"("cases": {"small": {}}, "steps": [{"kind": "do", "text": "{smal.step_time}"}])"),
        "there is no case \"smal\"; did you mean \"small\"?");
    row("no case named", lessonWith(R"("steps": [{"kind": "do", "text": "{step_time}"}])"),
        "write base.step_time");
    row("case from itself",
        lessonWith("\"cases\": {\"a\": {\"from\": \"b\"}, \"b\": {\"from\": \"a\"}}, \"steps\": [" + step +
                   "]"),
        "is made from itself");
    row("case name", lessonWith("\"cases\": {\"A b\": {}}, \"steps\": [" + step + "]"), "is not a name");
    row("case base", lessonWith("\"cases\": {\"base\": {}}, \"steps\": [" + step + "]"), "is taken");
    row("fields by hand",
        lessonWith(R"("cases": {"a": {"cut": [2, 3], "set": {"job.global_batch": 8}}}, "steps": [)" + step +
                   "]"),
        "not both");
    row("cut", lessonWith(R"("cases": {"a": {"cut": [1, 3]}}, "steps": [)" + step + "]"),
        "\"cut\" is [stage, layer]");
    row("schedule", lessonWith(R"("cases": {"a": {"schedule": "best"}}, "steps": [)" + step + "]"),
        "expected one of");
    row("variables", lessonWith(R"("variables": {"v": []}, "steps": [)" + step + "]"), "1 to 16 numbers");
    row("combinations",
        lessonWith(R"("variables": {"v": [1,2,3,4,5,6,7,8,9], "w": [1,2,3,4,5,6,7,8]}, "steps": [)" + step +
                   "]"),
        "more than 64 combinations");
    row("one option",
        lessonWith(
            R"("steps": [{"kind": "choose", "id": "q", "text": "x", "options": [{"text": "a", "right": "1"}]}])"),
        "at least 2 options");
    row("no answer", lessonWith(R"("steps": [{"kind": "number", "id": "q", "text": "x"}])"),
        "\"answer\" is missing");
    row("typed answer", lessonWith(R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": 12}])"),
        "\"answer\" must be a string");
    row("all given",
        lessonWith(
            R"("steps": [{"kind": "draw", "id": "q", "text": "x", "bars": [{"label": "a", "height": "1", "given": true}, {"label": "b", "height": "1", "given": true}]}])"),
        "every bar is given");
    row("no value", lessonWith("\"teachers\": null, \"steps\": [" + step + "]"),
        "/teachers: null is not a value");
    row("no name", lessonWith(R"("steps": [{"kind": "number", "id": "", "text": "x", "answer": "1"}])"),
        "\"\" is not a name");
    row("reveals the unnamed", lessonWith(R"("steps": [{"kind": "reveal", "of": "", "text": "x"}])"),
        "no question before this step");
    row("reached by nothing",
        lessonWith(R"("steps": [{"kind": "do", "text": "x", "until": "now.fits", "reached_by": ""}])"),
        "there is no case \"\"");
    row("reveals nothing", lessonWith(R"("steps": [{"kind": "reveal", "of": "q", "text": "x"}])"),
        "no question before this step");
    row("opens a plan by hand",
        lessonWith(R"("cases": {"a": {"cut": [2, 3]}}, "steps": [{"kind": "do", "text": "x", "case": "a"}])"),
        "cannot be opened");
    row("unreachable", lessonWith(R"("steps": [{"kind": "do", "text": "x", "until": "now.fits"}])"),
        "\"reached_by\" is missing");
    row("fields",
        lessonWith(R"("screen": {"fields": {"job.global_batch": [8, 4]}}, "steps": [)" + step + "]"),
        "by true or by [least, most]");
    row("scenario", R"({"version": 2, "title": "T", "about": "A", "scenario": "/etc/passwd", "steps": []})",
        "no such sample");
    row("many steps",
        lessonWith("\"steps\": [" +
                   [&] {
                     std::string s;
                     for (int i = 0; i < 61; ++i) s += (i ? "," : "") + step;
                     return s;
                   }() +
                   "]"),
        "more than 60 entries");
  }
  void brokenLessonsAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, expected);
    const auto lesson = read(text.toStdString());
    QVERIFY(!lesson);
    std::string all;
    for (const Diagnostic& d : lesson.diagnostics) all += toText(d) + "\n";
    QVERIFY2(QString::fromStdString(all).contains(expected), all.c_str());
    QVERIFY2(QString::fromStdString(firstError(lesson.diagnostics)).startsWith("own.lesson.json"),
             all.c_str());
  }

  /// What reads well and is wrong is found by solving.
  void wrongLessonsAreFound_data() {
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* what, const char* members, const char* expected) {
      QTest::newRow(what) << QByteArray(members) << QString(expected);
    };
    row("two right",
        R"("steps": [{"kind": "choose", "id": "q", "text": "x", "options": [{"text": "a", "right": "base.pp == 2"}, {"text": "b", "right": "base.tp == 2"}]}])",
        "more than one option is right");
    row("none right",
        R"("steps": [{"kind": "choose", "id": "q", "text": "x", "options": [{"text": "a", "right": "base.pp == 3"}, {"text": "b", "right": "base.tp == 3"}]}])",
        "none of the options is right");
    row("false", R"("steps": [{"kind": "do", "text": "x", "holds": ["base.step_time > 1 s"]}])",
        "\"base.step_time > 1 s\" does not hold");
    row("unit",
        R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": "base.memory", "unit": "ms"}])",
        "is not measured in \"ms\"");
    row("no stage", R"("steps": [{"kind": "do", "text": "{base.load(3)}"}])", "there is no stage 3");
    row("no architecture needed", R"("steps": [{"kind": "do", "text": "{base.device_hours}"}])",
        "needs the number of training tokens");
    row("done before",
        R"("cases": {"a": {}}, "steps": [{"kind": "do", "text": "x", "until": "now.fits", "reached_by": "a"}])",
        "holds before anything was done");
    row("never done",
        R"("cases": {"a": {}}, "steps": [{"kind": "do", "text": "x", "until": "now.pp == 4", "reached_by": "a"}])",
        "does not hold in the case \"a\"");
    row("unknown field",
        R"("cases": {"a": {"set": {"job.batch": 8}}}, "steps": [{"kind": "do", "text": "x"}])",
        "scenarios have no field");
    row("bad value",
        R"("cases": {"a": {"set": {"job.global_batch": "eight"}}}, "steps": [{"kind": "do", "text": "x"}])",
        "/cases/a: \"global_batch\" must be a whole number");
    row("a view that is not there",
        R"("screen": {"views": ["memory"]}, "steps": [{"kind": "do", "text": "x", "view": "stages"}])",
        "the view \"stages\" does not exist in this step");
    row("a view that the step takes away",
        R"("steps": [{"kind": "do", "text": "x", "view": "stages", "screen": {"views": ["memory"]}}])",
        "the view \"stages\" does not exist in this step");
    row("unknown freedom",
        R"("screen": {"fields": {"job.batch": true}}, "steps": [{"kind": "do", "text": "x"}])",
        "the scenario has no field \"job.batch\"");
    row("cut", R"("cases": {"a": {"cut": [2, 99]}}, "steps": [{"kind": "do", "text": "x"}])",
        "no cut can stand there");
    row("gap",
        R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": "base.step_time", "unit": "ms"}, {"kind": "reveal", "of": "q", "text": "x", "gap": [{"when": "said > right", "text": "y"}]}])",
        "nothing is said about the answer");
    row("variable",
        R"("variables": {"b": [16, 7]}, "cases": {"a": {"set": {"job.global_batch": "{b}"}}}, "steps": [{"kind": "do", "text": "x", "holds": ["a.batch == 16"]}])",
        "(b = 7)");
    row("a warning",
        R"("cases": {"a": {"set": {"job.sequence_length": 4096, "cluster.device.memory_bytes": 80e9}}}, "steps": [{"kind": "do", "text": "x"}])",
        "the case \"a\": sequences of 4,096 tokens exceed the model's 2,048 positions");
    row("narrow",
        R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": "base.step_time", "unit": "ms", "tolerance": 0.001}])",
        "rounded to three digits");
  }
  void wrongLessonsAreFound() {
    QFETCH(QByteArray, members);
    QFETCH(QString, expected);
    const auto lesson = read(lessonWith(members.toStdString()));
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    std::string all;
    for (const Diagnostic& d : checkLesson(*lesson, {})) all += toText(d) + "\n";
    QVERIFY2(QString::fromStdString(all).contains(expected), all.c_str());
  }

  /// What expressions read is what the other commands print.
  void quantitiesAreThoseOfThePlan() {
    const auto lesson = read(lessonWith(
        R"("cases": {"left": {"cut": [2, 4]}, "more": {"cut": [2, 6]}, "gpipe": {"schedule": "gpipe"},
        "two": {"set": {"constraints.stages": 2, "constraints.tensor": 1, "search.zero_stages": [0], "cluster.device.memory_bytes": 16e9}},
        "run": {"set": {"job.training_tokens": 1e10, "run": {"device_failures_per_1000h": 0.5, "host_failures_per_1000h": 1,
          "detection_s": 60, "replacement_s": 300, "start_s": 60, "store_write_bandwidth_bytes_per_s": 1e9}}}}, )" +
        std::string(kQuestion)));
    QVERIFY(lesson);
    LessonSolver solver(*lesson, {}, {});
    const auto text = [&](const std::string& s) {
      std::string why;
      const auto parsed = LessonText::parse(s, {});
      return parsed ? parsed->filled(solver.lookup(), why).value_or("? " + why) : std::string("not a text");
    };
    QCOMPARE(text("{base.step_time} TP{base.tp} PP{base.pp} {base.memory} {base.idle} {base.fits}"),
             std::string("480 ms TP2 PP2 2.48 GiB 16.8 % 1"));
    QCOMPARE(text("{base.stage_layers(1) + base.stage_layers(2)} {base.layers}"), std::string("9 9"));
    // The table's first cell is the plan without what is counted once a step.
    QCOMPARE(text("{abs(base.best_from(1, 1) / base.step_time - 1) < 0.01}"), std::string("1"));
    QCOMPARE(text("{base.cost_of(1, 1, base.first_layer(2) - 1) == base.load(1)}"), std::string("1"));
    QCOMPARE(text("{left.step_time > base.step_time} {gpipe.in_flight(1)}"), std::string("1 16"));
    QCOMPARE(text("{base.reached(2, 2)} {base.reached(2, 5)} {base.lack_of(1, 1, 3)} {base.lack_of(1, 1, 8) "
                  "> 0 MiB}"),
             std::string("0 1 0 B 1"));
    // Stage 2 gets what stage 1 sends: 2,048 tokens × 2,048 numbers × 2 bytes, half of it on each device.
    QCOMPARE(text("{base.boundary(1)} {base.boundary(2)}"), std::string("4 MiB 0 B"));
    QCOMPARE(text("{base.bandwidth(1)} {base.bandwidth(2)} {base.group_devices(1)} {base.group_devices(2)}"),
             std::string("100 10 2 4"));
    QCOMPARE(text("{base.parameters} {base.active_parameters}"), std::string("434,661,376 434,661,376"));
    // Two replicas of a stage in one host: each sends its gradients once, at 100 GB/s.
    QCOMPARE(
        text("{base.exposed(1)} {two.dp} {abs(two.exposed(1) / (two.gradients(1) / 1 MiB * 1.048576 ms / "
             "100) - 1) < 0.001}"),
        std::string("0 s 2 1"));
    // Four devices at 0.5 and two hosts at 1 failure in 1,000 hours.
    QCOMPARE(text("{abs(run.failures / (4 * run.training_time / 3600000 s) - 1) < 0.01}"), std::string("1"));
    QCOMPARE(text("{abs(1e10 / run.tokens / ((run.training_time - run.lost_work_time - run.restart_time - "
                  "run.checkpoint_time) / 1 s) - 1) < 0.001} {run.checkpoint_interval > 0 s}"),
             std::string("1 1"));
    QCOMPARE(text("{base.failures}"), std::string("? failures needs failure rates and training tokens"));
    const std::set<std::string> ofRuns{"device_hours",        "training_time",  "failures",
                                       "checkpoint_interval", "lost_work_time", "restart_time",
                                       "checkpoint_time"};
    for (const LessonQuantity& q : lessonQuantities()) {
      if (ofRuns.contains(q.name)) continue;
      const std::string arguments = q.arguments.empty()                               ? ""
                                    : q.arguments == "stage, first layer, last layer" ? "(1, 1, 3)"
                                    : q.arguments == "stage, first layer"             ? "(1, 1)"
                                                                                      : "(1)";
      QVERIFY2(!text("{base." + q.name + arguments + "}").starts_with("?"), q.name.c_str());
    }
  }

  void variablesFollowTheStudentsNumber() {
    const auto lesson =
        read(lessonWith(R"("variables": {"a": [1, 2, 3, 4, 5], "b": [10, 20]}, )" + std::string(kQuestion)));
    QVERIFY(lesson);
    QCOMPARE(variablesOf(*lesson, "").at("a"), 1.0);
    // As on every other machine.
    std::string all;
    for (const char* student : {"s1234567", "s1234568", "7", "Åsa"})
      all += valueText(LessonValue{variablesOf(*lesson, student).at("a")}) + "/" +
             valueText(LessonValue{variablesOf(*lesson, student).at("b")}) + " ";
    QCOMPARE(all, std::string("5/20 3/20 2/10 3/20 "));
    QCOMPARE(allVariables(*lesson).size(), std::size_t(10));
  }

  void answersAreGraded() {
    const auto lesson = read(lessonWith(R"j("steps": [
      {"kind": "number", "id": "time", "text": "x", "answer": "base.step_time", "unit": "ms", "tolerance": 0.05, "points": 2},
      {"kind": "choose", "id": "pp", "text": "x", "options": [{"text": "a", "right": "base.pp == 1"}, {"text": "b", "right": "base.pp == 2"}]},
      {"kind": "draw", "id": "bars", "text": "x", "unit": "GiB", "tolerance": 0.1, "bars": [{"label": "1", "height": "base.stage_memory(1)"},
        {"label": "2", "height": "base.stage_memory(2)"}, {"label": "3", "height": "1 GiB", "given": true}]}])j"));
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    LessonSolver solver(*lesson, {}, {});
    std::vector<GradedLesson> all;
    const auto grade = [&](const char* student, std::vector<LessonAnswer> answers, bool finished) {
      const LessonProgress p{"own", lesson->digest, 3, finished, std::move(answers)};
      auto graded = gradeLesson(p, student, "x.json", solver);
      if (graded) all.push_back(*graded);
      return graded.diagnostics;
    };
    std::string why;
    const LessonStep& bars = lesson->steps[2];
    const auto right = rightAnswer(bars, solver, why);
    QVERIFY(right);
    const double gib = 1024.0 * 1024 * 1024;
    QVERIFY(grade("=cmd()",
                  {given("time", {480}), given("pp", {2}),
                   given("bars", {(*right)[0].value / gib, (*right)[1].value / gib, 1})},
                  true)
                .empty());
    QVERIFY(
        grade("b, \"c\"",
              {given("time", {503}, 2), given("pp", {1}), given("bars", {(*right)[0].value / gib, 99, 1})},
              true)
            .empty());
    LessonAnswer skipped;
    skipped.question = "time", skipped.skipped = true;
    QVERIFY(grade("a", {skipped}, false).empty());
    QCOMPARE(gradesCsv(all),
             std::string("student,lesson,finished,points,of,percent,answered,skipped,hints,file\n"
                         "'=cmd(),own,yes,4,4,100,3,0,0,x.json\n"
                         "a,own,no,0,4,0,0,1,0,x.json\n"
                         "\"b, \"\"c\"\"\",own,yes,2.1,4,52.5,3,0,2,x.json\n"));
    QVERIFY(answersCsv(all).find("a,own,time,,480 ms,0,2\n") != std::string::npos);
    // Answers to something else.
    QCOMPARE(grade("d", {given("nothing", {1})}, true).size(), std::size_t(1));
    QVERIFY(hasErrors(grade("d", {given("pp", {1, 2})}, true)));
    LessonProgress old{"own", "0", 3, true, {}};
    QCOMPARE(gradeLesson(old, "d", "x", solver).diagnostics.front().code, std::string("grade-digest"));
  }

  void answersSurviveTheirFile() {
    AnswerSheet sheet;
    sheet.student = "s1234567";
    LessonAnswer skipped;
    skipped.question = "b", skipped.skipped = true;
    sheet.lessons.push_back({"own", "ab", 4, true, {given("a", {0.1, 1e9, 3}, 2), skipped}});
    const std::string text = writeAnswers(sheet);
    const auto again = readAnswers(text, "a.json");
    QVERIFY2(again, firstError(again.diagnostics).c_str());
    QVERIFY(*again == sheet);
    for (
        const char* bad :
        {"{}", R"({"format": "nest-lesson-answers", "version": 1, "student": "<b>", "lessons": []})",
         R"({"format": "nest-lesson-answers", "version": 1, "student": null, "lessons": []})",
         R"({"format": "nest-lesson-answers", "version": 1, "student": "a", "lessons": [{"lesson": "x", "answers": [{"question": "q"}]}]})",
         R"({"format": "nest-lesson-answers", "version": 1, "student": "a", "lessons": [{"lesson": "x"}, {"lesson": "x"}]})",
         R"({"format": "nest-lesson-answers", "version": 1, "student": "a", "lessons": [{"lesson": "x", "answers": [{"question": "q", "given": ["1"]}]}]})",
         R"({"format": "nest-lesson-answers", "version": 1, "student": "a", "lessons": [{"lesson": "x", "answers": [{"question": "q", "given": [1], "hints": 4}]}]})"}) {
      const auto refused = readAnswers(bad, "a.json");
      QVERIFY2(!refused, bad);
      QVERIFY(firstError(refused.diagnostics).starts_with("a.json:"));
    }
    QVERIFY(!readAnswers(std::string(5000, '['), "a.json"));
  }

  /// The example of the page of help, which lecturers copy.
  void sampleLessonIsRight() {
    const std::string folder = kLessonSource + "/samples/lessons/";
    const auto lesson = lessonFile(folder + "slow-link.lesson.json");
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    for (const Diagnostic& d : checkLesson(*lesson, {})) QFAIL(toText(d).c_str());
    QCOMPARE(lesson->cases.front().name, std::string("fast"));  // as in the file
    QCOMPARE(
        read(lessonWith(R"("cases": {"b": {}, "a": {}}, )" + std::string(kQuestion)))->cases.front().name,
        std::string("b"));
    const auto sheet = lessonSheet(*lesson, {}, "4711");
    QVERIFY2(sheet, firstError(sheet.diagnostics).c_str());
    for (const char* line :
         {"these are for \"4711\"", "carries 2 GB/s", "You said …; it is 509 ms.", "**Right:** 509 ms",
          "| slow | fast, `cluster.levels.1.bandwidth_bytes_per_s = \"{speed * 1e9}\"` | TP2+SP · PP2 · DP1 "
          "· MBS1 "
          "| 509 ms | 2.48 GiB of 3 GiB |"})
      QVERIFY2(sheet->find(line) != std::string::npos, line);
    const std::string page = test::readFile(folder + "README.md");
    for (const char* named : {"slow-link.lesson.json", "nest-plan lessons check", "nest-plan lessons sheet",
                              "nest-plan lessons quantities", "nest-plan grade"})
      QVERIFY2(page.find(named) != std::string::npos, named);
  }

  /// Files of a class: the same table on every machine.
  void filesOfAnswersAreGraded() {
    const auto lesson = lessonFile(kLessonSource + "/samples/lessons/slow-link.lesson.json");
    QVERIFY(lesson);
    std::vector<GradedLesson> all;
    for (const char* file : {"right.answers.json", "wrong.answers.json"}) {
      const auto sheet = readAnswers(test::readFile(kLessonSource + "/tests/data/lessons/" + file), file);
      QVERIFY2(sheet, firstError(sheet.diagnostics).c_str());
      LessonSolver solver(*lesson, variablesOf(*lesson, sheet->student), {});
      const auto graded = gradeLesson(sheet->lessons.front(), sheet->student, file, solver);
      QVERIFY2(graded, firstError(graded.diagnostics).c_str());
      all.push_back(*graded);
    }
    QCOMPARE(answersCsv(all), std::string("student,lesson,question,answer,right_answer,points,of\n"
                                          "4711,slow-link,slower,509 ms,509 ms,2,2\n"
                                          "Åsa B.,slow-link,slower,608 ms,544 ms,0,2\n"));
    const auto hostile = readAnswers(
        test::readFile(kLessonSource + "/tests/data/lessons/hostile.answers.json"), "hostile.answers.json");
    QVERIFY(!hostile);
    std::string errors;
    for (const Diagnostic& d : hostile.diagnostics) errors += toText(d) + "\n";
    for (const char* at :
         {":4:", "/lessons/0/step", "/lessons/0/answers/0/given", "/lessons/0/answers/0/hints",
          "/lessons/1/lesson", "/lessons/1/finished", "/lessons/2/points", "/lessons/2/answers/0/given"})
      QVERIFY2(errors.find(at) != std::string::npos, at);
  }

  void hostileLessonsAreRefused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* what, const std::string& text, const char* expected) {
      QTest::newRow(what) << QByteArray::fromStdString(text) << QString(expected);
    };
    const std::string step = R"({"kind": "do", "text": "x"})";
    const auto repeated = [](int n, auto&& one) {
      std::string s;
      for (int i = 0; i < n; ++i) s += (i ? "," : "") + one(std::to_string(i));
      return s;
    };
    row("unknown condition",
        lessonWith(R"("steps": [{"kind": "do", "text": "x", "done": {"selcted": ["stage"]}}])"),
        "there is no condition \"selcted\"");
    row("no condition", lessonWith(R"("steps": [{"kind": "do", "text": "x", "done": {}}])"),
        "names no condition");
    row("deep", lessonWith("\"steps\": " + std::string(5000, '[') + std::string(5000, ']')), "nested");
    row("deep in a case",
        lessonWith("\"cases\": {\"a\": {\"set\": {\"x\": " + std::string(60, '[') + std::string(60, ']') +
                   "}}}, \"steps\": [" + step + "]"),
        "nested");
    row("large", lessonWith("\"steps\": [" + step + "]") + std::string(1 << 21, ' '), "1 MiB");
    row("many values",
        lessonWith("\"x\": [" + repeated(100001, [](auto&&) { return std::string("1"); }) + "]"),
        "100,000 values");
    row("huge number", lessonWith("\"minutes\": 1e999, \"steps\": [" + step + "]"), "number");
    row("huge points",
        lessonWith(
            R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": "1", "points": 1e300}])"),
        "\"points\"");
    row("endless expression",
        lessonWith("\"steps\": [{\"kind\": \"do\", \"text\": \"x\", \"holds\": [\"1" +
                   [] {
                     std::string s;
                     for (int i = 0; i < 300; ++i) s += " + 1";
                     return s;
                   }() +
                   "\"]}]"),
        "at most 1,000 characters");
    row("deep expression",
        lessonWith("\"steps\": [{\"kind\": \"do\", \"text\": \"{" + std::string(400, '(') + "1" +
                   std::string(400, ')') + "}\"}]"),
        "too many parentheses");
    row("long text",
        lessonWith("\"steps\": [{\"kind\": \"do\", \"text\": \"" + std::string(4001, 'x') + "\"}]"),
        "at most 4,000 characters");
    row("many fields",
        lessonWith("\"cases\": {\"a\": {\"set\": {" +
                   repeated(61, [](const std::string& i) { return "\"job.x" + i + "\": 1"; }) +
                   "}}}, \"steps\": [" + step + "]"),
        "at most 60 fields");
    row("many freedoms",
        lessonWith("\"screen\": {\"fields\": {" +
                   repeated(61, [](const std::string& i) { return "\"job.x" + i + "\": true"; }) +
                   "}}, \"steps\": [" + step + "]"),
        "at most 60 fields");
    row("cyclic case", lessonWith("\"cases\": {\"a\": {\"from\": \"a\"}}, \"steps\": [" + step + "]"),
        "is made from itself");
    for (const char* bad : {"<script>alert(1)</script>", "<a href='file:///etc/passwd'>x</a>",
                            "<b onclick=x>", "<B>", "<!--", "<x"}) {
      row(bad, lessonWith("\"steps\": [{\"kind\": \"do\", \"text\": \"" + std::string(bad) + "\"}]"),
          "only <b>, <i>, <code>");
      row(("hint " + std::string(bad)).c_str(),
          lessonWith("\"steps\": [{\"kind\": \"do\", \"text\": \"x\", \"hints\": [\"" + std::string(bad) +
                     "\"]}]"),
          "only <b>, <i>, <code>");
    }
    row("script in a title",
        std::string(
            "{\"version\": 2, \"title\": \"<script>\", \"about\": \"A\", \"scenario\": {}, \"steps\": [") +
            step + "]}",
        "one line of plain text");
    row("script in a label",
        lessonWith(
            R"("steps": [{"kind": "draw", "id": "q", "text": "x", "bars": [{"label": "<img>", "height": "1"}, {"label": "b", "height": "1"}]}])"),
        "one line of plain text");
    row("script in a unit",
        lessonWith(
            R"("steps": [{"kind": "number", "id": "q", "text": "x", "answer": "1", "unit": "<script>"}])"),
        "is not a unit");
    for (const char* path : {"/etc/passwd", "../above.nest.json", "x/../../above.nest.json"})
      row(path,
          "{\"version\": 2, \"title\": \"T\", \"about\": \"A\", \"scenario\": \"" + std::string(path) +
              "\", \"steps\": [" + step + "]}",
          "only files in its own folder");
    row("another format",
        "{\"format\": \"nest-plan\", \"version\": 2, \"title\": \"T\", \"about\": \"A\", \"scenario\": {}, "
        "\"steps\": [" +
            step + "]}",
        "\"nest-plan\" is not known here");
  }
  void hostileLessonsAreRefused() {
    QFETCH(QByteArray, text);
    QFETCH(QString, expected);
    QTemporaryDir dir;
    QVERIFY(QDir(dir.path()).mkdir("below"));
    QFile above(dir.filePath("above.nest.json"));
    QVERIFY(above.open(QIODevice::WriteOnly) && above.write("{}") == 2);
    const std::string file = dir.filePath("below/own.lesson.json").toStdString();
    const auto lesson = readLesson(text.toStdString(), file, loaderBeside(file));
    QVERIFY(!lesson);
    std::string all;
    for (const Diagnostic& d : lesson.diagnostics) all += toText(d) + "\n";
    QVERIFY2(QString::fromStdString(all).contains(expected), all.c_str());
  }

  /// What reads well may still name what it must not, or ask for more than there is time for.
  void hostileCasesAreRefused() {
    const auto first = [](const std::string& members, const Control& control = {}) {
      const auto lesson = read(lessonWith(members));
      return lesson ? firstError(checkLesson(*lesson, loaderBeside("own.lesson.json"), control))
                    : firstError(lesson.diagnostics);
    };
    const std::string step = R"("steps": [{"kind": "do", "text": "x"}])";
    for (const char* path : {"/etc/passwd", "../../../../../../../etc/passwd"}) {
      const std::string error = first("\"cases\": {\"a\": {\"set\": {\"model\": {\"path\": \"" +
                                      std::string(path) + "\"}}}}, " + step);
      QVERIFY2(error.find("only files in its own folder") != std::string::npos, error.c_str());
    }
    for (const char* value : {"1e300", "-1", "\"{1 / 0}\"", "\"{x}\"", "\"{\"", "[[[[]]]]", "null"})
      QVERIFY2(
          !first("\"cases\": {\"a\": {\"set\": {\"job.global_batch\": " + std::string(value) + "}}}, " + step)
               .empty(),
          value);
    Control spent;
    spent.work = std::make_shared<WorkLimit>(0);
    QVERIFY(first(step, spent).find("the search was stopped") != std::string::npos);
  }

  void oldLessonsAreRead() {
    const auto lesson = read(
        R"({"title": "T", "about": "A", "sample": "teaching-6-layers-2x2.nest.json", "arrange": "explore",
      "steps": [{"text": "Click <b>stage 2</b>.", "view": "stages", "done": {"selected": ["stage 2"]}}]})");
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    QCOMPARE(lesson->version, 1);
    QCOMPARE(lesson->id, std::string("own"));
    QCOMPARE(lesson->steps.front().done, std::string(R"({"selected":["stage 2"]})"));
  }
};
NEST_TEST(TestLessons)
#include "test_lessons.moc"
