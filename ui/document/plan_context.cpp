#include "document/plan_context.h"

namespace nest {

const Plan* PlanContext::shownPlan() const {
  if (plan) return &plan->plan;
  return outcome && outcome->nearestMiss ? &outcome->nearestMiss->plan : nullptr;
}

const Evaluation* PlanContext::shownEvaluation() const {
  if (plan) return &plan->evaluation;
  return outcome && outcome->nearestMiss ? &outcome->nearestMiss->evaluation : nullptr;
}

}  // namespace nest
