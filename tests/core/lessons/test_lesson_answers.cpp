#include <QtTest/QTest>

#include "lesson_texts.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_check.h"

using namespace nest;
using namespace nest::test;

namespace {

LessonAnswer given(const char* question, std::vector<double> values, int hints = 0) {
  return {question, std::move(values), hints, false};
}

}  // namespace

class TestLessonAnswers : public QObject {
  Q_OBJECT
private slots:
  void answersAreGraded() {
    const auto lesson = readOwnLesson(lessonWith(R"j("steps": [
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

  /// An option is named by its letter, where a text says what is right.
  void optionsAreNamedByLetters() {
    const auto lesson = readOwnLesson(lessonWith(R"j("steps": [
      {"kind": "choose", "id": "pp", "text": "x", "options": [{"text": "a", "right": "base.pp == 1"}, {"text": "b", "right": "base.pp == 2"}]},
      {"kind": "reveal", "of": "pp", "text": "You said {said}; {right} is right, of {base.pp} stages."}])j"));
    QVERIFY2(lesson, firstError(lesson.diagnostics).c_str());
    const auto sheet = lessonSheet(*lesson, {}, "");
    QVERIFY2(sheet, firstError(sheet.diagnostics).c_str());
    QVERIFY2(sheet->find("You said …; B is right, of 2 stages.") != std::string::npos, sheet->c_str());
    QCOMPARE(optionLetter(1), std::string("A"));
    QCOMPARE(optionLetter(0), std::string("?"));
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
    QCOMPARE(readOwnLesson(lessonWith(R"("cases": {"b": {}, "a": {}}, )" + std::string(kQuestion)))
                 ->cases.front()
                 .name,
             std::string("b"));
    const auto sheet = lessonSheet(*lesson, {}, "4711");
    QVERIFY2(sheet, firstError(sheet.diagnostics).c_str());
    for (const char* line :
         {"these are for \"4711\"", "carries 2 GB/s", "You said …; it is 509 ms.", "**Right:** 509 ms",
          "| slow | fast, `cluster.levels.1.bandwidth_bytes_per_s = \"{speed * 1e9}\"` | TP2+SP · PP2 · DP1 "
          "· MBS1 "
          "| 509 ms | 2.48 GiB of 3 GiB |"})
      QVERIFY2(sheet->find(line) != std::string::npos, line);
    const std::string page = readFile(folder + "README.md");
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
      const auto sheet = readAnswers(readFile(kLessonSource + "/tests/data/lessons/" + file), file);
      QVERIFY2(sheet, firstError(sheet.diagnostics).c_str());
      LessonSolver solver(*lesson, variablesOf(*lesson, sheet->student), {});
      const auto graded = gradeLesson(sheet->lessons.front(), sheet->student, file, solver);
      QVERIFY2(graded, firstError(graded.diagnostics).c_str());
      all.push_back(*graded);
    }
    QCOMPARE(answersCsv(all), std::string("student,lesson,question,answer,right_answer,points,of\n"
                                          "4711,slow-link,slower,509 ms,509 ms,2,2\n"
                                          "Åsa B.,slow-link,slower,608 ms,544 ms,0,2\n"));
    const auto hostile = readAnswers(readFile(kLessonSource + "/tests/data/lessons/hostile.answers.json"),
                                     "hostile.answers.json");
    QVERIFY(!hostile);
    std::string errors;
    for (const Diagnostic& d : hostile.diagnostics) errors += toText(d) + "\n";
    for (const char* at :
         {":4:", "/lessons/0/step", "/lessons/0/answers/0/given", "/lessons/0/answers/0/hints",
          "/lessons/1/lesson", "/lessons/1/finished", "/lessons/2/points", "/lessons/2/answers/0/given"})
      QVERIFY2(errors.find(at) != std::string::npos, at);
  }
};
NEST_TEST(TestLessonAnswers)
#include "test_lesson_answers.moc"
