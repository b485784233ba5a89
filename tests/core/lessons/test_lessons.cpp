#include <QtTest/QTest>
#include <algorithm>
#include <set>

#include "lesson_texts.h"
#include "lessons/builtin_lessons.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_check.h"

using namespace nest;
using namespace nest::test;

namespace {

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
    const auto lesson = readOwnLesson(lessonWith(members.toStdString()));
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    std::string all;
    for (const Diagnostic& d : checkLesson(*lesson, {})) all += toText(d) + "\n";
    QVERIFY2(QString::fromStdString(all).contains(expected), all.c_str());
  }

  /// What expressions read is what the other commands print.
  void quantitiesAreThoseOfThePlan() {
    const auto lesson = readOwnLesson(lessonWith(
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
    QCOMPARE(text("{base.tp_traffic(1) > 0 MiB} {base.tp_traffic(2)} {base.pp_traffic(2) == base.traffic(2)} "
                  "{base.tp_traffic(1) + base.cp_traffic(1) + base.ep_traffic(1) + base.pp_traffic(1) + "
                  "base.dp_traffic(1) == base.traffic(1)}"),
             std::string("1 0 B 1 1"));
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
    const auto lesson = readOwnLesson(
        lessonWith(R"("variables": {"a": [1, 2, 3, 4, 5], "b": [10, 20]}, )" + std::string(kQuestion)));
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

  void oldLessonsAreRead() {
    const std::string old =
        R"({"title": "T", "about": "A", "sample": "teaching-6-layers-2x2.nest.json", "arrange": "explore",
      "steps": [{"text": "Click <b>stage 2</b>.", "view": "stages", "done": {"selected": ["stage 2"]}}]})";
    QVERIFY(isLesson(old));  // it is opened like those that name their format
    QVERIFY(!isLesson(R"({"title": "T", "about": "A", "layers": []})"));
    const auto lesson = readOwnLesson(old);
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    QCOMPARE(lesson->version, 1);
    QCOMPARE(lesson->id, std::string("own"));
    QCOMPARE(lesson->steps.front().done, std::string(R"({"selected":["stage 2"]})"));
  }
};
NEST_TEST(TestLessons)
#include "test_lessons.moc"
