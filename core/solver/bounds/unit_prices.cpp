// E_μ(i, x) = min over the last stage y…x of strategy σ, width a, with load at most λ, the i-th from the
// front:
//   E_μ(i − 1, y) + w_sum·x + μ·a + (i ≤ I ? tail/I : 0).
// A stage's load is its least one anywhere: best groups, nearest neighbours, the fastest policy that fits
// with as many microbatches in flight as the fewest stages that hold what is behind ask for. Stages that some
// other one of the same layers beats in y, x, width and tail are left out. Cost: λ × I × stages × kPrices.
#include "solver/bounds/unit_prices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/bounds/lanes.h"
#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::planner {
namespace {
constexpr double kCertain = 1 - 1e-12;
}  // namespace

UnitPrices::UnitPrices(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                       const std::vector<StageFloor>& floors, int zero, const Target& target,
                       const Limits& limits, Watch& watch)
    : m_order(order),
      m_target(target),
      m_weights(FillWeights(problem, target)),
      m_limits(limits),
      m_stages(at(order.cutCount())) {
  constexpr double kRatio = 1.6, kBand = 0.01;
  constexpr int kMostBands = 16;
  m_price[0] = std::max(m_weights.max, m_weights.sum) * limits.mostLoad / limits.units / 4;
  for (std::size_t q = 1; q < m_price.size(); ++q) m_price[q] = m_price[q - 1] * kRatio;
  listStages(problem, rules, floors, zero, watch);
  const double low = std::min(limits.leastMax, limits.mostLoad), high = limits.mostLoad;
  const int count =
      low > 0 ? std::clamp(static_cast<int>(std::ceil(std::log(high / low) / kBand)), 1, kMostBands) : 1;
  std::vector<Row> before;
  for (int j = 0; j < count; ++j) {
    if (watch.look()) return;
    Band band{count == 1 ? low : low * std::pow(high / low, double(j) / count),
              j + 1 == count ? high : low * std::pow(high / low, double(j + 1) / count),
              {}};
    for (std::size_t v = 0; v < kTails.size(); ++v) {
      band.whole[v].fill(-kNever);
      const bool closed =
          v > 0 && m_weights.max * band.least + rest(band.whole[0], limits.units) > limits.time;
      if (closed && j + 1 < count) continue;
      price(band.most, kTails[v], before);
      band.whole[v] = before.back();
      if (j + 1 == count) m_before.insert(m_before.end(), before.begin(), before.end());
    }
    m_bands.push_back(band);
  }
  m_stages.clear();
  m_stages.shrink_to_fit();
  m_complete = true;
}

void UnitPrices::listStages(const Problem& problem, const CutRules& rules,
                            const std::vector<StageFloor>& floors, int zero, Watch& watch) {
  const auto fewest = fewestStages(m_order, rules, floors, m_limits.mostLoad);
  int narrow = std::numeric_limits<int>::max();
  std::vector<double> leastBytes(at(m_order.cutCount()), kNever);
  for (const StageFloor& f : floors) {
    const LayerSums& s = f.sums();
    narrow = std::min(narrow, s.strategy().width());
    for (std::size_t c = 0; c < leastBytes.size(); ++c)
      leastBytes[c] = std::min(leastBytes[c], s.boundary[c]);
    m_backwardShare = std::max(m_backwardShare, s.mostBackwardShare);
  }
  std::vector<std::vector<Stage>> byStart(at(m_order.cutCount()));
  for (int to = 1; to < m_order.cutCount(); ++to) {
    if (watch.over()) return;
    if (fewest[at(to)] > m_order.layerCount()) continue;
    const InFlight inFlight = leastInFlight(m_target, fewest[at(to)], fewest[0]);
    for (const StageFloor& f : floors) {
      const LayerSums& s = f.sums();
      const int a = s.strategy().width();
      if (a > m_limits.units) continue;
      const auto transfer = [&](double bytes) { return leastTransfer(problem, a + narrow, bytes); };
      const double sent = to < m_order.last() ? transfer(s.boundary[at(to)]) : 0;
      for (int from = to - 1; from >= 0; --from) {
        if (s.leastAny[at(to)] - s.leastAny[at(from)] > m_limits.mostLoad * kSlack) break;
        if (!rules.mayStand(from, to)) continue;
        const Part part{from, to};
        const StageSize size = f.size(part);
        const double own =
            f.work(problem.search.recompute, f.fixedMemory(size), inFlight, part, m_limits.capacity);
        if (own == kNever) break;  // nor does a longer stage fit
        const double received = from > 0 ? transfer(leastBytes[at(from)]) : 0, work = own + sent + received,
                     data = f.data(size);
        if (work + data > m_limits.mostLoad * kSlack) continue;
        Stage stage{from, a, {work + data, work + data}, f.tail(size), {}};
        if (m_weights.fills()) {
          stage.passes = LeastPasses::of(s, zero, part, work, received);
          stage.fill = m_weights.of(stage.passes, data, m_limits.mostLoad * kSlack);
        }
        byStart[at(from)].push_back(stage);
      }
    }
    for (int from = 0; from < to; ++from) {
      auto& all = byStart[at(from)];
      std::sort(all.begin(), all.end(), [](const Stage& a, const Stage& b) {
        return std::tie(a.width, a.fill.y, a.fill.x, a.tail) < std::tie(b.width, b.fill.y, b.fill.x, b.tail);
      });
      auto& kept = m_stages[at(to)];
      const auto first = static_cast<std::ptrdiff_t>(kept.size());
      for (const Stage& stage : all)
        if (std::none_of(kept.begin() + first, kept.end(), [&](const Stage& o) { return o.beats(stage); }))
          kept.push_back(stage);
      all.clear();
    }
  }
}

void UnitPrices::price(double most, int shared, std::vector<Row>& before) const {
  Row far;
  far.fill(kNever);
  before.assign(at(m_order.cutCount()), far);
  std::vector<Row> after(at(shared + 1) * before.size(), far);  // so many stages in front, or more
  const auto row = [&](int stages, int cut) -> Row& { return after[at(stages) * before.size() + at(cut)]; };
  row(0, 0).fill(0);
  before[0].fill(0);
  for (int to = 1; to < m_order.cutCount(); ++to) {
    for (const Stage& stage : m_stages[at(to)]) {
      if (stage.fill.y > most * kSlack) continue;
      const double x = stage.passes.open ? m_weights.of(stage.passes, 0, most * kSlack).x : stage.fill.x;
      Row alone, first;
      for (std::size_t q = 0; q < alone.size(); ++q) {
        alone[q] = m_weights.sum * x + m_price[q] * stage.width;
        first[q] = alone[q] + stage.tail / shared;
      }
      for (int i = 0; i <= std::min(shared, stage.from); ++i)
        if (const Row& front = row(i, stage.from); front[0] < kNever)
          relax<kPrices>(row(std::min(i + 1, shared), to).data(), front.data(),
                         (i < shared ? first : alone).data());
    }
    for (int i = 1; i <= shared; ++i)
      for (std::size_t q = 0; q < m_price.size(); ++q)
        before[at(to)][q] = std::min(before[at(to)][q], row(i, to)[q]);
  }
  // Behind the stages in front a later one hides that much of its sync.
  const double hidden = m_backwardShare * most / m_weights.share * (shared - 1) / 2 * kSlack;
  for (std::size_t c = 1; c < before.size(); ++c)
    for (double& v : before[c]) v = v * kCertain - hidden;
}

double UnitPrices::rest(const Row& row, int units) const {
  double most = -kNever;
  for (std::size_t q = 0; q < row.size(); ++q) most = std::max(most, row[q] - m_price[q] * units * kSlack);
  return most;
}

double UnitPrices::upTo(int units, double most) const {
  double least = kNever;
  for (const Band& band : m_bands) {
    if (band.least > most * kSlack) break;
    double bound = 0;
    for (const Row& row : band.whole) bound = std::max(bound, rest(row, units));
    least = std::min(least, (m_weights.max * band.least + bound) * kCertain);
  }
  return least;
}

double UnitPrices::most(int units, double limit) const {
  double most = 0;
  for (const Band& band : m_bands) {
    double bound = 0;
    for (const Row& row : band.whole) bound = std::max(bound, rest(row, units));
    if ((m_weights.max * band.least + bound) * kCertain <= limit) most = band.most;
  }
  return most * kSlack;
}

double UnitPrices::time(int cut, int units, double max, double sum) const {
  double bound = 0;
  for (std::size_t v = 0; v < kTails.size(); ++v)
    bound = std::max(bound, rest(m_before[v * at(m_order.cutCount()) + at(cut)], units));
  return (m_weights.time(sum, max, 0) + bound) * kCertain;
}

}  // namespace nest::planner
