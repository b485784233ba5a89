#include "lessons/lesson_solver.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "lessons/builtin_lessons.h"
#include "plan/plan_edit.h"
#include "schedule/pipeline_schedule.h"
#include "study/quiet_solve.h"
#include "study/sweep.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// A JSON value of a case with its {expressions}: "{batch}" is a number, "{speed} GB/s" a text.
std::optional<nlohmann::json> withVariables(nlohmann::json value, const LessonVariables& variables,
                                            std::string& why) {
  if (value.is_array()) {
    for (auto& v : value) {
      auto one = withVariables(v, variables, why);
      if (!one) return std::nullopt;
      v = std::move(*one);
    }
    return value;
  }
  if (!value.is_string() || value.get_ref<const std::string&>().find('{') == std::string::npos) return value;
  const auto& s = value.get_ref<const std::string&>();
  const Expression::Lookup lookup = [&](const LessonName& n, const std::vector<double>&,
                                        std::string& reason) -> std::optional<LessonValue> {
    const auto it = variables.find(n.name);
    if (n.scope.empty() && it != variables.end()) return LessonValue{it->second};
    reason = "there is no variable \"" + n.name + '"';
    return std::nullopt;
  };
  std::string out;
  std::size_t at = 0;
  while (at < s.size()) {
    const std::size_t open = s.find('{', at), close = open == s.npos ? s.npos : s.find('}', open);
    out += s.substr(at, open - at);
    if (open == s.npos) break;
    if (close == s.npos) return why = "a { has no }", std::nullopt;
    const auto parsed = Expression::parse(std::string_view(s).substr(open + 1, close - open - 1), {});
    if (!parsed) return why = parsed.diagnostics.front().message, std::nullopt;
    const auto number = parsed->evaluate(lookup, why);
    if (!number) return std::nullopt;
    if (open == 0 && close + 1 == s.size()) return nlohmann::json(number->value);
    out += nlohmann::json(number->value).dump();
    at = close + 1;
  }
  return nlohmann::json(out);
}

}  // namespace

LessonSolver::LessonSolver(const Lesson& lesson, LessonVariables variables, ReferenceLoader load,
                           const Control& control)
    : m_lesson(lesson), m_variables(std::move(variables)), m_control(control) {
  m_load = [load = std::move(load), samples = sampleLoader()](const std::string& path) {
    auto sample = samples(path);
    return sample || !load ? sample : load(path);
  };
}

Reading<Scenario> LessonSolver::scenarioOf(std::string_view caseName) const {
  Reading<Scenario> result;
  std::vector<const LessonCase*> chain;
  for (const LessonCase* c = m_lesson.caseNamed(caseName); c; c = m_lesson.caseNamed(c->from))
    chain.insert(chain.begin(), c);
  std::vector<SweepField> fields;
  const auto failed = [&](const LessonCase& c, std::string message) {
    result.diagnostics.push_back(
        error("lesson-case", c.where, "the case \"" + c.name + "\": " + std::move(message)));
  };
  for (const LessonCase* c : chain)
    for (const auto& [key, text] : c->set) {
      std::string why;
      const auto value = withVariables(nlohmann::json::parse(text), m_variables, why);
      if (!value) {
        failed(*c, key + ": " + why);
        continue;
      }
      SweepField field;
      field.pointer = key.starts_with('/') ? key : '/' + key;
      for (char& letter : field.pointer)
        if (letter == '.') letter = '/';
      field.values = {value->dump()};
      std::erase_if(fields, [&](const SweepField& f) { return f.pointer == field.pointer; });
      fields.push_back(std::move(field));
    }
  if (hasErrors(result.diagnostics)) return result;
  const std::string file = m_lesson.scenarioFile.empty() ? m_lesson.file : m_lesson.scenarioFile;
  if (fields.empty()) {
    result = readScenario(m_lesson.scenario, file, m_load);
  } else {
    auto grid = SweepGrid::build(m_lesson.scenario, file, std::move(fields), m_load);
    if (grid) {
      result = grid->scenarioAt(0);
    } else {
      for (Diagnostic& d : grid.diagnostics) {
        if (d.severity != Severity::Error) continue;
        d.message = "the case \"" + chain.back()->name + "\": " + d.message;
        if (d.where.file.empty()) d.where = chain.back()->where;
        result.diagnostics.push_back(std::move(d));
      }
      return result;
    }
  }
  if (!result.value) return result;
  // A deadline of its own would make the answers depend on the machine.
  result.value->search.deadlineSeconds = 0;
  return result;
}

std::shared_ptr<const SolvedPlan> LessonSolver::solved(std::string_view caseName, std::string& why) {
  auto it = m_known.find(caseName);
  if (it == m_known.end()) {
    Known known;
    const LessonCase* c = m_lesson.caseNamed(caseName);
    if (!c && caseName != kBaseCase)
      known.why = "there is no case \"" + std::string(caseName) + '"';
    else
      known.plan = solve(c, known.why, known.warnings);
    it = m_known.emplace(std::string(caseName), std::move(known)).first;
  }
  if (!it->second.plan) why = it->second.why;
  return it->second.plan;
}

void LessonSolver::shareWith(const LessonSolver& other) {
  const auto isFixed = [this](std::string_view name) {
    for (const LessonCase* c = m_lesson.caseNamed(name); c; c = m_lesson.caseNamed(c->from))
      for (const auto& [field, value] : c->set)
        if (value.find('{') != std::string::npos) return false;
    return true;
  };
  for (const auto& [name, known] : other.m_known)
    if (known.plan && isFixed(name)) m_known.emplace(name, known);
}

Diagnostics LessonSolver::warningsOf(std::string_view caseName) const {
  const auto it = m_known.find(caseName);
  return it == m_known.end() ? Diagnostics{} : it->second.warnings;
}

std::shared_ptr<const SolvedPlan> LessonSolver::solve(const LessonCase* c, std::string& why,
                                                      Diagnostics& warnings) {
  const auto keepWarnings = [&](const Diagnostics& all) {
    for (const Diagnostic& d : all)
      if (d.severity == Severity::Warning) warnings.push_back(d);
  };
  const auto scenario = scenarioOf(c ? std::string_view(c->name) : kBaseCase);
  if (!scenario) {
    for (const Diagnostic& d : scenario.diagnostics)
      if (d.severity == Severity::Error) {
        why = d.message;
        break;
      }
    return nullptr;
  }
  const TransformerArchitecture* architecture =
      scenario->model.architecture ? &*scenario->model.architecture : nullptr;
  if (c && c->isByHand()) {
    const auto before = solved(c->from, why);
    if (!before) return nullptr;
    Plan plan = before->plan();
    if (c->cut) {
      const auto [stage, layer] = *c->cut;
      const Plan moved = withCut(plan, stage - 1, layer - 1);
      if (stage > plan.stageCount() || !hasPlainCuts(plan) || firstLayerOf(moved, stage - 1) != layer - 1)
        return why = "the case \"" + c->name + "\": no cut can stand there", nullptr;
      plan = moved;
    }
    for (const PipelineSchedule* s : schedules())
      if (!c->schedule.empty() && s->id() == c->schedule) {
        if (!s->takesChunks(plan.chunksPerStage()))
          return why = "the case \"" + c->name + "\": the plan's stages have another number of chunks",
                 nullptr;
        plan = underSchedule(std::move(plan), s->kind());
      }
    return std::make_shared<const SolvedPlan>(std::make_shared<const Problem>(before->problem()),
                                              architecture, std::move(plan));
  }
  keepWarnings(scenario.diagnostics);
  auto built = buildProblem(*scenario);
  keepWarnings(built.diagnostics);
  if (!built) {
    for (const Diagnostic& d : built.diagnostics)
      if (d.severity == Severity::Error) {
        why = (c ? "the case \"" + c->name + "\": " : std::string("the scenario: ")) + d.message;
        break;
      }
    return nullptr;
  }
  const auto problem = std::make_shared<const Problem>(std::move(*built.value));
  const Outcome outcome = quietSolve(*problem, m_control);
  if (outcome.cutShort() && outcome.stopCause != StopCause::None) {
    why = "the search was stopped";
    return nullptr;
  }
  auto plan = SolvedPlan::of(problem, architecture, outcome);
  if (!plan) why = (c ? "the case \"" + c->name + "\": " : std::string()) + words::noPlan(outcome).title;
  return plan;
}

Expression::Lookup LessonSolver::lookup(const SolvedPlan* now, std::optional<Answered> answered) {
  return [this, now, answered](const LessonName& n, const std::vector<double>& arguments,
                               std::string& why) -> std::optional<LessonValue> {
    if (n.scope.empty()) {
      const auto it = m_variables.find(n.name);
      if (it != m_variables.end()) return LessonValue{it->second};
      if (answered && n.name == "said") return answered->said;
      if (answered && n.name == "right") return answered->right;
      why = "\"" + n.name + "\" has no value here";
      return std::nullopt;
    }
    if (n.scope == kPresentCase) {
      if (now) return now->quantity(n.name, arguments, why);
      why = "\"now\" stands for the open plan in conditions of something to do only";
      return std::nullopt;
    }
    const auto plan = solved(n.scope, why);
    return plan ? plan->quantity(n.name, arguments, why) : std::nullopt;
  };
}

}  // namespace nest
