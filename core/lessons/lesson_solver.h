#pragma once

#include <map>
#include <memory>
#include <string>

#include "lessons/lesson.h"
#include "lessons/solved_plan.h"
#include "solver/control.h"

namespace nest {

/// The plans of a lesson, each solved once, when it is asked for: what its texts, answers and conditions are
/// computed from. No clock decides, so that every machine finds the same. Not for several threads at once.
class LessonSolver {
public:
  /// The lesson must outlive this. `load`: what its scenario names; samples are known.
  LessonSolver(const Lesson&, LessonVariables, ReferenceLoader load, const Control& = {});

  const Lesson& lesson() const { return m_lesson; }
  const LessonVariables& variables() const { return m_variables; }
  /// The scenario with what the case changes. Errors stand at the case.
  Reading<Scenario> scenarioOf(std::string_view caseName) const;
  /// nullptr: it has no plan, not even one that does not fit; `why` says so.
  std::shared_ptr<const SolvedPlan> solved(std::string_view caseName, std::string& why);
  /// Takes over the plans of another solver of the same lesson that no variable changes.
  void shareWith(const LessonSolver&);
  /// What the scenario of a case that was solved warns about; of a case made by hand: nothing.
  Diagnostics warningsOf(std::string_view caseName) const;

  /// What `said` and `right` mean in texts about an answer.
  struct Answered {
    LessonValue said;
    LessonValue right;
  };
  /// Reads names in expressions: variables, quantities of cases, and of `now` where it is given.
  Expression::Lookup lookup(const SolvedPlan* now = nullptr, std::optional<Answered> = std::nullopt);

private:
  std::shared_ptr<const SolvedPlan> solve(const LessonCase*, std::string& why, Diagnostics& warnings);

  const Lesson& m_lesson;
  LessonVariables m_variables;
  ReferenceLoader m_load;
  Control m_control;
  struct Known {
    std::shared_ptr<const SolvedPlan> plan;
    std::string why;
    Diagnostics warnings;
  };
  std::map<std::string, Known, std::less<>> m_known;
};

}  // namespace nest
