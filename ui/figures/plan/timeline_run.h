#pragma once

#include <span>
#include <vector>

#include "figures/plan/kinds.h"
#include "figures/plan/memory_curve.h"
#include "figures/plan/timeline_figure.h"
#include "figures/plan/timeline_rows.h"
#include "units/at.h"

namespace nest {

/// What the timeline draws: a plan's simulated schedule, and what follows from it.
struct TimelineFigure::Run {
  PlanContext context;  ///< keeps what is shown alive
  Schedule schedule;
  Evaluation evaluation;            ///< of the plan under that schedule
  double end = 0;                   ///< of what is drawn, seconds: of very long batches not all is listed
  std::vector<Bytes> peaks;         ///< per stage, what a device holds at most, headroom included
  int fullest = 0;                  ///< the stage that has the least memory left
  std::vector<std::size_t> starts;  ///< first interval of each stage, and the end
  std::vector<std::size_t> memoryStarts;
  PerLoadPart<bool> used{};  ///< which parts occur
  TimelineImage image;
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  bool pending = false;  ///< asked for, not here yet

  bool shows(const PlanContext&, ScheduleKind) const;
  /// Takes the simulated schedule of the plan.
  void fill(Schedule);
  Bytes capacityOf(int stage) const { return evaluation.stages[at(stage)].memory.capacity; }
  bool overflows(int stage) const { return isOver(peaks[at(stage)], capacityOf(stage)); }
  bool fits() const { return !overflows(fullest); }
  std::span<const MemoryStep> memoryOf(int stage) const {
    const std::size_t from = memoryStarts[at(stage)], to = memoryStarts[at(stage) + 1];
    return std::span(schedule.memory).subspan(from, to - from);
  }
};

}  // namespace nest
