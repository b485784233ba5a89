#pragma once

#include <memory>
#include <vector>

#include "evaluation/schedule_replay.h"
#include "figures/paint/figure_painter.h"
#include "figures/plan/kinds.h"
#include "figures/plan/memory_curve.h"
#include "figures/plan/timeline_figure.h"
#include "figures/plan/timeline_rows.h"
#include "units/at.h"

namespace nest {

QString scheduleLabel(ScheduleKind);
/// The parts that occur, in the order of bars, and the bubble.
std::vector<LegendItem> timelineLegend(const PerLoadPart<bool>& used, const Evaluation&, const Theme&);

/// What the timeline draws: a plan's simulated schedule, and what follows from it.
struct TimelineFigure::Run {
  PlanContext context;  ///< keeps what is shown alive
  /// Null, or without an end: the plan cannot run.
  std::shared_ptr<const ScheduleReplay> replay;
  Evaluation evaluation;     ///< of the plan under that schedule
  double end = 0;            ///< of what is drawn, seconds: of very long batches not all is listed
  std::vector<Bytes> peaks;  ///< per stage, what a device holds at most, headroom included
  int fullest = 0;           ///< the stage that has the least memory left
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
  const Schedule& schedule() const { return replay->schedule(); }
  const std::vector<std::size_t>& starts() const { return replay->starts(); }
};

}  // namespace nest
