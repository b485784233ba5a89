#include "schedule/gpipe.h"

namespace nest {

std::vector<std::string> GPipe::refusals(int, int, int) const {
  return {};
}

int GPipe::stashesInFlight(int, int, int microbatches, int chunks) const {
  return microbatches * chunks;
}

long long GPipe::warmup(int, int, int microbatches, int chunks) const {
  return static_cast<long long>(microbatches) * chunks;
}

int GPipe::coveringPasses(int) const {
  return 1;
}

LoadWeights GPipe::weights(int microbatches, int) const {
  return {1, microbatches - 1.0};
}

Seconds GPipe::time(Seconds sum, Seconds max, Seconds tail, int microbatches, int) const {
  return sum + (microbatches - 1) * max + tail;
}

}  // namespace nest
