#include "evaluation/schedule_replay.h"

#include <algorithm>
#include <utility>

#include "units/at.h"

namespace nest {
namespace {

/// Times closer together than this share of the schedule are one step of it: sums in another order differ by
/// less.
constexpr double kSameTime = 1e-9;

template <class Entry>
std::vector<std::size_t> startsOf(const std::vector<Entry>& entries, int stages) {
  std::vector<std::size_t> out;
  for (int s = 0; s <= stages; ++s)
    out.push_back(
        static_cast<std::size_t>(std::lower_bound(entries.begin(), entries.end(), s,
                                                  [](const Entry& e, int stage) { return e.stage < stage; }) -
                                 entries.begin()));
  return out;
}

bool isOfMicrobatch(TaskKind kind) {
  return kind != TaskKind::Sync && kind != TaskKind::Step;
}

}  // namespace

const RunningTask* ScheduleInstant::on(int stage) const {
  for (const RunningTask& t : running)
    if (t.stage == stage) return &t;
  return nullptr;
}

ScheduleReplay::ScheduleReplay(Schedule schedule, const Evaluation& evaluation)
    : m_schedule(std::move(schedule)) {
  const int stages = static_cast<int>(m_schedule.busy.size());
  m_starts = startsOf(m_schedule.intervals, stages);
  m_memoryStarts = startsOf(m_schedule.memory, stages);
  for (const ScheduleInterval& i : m_schedule.intervals) {
    m_end = std::max(m_end, i.end);
    m_parts = std::max(m_parts, (i.chunk + 1) * stages);
  }
  for (int s = 0; s < stages; ++s) {
    const StageEvaluation& e = evaluation.stages[nest::at(s)];
    m_levels.push_back({e.activationLevel, e.gradientLevel, e.dataLevel});
    Seconds busy;
    int microbatches = 0;
    for (const ScheduleInterval& i : intervalsOf(s)) {
      if (!isOfMicrobatch(i.kind)) continue;
      busy += i.end - i.begin;
      microbatches = std::max(microbatches, i.microbatch + 1);
    }
    if (microbatches > 0) m_pace = std::max(m_pace, busy / microbatches);
  }
}

std::span<const ScheduleInterval> ScheduleReplay::intervalsOf(int stage) const {
  const std::size_t from = m_starts[nest::at(stage)], to = m_starts[nest::at(stage + 1)];
  return std::span(m_schedule.intervals).subspan(from, to - from);
}

std::span<const MemoryStep> ScheduleReplay::memoryOf(int stage) const {
  const std::size_t from = m_memoryStarts[nest::at(stage)], to = m_memoryStarts[nest::at(stage + 1)];
  return std::span(m_schedule.memory).subspan(from, to - from);
}

RunningTask ScheduleReplay::taskOf(const ScheduleInterval& i, Seconds t) const {
  RunningTask out{i.stage, i.kind, isOfMicrobatch(i.kind) ? i.microbatch : -1, i.chunk};
  if (i.end > i.begin) out.done = std::clamp((t - i.begin) / (i.end - i.begin), 0.0, 1.0);
  const Levels& levels = m_levels[nest::at(i.stage)];
  const PipelineSchedule& order = scheduleOf(m_schedule.kind);
  const int part = order.partOf(i.stage, i.chunk, stageCount());
  switch (i.kind) {
    case TaskKind::ActivationTransfer:
      out.level = levels.activation;
      if (part > 0) out.from = order.stageOf(part - 1, stageCount());
      break;
    case TaskKind::GradientTransfer:
      out.level = levels.gradient;
      if (part + 1 < m_parts) out.from = order.stageOf(part + 1, stageCount());
      break;
    case TaskKind::Sync:
      out.level = levels.data;
      break;
    default:
      break;
  }
  return out;
}

ScheduleInstant ScheduleReplay::at(Seconds time) const {
  ScheduleInstant out;
  out.kind = m_schedule.kind;
  out.at = std::clamp(time, Seconds(), m_end);
  for (int s = 0; s < stageCount(); ++s) {
    const auto all = intervalsOf(s);
    const auto after = std::upper_bound(all.begin(), all.end(), out.at,
                                        [](Seconds t, const ScheduleInterval& i) { return t < i.begin; });
    if (after != all.begin() && std::prev(after)->end > out.at)
      out.running.push_back(taskOf(*std::prev(after), out.at));
    const auto steps = memoryOf(s);
    const auto later = std::upper_bound(steps.begin(), steps.end(), out.at,
                                        [](Seconds t, const MemoryStep& m) { return t < m.at; });
    out.memory.push_back(later == steps.begin() ? Bytes() : std::prev(later)->used);
  }
  return out;
}

Seconds ScheduleReplay::next(Seconds time, std::optional<int> stage) const {
  const Seconds from = time + kSameTime * m_end;
  Seconds out = m_end;
  for (int s = stage.value_or(0); s < (stage ? *stage + 1 : stageCount()); ++s) {
    const auto all = intervalsOf(s);
    const auto after = std::upper_bound(all.begin(), all.end(), from,
                                        [](Seconds t, const ScheduleInterval& i) { return t < i.begin; });
    if (after != all.end()) out = std::min(out, after->begin);
  }
  return out;
}

Seconds ScheduleReplay::previous(Seconds time, std::optional<int> stage) const {
  const Seconds from = time - kSameTime * m_end;
  Seconds out;
  for (int s = stage.value_or(0); s < (stage ? *stage + 1 : stageCount()); ++s) {
    const auto all = intervalsOf(s);
    const auto here = std::lower_bound(all.begin(), all.end(), from,
                                       [](const ScheduleInterval& i, Seconds t) { return i.begin < t; });
    if (here != all.begin()) out = std::max(out, std::prev(here)->begin);
  }
  return out;
}

}  // namespace nest
