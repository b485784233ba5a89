#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest/QTest>

#include "lesson_texts.h"
#include "lessons/lesson_check.h"

using namespace nest;
using namespace nest::test;

class TestHostileLessons : public QObject {
  Q_OBJECT
private slots:
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
    const auto lesson = readOwnLesson(text.toStdString());
    QVERIFY(!lesson);
    std::string all;
    for (const Diagnostic& d : lesson.diagnostics) all += toText(d) + "\n";
    QVERIFY2(QString::fromStdString(all).contains(expected), all.c_str());
    QVERIFY2(QString::fromStdString(firstError(lesson.diagnostics)).startsWith("own.lesson.json"),
             all.c_str());
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
      const auto lesson = readOwnLesson(lessonWith(members));
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
};
NEST_TEST(TestHostileLessons)
#include "test_hostile_lessons.moc"
