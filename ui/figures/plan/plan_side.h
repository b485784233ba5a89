#pragma once

#include <QString>
#include <memory>

#include "evaluation/ranked_plan.h"
#include "problem/problem.h"

namespace nest {

/// One of two plans that are compared.
struct PlanSide {
  QString name;
  std::shared_ptr<const RankedPlan> plan;  ///< null: nothing is shown
  std::shared_ptr<const Problem> problem;  ///< in which it runs
};

}  // namespace nest
