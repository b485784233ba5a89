#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "formats/scenario/scenario_json.h"
#include "lessons/expression.h"
#include "lessons/lesson_value.h"

namespace nest {

/// What stands in a text for the expressions "said" and "right"; empty: their values.
struct LessonWords {
  std::string said, right;
};

/// A text with <b>, <i>, <code> and <br>, in which "{zero3.step_time}" or "{a / b : percent}" stands for a
/// value.
class LessonText {
public:
  static Reading<LessonText> parse(std::string_view text, const Place& where);

  /// With values for the expressions. nullopt: one has none, `why` says so.
  std::optional<std::string> filled(const Expression::Lookup&, std::string& why,
                                    const LessonWords& = {}) const;
  bool empty() const { return m_parts.empty(); }
  const std::string& source() const { return m_source; }
  std::vector<const Expression*> expressions() const;

private:
  struct Asked {
    Expression value;
    std::string form;  ///< empty: as the value's kind is shown
  };
  std::string m_source;
  std::vector<std::variant<std::string, Asked>> m_parts;
};

/// A number that differs from student to student.
struct LessonVariable {
  std::string name;
  std::vector<double> values;
};
using LessonVariables = std::map<std::string, double>;

/// A plan that a lesson speaks of: the best one of its scenario with some fields changed, or such a plan with
/// something changed by hand.
struct LessonCase {
  std::string name;
  std::string from = "base";  ///< the case that this one changes
  /// Fields by the keys of nest-plan fields, and JSON texts; in strings {expressions} of variables.
  std::vector<std::pair<std::string, std::string>> set;
  std::optional<std::pair<int, int>> cut;  ///< by hand: this stage begins at that layer; both from 1
  std::string schedule;                    ///< by hand: the same plan under this one; empty: its own
  Place where;

  bool isByHand() const { return cut || !schedule.empty(); }
};
inline constexpr std::string_view kBaseCase = "base";  ///< the scenario as it is
inline constexpr std::string_view kPresentCase =
    "now";  ///< the plan that is open, in conditions of something to do

/// A field that may be changed in a step.
struct LessonFreedom {
  std::string field;  ///< key of nest-plan fields
  std::optional<double> least, most;
};

/// What of the window a step shows. Unset: all of it.
struct LessonScreen {
  std::optional<std::vector<std::string>> views;     ///< by their ids
  std::optional<std::vector<LessonFreedom>> fields;  ///< that may be changed; empty: none
};

enum class StepKind { Do, Choose, Number, Draw, Reveal };
const char* nameOf(StepKind);

struct LessonOption {
  LessonText text;
  Expression right;
};
struct LessonBar {
  std::string label;
  Expression height;
  bool isGiven = false;  ///< shown from the start
};
/// What is said about an answer to which a condition applies: the first whose condition holds.
struct LessonGap {
  std::optional<Expression> when;  ///< over `said` and `right`; unset: always
  LessonText text;
};

struct LessonStep {
  StepKind kind = StepKind::Do;
  std::string id;  ///< of questions: names the answer in files of answers
  LessonText text;
  std::string view;  ///< id of the view in which it is done or seen; empty: none
  std::string
      point;  ///< what is ringed there: the object name of a control or the name of an item ("stage 2")
  std::string setsCase;  ///< the scenario becomes that of this case when the step begins; empty: it stays
  std::vector<LessonText> hints;
  std::optional<LessonScreen> screen;               ///< instead of the lesson's
  std::vector<std::pair<Expression, Place>> holds;  ///< what the text says; nest-plan lessons check asks
  double points = 1;                                ///< of questions
  LessonText solution;                              ///< for the instructor's sheet
  Place where;

  // Do; with neither, it is read and goes on when the student says so
  std::string done;                 ///< what the window checks (JSON), see ui/lessons/lesson_scene.h
  std::optional<Expression> until;  ///< over `now` and the cases
  std::string reachedBy;            ///< a case with which `until` holds

  // Choose
  std::vector<LessonOption> options;

  // Number, Draw
  std::optional<Expression> answer;
  LessonUnit unit;
  double tolerance = 0.05;  ///< relative
  double absolute = 0;      ///< or within this, in the unit
  std::vector<LessonBar> bars;

  // Reveal
  std::string of;  ///< the question whose answer is shown
  std::vector<LessonGap> gaps;

  bool isQuestion() const {
    return kind == StepKind::Choose || kind == StepKind::Number || kind == StepKind::Draw;
  }
};

/// A way through the program, as data: resources/schemas/lesson.schema.json.
struct Lesson {
  int version = 2;
  std::string id;  ///< name of the file without .json
  std::string title, about;
  std::string scenario;           ///< text
  std::string scenarioFile;       ///< how the lesson names it; empty: it stands in the lesson
  std::string arrange = "teach";  ///< "explore" or "teach"
  int minutes = 10;
  LessonScreen screen;
  std::vector<LessonVariable> variables;
  std::vector<LessonCase> cases;
  std::vector<LessonStep> steps;
  LessonText teachers;  ///< for the instructor's sheet
  std::string file;     ///< empty: built in
  std::string digest;   ///< of its text and its scenario

  const LessonCase* caseNamed(std::string_view name) const;
  const LessonStep* stepNamed(std::string_view id) const;
  double points() const;  ///< of all questions
};

/// Reads a lesson (*.lesson.json or a built-in one). The scenario is a file that `load` reads, in the folder
/// of the lesson or below, or a built-in sample. Every error comes at once with its place. Files of version
/// 1, which have no "version", are read, too.
Reading<Lesson> readLesson(std::string_view text, const std::string& file, const ReferenceLoader& load);

/// Whether a JSON text says that it is a lesson, or has the keys of one of version 1.
bool isLesson(std::string_view text);

/// What a student's number makes of the variables: equal on every machine, and no secret. Empty: the first
/// value of each.
LessonVariables variablesOf(const Lesson&, std::string_view student);
/// Every combination that there is, those of the first value first.
std::vector<LessonVariables> allVariables(const Lesson&);

/// Ids of views that lessons may name.
const std::vector<std::string_view>& lessonViews();
/// What the window can judge of something to do, as ui/lessons/lesson_scene.h describes it.
const std::vector<std::string_view>& lessonConditions();

}  // namespace nest
