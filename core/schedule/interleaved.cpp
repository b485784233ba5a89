#include "schedule/interleaved.h"

#include <algorithm>
#include <climits>

namespace nest {

std::vector<std::string> Interleaved::refusals(int stages, int chunks, int microbatches) const {
  std::vector<std::string> out;
  if (chunks < 2) out.push_back("an interleaved schedule needs two or more chunks per stage");
  if (stages < 2) out.push_back("an interleaved schedule needs two or more stages");
  if (stages > 0 && microbatches % stages != 0)
    out.push_back("an interleaved schedule needs a number of microbatches (" + std::to_string(microbatches) +
                  ") that the stages (" + std::to_string(stages) + ") divide");
  return out;
}

int Interleaved::stashesInFlight(int stage, int stages, int microbatches, int chunks) const {
  return static_cast<int>(std::min<long long>(warmup(stage, stages, INT_MAX, chunks) + 1,
                                              static_cast<long long>(microbatches) * chunks));
}

long long Interleaved::warmup(int stage, int stages, int microbatches, int chunks) const {
  return std::min(static_cast<long long>(microbatches) * chunks,
                  2LL * (stages - stage - 1) + (chunks - 1LL) * stages);
}

int Interleaved::coveringPasses(int stages) const {
  return stages;
}

LoadWeights Interleaved::weights(int microbatches, int chunks) const {
  const double v = std::max(1, chunks);
  return {1 / v, microbatches - 1 / v};
}

Seconds Interleaved::time(Seconds sum, Seconds max, Seconds tail, int microbatches, int chunks) const {
  return microbatches * max + (sum - max) / std::max(1, chunks) + tail;
}

}  // namespace nest
