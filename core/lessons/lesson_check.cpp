#include "lessons/lesson_check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "fields/field.h"
#include "lessons/lesson_answers.h"
#include "units/at.h"

namespace nest {
namespace {

/// Views round to three digits.
constexpr double kShownTo = 0.005;

class LessonChecker {
public:
  LessonChecker(LessonSolver& solver, std::set<std::string>& warned, Diagnostics& out)
      : m_solver(solver), m_out(out), m_warned(warned) {}

  void check() {
    const Lesson& lesson = m_solver.lesson();
    std::string base(kBaseCase);
    if (!isSolved(base, lesson.steps.front().where)) return;
    for (const LessonCase& c : lesson.cases) isSolved(c.name, c.where);
    if (lesson.screen.fields) checkFields(*lesson.screen.fields, lesson.steps.front().where);
    std::string open = base;
    for (const LessonStep& step : lesson.steps) {
      if (!step.setsCase.empty()) open = step.setsCase;
      checkStep(step, open);
      if (step.kind == StepKind::Do && step.until) open = step.reachedBy;
    }
    checkText(lesson.teachers, lesson.steps.front().where);
  }

private:
  void fail(const Place& where, std::string message, std::string remedy = {}) {
    std::string named;
    for (const auto& [name, value] : m_solver.variables())
      named += (named.empty() ? " (" : ", ") + name + " = " + valueText(LessonValue{value});
    if (!named.empty()) message += named + ')';
    m_out.push_back(error("lesson-check", where, std::move(message), std::move(remedy)));
  }

  bool isSolved(const std::string& name, const Place& where) {
    std::string why;
    if (m_solver.solved(name, why)) {
      // The window shows these to every student.
      for (const Diagnostic& d : m_solver.warningsOf(name))
        if (m_warned.insert(d.message).second)
          m_out.push_back(warning(
              "lesson-scenario", where,
              (name == kBaseCase ? "the scenario: " : "the case \"" + name + "\": ") + d.message, d.remedy));
      return true;
    }
    fail(where, why);
    return false;
  }

  void checkFields(const std::vector<LessonFreedom>& fields, const Place& where) {
    const auto scenario = m_solver.scenarioOf(kBaseCase);
    if (!scenario) return;
    for (const LessonFreedom& f : fields)
      if (!fieldAt(*scenario, f.field))
        fail(where, "the scenario has no field \"" + f.field + '"', "nest-plan fields lists them");
  }

  void checkText(const LessonText& text, const Place& where,
                 std::optional<LessonSolver::Answered> answered = std::nullopt) {
    std::string why;
    if (!text.filled(m_solver.lookup(nullptr, answered), why)) fail(where, "a text has no value: " + why);
  }

  void checkStep(const LessonStep& step, const std::string& open) {
    if (step.kind != StepKind::Reveal) checkText(step.text, step.where);
    for (const LessonText& hint : step.hints) checkText(hint, step.where);
    checkText(step.solution, step.where);
    if (step.screen && step.screen->fields) checkFields(*step.screen->fields, step.where);
    const auto& views = (step.screen ? *step.screen : m_solver.lesson().screen).views;
    if (views && !step.view.empty() && std::find(views->begin(), views->end(), step.view) == views->end())
      fail(step.where, "the view \"" + step.view + "\" does not exist in this step",
           "name it in \"views\" of the screen, or give the step a screen of its own");
    for (const auto& [statement, where] : step.holds) {
      std::string why;
      const auto v = statement.evaluate(m_solver.lookup(), why);
      if (!v)
        fail(where, "a statement has no value: " + why);
      else if (v->value == 0)
        fail(where, "\"" + statement.text() + "\" does not hold", "change the text that relies on it");
    }
    if (step.kind == StepKind::Do && step.until) checkUntil(step, open);
    if (step.isQuestion()) checkQuestion(step);
    if (step.kind == StepKind::Reveal) checkReveal(step);
  }

  void checkUntil(const LessonStep& step, const std::string& open) {
    std::string why;
    const auto holdsWith = [&](const std::string& name) -> std::optional<bool> {
      const auto plan = m_solver.solved(name, why);
      if (!plan) return std::nullopt;
      const auto v = step.until->evaluate(m_solver.lookup(plan.get()), why);
      return v ? std::optional(v->value != 0) : std::nullopt;
    };
    const auto before = holdsWith(open), after = holdsWith(step.reachedBy);
    if (!before || !after)
      fail(step.where, "\"until\" has no value: " + why);
    else if (*before)
      fail(step.where, "\"until\" holds before anything was done", "open another case first");
    else if (!*after)
      fail(step.where, "\"until\" does not hold in the case \"" + step.reachedBy + '"');
  }

  void checkQuestion(const LessonStep& step) {
    std::string why;
    for (const LessonOption& o : step.options) checkText(o.text, step.where);
    const auto right = rightAnswer(step, m_solver, why);
    if (!right) return fail(step.where, "\"" + step.id + "\": " + why);
    m_right[step.id] = *right;
    if (step.kind == StepKind::Choose) return;
    for (const LessonValue& v : *right) {
      const double shown = std::abs(v.value / step.unit.scale);
      if (std::max(step.tolerance * shown, step.absolute) < kShownTo * shown && shown != std::round(shown) &&
          m_warned.insert(step.id).second)
        m_out.push_back(
            warning("lesson-tolerance", step.where,
                    "\"" + step.id + "\": a number read from a view is rounded to three digits and may miss",
                    "give a tolerance of at least 0.005"));
      if (step.kind == StepKind::Draw && v.value < 0)
        fail(step.where, "\"" + step.id + "\": a bar is negative");
    }
  }

  void checkReveal(const LessonStep& step) {
    const auto it = m_right.find(step.of);
    if (it == m_right.end()) return;  // reported there
    // What may have been answered: the right one, and others.
    const LessonStep* question = m_solver.lesson().stepNamed(step.of);
    std::vector<LessonValue> all;
    if (question->kind == StepKind::Choose)
      for (std::size_t k = 0; k < question->options.size(); ++k) all.push_back({static_cast<double>(k + 1)});
    else
      for (const double factor : {1.0, 0.25, 0.9, 1.1, 4.0})
        all.push_back({it->second.back().value * factor, it->second.back().kind});
    for (const LessonValue& said : all) {
      const LessonSolver::Answered answered{said, it->second.back()};
      checkText(step.text, step.where, answered);
      bool told = step.gaps.empty();
      for (const LessonGap& gap : step.gaps) {
        std::string why;
        const auto applies =
            gap.when ? gap.when->evaluate(m_solver.lookup(nullptr, answered), why) : LessonValue{1};
        if (!applies) {
          fail(step.where, "\"when\" has no value: " + why);
          told = true;
          break;
        }
        if (applies->value == 0) continue;
        checkText(gap.text, step.where, answered);
        told = true;
        break;
      }
      if (!told)
        fail(step.where, "nothing is said about the answer " + valueText(said), "add a gap without \"when\"");
    }
  }

  LessonSolver& m_solver;
  Diagnostics& m_out;
  std::map<std::string, std::vector<LessonValue>> m_right;
  std::set<std::string>& m_warned;  ///< once for all variables
};

/// What a case changes, by the keys of fields and as a lesson writes their values.
std::string changesOf(const LessonCase& c) {
  std::string out = c.from == kBaseCase ? "" : c.from;
  const auto add = [&](const std::string& s) { out += (out.empty() ? "" : ", ") + s; };
  for (const auto& [field, value] : c.set) {
    std::string change = field + " = " + value;
    std::replace(change.begin(), change.end(), '`', '\'');
    std::replace(change.begin(), change.end(), '|', '/');
    add('`' + change + '`');
  }
  if (c.cut)
    add("stage " + std::to_string(c.cut->first) + " begins at layer " + std::to_string(c.cut->second));
  if (!c.schedule.empty()) add("schedule " + c.schedule);
  return out;
}

/// A line of the table of plans.
std::string planRow(const std::string& name, const std::string& changes, const SolvedPlan& s) {
  std::string why;
  const auto text = [&](const char* quantity) {
    const auto v = s.quantity(quantity, {}, why);
    return v ? valueText(*v) : std::string();
  };
  return "| " + name + " | " + changes + " | " + summaryOf(s.plan()) + " | " + text("step_time") + " | " +
         text("memory") + " of " + text("capacity") + (s.evaluation().feasible() ? "" : ", does not fit") +
         " |\n";
}

/// The text without its markup, in Markdown.
std::string markdown(std::string s) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = s.find(from); at != std::string::npos; at = s.find(from, at + to.size()))
      s.replace(at, from.size(), to);
  };
  for (const char* tag : {"<b>", "</b>"}) replace(tag, "**");
  for (const char* tag : {"<i>", "</i>"}) replace(tag, "*");
  for (const char* tag : {"<code>", "</code>"}) replace(tag, "`");
  replace("<br>", "  \n");
  replace("&lt;", "<");
  return s;
}

}  // namespace

Diagnostics checkLesson(const Lesson& lesson, const ReferenceLoader& load, const Control& control) {
  Diagnostics out;
  std::set<std::string> warned;
  std::unique_ptr<LessonSolver> before;
  for (const LessonVariables& variables : allVariables(lesson)) {
    auto solver = std::make_unique<LessonSolver>(lesson, variables, load, control);
    if (before) solver->shareWith(*before);
    LessonChecker(*solver, warned, out).check();
    if (hasErrors(out)) break;  // the others have the same
    before = std::move(solver);
  }
  return out;
}

Reading<std::string> lessonSheet(const Lesson& lesson, const ReferenceLoader& load, std::string_view student,
                                 const Control& control) {
  Reading<std::string> result;
  LessonSolver solver(lesson, variablesOf(lesson, student), load, control);
  std::string why;
  const auto filled = [&](const LessonText& text, std::optional<LessonSolver::Answered> answered = {},
                          const LessonWords& words = {}) {
    const auto s = text.filled(solver.lookup(nullptr, answered), why, words);
    if (!s) result.diagnostics.push_back(error("lesson-check", {lesson.file, 0, 0, ""}, why));
    return markdown(s.value_or(""));
  };
  std::string out = "# " + lesson.title + "\n\n" + lesson.about + "\n\n" + std::to_string(lesson.minutes) +
                    " minutes, " + valueText(LessonValue{lesson.points()}) + " points.";
  if (!lesson.variables.empty())
    out += " Numbers differ from student to student; these are for " +
           (student.empty() ? "nobody's number." : '"' + std::string(student) + "\".");
  out += "\n\n";
  if (!lesson.teachers.empty()) out += filled(lesson.teachers) + "\n\n";
  int number = 0;
  for (const LessonStep& step : lesson.steps) {
    out += "## " + std::to_string(++number) + ". " +
           (step.kind == StepKind::Do       ? "Do"
            : step.kind == StepKind::Reveal ? "Show"
            : step.kind == StepKind::Draw   ? "Ask to draw"
                                            : "Ask");
    if (step.isQuestion())
      out += " (" + valueText(LessonValue{step.points}) + (step.points == 1 ? " point)" : " points)");
    out += "\n\n";
    std::optional<LessonSolver::Answered> answered;
    LessonWords words;
    if (const LessonStep* question = lesson.stepNamed(step.of))
      if (const auto right = rightAnswer(*question, solver, why)) {
        answered = {right->back(), right->back()};
        words = wordsWithoutAnswer(*question, *right);
      }
    out += filled(step.text, answered, words) + "\n\n";
    for (std::size_t k = 0; k < step.options.size(); ++k)
      out += std::string("- ") + static_cast<char>('A' + k) + ": " + filled(step.options[k].text) + '\n';
    if (step.isQuestion()) {
      LessonAnswer none;
      none.skipped = true;
      if (const auto judged = judge(step, none, solver, why)) {
        out += "\n**Right:** ";
        if (step.kind != StepKind::Draw)
          out += judged->right;
        else if (const auto heights = rightAnswer(step, solver, why))
          for (std::size_t k = 0; k < step.bars.size(); ++k)
            out += (k ? ", " : "") + step.bars[k].label + ": " + valueText((*heights)[k]);
        out += "\n\n";
      } else {
        result.diagnostics.push_back(error("lesson-check", step.where, why));
      }
    }
    if (!step.solution.empty()) out += "**Why:** " + filled(step.solution) + "\n\n";
    for (std::size_t k = 0; k < step.hints.size(); ++k)
      out += "- Hint " + std::to_string(k + 1) + ": " + filled(step.hints[k]) + '\n';
    if (!step.hints.empty()) out += '\n';
    for (const LessonGap& gap : step.gaps) {
      out += "- " + (gap.when ? "If `" + gap.when->text() + "`" : std::string("Else")) + ": " +
             filled(gap.text, answered, words) + '\n';
    }
    if (!step.gaps.empty()) out += '\n';
    if (!step.view.empty()) out += "View: `" + step.view + "`\n\n";
  }
  out += "## Plans\n\n| Plan | Changes | Best plan | Step | Memory |\n|---|---|---|---|---|\n";
  const auto addPlan = [&](const std::string& name, const std::string& changes) {
    if (const auto plan = solver.solved(name, why))
      out += planRow(name, changes, *plan);
    else
      result.diagnostics.push_back(error("lesson-check", {lesson.file, 0, 0, ""}, why));
  };
  addPlan(std::string(kBaseCase),
          "the scenario" + (lesson.scenarioFile.empty() ? "" : " " + lesson.scenarioFile));
  for (const LessonCase& c : lesson.cases) addPlan(c.name, changesOf(c));
  if (!hasErrors(result.diagnostics)) result.value = std::move(out);
  return result;
}

}  // namespace nest
