#include "measures/score.h"

#include <algorithm>
#include <cmath>

namespace nest {

int scoreOf(const Evaluation& mine, Seconds best) {
  if (!mine.feasible() || !(mine.batchTime > Seconds())) return 0;
  const double share = best / mine.batchTime;
  return share >= 1 - 1e-9 ? 100 : std::min(99, static_cast<int>(std::floor(100 * share)));
}

}  // namespace nest
