// For a range [λ, λ'] of the largest load, the bound is the largest over prices μ of a unit and ρ of a layer
// of
//   w_max·λ + ρ·L − μ·U + min_S Σ_{k<S} min over σ, r and n ≤ N(σ, r, k, λ') of w_sum·load + μ·a − ρ·n.
// It is found by bisection on both prices, because stages hold more as ρ grows and use less as μ grows. The
// range with the least bound is halved until it is narrow.
#include "solver/bounds/depth_prices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <utility>

#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {
namespace {
/// Identical layers differ in cost by rounding, because their costs are differences of sums.
constexpr double kRounding = kRoundingOfDifferences, kCertainly = 1 - kRounding;
/// Limits the price of all units or layers together, in multiples of the time limit. If too few of them
/// suffice, prices rise far.
constexpr double kMostPrice = 100;
/// Upper bound on the rounding error of such sums, in multiples of the time limit.
constexpr double kLost = kMostPrice * 1e-14;
}  // namespace

DepthPrices::DepthPrices(const Problem& problem, const LayerOrder& order,
                         const std::vector<StageFloor>& floors, const Target& target, const Limits& limits)
    : m_weights(target.bound), m_limits(limits) {
  std::map<int, std::pair<int, int>> classes;  // number of layers, and the cut in front of the first one
  for (int c = 1; c < order.cutCount(); ++c)
    ++classes.try_emplace(problem.graph->layers[at(order.added(c))].classId, 0, c - 1).first->second.first;
  int first = 0;
  for (const auto& [id, of] : classes)
    if (of.first > m_layers) std::tie(m_layers, first) = of;
  // Other layers may be in stages of their own.
  m_limits.leastStages = std::max(1, limits.leastStages - (order.layerCount() - m_layers));
  int narrow = std::numeric_limits<int>::max();
  double leastBytes = kInfinity, slowest = 1, before = 0;
  if (!problem.cluster->hasUniformDevices())
    slowest = problem.cluster->slowest(0, problem.cluster->deviceCount());
  for (const StageFloor& f : floors) {
    narrow = std::min(narrow, f.sums().strategy().width());
    leastBytes = std::min(leastBytes, f.sums().leastBoundary);
  }
  // Stages in front that hold none of these layers hide at most this much of the first one's exchange.
  for (int c = 1; c <= first; ++c) {
    double most = 0;
    for (const StageFloor& f : floors) most = std::max(most, between(f.sums().backward, Part{c - 1, c}));
    before += most / slowest;
  }
  const Part layer{first, first + 1};
  for (const StageFloor& f : floors) {
    const LayerSums& s = f.sums();
    const int a = s.strategy().width();
    if (!s.usable(order.added(layer.to)) || a > limits.units) continue;
    StageSize size = f.size(layer);
    const StageSize none{0, 0, size.alone, size.whole};
    const double data = f.data(size);
    for (int r = 0; r < kRecomputeCount; ++r) {
      if (!problem.search.recompute[at(r)] || !hasPolicy(s, layer, r)) continue;
      m_kinds.push_back(
          {a, (between(s.least[at(r)], layer) + data) * kCertainly,
           (f.fixedMemory(size) - f.fixedMemory(none)) * kCertainly,
           between(s.stash[at(r)], layer) * kCertainly,
           limits.capacity * (1 + kRounding) - f.fixedMemory(none) - s.workspace[at(r)](layer.from, layer.to),
           leastTransfer(problem, a + narrow, s.leastBoundary),
           leastTransfer(problem, a + narrow, leastBytes), f.tail(size) * kCertainly, before});
    }
  }
  const int most = std::min({limits.mostStages, limits.units / narrow, m_layers});
  for (int k = 0; k < most; ++k) m_inFlight.push_back(leastInFlight(target, k, 0).count);
}

DepthPrices::Sum DepthPrices::leastSum(const std::vector<Depth>& depths, double perUnit,
                                       double perLayer) const {
  Sum least, sum{0, 0};  // over all stages, and over the stages behind
  for (std::size_t k = 0; k < depths.size(); ++k) {
    const Depth& depth = depths[k];
    Sum stage, first;
    for (std::size_t i = 0; i < m_kinds.size(); ++i) {
      const Kind& kind = m_kinds[i];
      const int most = depth.most[i];
      if (most < 1) continue;
      const double besides = m_weights.sum * (k > 0 ? kind.sent : 0) + perUnit * kind.width;
      const double perKind = m_weights.sum * kind.load - perLayer;
      const int n = perKind < 0 ? most : 1;
      const double value = besides + m_weights.sum * kind.received + n * perKind;
      if (value < stage.value) stage = {value, double(n)};
      const int own = perKind + kind.tail < 0 ? most : 1;
      const double alone = besides + own * (perKind + kind.tail) - kind.besides;
      if (alone < first.value) first = {alone, double(own)};
    }
    if (stage.value == kInfinity && first.value == kInfinity) break;
    if (static_cast<int>(k) + 1 >= m_limits.leastStages && sum.value + first.value < least.value)
      least = {sum.value + first.value, sum.layers + first.layers};
    // Deeper stages hold no more layers.
    if (static_cast<int>(k) + 1 >= m_limits.leastStages && stage.value >= 0 && least.value < kInfinity) break;
    sum = {sum.value + stage.value, sum.layers + stage.layers};
  }
  return least;
}

/// A lower bound on all of the cost but the largest load, if no load exceeds `mostLoad`.
double DepthPrices::least(double mostLoad, Watch& watch) const {
  std::vector<Depth> depths;
  long long held = 0;
  for (std::size_t k = 0; k < m_inFlight.size(); ++k) {
    Depth depth;
    int most = 0;
    for (const Kind& kind : m_kinds) {
      const double hops = k > 0 ? kind.sent : 0;
      const double layers = std::min(kind.room / std::max(1e-300, kind.bytes + m_inFlight[k] * kind.stash),
                                     (mostLoad * kRoundUp - hops) / std::max(1e-300, kind.load));
      depth.most.push_back(
          static_cast<int>(std::clamp(layers * (1 + kRounding) + kRounding, 0.0, double(m_layers))));
      most = std::max(most, depth.most.back());
    }
    if (most == 0) break;
    held += most;
    depths.push_back(std::move(depth));
  }
  if (held < m_layers || static_cast<int>(depths.size()) < m_limits.leastStages) return kInfinity;
  const auto with = [&](double perUnit) {
    double best = -kInfinity, low = 0, high = kMostPrice * m_limits.time / m_layers;
    for (int step = 0; step < 28; ++step) {
      const double perLayer = (low + high) / 2;
      const Sum sum = leastSum(depths, perUnit, perLayer);
      best = std::max(best, sum.value + perLayer * m_layers - perUnit * m_limits.units);
      (sum.layers < m_layers ? low : high) = perLayer;
    }
    return best;
  };
  // If all stages have one width, the number of units bounds their number.
  const bool isOneWidth = std::all_of(m_kinds.begin(), m_kinds.end(),
                                      [&](const Kind& k) { return k.width == m_kinds.front().width; });
  if (isOneWidth) return with(0);
  // The bound is concave in the price of a unit, so this searches its logarithm by golden sections.
  constexpr double kGolden = 0.6180339887498949;
  double high = std::log(kMostPrice * m_limits.time / m_limits.units), low = high - std::log(1e6);
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double atLeft = with(std::exp(left)), atRight = with(std::exp(right));
  for (int step = 0; step < 14 && !watch.poll(); ++step)
    if (atLeft < atRight) {
      low = std::exchange(left, right), atLeft = atRight;
      right = low + kGolden * (high - low), atRight = with(std::exp(right));
    } else {
      high = std::exchange(right, left), atRight = atLeft;
      left = high - kGolden * (high - low), atLeft = with(std::exp(left));
    }
  return std::max(atLeft, atRight);
}

double DepthPrices::bound(Watch& watch) const {
  constexpr double kNarrow = 3e-3;
  constexpr int kMostRanges = 64;
  struct Range {
    double bound, low, high, least;
    bool operator<(const Range& o) const { return bound > o.bound; }
  };
  std::priority_queue<Range> ranges;
  const auto add = [&](double low, double high, double least) {
    ranges.push({(m_weights.max * low + least) * kCertainly - kLost * m_limits.time, low, high, least});
  };
  if (m_kinds.empty() || !(m_limits.mostLoad > 0) || m_limits.time == kInfinity) return 0;
  const double least = std::min(m_limits.leastMax, m_limits.mostLoad);
  add(least, m_limits.mostLoad, this->least(m_limits.mostLoad, watch));
  for (int count = 1; count < kMostRanges && ranges.top().bound <= m_limits.time; ++count) {
    const Range range = ranges.top();
    if (range.high <= range.low * (1 + kNarrow) || watch.checkClock()) break;
    ranges.pop();
    const double middle = range.low > 0 ? std::sqrt(range.low * range.high) : range.high / 2;
    add(range.low, middle, std::max(range.least, this->least(middle, watch)));
    add(middle, range.high, range.least);
  }
  return std::max(0.0, ranges.top().bound);
}

}  // namespace nest::solver
