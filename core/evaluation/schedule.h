#pragma once

#include <stop_token>
#include <vector>

#include "evaluation/evaluation.h"
#include "schedule/pipeline_schedule.h"

namespace nest {

enum class TaskKind {
  Forward,
  Backward,  ///< in schedules that split it, the gradients of inputs only
  ActivationTransfer,
  GradientTransfer,
  Sync,
  Step,
  WeightGradient
};

/// A task of a stage. Recompute is the first `recompute` seconds of a Backward.
struct ScheduleInterval {
  int stage = 0;
  int chunk = 0;
  int microbatch = 0;
  TaskKind kind = TaskKind::Forward;
  Seconds begin, end;
  Seconds recompute;
};

/// A step of the memory in use on a stage's device.
struct MemoryStep {
  int stage = 0;
  Seconds at;
  Bytes used;
};

/// The pipeline as an event simulation runs it: a task starts when its inputs have arrived and its stage is
/// free.
struct Schedule {
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  std::vector<ScheduleInterval> intervals;  ///< by stage, then begin
  std::vector<MemoryStep> memory;           ///< by stage, then time
  std::vector<Seconds> busy;                ///< per stage
  Seconds total;                            ///< of one batch, including sync and step
};

/// Simulates the plan under its own schedule or, for comparison, under another one that supports its number
/// of chunks (otherwise under the usual one for them). `detail` false computes only `busy` and `total`, for
/// re-ranking many plans. For very long batches the first microbatches are simulated and listed, and the
/// steady state is extrapolated. The schedule is empty for a plan that cannot be costed. A stop ends the call
/// within some 50 ms, with an empty schedule.
Schedule simulate(const Problem&, const Plan&, const Evaluation&, ScheduleKind, bool detail = true,
                  std::stop_token stop = {});
inline Schedule simulate(const Problem& problem, const Plan& plan, const Evaluation& evaluation,
                         bool detail = true, std::stop_token stop = {}) {
  return simulate(problem, plan, evaluation, plan.schedule, detail, std::move(stop));
}

}  // namespace nest
