#pragma once

#include <optional>
#include <span>
#include <vector>

#include "evaluation/schedule.h"

namespace nest {

/// What a stage does at one time of the step.
struct RunningTask {
  int stage = 0;
  TaskKind kind = TaskKind::Forward;
  int microbatch = 0;  ///< −1: of none
  int chunk = 0;
  double done = 0;  ///< share of the task, 0 to 1
  int from = -1;    ///< of a transfer: the stage that sends; −1 for all else
  int level = -1;   ///< network level that a transfer or the gradient reduction crosses; −1: none
  friend bool operator==(const RunningTask&, const RunningTask&) = default;
};

/// A schedule at one time: what runs where, and what each stage's device holds.
struct ScheduleInstant {
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;  ///< of the schedule
  Seconds at;
  std::vector<RunningTask> running;  ///< by stage, at most one each; a stage that is not listed waits
  std::vector<Bytes> memory;         ///< per stage, with the headroom; empty: unknown
  friend bool operator==(const ScheduleInstant&, const ScheduleInstant&) = default;

  const RunningTask* on(int stage) const;  ///< nullptr: the stage waits
};

/// A simulated schedule that can be asked what happens at any of its times. A transfer occupies the stage
/// that receives, as in the simulation.
class ScheduleReplay {
public:
  /// `evaluation`: of the plan under this schedule; it has the network levels that stages exchange over.
  ScheduleReplay(Schedule, const Evaluation& evaluation);

  const Schedule& schedule() const { return m_schedule; }
  int stageCount() const { return static_cast<int>(m_starts.size()) - 1; }
  /// End of what is listed, which is less than Schedule::total for very long batches.
  Seconds end() const { return m_end; }
  /// The slowest stage's time for one microbatch, on average.
  Seconds pace() const { return m_pace; }
  /// First interval of each stage, and the end of the last.
  const std::vector<std::size_t>& starts() const { return m_starts; }
  std::span<const MemoryStep> memoryOf(int stage) const;

  /// O(stages · log tasks). Times are clamped to the schedule.
  ScheduleInstant at(Seconds) const;
  /// The next time at which a task begins, the end at last; of one stage if one is given.
  Seconds next(Seconds, std::optional<int> stage = std::nullopt) const;
  /// The last time before at which a task began; 0 if there is none.
  Seconds previous(Seconds, std::optional<int> stage = std::nullopt) const;

private:
  std::span<const ScheduleInterval> intervalsOf(int stage) const;
  RunningTask taskOf(const ScheduleInterval&, Seconds) const;

  Schedule m_schedule;
  Seconds m_end, m_pace;
  std::vector<std::size_t> m_starts, m_memoryStarts;
  struct Levels {
    int activation, gradient, data;
  };
  std::vector<Levels> m_levels;  ///< per stage
  int m_parts = 0;               ///< of the pipeline: stages · chunks
};

}  // namespace nest
