// Where shared parameters stand in a pipeline whose stages choose their strategies: guesses of the earlier
// holder (its first unit, width and share), and what a stage at a known place makes of one.
#include <algorithm>

#include "solver/models/free_dp.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
}  // namespace

std::vector<FreeDp::TiedGuess> FreeDp::guesses() const {
  const auto& tied = m_problem.profile->tied;
  const auto usable = [&](LayerIndex x) { return x.value >= 0 && x.value < m_order.layerCount(); };
  if (!tied || !usable(tied->first) || !usable(tied->second) || tied->first == tied->second) return {{}};
  const int low = std::min(tied->first.value, tied->second.value),
            high = std::max(tied->first.value, tied->second.value);
  std::vector<TiedGuess> all;
  TiedGuess guess;
  guess.front = low, guess.behind = high;
  all.push_back(guess);
  guess.same = false;
  for (int turn = 0; turn < (m_order.isChain() ? 1 : 2); ++turn, std::swap(guess.front, guess.behind))
    for (guess.begin = 0; guess.begin < (m_order.isChain() && low == 0 ? 1 : m_config.units); ++guess.begin)
      for (guess.strategy = 0; guess.strategy < static_cast<int>(m_sums.size()); ++guess.strategy) {
        const auto share = [&](int k) { return tied->parameters[at(m_sums[at(k)]->strategyIndex())]; };
        bool isNew = true;
        for (int k = 0; k < guess.strategy; ++k)
          isNew = isNew && !(width(k) == width(guess.strategy) && share(k) == share(guess.strategy));
        if (isNew) all.push_back(guess);
      }
  return all;
}

bool FreeDp::settleTied(const Key& key, int begin, int from, const TiedGuess& guess,
                        StageCosts::Surroundings& around, double& tiedSync) {
  if (guess.front < 0) return true;
  const auto in = [&](int layer) { return m_order.holds(key.cut, layer) && !m_order.holds(from, layer); };
  const bool front = in(guess.front), behind = in(guess.behind);
  if (guess.same) return front == behind;
  if (front && behind) return false;
  const auto& tied = *m_problem.profile->tied;
  const auto share = [&](int k) { return tied.parameters[at(m_sums[at(k)]->strategyIndex())]; };
  around.copy = in(tied.second.value);
  if (guess.relaxed) return true;
  if (behind) {
    if (begin < guess.begin + width(guess.strategy)) return false;
    const auto& layout = m_config.layout;
    const int level =
        m_shapes.reachBetween(guess.begin * layout.inner, width(guess.strategy), begin * layout.inner,
                              width(key.strategy), layout.inner, layout.outer, layout.stride);
    const double bytes =
        std::max(share(guess.strategy), share(key.strategy)) * m_problem.job.optimizer.gradientBytes;
    const auto& l = m_problem.cluster->level(level);
    tiedSync = bytes > 0 ? 2 * (l.latency.value() + 0.5 * bytes / l.sustained().value()) : 0;
    around.tiedSync = tiedSync;
  }
  if (front) {
    if (begin != guess.begin || width(key.strategy) != width(guess.strategy) ||
        share(key.strategy) != share(guess.strategy) || tiedSync < 0)
      return false;
    around.tiedSync = tiedSync;
  }
  return true;
}

}  // namespace nest::planner
