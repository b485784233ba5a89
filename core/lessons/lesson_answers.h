#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "lessons/lesson.h"
#include "lessons/lesson_solver.h"

namespace nest {

/// What a student answered to one question, and locked.
struct LessonAnswer {
  std::string question;
  std::vector<double>
      given;             ///< Choose: the option, from 1; Number: in the unit; Draw: every bar, in the unit
  int hints = 0;         ///< that were opened before
  bool skipped = false;  ///< `given` is empty

  friend bool operator==(const LessonAnswer&, const LessonAnswer&) = default;
};

/// How far one lesson was taken.
struct LessonProgress {
  std::string lesson, digest;
  int step = 0;  ///< the first that is not done
  bool finished = false;
  std::vector<LessonAnswer> answers;

  const LessonAnswer* answerTo(std::string_view question) const;
  friend bool operator==(const LessonProgress&, const LessonProgress&) = default;
};

/// A file of answers (*.answers.json, resources/schemas/answers.schema.json).
struct AnswerSheet {
  std::string student;  ///< letters, digits, blanks and . _ - @; may be empty
  std::vector<LessonProgress> lessons;

  LessonProgress* progressIn(std::string_view lesson);
  friend bool operator==(const AnswerSheet&, const AnswerSheet&) = default;
};
Reading<AnswerSheet> readAnswers(std::string_view text, const std::string& file);
std::string writeAnswers(const AnswerSheet&);
/// Whether a text may be a student's number or name: at most 64 letters, digits, blanks and . _ - @.
bool isStudentName(std::string_view);

/// What is right for a question, in SI units: Choose: the option, from 1; Number: one; Draw: one of each bar.
/// nullopt: it cannot be computed, `why` says so.
std::optional<std::vector<LessonValue>> rightAnswer(const LessonStep&, LessonSolver&, std::string& why);

/// As options of a question are named, from 1: "A".
std::string optionLetter(double option);
/// What texts say where no student has answered: "…", and an option by its letter.
LessonWords wordsWithoutAnswer(const LessonStep& question, const std::vector<LessonValue>& right);

struct Judged {
  double points = 0;
  double share = 0;         ///< of the answer that is right: 1, 0, or of the bars
  std::string said, right;  ///< as people read them
};
/// Each opened hint costs a tenth of the points. nullopt: the right answer cannot be computed.
std::optional<Judged> judge(const LessonStep&, const LessonAnswer&, LessonSolver&, std::string& why);

/// One line of the lecturer's table.
struct GradedLesson {
  std::string student, lesson, file;
  bool finished = false;
  double points = 0, of = 0;
  int hints = 0, skipped = 0;
  struct Question {
    std::string id, said, right;
    double points = 0, of = 0;
  };
  std::vector<Question> questions;  ///< all of the lesson, those not answered with an empty `said`
};
/// Errors: the sheet does not belong to the lesson, or an answer cannot be computed.
Reading<GradedLesson> gradeLesson(const LessonProgress&, const std::string& student, const std::string& file,
                                  LessonSolver&);
/// A row per student and lesson, sorted by both. Cells that a spreadsheet would run begin with a '.
std::string gradesCsv(std::vector<GradedLesson>);
/// A row per student, lesson and question.
std::string answersCsv(std::vector<GradedLesson>);

}  // namespace nest
