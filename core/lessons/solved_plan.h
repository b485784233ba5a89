#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lessons/expression.h"
#include "measures/metrics.h"
#include "plan/plan.h"
#include "problem/problem.h"
#include "solver/dp_probe.h"
#include "solver/outcome.h"

namespace nest {

/// A plan with what lessons ask about it: the best one, the closest one where none fits, or one made by hand.
class SolvedPlan {
public:
  /// The best plan of an outcome, or its nearest miss. nullptr: it has neither.
  static std::shared_ptr<const SolvedPlan> of(std::shared_ptr<const Problem>,
                                              const TransformerArchitecture* architecture, const Outcome&);
  /// A plan of the problem, whether it fits or not.
  SolvedPlan(std::shared_ptr<const Problem>, const TransformerArchitecture* architecture, Plan);

  const Problem& problem() const { return *m_problem; }
  const Plan& plan() const { return m_plan; }
  const Evaluation& evaluation() const { return m_evaluation; }
  const PlanMetrics& metrics() const { return m_metrics; }
  struct Parameters {
    double all = 0, active = 0;  ///< of the model; that one token uses
  };
  const std::optional<Parameters>& parameters() const { return m_parameters; }  ///< unset: only a profile

  /// Arguments count from 1. nullopt: there is no such value, `why` says so. Each is computed once.
  std::optional<LessonValue> quantity(std::string_view name, const std::vector<double>& arguments,
                                      std::string& why) const;

private:
  std::optional<LessonValue> computed(std::string_view name, const std::vector<double>& arguments,
                                      std::string& why) const;

  std::shared_ptr<const Problem> m_problem;
  Plan m_plan;
  Evaluation m_evaluation;
  PlanMetrics m_metrics;
  std::optional<Parameters> m_parameters;
  mutable std::shared_ptr<const DpProbe> m_probe;  ///< made when it is asked for
  using Known = std::optional<std::pair<std::optional<LessonValue>, std::string>>;  ///< value, or why not
  mutable std::map<std::pair<std::string, std::vector<double>>, Known> m_quantities;
};

/// A quantity that expressions of lessons read.
struct LessonQuantity {
  std::string name;
  std::string meaning;    ///< a phrase
  std::string arguments;  ///< "stage", "stage, first layer"; empty: none
};
/// All of them, as the page of help lists them.
const std::vector<LessonQuantity>& lessonQuantities();
const LessonQuantity* lessonQuantityNamed(std::string_view name);

}  // namespace nest
