// The minimum is over the last stage y…x with strategy σ, width a, and load at most λ, the i-th from the
// front:
//   E_μ(i, x) = min ( E_μ(i − 1, y) + w_sum·x + μ·a + (i ≤ I ? tail/I : 0) ).
#include "solver/bounds/unit_prices.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "solver/bounds/lanes.h"
#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {

/// Lists the nondominated relaxed stages by the cut at which they end. Where layers are identical, a cut has
/// the same stages as the one before it. The lists are kept after their first use unless they are too large:
/// 10,000 different layers have tens of millions of stages.
class UnitPrices::Lister {
public:
  /// `mostLoad`: upper bound on the load of any stage of the pipeline.
  Lister(const UnitPrices& prices, const Problem& problem, const CutRules& rules,
         const std::vector<StageFloor>& floors, int zero, double mostLoad, Watch& watch)
      : m_prices(prices),
        m_problem(problem),
        m_rules(rules),
        m_floors(floors),
        m_watch(watch),
        m_zero(zero),
        m_mostLoad(std::min(mostLoad, prices.m_limits.mostLoad)),
        m_fewest(fewestStages(problem, prices.m_order, rules, floors, prices.m_target, m_mostLoad,
                              prices.m_limits.capacity)),
        m_leastBytes(at(prices.m_order.cutCount()), kInfinity),
        m_byStart(at(prices.m_order.cutCount())),
        m_listOf(at(prices.m_order.cutCount())),
        m_alike(layersAlike(problem, prices.m_order, rules, floors)) {
    for (const StageFloor& f : floors) {
      m_narrow = std::min(m_narrow, f.sums().strategy().width());
      for (std::size_t c = 0; c < m_leastBytes.size(); ++c)
        m_leastBytes[c] = std::min(m_leastBytes[c], f.sums().boundary[c]);
    }
  }

  /// The stages that end at cut `to`. Must be called for all cuts in turn. Incomplete if the watch has
  /// stopped.
  const std::vector<Stage>& before(int to) {
    if (m_listed) return m_lists[m_listOf[at(to)]];
    if (m_lists.empty() || !repeats(to)) {
      if (!m_keeps) m_lists.clear();
      m_lists.emplace_back();
      m_count += list(to).size();
      if (m_keeps && m_count > m_prices.m_limits.mostKept) {
        m_keeps = false;
        m_lists.erase(m_lists.begin(), m_lists.end() - 1);
      }
    }
    m_listOf[at(to)] = m_lists.size() - 1;
    m_listed = m_keeps && to == m_prices.m_order.last();
    return m_lists.back();
  }
  bool keeps() const { return m_keeps; }
  /// Whether listing was quick.
  bool isQuick() const { return m_listed && m_lists.size() < m_listOf.size() / 8; }

private:
  InFlight inFlightBefore(int to) const {
    return leastInFlight(m_prices.m_target, m_fewest[at(to)], m_fewest[0]);
  }
  /// Whether the cut has the stages of the one in front of it: all that were considered there are among
  /// identical layers, and as much is in flight.
  bool repeats(int to) const {
    return m_reach <= m_alike[at(to - 1)] && m_alike[at(to)] > 0 &&
           inFlightBefore(to).count == inFlightBefore(to - 1).count;
  }

  const std::vector<Stage>& list(int to) {
    const UnitPrices& p = m_prices;
    std::vector<Stage>& stages = m_lists.back();
    m_reach = to;
    if (m_fewest[at(to)] > p.m_order.layerCount()) return stages;
    m_reach = 0;
    const InFlight inFlight = inFlightBefore(to);
    int first = to;
    for (const StageFloor& f : m_floors) {
      const LayerSums& s = f.sums();
      const int a = s.strategy().width();
      if (a > p.m_limits.units) continue;
      const auto transfer = [&](double bytes) { return leastTransfer(m_problem, a + m_narrow, bytes); };
      const double sent = to < p.m_order.last() ? transfer(s.boundary[at(to)]) : 0;
      int from = to - 1;
      for (; from >= 0; --from) {
        if (s.leastAny[at(to)] - s.leastAny[at(from)] > m_mostLoad * kRoundUp) break;
        if (!m_rules.mayStand(from, to)) continue;
        if (m_watch.shouldStopAfter(30)) return stages;
        const Part part{from, to};
        const StageSize size = f.size(part);
        const double own =
            f.work(m_problem.search.recompute, f.fixedMemory(size), inFlight, part, p.m_limits.capacity);
        if (own == kInfinity) break;  // no longer stage fits
        const double received = from > 0 ? transfer(m_leastBytes[at(from)]) : 0, work = own + sent + received,
                     data = f.data(size);
        if (work + data > m_mostLoad * kRoundUp) continue;
        Stage stage{to - from, a, {work + data, work + data}, f.tail(size), {}};
        if (p.m_weights.fills()) {
          stage.passes = LeastPasses::of(s, m_zero, part, work, received);
          stage.fill = p.m_weights.of(stage.passes, data, m_mostLoad * kRoundUp);
        }
        m_byStart[at(from)].push_back(stage);
        first = std::min(first, from);
      }
      m_reach = std::max(m_reach, to - from);
    }
    for (int from = first; from < to; ++from) {
      auto& all = m_byStart[at(from)];
      std::sort(all.begin(), all.end(), [](const Stage& a, const Stage& b) {
        return std::tie(a.width, a.fill.y, a.fill.x, a.tail) < std::tie(b.width, b.fill.y, b.fill.x, b.tail);
      });
      const auto begin = static_cast<std::ptrdiff_t>(stages.size());
      for (const Stage& stage : all) {
        if (m_watch.shouldStopAfter(stages.size() - static_cast<std::size_t>(begin))) return stages;
        if (!p.m_leavesOut || std::none_of(stages.begin() + begin, stages.end(),
                                           [&](const Stage& o) { return o.beats(stage); }))
          stages.push_back(stage);
      }
      if (p.m_leavesOut) {
        BoundLedger& ledger = m_watch.bounds();
        const auto kept = static_cast<std::ptrdiff_t>(stages.size()) - begin;
        ledger.countCalls(SearchBound::Dominance, static_cast<long long>(all.size()));
        ledger.countClosed(SearchBound::Dominance, static_cast<long long>(all.size()) - kept);
      }
      all.clear();
    }
    return stages;
  }

  const UnitPrices& m_prices;
  const Problem& m_problem;
  const CutRules& m_rules;
  const std::vector<StageFloor>& m_floors;
  Watch& m_watch;
  int m_zero;
  double m_mostLoad;
  std::vector<int> m_fewest;
  int m_narrow = std::numeric_limits<int>::max();
  std::vector<double> m_leastBytes;
  std::vector<std::vector<Stage>> m_byStart;
  std::deque<std::vector<Stage>> m_lists;
  std::vector<std::size_t> m_listOf;  ///< per cut
  std::vector<int> m_alike;
  int m_reach = 0;  ///< layers in front of the cut that the last list considered
  std::size_t m_count = 0;
  bool m_keeps = true, m_listed = false;
};

UnitPrices::UnitPrices(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                       const std::vector<StageFloor>& floors, int zero, const Target& target,
                       const Limits& limits, Watch& watch)
    : m_order(order), m_target(target), m_weights(FillWeights(problem, target)), m_limits(limits) {
  m_leavesOut = watch.bounds().uses(SearchBound::Dominance);
  if (!watch.bounds().uses(SearchBound::SharedTails)) m_tails = 1;
  for (const StageFloor& f : floors) m_backwardShare = std::max(m_backwardShare, f.sums().mostBackwardShare);
  constexpr double kRatio = 1.6, kBand = 0.01;
  constexpr int kMostBands = 16;
  m_price[0] = std::max(m_weights.max, m_weights.sum) * limits.mostLoad / limits.units / 4;
  for (std::size_t q = 1; q < m_price.size(); ++q) m_price[q] = m_price[q - 1] * kRatio;
  Lister stages(*this, problem, rules, floors, zero, limits.mostLoad, watch);
  const double low = std::min(limits.leastMax, limits.mostLoad), high = limits.mostLoad;
  const int count =
      low > 0 ? std::clamp(static_cast<int>(std::ceil(std::log(high / low) / kBand)), 1, kMostBands) : 1;
  for (int j = 0; j < count; ++j) {
    Band& band =
        m_bands.emplace_back(Band{count == 1 ? low : low * std::pow(high / low, double(j) / count),
                                  j + 1 == count ? high : low * std::pow(high / low, double(j + 1) / count),
                                  {}});
    for (Row& row : band.whole) row.fill(-kInfinity);
  }
  for (std::size_t v = 0; v < m_tails; ++v) {
    // Timers are nested: these seconds are part of those of the prices.
    std::optional<BoundLedger::Timer> timer;
    if (v > 0)
      timer.emplace(watch.bounds(), SearchBound::SharedTails),
          watch.bounds().countCalls(SearchBound::SharedTails, 1);
    // Processing bands one by one keeps their tables small; where stages must be listed again each time, all
    // bands are processed together.
    std::vector<std::size_t> left;
    for (std::size_t j = m_bands.size(); j-- > 0;)
      if (j + 1 == m_bands.size() || v == 0 ||
          m_weights.max * m_bands[j].least + rest(m_bands[j].whole[0], limits.units) <= limits.time)
        left.push_back(j);
    while (!left.empty()) {
      const std::size_t most = stages.keeps() ? 1 : left.size();
      std::deque<Pass> passes;
      std::vector<Pass*> all;
      for (std::size_t k = 0; k < most; ++k)
        all.push_back(&passes.emplace_back(m_bands[left[k]].most, kTails[v], order.cutCount()));
      // In pipelines without larger loads more stages are behind a cut, and more is in flight.
      if (stages.isQuick() && left.front() + 1 < m_bands.size()) {
        Lister own(*this, problem, rules, floors, zero, m_bands[left.front()].most / m_weights.share, watch);
        if (!price(own, all, watch)) return;
      } else if (!price(stages, all, watch)) {
        return;
      }
      for (std::size_t k = 0; k < most; ++k) {
        m_bands[left[k]].whole[v] = passes[k].before.back();
        if (left[k] + 1 == m_bands.size())
          m_before.insert(m_before.end(), passes[k].before.begin(), passes[k].before.end());
      }
      left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(most));
    }
  }
  m_complete = true;
}

UnitPrices::Pass::Pass(double mostLoad, int sharedOver, int cuts) : most(mostLoad), shared(sharedOver) {
  Row far;
  far.fill(kInfinity);
  before.assign(at(cuts), far);
  after.assign(at(shared + 1) * before.size(), far);
  row(0, 0).fill(0);
  before[0].fill(0);
}

UnitPrices::Row& UnitPrices::Pass::row(int stages, int cut) {
  return after[at(stages) * before.size() + at(cut)];
}

bool UnitPrices::price(Lister& lister, const std::vector<Pass*>& passes, Watch& watch) const {
  for (int to = 1; to < m_order.cutCount(); ++to) {
    const std::vector<Stage>& stages = lister.before(to);
    // Many stages end at one cut of a long chain with many strategies.
    if (stages.size() * passes.size() > 100 ? watch.checkClock() : watch.shouldStop()) return false;
    for (Pass* pass : passes)
      if (!extend(*pass, stages, to, watch)) return false;
  }
  for (Pass* pass : passes) {
    // A later stage hides this much of its sync behind the stages in front of it.
    const double hidden = m_backwardShare * pass->most / m_weights.share * (pass->shared - 1) / 2 * kRoundUp;
    for (std::size_t c = 1; c < pass->before.size(); ++c)
      for (double& v : pass->before[c]) v = v * kRoundDown - hidden;
  }
  return true;
}

// Among stages with the same layers, only the least cost at each price counts.
bool UnitPrices::extend(Pass& pass, const std::vector<Stage>& stages, int to, Watch& watch) const {
  const int shared = pass.shared;
  Row none, far;
  none.fill(0);
  far.fill(kInfinity);
  for (auto stage = stages.begin(); stage != stages.end();) {
    const int layers = stage->layers, from = to - layers;
    const bool mayBeEarly = from <= pass.furthest;
    Row least = far, withTail = far;
    for (; stage != stages.end() && stage->layers == layers; ++stage) {
      if (watch.shouldStopAfter(10)) return false;
      if (stage->fill.y > pass.most * kRoundUp) continue;
      const double x =
          stage->passes.open ? m_weights.of(stage->passes, 0, pass.most * kRoundUp).x : stage->fill.x;
      Row cost, tail;
      for (std::size_t q = 0; q < cost.size(); ++q) cost[q] = m_weights.sum * x + m_price[q] * stage->width;
      relax<kPrices>(least.data(), cost.data(), none.data());
      if (!mayBeEarly) continue;
      tail.fill(stage->tail / shared);
      relax<kPrices>(withTail.data(), cost.data(), tail.data());
    }
    if (!(least[0] < kInfinity)) continue;
    if (watch.shouldStopAfter(10 + 10 * at(shared))) return false;
    const auto add = [&](int inFront, const Row& cost) {
      if (const Row& front = pass.row(inFront, from); front[0] < kInfinity)
        relax<kPrices>(pass.row(std::min(inFront + 1, shared), to).data(), front.data(), cost.data());
    };
    if (from >= shared) add(shared, least);
    if (!mayBeEarly) continue;
    for (int i = 0; i <= std::min(shared - 1, from); ++i) add(i, withTail);
  }
  for (int i = 1; i <= shared; ++i) {
    const Row& here = pass.row(i, to);
    if (i < shared && here[0] < kInfinity) pass.furthest = to;
    for (std::size_t q = 0; q < here.size(); ++q)
      pass.before[at(to)][q] = std::min(pass.before[at(to)][q], here[q]);
  }
  return true;
}

double UnitPrices::rest(const Row& row, int units) const {
  double most = -kInfinity;
  for (std::size_t q = 0; q < row.size(); ++q) most = std::max(most, row[q] - m_price[q] * units * kRoundUp);
  return most;
}

double UnitPrices::upTo(int units, double most) const {
  double least = kInfinity;
  for (const Band& band : m_bands) {
    if (band.least > most * kRoundUp) break;
    double bound = 0;
    for (const Row& row : band.whole) bound = std::max(bound, rest(row, units));
    least = std::min(least, (m_weights.max * band.least + bound) * kRoundDown);
  }
  return least;
}

double UnitPrices::most(int units, double limit) const {
  double most = 0;
  for (const Band& band : m_bands) {
    double bound = 0;
    for (const Row& row : band.whole) bound = std::max(bound, rest(row, units));
    if ((m_weights.max * band.least + bound) * kRoundDown <= limit) most = band.most;
  }
  return most * kRoundUp;
}

double UnitPrices::time(int cut, int units, double max, double sum) const {
  double bound = 0;
  for (std::size_t v = 0; v < m_tails; ++v)
    bound = std::max(bound, rest(m_before[v * at(m_order.cutCount()) + at(cut)], units));
  return (m_weights.time(sum, max, 0) + bound) * kRoundDown;
}

}  // namespace nest::solver
