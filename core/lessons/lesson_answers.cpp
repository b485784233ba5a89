#include "lessons/lesson_answers.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "lessons/json_nulls.h"
#include "text/csv.h"
#include "text/json_fields.h"
#include "text/json_layout.h"
#include "text/json_text.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

constexpr JsonLimits kAnswerLimits{1u << 20, 12, 50'000};
constexpr std::size_t kMostLessons = 200, kMostAnswers = 60, kMostGiven = 12, kLongestId = 120;
constexpr double kHintCosts = 0.1;
constexpr const char* kAnswersFormat = "nest-lesson-answers";

class AnswerReader {
public:
  AnswerReader(const JsonText& text, Diagnostics& out) : m_text(text), m_out(out) {}

  AnswerSheet read() {
    JsonFields f(m_text, m_text.root(), "", m_out);
    f.requireKey("format", std::string("\"") + kAnswersFormat + '"');
    f.oneOf("format", {kAnswersFormat});
    f.requireKey("version", "1");
    f.integer("version", 1, 1);
    AnswerSheet sheet;
    sheet.student = f.string("student").value_or("");
    if (!isStudentName(sheet.student))
      f.report(Severity::Error, "answers", "student", "\"student\" is not a number or name",
               "at most 64 letters, digits, blanks and . _ - @");
    f.requireKey("lessons", "what was answered");
    std::set<std::string> seen;
    f.objects("lessons", kMostLessons, Severity::Error, [&](JsonFields& l, std::size_t) {
      LessonProgress p;
      l.requireKey("lesson", "its name");
      p.lesson = shortText(l, "lesson");
      p.digest = shortText(l, "digest");
      p.step = static_cast<int>(l.integer("step", 0, 1000).value_or(0));
      p.finished = l.boolean("finished").value_or(false);
      if (!seen.insert(p.lesson).second)
        l.report(Severity::Error, "answers", "lesson", "this lesson is there twice", "remove one of them");
      std::set<std::string> questions;
      l.objects("answers", kMostAnswers, Severity::Error, [&](JsonFields& a, std::size_t) {
        LessonAnswer one;
        a.requireKey("question", "the id of the question");
        one.question = shortText(a, "question");
        one.hints = static_cast<int>(a.integer("hints", 0, 3).value_or(0));
        one.skipped = a.boolean("skipped").value_or(false);
        if (const json* given = a.array("given")) {
          const bool numbers = std::all_of(given->begin(), given->end(), [](const json& v) {
            return v.is_number() && std::isfinite(v.get<double>());
          });
          if (!numbers || given->empty() || given->size() > kMostGiven)
            a.report(Severity::Error, "answers", "given", "\"given\" must hold 1 to 12 numbers");
          else
            one.given = given->get<std::vector<double>>();
        }
        if (one.skipped ? !one.given.empty() : one.given.empty())
          a.report(Severity::Error, "answers", "given",
                   one.skipped ? "a skipped question has no answer" : "the question has no answer",
                   "give \"given\" or \"skipped\"");
        if (!questions.insert(one.question).second)
          a.report(Severity::Error, "answers", "question", "this question is answered twice",
                   "remove one of the answers");
        p.answers.push_back(std::move(one));
      });
      sheet.lessons.push_back(std::move(p));
    });
    f.reportUnknown(Severity::Error);
    return sheet;
  }

private:
  std::string shortText(JsonFields& f, std::string_view key) {
    std::string s = f.string(key).value_or("");
    const bool isPlain =
        std::all_of(s.begin(), s.end(), [](char c) { return static_cast<unsigned char>(c) >= 32; });
    if (s.size() > kLongestId || !isPlain)
      f.report(Severity::Error, "answers", key, '"' + std::string(key) + "\" is not a name");
    return s;
  }
  const JsonText& m_text;
  Diagnostics& m_out;
};

double inUnitOf(const LessonStep& step, const LessonValue& v) {
  return v.value / step.unit.scale;
}

bool isNear(const LessonStep& step, double said, double right) {
  return std::abs(said - right) <= std::max(step.tolerance * std::abs(right), step.absolute) + 1e-12;
}

/// Points with two digits: sums of tenths would show how they were rounded.
std::string pointsText(double v) {
  const double rounded = std::round(v * 100) / 100;
  return text::exact(rounded);
}

void sortGrades(std::vector<GradedLesson>& all) {
  std::stable_sort(all.begin(), all.end(), [](const GradedLesson& a, const GradedLesson& b) {
    return std::tie(a.student, a.lesson, a.file) < std::tie(b.student, b.lesson, b.file);
  });
}

}  // namespace

const LessonAnswer* LessonProgress::answerTo(std::string_view question) const {
  const auto it = std::find_if(answers.begin(), answers.end(),
                               [&](const LessonAnswer& a) { return a.question == question; });
  return it == answers.end() ? nullptr : &*it;
}

LessonProgress* AnswerSheet::progressIn(std::string_view lesson) {
  const auto it = std::find_if(lessons.begin(), lessons.end(),
                               [&](const LessonProgress& p) { return p.lesson == lesson; });
  return it == lessons.end() ? nullptr : &*it;
}

bool isStudentName(std::string_view s) {
  return s.size() <= 64 && std::all_of(s.begin(), s.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' ||
                  c == '.' || c == '_' || c == '-' || c == '@' || static_cast<unsigned char>(c) >= 0xc2 ||
                  (static_cast<unsigned char>(c) >= 0x80 && static_cast<unsigned char>(c) < 0xc0);
         });
}

Reading<AnswerSheet> readAnswers(std::string_view text, const std::string& file) {
  Reading<AnswerSheet> result;
  auto parsed = readJsonText(text, file, kAnswerLimits);
  result.diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return result;
  if (!parsed->root().is_object()) {
    result.diagnostics.push_back(error("json-type", {file, 1, 1, ""}, "a file of answers is a JSON object"));
    return result;
  }
  AnswerSheet sheet = AnswerReader(*parsed, result.diagnostics).read();
  refuseNulls(*parsed, parsed->root(), "", {}, result.diagnostics);
  if (!hasErrors(result.diagnostics)) result.value = std::move(sheet);
  return result;
}

std::string writeAnswers(const AnswerSheet& sheet) {
  using Json = nlohmann::ordered_json;
  Json lessons = Json::array();
  for (const LessonProgress& p : sheet.lessons) {
    Json answers = Json::array();
    for (const LessonAnswer& a : p.answers) {
      Json one{{"question", a.question}};
      if (a.skipped)
        one["skipped"] = true;
      else
        one["given"] = a.given;
      if (a.hints > 0) one["hints"] = a.hints;
      answers.push_back(std::move(one));
    }
    Json l{{"lesson", p.lesson}, {"digest", p.digest}, {"step", p.step}, {"finished", p.finished}};
    l["answers"] = std::move(answers);
    lessons.push_back(std::move(l));
  }
  return layOut(
      Json{{"format", kAnswersFormat}, {"version", 1}, {"student", sheet.student}, {"lessons", lessons}});
}

std::optional<std::vector<LessonValue>> rightAnswer(const LessonStep& step, LessonSolver& solver,
                                                    std::string& why) {
  const Expression::Lookup lookup = solver.lookup();
  std::vector<LessonValue> out;
  if (step.kind == StepKind::Choose) {
    for (std::size_t k = 0; k < step.options.size(); ++k) {
      const auto right = step.options[k].right.evaluate(lookup, why);
      if (!right) return std::nullopt;
      if (right->value != 0) out.push_back({static_cast<double>(k + 1)});
    }
    if (out.size() != 1) {
      why = out.empty() ? "none of the options is right" : "more than one option is right";
      return std::nullopt;
    }
    return out;
  }
  const auto add = [&](const Expression& e) {
    const auto v = e.evaluate(lookup, why);
    if (!v) return false;
    if (!step.unit.measures(v->kind))
      return why = '"' + e.text() + "\" is not measured in \"" + step.unit.name + '"', false;
    out.push_back(*v);
    return true;
  };
  if (step.kind == StepKind::Number && !(step.answer && add(*step.answer))) return std::nullopt;
  for (const LessonBar& bar : step.bars)
    if (!add(bar.height)) return std::nullopt;
  return out;
}

std::string optionLetter(double option) {
  return option >= 1 && option <= 26 ? std::string(1, static_cast<char>('A' + static_cast<int>(option) - 1))
                                     : std::string("?");
}

LessonWords wordsWithoutAnswer(const LessonStep& question, const std::vector<LessonValue>& right) {
  return {"…", question.kind == StepKind::Choose ? optionLetter(right.back().value) : std::string()};
}

std::optional<Judged> judge(const LessonStep& step, const LessonAnswer& answer, LessonSolver& solver,
                            std::string& why) {
  const auto right = rightAnswer(step, solver, why);
  if (!right) return std::nullopt;
  Judged out;
  const auto listed = [&](const std::vector<double>& values) {
    std::string all;
    for (const double v : values)
      all += (all.empty() ? "" : " · ") +
             (step.kind == StepKind::Choose ? optionLetter(v) : inUnit(v, step.unit));
    return all;
  };
  std::vector<double> expected;
  for (const LessonValue& v : *right)
    expected.push_back(step.kind == StepKind::Choose ? v.value : inUnitOf(step, v));
  out.right = listed(expected);
  if (answer.skipped) return out;
  out.said = listed(answer.given);
  if (answer.given.size() != expected.size()) {
    why = "the answer has " + std::to_string(answer.given.size()) + " values where " +
          std::to_string(expected.size()) + " are asked for";
    return std::nullopt;
  }
  double asked = 0, good = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (step.kind == StepKind::Draw && step.bars[k].isGiven) continue;
    asked += 1;
    good += step.kind == StepKind::Choose ? answer.given[k] == expected[k]
                                          : isNear(step, answer.given[k], expected[k]);
  }
  out.share = asked > 0 ? good / asked : 0;
  out.points = step.points * out.share * (1 - kHintCosts * answer.hints);
  return out;
}

Reading<GradedLesson> gradeLesson(const LessonProgress& progress, const std::string& student,
                                  const std::string& file, LessonSolver& solver) {
  Reading<GradedLesson> result;
  const Lesson& lesson = solver.lesson();
  const auto fail = [&](std::string message, std::string remedy = {}) {
    result.diagnostics.push_back(
        error("grade", {file, 0, 0, ""}, lesson.id + ": " + std::move(message), std::move(remedy)));
  };
  if (progress.digest != lesson.digest)
    result.diagnostics.push_back(warning("grade-digest", {file, 0, 0, ""},
                                         lesson.id + ": the answers are to another version of this lesson",
                                         "grade with the program and the lesson that the class used"));
  GradedLesson out;
  out.student = student, out.lesson = lesson.id, out.file = file, out.finished = progress.finished;
  for (const LessonAnswer& a : progress.answers)
    if (const LessonStep* step = lesson.stepNamed(a.question); !step || !step->isQuestion())
      fail("the lesson has no question \"" + a.question + '"', "grade with the lesson that the class used");
  for (const LessonStep& step : lesson.steps) {
    if (!step.isQuestion()) continue;
    GradedLesson::Question q{step.id, {}, {}, 0, step.points};
    out.of += step.points;
    std::string why;
    LessonAnswer none;
    none.skipped = true;
    const LessonAnswer* answer = progress.answerTo(step.id);
    const auto judged = judge(step, answer ? *answer : none, solver, why);
    if (!judged) {
      fail("\"" + step.id + "\": " + why);
      continue;
    }
    q.said = judged->said, q.right = judged->right, q.points = judged->points;
    out.points += q.points;
    if (answer) out.hints += answer->hints, out.skipped += answer->skipped;
    out.questions.push_back(std::move(q));
  }
  if (!hasErrors(result.diagnostics)) result.value = std::move(out);
  return result;
}

std::string gradesCsv(std::vector<GradedLesson> all) {
  sortGrades(all);
  std::string out = "student,lesson,finished,points,of,percent,answered,skipped,hints,file\n";
  for (const GradedLesson& g : all) {
    const auto answered = std::count_if(g.questions.begin(), g.questions.end(),
                                        [](const GradedLesson::Question& q) { return !q.said.empty(); });
    out += csvCell(g.student) + ',' + csvCell(g.lesson) + ',' + (g.finished ? "yes" : "no") + ',' +
           pointsText(g.points) + ',' + pointsText(g.of) + ',' +
           pointsText(g.of > 0 ? 100 * g.points / g.of : 0) + ',' + std::to_string(answered) + ',' +
           std::to_string(g.skipped) + ',' + std::to_string(g.hints) + ',' + csvCell(g.file) + '\n';
  }
  return out;
}

std::string answersCsv(std::vector<GradedLesson> all) {
  sortGrades(all);
  std::string out = "student,lesson,question,answer,right_answer,points,of\n";
  for (const GradedLesson& g : all)
    for (const GradedLesson::Question& q : g.questions)
      out += csvCell(g.student) + ',' + csvCell(g.lesson) + ',' + csvCell(q.id) + ',' + csvCell(q.said) +
             ',' + csvCell(q.right) + ',' + pointsText(q.points) + ',' + pointsText(q.of) + '\n';
  return out;
}

}  // namespace nest
