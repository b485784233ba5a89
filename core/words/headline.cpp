#include "words/headline.h"

#include "units/amount.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"
#include "words/run_words.h"

namespace nest {
std::vector<HeadlinePart> headlineParts(const PlanMetrics& m, const Plan& plan, const Outcome& outcome) {
  using Kind = HeadlinePart::Kind;
  std::vector<HeadlinePart> parts;
  parts.push_back({Kind::StepTime, words::withError(m.batchTime, m.error) + " per step"});
  if (m.tokensPerSecond > 0) parts.push_back({Kind::Pace, tokensRate(m.tokensPerSecond)});
  if (m.mfu) parts.push_back({Kind::Utilisation, text::percent(*m.mfu) + " MFU"});
  parts.push_back({Kind::Plan, summaryOf(plan)});
  if (m.fullestStage >= 0)
    parts.push_back({Kind::Memory, words::memory(m) + (m.mayNotFit ? ", may not fit" : "")});
  parts.push_back({Kind::Limit, words::of(m.shares(), words::kOfStep)});
  parts.push_back({Kind::Verdict, words::verdict(outcome)});
  parts.push_back({Kind::Program, words::programWith(m.program, m.error)});
  if (std::string training = words::training(m); !training.empty())
    parts.push_back({Kind::Training, std::move(training)});
  if (m.deviceHours) parts.push_back({Kind::DeviceHours, text::amount(*m.deviceHours) + " device-hours"});
  return parts;
}

std::string headlineOf(const PlanMetrics& m, const Plan& plan, const Outcome& outcome) {
  std::string out;
  for (const HeadlinePart& part : headlineParts(m, plan, outcome))
    out += (out.empty() ? "" : " · ") + part.text;
  return out;
}

}  // namespace nest
