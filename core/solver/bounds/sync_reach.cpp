// For a largest load λ and a tail τ, each stage takes as many layers as possible (sync_reach.h).
#include "solver/bounds/sync_reach.h"

#include <algorithm>

#include "solver/common.h"

namespace nest::solver {
namespace {

class SyncReach {
public:
  SyncReach(const LayerSums& sums, const std::vector<StageReach>& stages)
      : m_sums(sums), m_stages(stages), m_last(static_cast<int>(sums.leastAny.size()) - 1) {}

  bool reachesEnd(double load, double tail) const {
    int cut = 0;
    for (const StageReach& rates : m_stages) {
      const std::vector<double>& work = rates.load ? *rates.load : m_sums.leastAny;
      const auto fits = [&](int to) {
        const double sync = rates.dense * (m_sums.dense[at(to)] - m_sums.dense[at(cut)]) +
                            rates.expert * (m_sums.expert[at(to)] - m_sums.expert[at(cut)]);
        return work[at(to)] - work[at(cut)] <= load * kRoundUp &&
               sync <= (tail + m_sums.backward[at(cut)]) * kRoundUp;
      };
      int low = cut, high = m_last;
      while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (fits(middle))
          low = middle;
        else
          high = middle - 1;
      }
      if (low == cut) return false;
      cut = low;
      if (cut == m_last) return true;
    }
    return false;
  }

  /// Whether the end can be reached for some largest load between `low` and `high`, which leaves `left` −
  /// weight · load for the tail.
  bool mayReach(double low, double high, double left, double weight) const {
    constexpr double kNarrow = 1e-2;
    if (!reachesEnd(high, left - weight * low)) return false;
    if (high - low <= kNarrow * high) return true;
    const double middle = (low + high) / 2;
    return mayReach(low, middle, left, weight) || mayReach(middle, high, left, weight);
  }

private:
  const LayerSums& m_sums;
  const std::vector<StageReach>& m_stages;
  int m_last;
};

}  // namespace

bool mayFinishWithin(double limit, const LayerSums& sums, const std::vector<StageReach>& stages,
                     const ObjectiveWeights& weights, double hops) {
  const SyncReach reach(sums, stages);
  const double work = sums.leastAny.back(), left = limit * kRoundUp - weights.sum * (work + hops);
  if (left < 0) return false;
  if (!(weights.max > 0)) return reach.reachesEnd(kInfinity, left);
  const double low = std::max(sums.slowestLayer, work / static_cast<double>(stages.size()));
  double most = work;
  for (const StageReach& stage : stages)
    if (stage.load) most = std::max(most, stage.load->back());
  const double high = std::min(left / weights.max, most);
  return low <= high * kRoundUp && reach.mayReach(std::min(low, high), high, left, weights.max);
}

}  // namespace nest::solver
