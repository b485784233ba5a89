// Per stage and strategy one least load; per U a PrefixTable, filled stage by stage. Cost: stages × U ×
// strategies × kRates.
#include "solver/bounds/chunk_bounds.h"

#include <algorithm>
#include <limits>

#include "solver/space/chunk_cuts.h"
#include "solver/stage/messages.h"

namespace nest::planner {
namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

ChunkBounds::ChunkBounds(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                         const GroupShapes& shapes, const ChunkConfiguration& c, double capacity)
    : m_stages(c.stages), m_weights(c.target.bound), m_leastBoundary(at(order.cutCount()), kNever) {
  if (const auto tied = tiedStagesOf(problem, c.cuts, c.stages, *c.schedule)) m_copyIn = tied->second;
  const auto parts = chunkParts(c.cuts, c.stages, *c.schedule);
  const auto shards = space.shardDegrees(c.dataDegree, c.zero, strategiesOf(c.sums));
  for (const LayerSums* s : c.sums) {
    m_width.push_back(s->strategy().width());
    m_floors.emplace_back(problem, *s, GradientFloor::of(shapes, s->strategy(), c.dataDegree, shards),
                          c.zero);
    for (std::size_t cut = 0; cut < m_leastBoundary.size(); ++cut)
      m_leastBoundary[cut] = std::min(m_leastBoundary[cut], s->boundary[cut]);
    m_first.push_back(m_floors.back().tail(m_floors.back().size(Parts(parts.front()))));
  }
  for (int i = 0; i < m_stages; ++i) {
    int narrow = std::numeric_limits<int>::max(), wide = 0;
    for (int k = 0; k < static_cast<int>(m_width.size()); ++k) {
      m_least.push_back(leastLoad(problem, space, order, c, i, k, parts[at(i)], capacity));
      if (m_least.back() == kNever) continue;
      narrow = std::min(narrow, m_width[at(k)]);
      wide = std::max(wide, m_width[at(k)]);
    }
    if (wide == 0) {  // nothing can form this stage
      m_leastUnits = 1, m_mostUnits = 0;
      return;
    }
    m_leastUnits += narrow;
    m_mostUnits += wide;
  }
}

double ChunkBounds::leastTransfers(const Problem& problem, const ChunkConfiguration& c, int strategy,
                                   Parts parts) const {
  if (c.target.covered) return 0;
  const int narrow = *std::min_element(m_width.begin(), m_width.end());
  Messages all;
  for (const Part& p : parts) {
    all.add(m_leastBoundary[at(p.from)]);
    all.add(c.sums[at(strategy)]->boundary[at(p.to)]);
  }
  return leastTransfer(problem, m_width[at(strategy)] + narrow, all);
}

double ChunkBounds::leastLoad(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                              const ChunkConfiguration& c, int stage, int strategy, Parts parts,
                              double capacity) const {
  const LayerSums& s = *c.sums[at(strategy)];
  if (!space.strategyAllowed(stage, s.strategy())) return kNever;
  const StageFloor& floor = m_floors[at(strategy)];
  StageSize size = floor.size(parts);
  for (const Part& p : parts) {
    for (int x = p.from; x < p.to; ++x)
      if (!s.usable(x)) return kNever;
    if (m_copyIn == stage && order.holds(p.to, problem.profile->tied->second.value) &&
        !order.holds(p.from, problem.profile->tied->second.value))
      size.addCopy(problem, s);
  }
  const InFlight inFlight = inFlightOf(*c.schedule, stage, c.stages, c.microbatchCount, c.chunks);
  const double least = floor.work(space.policies(stage), floor.fixedMemory(size), inFlight, parts, capacity);
  return least == kNever ? kNever : least + floor.data(size) + leastTransfers(problem, c, strategy, parts);
}

double ChunkBounds::quick(int units) const {
  double sum = 0, max = 0, even = 0, first = kNever;
  for (int i = 0; i < m_stages; ++i) {
    double fastest = kNever, mixed = kNever;
    for (std::size_t k = 0; k < m_width.size(); ++k) {
      const double load = least(i, static_cast<int>(k));
      if (load == kNever) continue;
      fastest = std::min(fastest, load);
      const double mix = load * (m_weights.sum + m_weights.max * m_width[k] / units);
      mixed = std::min(mixed, mix);
      if (i == 0) first = std::min(first, m_first[k]);
    }
    sum += fastest;
    max = std::max(max, fastest);
    even += mixed;
  }
  return std::max(m_weights.time(sum, max, first), even + first) * kCertain;
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
      const double load = b.least(i, static_cast<int>(k));
      if (load == kNever) continue;
      const int a = b.m_width[k];
      m_table.add(row(i, 0), row(i + 1, a), all - a + 1, a, load, i == 0 ? b.m_first[k] : 0);
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
  const ObjectiveWeights& w = m_bounds->m_weights;
  return m_table.mostLoad(row(m_stages, m_all), m_all, limit, limit / std::max(1e-300, w.sum + w.max)) /
         kCertain;
}

}  // namespace nest::planner
