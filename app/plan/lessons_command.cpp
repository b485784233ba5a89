#include <algorithm>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <set>

#include "commands.h"
#include "files.h"
#include "files/file_reader.h"
#include "lessons/builtin_lessons.h"
#include "lessons/lesson_answers.h"
#include "lessons/lesson_check.h"
#include "text/printable.h"
#include "text/text_table.h"
#include "units/text.h"

namespace nest::cli {
namespace {

/// A built-in lesson by its id, or a file. `load`: what the lesson's scenario names.
struct NamedLesson {
  std::optional<Lesson> lesson;
  ReferenceLoader load;
};
NamedLesson lessonCalled(const std::string& name) {
  if (const Lesson* known = builtinLesson(name)) return {*known, sampleLoader()};
  const auto text = readTextFile(name);
  if (!text) {
    Diagnostics wrong = text.diagnostics;
    for (Diagnostic& d : wrong)
      if (d.remedy.empty()) d.remedy = "name a file, or a lesson that nest-plan lessons list shows";
    return report(wrong), NamedLesson{};
  }
  NamedLesson out{std::nullopt, loaderBeside(name)};
  auto lesson = readLesson(*text, name, out.load);
  report(lesson.diagnostics);
  out.lesson = std::move(lesson.value);
  return out;
}

std::string pointsText(double points) {
  return valueText(LessonValue{points});
}

int listLessons(const Arguments&) {
  TextTable table({{"Lesson", TextTable::Align::Left},
                   {"Title", TextTable::Align::Left},
                   {"Questions"},
                   {"Points"},
                   {"Minutes"}});
  for (const Lesson& l : builtinLessons())
    table.add({l.id, l.title,
               std::to_string(std::count_if(l.steps.begin(), l.steps.end(),
                                            [](const LessonStep& s) { return s.isQuestion(); })),
               pointsText(l.points()), std::to_string(l.minutes)});
  return std::cout << table.text() << std::flush, kDone;
}

int listQuantities(const Arguments&) {
  TextTable table({{"Quantity", TextTable::Align::Left}, {"Meaning", TextTable::Align::Left}});
  for (const LessonQuantity& q : lessonQuantities())
    table.add({q.name + (q.arguments.empty() ? "" : '(' + q.arguments + ')'), q.meaning});
  return std::cout << table.text() << std::flush, kDone;
}

int checkLessons(const Arguments& args) {
  Diagnostics misuse;
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  Watch watch(limits);
  bool broken = false;
  for (const std::string& name : args.files) {
    const NamedLesson named = lessonCalled(name);
    const Diagnostics found =
        named.lesson ? checkLesson(*named.lesson, named.load, watch.control()) : Diagnostics{};
    if (watch.control().shouldStop()) return report(found), kStopped;
    report(found);
    broken = broken || !named.lesson || hasErrors(found);
    if (!named.lesson || hasErrors(found)) continue;
    const Lesson& l = *named.lesson;
    const auto count = [](long long n, const char* one, const char* more) {
      return text::count(n) + (n == 1 ? one : more);
    };
    std::cout << name << ": " << printable(l.title, false) << ": "
              << count(static_cast<long long>(l.steps.size()), " step, ", " steps, ")
              << count(static_cast<long long>(l.cases.size()) + 1, " plan, ", " plans, ")
              << pointsText(l.points()) << (l.points() == 1 ? " point" : " points") << '\n';
  }
  return std::cout << std::flush, broken ? kBadInput : kDone;
}

int printSheet(const Arguments& args) {
  const NamedLesson named = lessonCalled(args.files[0]);
  if (!named.lesson) return kBadInput;
  const std::string student = args.value("--student").value_or("");
  if (!isStudentName(student))
    return report({error("command-line", {}, "--student takes a number or name",
                         "at most 64 letters, digits, blanks and . _ - @")}),
           kBadInput;
  const auto sheet = lessonSheet(*named.lesson, named.load, student);
  report(sheet.diagnostics);
  if (!sheet) return kBadInput;
  const Diagnostics failed = writeTextFile(args.value("--output").value_or("-"), *sheet);
  return report(failed), failed.empty() ? kDone : kBadInput;
}

/// Lessons by id, and per set of variables what has been solved of them.
class Grader {
public:
  bool add(const std::string& file) {
    NamedLesson named = lessonCalled(file);
    if (!named.lesson) return false;
    m_lessons.push_back(std::move(named));
    m_unasked.insert(m_lessons.back().lesson->id);
    return true;
  }
  /// Lessons that were named and that no answers speak of.
  const std::set<std::string>& unasked() const { return m_unasked; }

  LessonSolver* solverOf(const std::string& lesson, const std::string& student, const Control& control) {
    m_unasked.erase(lesson);
    const NamedLesson* named = nullptr;
    for (const NamedLesson& l : m_lessons)
      if (l.lesson->id == lesson) named = &l;
    if (!named) {
      const Lesson* known = builtinLesson(lesson);
      if (!known) return nullptr;
      m_lessons.push_back({*known, sampleLoader()});
      named = &m_lessons.back();
    }
    const LessonVariables variables = variablesOf(*named->lesson, student);
    auto& solver = m_solvers[{lesson, variables}];
    if (!solver) solver = std::make_unique<LessonSolver>(*named->lesson, variables, named->load, control);
    return solver.get();
  }

private:
  std::list<NamedLesson> m_lessons;
  std::set<std::string> m_unasked;
  std::map<std::pair<std::string, LessonVariables>, std::unique_ptr<LessonSolver>> m_solvers;
};

int grade(const Arguments& args) {
  Diagnostics misuse;
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  Watch watch(limits);
  Grader grader;
  for (const std::string& file : args.values("--lesson"))
    if (!grader.add(file)) return kBadInput;
  std::vector<GradedLesson> all;
  bool broken = false;
  for (const std::string& path : args.files) {
    const auto text = readTextFile(path);
    if (!text) {
      report(text.diagnostics);
      broken = true;
      continue;
    }
    const auto sheet = readAnswers(*text, path);
    report(sheet.diagnostics);
    broken = broken || !sheet;
    if (!sheet) continue;
    for (const LessonProgress& progress : sheet->lessons) {
      LessonSolver* solver = grader.solverOf(progress.lesson, sheet->student, watch.control());
      if (!solver) {
        report({error("grade", {path, 0, 0, ""}, "there is no lesson \"" + progress.lesson + '"',
                      "name its file with --lesson")});
        broken = true;
        continue;
      }
      auto graded = gradeLesson(progress, sheet->student, path, *solver);
      if (watch.control().shouldStop()) return report(graded.diagnostics), kStopped;
      report(graded.diagnostics);
      broken = broken || !graded;
      if (graded) all.push_back(std::move(*graded.value));
    }
  }
  for (const std::string& id : grader.unasked())
    report({warning("grade", {}, "no answers were given to the lesson \"" + id + '"',
                    "lessons are matched by the name of their file")});
  const std::string table = args.has("--answers") ? answersCsv(std::move(all)) : gradesCsv(std::move(all));
  const Diagnostics failed = writeTextFile(args.value("--output").value_or("-"), table);
  report(failed);
  return broken || !failed.empty() ? kBadInput : kDone;
}

Command checkPart() {
  return {
      .name = "check",
      .summary = "compute every number and condition of lessons",
      .usage = {"LESSON…"},
      .description =
          R"(Reads lessons and solves every plan they speak of: each number in a text, each right answer and each condition is
computed, for every value of the lesson's variables. LESSON is a file or the name of a built-in lesson.
samples/lessons/README.md shows how to write one in twenty minutes.)",
      .options = withLimits({}),
      .exits = {{0, "all is right"}, {2, "something is not (says where and why)"}, {3, "stopped"}},
      .leastFiles = 1,
      .mostFiles = 1000,
      .run = checkLessons};
}

Command listPart() {
  return {.name = "list",
          .summary = "list the built-in lessons",
          .usage = {""},
          .description = "Lists the built-in lessons with the number of their questions and points.",
          .exits = {{0, "done"}, {2, "bad input"}},
          .run = listLessons};
}

Command quantitiesPart() {
  return {
      .name = "quantities",
      .summary = "list what expressions of lessons read",
      .usage = {""},
      .description =
          R"(Lists the quantities of a plan that answers and conditions are computed from. In a lesson each stands behind the name
of a case: base.step_time, zero3.load(2). Stages, layers and levels count from 1.)",
      .exits = {{0, "done"}, {2, "bad input"}},
      .run = listQuantities};
}

Command sheetPart() {
  return {
      .name = "sheet",
      .summary = "write the instructor's sheet of a lesson",
      .usage = {"LESSON"},
      .description =
          R"(Writes what a lesson asks, what is right with today's program and what to point out, as Markdown. LESSON is a file or
the name of a built-in lesson.)",
      .options = {{"--output", 'o', "FILE", "where the sheet goes (standard output)"},
                  {"--student", 0, "NUMBER", "with the numbers that this student gets"}},
      .exits = {{0, "done"}, {2, "bad input or unwritable output"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = printSheet};
}

}  // namespace

Command lessonsCommand() {
  return {.name = "lessons",
          .summary = "check lessons of your own, list those built in",
          .exits = {{0, "done"}, {2, "bad input"}},
          .parts = {checkPart(), listPart(), quantitiesPart(), sheetPart()}};
}

Command gradeCommand() {
  return {
      .name = "grade",
      .summary = "grade the answers of a class",
      .usage = {"ANSWERS…"},
      .description =
          R"(Reads files of answers that the window saved, computes what is right and writes a table: a row for each student and
lesson, the same on every machine. Answers are worth their points if they are within the lesson's tolerance; each opened
hint costs a tenth. Variables follow from the student's number.

A file of answers is plain text that its student can change: it does not prove who answered.)",
      .options =
          withLimits({{"--output", 'o', "FILE", "where the table goes (standard output)"},
                      {"--answers", 0, "", "a row for each question, with what was said and what is right"},
                      {"--lesson", 0, "FILE", "a lesson that is not built in; may be repeated", true}}),
      .exits = {{0, "done"}, {2, "a file is bad (the others are graded)"}, {3, "stopped"}},
      .leastFiles = 1,
      .mostFiles = 100000,
      .run = grade};
}

}  // namespace nest::cli
