#include "schedule/one_f_one_b.h"

#include <algorithm>

namespace nest {

std::vector<std::string> OneForwardOneBackward::refusals(int, int chunks, int) const {
  if (chunks <= 1) return {};
  return {"1F1B runs one chunk per stage, and these stages have " + std::to_string(chunks)};
}

int OneForwardOneBackward::stashesInFlight(int stage, int stages, int microbatches, int) const {
  return std::min(microbatches, stages - stage);
}

long long OneForwardOneBackward::warmup(int stage, int stages, int microbatches, int) const {
  return std::min(microbatches, stages - stage - 1);
}

int OneForwardOneBackward::coveringPasses(int) const {
  return 1;
}

LoadWeights OneForwardOneBackward::weights(int microbatches, int) const {
  return {1, microbatches - 1.0};
}

Seconds OneForwardOneBackward::time(Seconds sum, Seconds max, Seconds tail, int microbatches, int) const {
  return sum + (microbatches - 1) * max + tail;
}

}  // namespace nest
