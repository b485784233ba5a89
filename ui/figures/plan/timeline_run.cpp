#include "figures/plan/timeline_run.h"

#include <algorithm>
#include <utility>

namespace nest {
namespace {

PerLoadPart<bool> partsOf(const Schedule& schedule) {
  PerLoadPart<bool> used{};
  for (const auto& i : schedule.intervals) {
    used[partOf(i.kind)] = true;
    if (i.recompute.value() > 0) used[LoadPart::Recompute] = true;
  }
  return used;
}

}  // namespace

bool TimelineFigure::Run::shows(const PlanContext& c, ScheduleKind wanted) const {
  return kind == wanted && context.problem == c.problem && context.plan == c.plan &&
         context.outcome == c.outcome;
}

void TimelineFigure::Run::fill(Schedule simulated) {
  const Plan& plan = *context.shownPlan();
  pending = false;
  used = partsOf(simulated);
  evaluation = kind == plan.schedule ? *context.shownEvaluation()
                                     : evaluate(*context.problem, underSchedule(plan, simulated.kind));
  replay = std::make_shared<ScheduleReplay>(std::move(simulated), evaluation);
  end = replay->end().value();
  if (schedule().intervals.empty()) return;
  const auto left = [this](int s) { return capacityOf(s) - peaks[at(s)]; };
  for (int s = 0; s < plan.stageCount(); ++s) {
    Bytes peak(0);
    for (const MemoryStep& step : replay->memoryOf(s)) peak = std::max(peak, step.used);
    peaks.push_back(peak);
    if (left(s) < left(fullest)) fullest = s;
  }
}

}  // namespace nest
