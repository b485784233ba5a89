#include "plan/task_order.h"

#include <algorithm>

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
        out.push_back({forward ? q : chunks - 1 - q, k, forward});
  return out;
}

}  // namespace

std::vector<PipelineTask> taskOrder(ScheduleKind kind, int stage, int stages, int chunks, int microbatches) {
  const auto forward = passes(true, stages, chunks, microbatches);
  const auto backward = passes(false, stages, chunks, microbatches);
  const std::size_t all = forward.size();
  std::size_t ahead = all;
  if (kind != ScheduleKind::GPipe) {
    const long long warmup =
        chunks > 1 ? 2LL * (stages - stage - 1) + (chunks - 1LL) * stages : stages - stage - 1LL;
    ahead = static_cast<std::size_t>(std::min<long long>(static_cast<long long>(all), warmup));
  }
  std::vector<PipelineTask> out(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
  out.reserve(2 * all);
  for (std::size_t k = ahead; k < all; ++k) {
    out.push_back(forward[k]);
    out.push_back(backward[k - ahead]);
  }
  out.insert(out.end(), backward.begin() + static_cast<std::ptrdiff_t>(all - ahead), backward.end());
  return out;
}

}  // namespace nest
