// Per stage and strategy one least load; per U a PrefixTable, filled stage by stage. Cost: stages × U ×
// strategies × kRates.
#include "solver/bounds/chunk_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solver/bounds/search_bounds.h"
#include "solver/common.h"
#include "solver/space/chunk_cuts.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::planner {

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const GroupShapes& shapes, const ChunkConfiguration& c, double capacity,
                         Watch& watch)
    : ChunkBounds(problem, space, order, shapes, c,
                  {{c.dataDegree, space.shardDegrees(c.dataDegree, c.zero, strategiesOf(c.sums))}}, capacity,
                  watch) {}

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const GroupShapes& shapes, const ChunkConfiguration& c,
                         const std::vector<Sharding>& shardings, double capacity, Watch& watch)
    : m_stages(c.stages),
      m_bound(c.target.bound),
      m_weights(problem, c.target),
      m_toY(c.target.share / m_weights.share),
      m_leastBoundary(at(order.cutCount()), kNever) {
  if (const auto tied = tiedStagesOf(problem, c.cuts, c.stages, *c.schedule)) m_copyIn = tied->second;
  const auto parts = chunkParts(c.cuts, c.stages, *c.schedule);
  for (const LayerSums* s : c.sums) {
    m_width.push_back(s->strategy().width());
    m_floors.emplace_back(problem, *s, GradientFloor::of(shapes, s->strategy(), shardings, watch), c.zero);
    for (std::size_t cut = 0; cut < m_leastBoundary.size(); ++cut)
      m_leastBoundary[cut] = std::min(m_leastBoundary[cut], s->boundary[cut]);
    m_first.push_back(m_floors.back().tail(m_floors.back().size(Parts(parts.front()))));
    m_backwardShare = std::max(m_backwardShare, s->mostBackwardShare);
  }
  std::vector<double> tails(m_width.size());
  for (int i = 0; i < m_stages; ++i) {
    int narrow = std::numeric_limits<int>::max(), wide = 0;
    for (int k = 0; k < static_cast<int>(m_width.size()) && !watch.overAfter(200); ++k) {
      m_least.push_back(leastOf(problem, space, order, c, i, k, parts[at(i)], capacity));
      if (m_least.back().load == kNever) continue;
      narrow = std::min(narrow, m_width[at(k)]);
      wide = std::max(wide, m_width[at(k)]);
    }
    if (wide == 0 || watch.over()) {  // nothing can form this stage, or nobody asks any more
      m_leastUnits = 1, m_mostUnits = 0;
      return;
    }
    for (std::size_t k = 0; k < tails.size(); ++k)
      tails[k] = i == 0 ? m_first[k] : m_floors[k].tail(m_floors[k].size(Parts(parts[at(i)])));
    addChoices(tails);
    m_leastUnits += narrow;
    m_mostUnits += wide;
  }
}

double ChunkBounds::leastTransfers(const Problem& problem, const ChunkConfiguration& c, int strategy,
                                   Parts parts) const {
  if (c.target.covered) return 0;
  const int narrow = *std::min_element(m_width.begin(), m_width.end());
  Messages all;
  // A folded pipeline turns inside its last stage: nothing is sent there.
  const auto turns = [&](int cut) {
    const auto meets = [cut](int Part::*end) { return [cut, end](const Part& p) { return p.*end == cut; }; };
    return std::any_of(parts.begin(), parts.end(), meets(&Part::from)) &&
           std::any_of(parts.begin(), parts.end(), meets(&Part::to));
  };
  for (const Part& p : parts) {
    if (!turns(p.from)) all.add(m_leastBoundary[at(p.from)]);
    if (!turns(p.to)) all.add(c.sums[at(strategy)]->boundary[at(p.to)]);
  }
  return leastTransfer(problem, m_width[at(strategy)] + narrow, all);
}

ChunkBounds::Least ChunkBounds::leastOf(const Problem& problem, const SearchSpace& space,
                                        const LayerOrder& order, const ChunkConfiguration& c, int stage,
                                        int strategy, Parts parts, double capacity) const {
  const LayerSums& s = *c.sums[at(strategy)];
  if (!space.strategyAllowed(stage, s.strategy())) return {};
  const StageFloor& floor = m_floors[at(strategy)];
  StageSize size = floor.size(parts);
  for (const Part& p : parts) {
    for (int x = p.from; x < p.to; ++x)
      if (!s.usable(x)) return {};
    if (m_copyIn == stage && order.holds(p.to, problem.profile->tied->second.value) &&
        !order.holds(p.from, problem.profile->tied->second.value))
      size.addCopy(problem, s);
  }
  const InFlight inFlight = inFlightOf(*c.schedule, stage, c.stages, c.microbatchCount, c.chunks);
  const double own = floor.work(space.policies(stage), floor.fixedMemory(size), inFlight, parts, capacity);
  if (own == kNever) return {};
  const double data = floor.data(size), load = own + data + leastTransfers(problem, c, strategy, parts);
  if (!m_weights.fills()) return {load, {load, load}};
  // What is sent may be sent in either pass: neither counts.
  const double most = c.limit / c.microbatchCount;
  return {load, m_weights.of(LeastPasses::of(s, c.zero, parts, own, 0), data, most * kSlack)};
}

void ChunkBounds::addChoices(const std::vector<double>& tails) {
  std::vector<Choice> all;
  const std::size_t stage = m_choices.size();
  for (std::size_t k = 0; k < m_width.size(); ++k)
    if (const Least& l = leastOf(static_cast<int>(stage), static_cast<int>(k)); l.load < kNever)
      all.push_back({m_width[k], l.fill, tails[k]});
  std::sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
    return std::tie(a.width, a.fill.y, a.fill.x, a.tail) < std::tie(b.width, b.fill.y, b.fill.x, b.tail);
  });
  auto& kept = m_choices.emplace_back();
  for (const Choice& c : all)
    if (std::none_of(kept.begin(), kept.end(), [&](const Choice& o) {
          return o.fill.y <= c.fill.y && o.fill.x <= c.fill.x && o.tail <= c.tail;
        }))
      kept.push_back(c);
}

double ChunkBounds::quick(int units) const {
  double sum = 0, max = 0, even = 0, first = kNever;
  for (const Choice& c : m_choices.front()) first = std::min(first, c.tail);
  for (const auto& choices : m_choices) {
    double fastest = kNever, mixed = kNever, fill = kNever;
    for (const Choice& c : choices) {
      fastest = std::min(fastest, c.fill.y);
      fill = std::min(fill, c.fill.x);
      mixed = std::min(mixed, m_weights.sum * c.fill.x + m_weights.max * c.width / units * c.fill.y);
    }
    sum += fill;
    max = std::max(max, fastest);
    even += mixed;
  }
  return std::max(m_weights.time(sum, max, first), even + first) * kCertain;
}

/// Σ x·w_sum + price·a less the price of the units, with the tail shared over so many first stages.
double ChunkBounds::priced(int units, double most, double price, int shared) const {
  double all = 0;
  for (int i = 0; i < m_stages; ++i) {
    double least = kNever;
    for (const Choice& c : m_choices[at(i)])
      if (c.fill.y <= most)
        least =
            std::min(least, c.fill.x * m_weights.sum + price * c.width + (i < shared ? c.tail / shared : 0));
    all += least;
  }
  return all * kCertain - price * units -
         m_backwardShare * most / m_weights.share * (shared - 1) / 2 / kCertain;
}

double ChunkBounds::upTo(int units, double limit) const {
  constexpr double kRatio = 1.6, kBand = 0.01;
  constexpr int kMostBands = 16, kPrices = 8;
  double max = 0, sum = 0, unitSum = 0, first = kNever;
  for (const Choice& c : m_choices.front()) first = std::min(first, c.tail);
  for (const auto& choices : m_choices) {
    double fastest = kNever, narrowest = kNever, fill = kNever;
    for (const Choice& c : choices) {
      fastest = std::min(fastest, c.fill.y);
      fill = std::min(fill, c.fill.x);
      narrowest = std::min(narrowest, c.fill.y * c.width);
    }
    max = std::max(max, fastest);
    sum += fill;
    unitSum += narrowest;
  }
  const double low = std::max(max, unitSum / units) * kCertain;
  const double plain = m_weights.time(sum, low, first) * kCertain;
  if (!(m_weights.max > 0) || !(low > 0) || limit == kNever) return plain;
  const double high = (limit - m_weights.sum * sum - first) / m_weights.max / kCertain;
  if (high < low) return std::max(plain, limit);
  const int count = std::clamp(static_cast<int>(std::ceil(std::log(high / low) / kBand)), 1, kMostBands);
  double bound = kNever;
  for (int j = 0; j < count; ++j) {
    const double from = low * std::pow(high / low, double(j) / count),
                 to = j + 1 == count ? high : low * std::pow(high / low, double(j + 1) / count) / kCertain;
    double rest = m_weights.sum * sum + first, price = m_weights.max * to / units / 4;
    for (int q = 0; q < kPrices; ++q, price *= kRatio)
      for (const int shared : {1, std::min(6, m_stages)})
        rest = std::max(rest, priced(units, to, price, shared));
    bound = std::min(bound, (m_weights.max * from + rest) * kCertain);
    if (bound <= plain) break;
  }
  return std::max(plain, bound);
}

namespace {
// λ·U reaches w_max for the whole pipeline, and goes further for the narrower ones in front.
PrefixTable<double>::Rates ratesOf(double even) {
  PrefixTable<double>::Rates rates{0, even / 2, even};
  for (std::size_t j = 3; j < rates.size(); ++j) rates[j] = rates[j - 1] * 1.5;
  return rates;
}
}  // namespace

ChunkBounds::Prefixes::Prefixes(const ChunkBounds& b, int all)
    : m_bounds(&b),
      m_stages(b.m_stages),
      m_all(all),
      m_table(b.m_weights, ratesOf(b.m_weights.max / all), row(m_stages, all) + 1, kCertain, true) {
  m_table.open(0);
  for (int i = 0; i < m_stages; ++i)
    for (std::size_t k = 0; k < b.m_width.size(); ++k) {
      const Least& least = b.leastOf(i, static_cast<int>(k));
      if (least.load == kNever) continue;
      const int a = b.m_width[k];
      const auto added = m_table.added(a, least.fill, i == 0 ? b.m_first[k] : 0);
      m_table.add(row(i, 0), row(i + 1, a), added, all - a + 1);
    }
}

double ChunkBounds::Prefixes::leastTail(double mostLoad) const {
  double least = kNever;
  for (std::size_t k = 0; k < m_bounds->m_width.size(); ++k)
    if (m_bounds->least(0, static_cast<int>(k)) <= mostLoad / kCertain)
      least = std::min(least, m_bounds->m_first[k]);
  return least * kCertain;
}

double ChunkBounds::Prefixes::mostLoad(double limit) const {
  const ObjectiveWeights& w = m_bounds->m_bound;
  const double most = limit / std::max(1e-300, w.sum + w.max);
  return std::min(most, m_table.most(row(m_stages, m_all), m_all, limit, most) / m_bounds->m_weights.share) /
         kCertain;
}

}  // namespace nest::planner
