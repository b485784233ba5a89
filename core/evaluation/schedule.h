#pragma once

#include <stop_token>
#include <vector>

#include "evaluation/evaluation.h"
#include "schedule/pipeline_schedule.h"

namespace nest {

enum class TaskKind {
  Forward,
  Backward,  ///< of schedules that split it, the gradients of inputs alone
  ActivationTransfer,
  GradientTransfer,
  Sync,
  Step,
  WeightGradient
};

/// One thing that a stage does. Recompute is the first `recompute` seconds of a Backward.
struct ScheduleInterval {
  int stage = 0;
  int chunk = 0;
  int microbatch = 0;
  TaskKind kind = TaskKind::Forward;
  Seconds begin, end;
  Seconds recompute;
};

/// Memory of a stage's device as a step function.
struct MemoryStep {
  int stage = 0;
  Seconds at;
  Bytes used;
};

/// The pipeline as it runs, from an event simulation: a task starts when its inputs have arrived and its
/// stage is free.
struct Schedule {
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  std::vector<ScheduleInterval> intervals;  ///< by stage, then begin
  std::vector<MemoryStep> memory;           ///< by stage, then time
  std::vector<Seconds> busy;                ///< per stage
  Seconds total;                            ///< of one batch, sync and step included
};

/// The plan under its own schedule or, for comparison, under another one that takes its chunks (else the
/// usual one for them). `detail` false: only `busy` and `total` (for re-ranking many plans). Of very long
/// batches the first microbatches are run and listed; the steady state is extrapolated. A plan that cannot be
/// costed gives an empty schedule. A stop ends it within some 50 ms, with an empty schedule.
Schedule simulate(const Problem&, const Plan&, const Evaluation&, ScheduleKind, bool detail = true,
                  std::stop_token stop = {});
inline Schedule simulate(const Problem& problem, const Plan& plan, const Evaluation& evaluation,
                         bool detail = true, std::stop_token stop = {}) {
  return simulate(problem, plan, evaluation, plan.schedule, detail, std::move(stop));
}

}  // namespace nest
