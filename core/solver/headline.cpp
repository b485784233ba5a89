#include "solver/headline.h"

#include "units/amount.h"
#include "units/text.h"

namespace nest {

std::vector<std::string> headlineParts(const PlanMetrics& m, const Plan& plan, const Outcome& outcome) {
  std::vector<std::string> parts;
  parts.push_back(text::time(m.batchTime) + " a batch");
  if (m.mfu) parts.push_back(text::percent(*m.mfu) + " MFU");
  parts.push_back(summaryOf(plan));
  if (m.fullestStage >= 0) {
    const double gib = 1024.0 * 1024 * 1024;
    parts.push_back(text::number(m.peakMemory.value() / gib) + " of " + text::memory(m.capacity));
  }
  parts.push_back(std::string("bound by ") + nameOf(m.binds));
  const std::string took = " in " + text::time(outcome.statistics.elapsed);
  switch (outcome.status) {
    case OutcomeStatus::Optimal:
      parts.push_back("Optimal" + took);
      break;
    case OutcomeStatus::BestSoFar:
      parts.push_back("Best so far" + took + ", gap " + text::percent(outcome.gap()));
      break;
    case OutcomeStatus::Infeasible:
      parts.push_back("Nothing fits");
      break;
    case OutcomeStatus::Cancelled:
      parts.push_back("Cancelled");
      break;
    case OutcomeStatus::Failed:
      parts.push_back("Failed");
      break;
  }
  if (m.trainingTime) parts.push_back(text::time(*m.trainingTime) + " to train");
  if (m.deviceHours) parts.push_back(text::amount(*m.deviceHours) + " device-hours");
  return parts;
}

std::string headlineOf(const PlanMetrics& m, const Plan& plan, const Outcome& outcome) {
  std::string out;
  for (const std::string& part : headlineParts(m, plan, outcome)) out += (out.empty() ? "" : " · ") + part;
  return out;
}

}  // namespace nest
