#include <algorithm>
#include <array>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// Passes in groups of s microbatches: all of a group through the first chunk, then through the next. The
/// last group may be smaller. Backward, the last chunk comes first.
std::vector<PipelineTask> passes(bool forward, int stages, int chunks, int microbatches) {
  std::vector<PipelineTask> out;
  out.reserve(static_cast<std::size_t>(chunks) * static_cast<std::size_t>(microbatches));
  for (int first = 0; first < microbatches; first += stages)
    for (int q = 0; q < chunks; ++q)
      for (int k = first; k < std::min(microbatches, first + stages); ++k)
        out.push_back({forward ? q : chunks - 1 - q, k, forward ? Pass::Forward : Pass::Backward});
  return out;
}

}  // namespace

Seconds PipelineSchedule::time(std::span<const StagePasses> stages, Seconds tail, int microbatches,
                               int chunks) const {
  double fills = 0, rest = 0;
  for (const StagePasses& s : stages) {
    const double own = fill(s, chunks);
    fills += own;
    rest = std::max(rest, microbatches * s.load - own);
  }
  return Seconds(fills + rest) + tail;
}

std::vector<PipelineTask> AlternatingSchedule::taskOrder(int stage, int stages, int chunks,
                                                         int microbatches) const {
  const auto forward = passes(true, stages, chunks, microbatches);
  const auto backward = passes(false, stages, chunks, microbatches);
  const std::size_t all = forward.size();
  const auto ahead = static_cast<std::size_t>(warmup(stage, stages, microbatches, chunks));
  std::vector<PipelineTask> out(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
  out.reserve(2 * all);
  for (std::size_t k = ahead; k < all; ++k) {
    out.push_back(forward[k]);
    out.push_back(backward[k - ahead]);
  }
  out.insert(out.end(), backward.begin() + static_cast<std::ptrdiff_t>(all - ahead), backward.end());
  return out;
}

/// In the order in which menus and help list them; of equally fast plans the one of the first stands first.
std::span<const PipelineSchedule* const> schedules() {
  static const std::array all = {
      &oneForwardOneBackward(), &interleaved(), &zbH1(), &zbV(), &dualPipeV(), &gpipe()};
  return all;
}

std::vector<const PipelineSchedule*> plannedSchedules() {
  std::vector<const PipelineSchedule*> out;
  for (const PipelineSchedule* s : schedules())
    if (s->isPlanned()) out.push_back(s);
  return out;
}

const PipelineSchedule& scheduleOf(ScheduleKind kind) {
  return *schedules()[static_cast<std::size_t>(kind)];
}

const PipelineSchedule* scheduleNamed(std::string_view id) {
  const auto all = schedules();
  const auto it = std::find_if(all.begin(), all.end(), [&](const auto* s) { return s->id() == id; });
  return it == all.end() ? nullptr : *it;
}

ScheduleKind usualSchedule(int chunks) {
  return chunks > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward;
}

}  // namespace nest
