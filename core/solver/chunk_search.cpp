// For every (b, d, z, s, v, U units per pipeline) a relaxed bound; a heap by bound; each popped one is
// bounded again by a table of its own, then every layout (d_in, P) whose sites were not seen before goes
// through ChunkSolver with the best time so far as its limit.
#include "solver/chunk_search.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "solver/best_first.h"
#include "solver/space/chunk_cuts.h"
#include "solver/space/layout_signature.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

ChunkSearch::ChunkSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                         const SearchSpace& space, Search& uniform, Incumbents& incumbents, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_uniform(uniform),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order) {
  m_roomiest = roomiest(*problem.cluster) * kMemoryRounding;
}

double ChunkSearch::limit() const {
  return (m_many ? m_incumbents.limit() : m_incumbents.lead().time) * (1 + kEqualTimes);
}

/// Of equally fast plans only those count that would stand first: fewer devices, then fewer stages, then a
/// lower ZeRO stage.
double ChunkSearch::goal(const Item& item) const {
  if (m_many) return limit();
  const auto& lead = m_incumbents.lead();
  const auto& c = m_families[at(item.family)]->configuration;
  const bool first = std::tuple(item.units * c.dataDegree, c.stages, c.zero) <=
                     std::tuple(lead.devices, lead.stages, lead.zero);
  return lead.time * (first ? 1 + kEqualTimes : 1 - kEqualTimes);
}

bool ChunkSearch::open(const Item& item) const {
  return item.bound <= goal(item);
}

void ChunkSearch::addFamilies(const ScheduleChoice& choice, int microbatch) {
  ChunkConfiguration c;
  const int chunks = c.chunks = choice.chunks;
  c.schedule = choice.schedule;
  c.microbatchIndex = microbatch;
  int narrow = std::numeric_limits<int>::max();
  for (int k : m_space.strategies()) {
    c.sums.push_back(&m_uniform.sumsOf(microbatch, k, c.schedule->coversExchanges()));
    narrow = std::min(narrow, c.sums.back()->strategy().width());
  }
  for (int d : m_space.dataDegrees(microbatch, narrow)) {
    c.dataDegree = d;
    c.microbatchCount = m_problem.microbatchCount(m_problem.profile->microbatches()[at(microbatch)], d);
    for (int s = 2; s <= m_order.layerCount() / chunks; ++s) {
      if (!m_space.stageCountAllowed(s) || !c.schedule->refusals(s, chunks, c.microbatchCount).empty())
        continue;
      c.stages = s;
      c.target = targetOf(m_problem.search.objective, *c.schedule, c.microbatchCount, s, chunks);
      const bool shards = d > 1 || std::any_of(c.sums.begin(), c.sums.end(),
                                               [](const auto* k) { return k->strategy().context > 1; });
      for (int z : m_space.zeroStages()) {
        if (m_watch.over()) return;
        c.zero = z;
        if (m_space.zeroAllowed(z, shards, s)) addFamilies(c);
      }
    }
  }
}

void ChunkSearch::addFamilies(const ChunkConfiguration& configuration) {
  for (auto& cuts : interleavedCuts(m_problem, configuration.stages, configuration.chunks)) {
    if (!obeys(m_rules, cuts, configuration.stages, *configuration.schedule)) continue;
    ChunkConfiguration c = configuration;
    c.cuts = std::move(cuts);
    ChunkBounds bounds(m_problem, m_space, m_order, m_shapes, c, m_roomiest);
    if (bounds.leastUnits() <= bounds.mostUnits())
      m_families.push_back(std::make_unique<Family>(Family{std::move(c), std::move(bounds)}));
  }
}

bool ChunkSearch::run() {
  m_lowerBound = kNever;
  if (!m_order.isChain() || m_rules.contradictory()) return true;
  for (const ScheduleChoice& choice : m_space.schedules())
    for (int b : m_space.microbatches())
      if (choice.chunks > 1) addFamilies(choice, b);
  if (m_watch.over()) {
    m_lowerBound = 0;
    return false;
  }
  return drain();
}

bool ChunkSearch::drain() {
  m_lowerBound = 0;
  std::vector<Item> all;
  for (int f = 0; f < static_cast<int>(m_families.size()); ++f) {
    const auto& [c, bounds] = *m_families[at(f)];
    const int most = std::min(bounds.mostUnits(), m_problem.cluster->deviceCount() / c.dataDegree);
    for (int units = bounds.leastUnits(); units <= most; ++units) {
      if (m_watch.over()) return false;
      if (!m_space.devicesAllowed(static_cast<long long>(units) * c.dataDegree)) continue;
      const Item item{bounds.quick(units), f, units, false};
      if (item.bound < kNever && open(item)) all.push_back(item);
    }
  }
  if (!searchBestFirst(*this, std::move(all), m_watch, m_lowerBound)) return false;
  m_lowerBound = kNever;
  return true;
}

void ChunkSearch::report(double bound, double done) {
  m_watch.report("interleaved, strategy per stage", 0.7 + 0.3 * done, limit(), bound);
}

template <class Put>
bool ChunkSearch::take(Item item, Put put) {
  if (item.sharp) return process(item);
  const ChunkBounds::Prefixes prefixes(m_families[at(item.family)]->bounds, item.units);
  const int stages = m_families[at(item.family)]->configuration.stages;
  item.bound = std::max(item.bound, prefixes.time(stages, item.units, 0, 0, 0));
  item.sharp = true;
  put(item);
  return true;
}

ChunkSolver ChunkSearch::solverOf(const Item& item, const ChunkBounds::Prefixes& prefixes,
                                  const BlockLayout& layout) {
  return {m_problem, m_space, m_shapes,   m_families[at(item.family)]->configuration,
          prefixes,  layout,  item.units, m_watch};
}

bool ChunkSearch::process(const Item& item) {
  const auto& [c, bounds] = *m_families[at(item.family)];
  const ChunkBounds::Prefixes prefixes(bounds, item.units);
  // Of shared parameters the signature tells the levels to a first stage only.
  const auto tied = tiedStagesOf(m_problem, c.cuts, c.stages, *c.schedule);
  const bool simple = !tied || std::min(tied->first, tied->second) == 0;
  const auto layouts = m_space.layouts(c.dataDegree, item.units, c.zero, strategiesOf(c.sums));
  std::unordered_set<std::string> seen;
  for (const BlockLayout& layout : layouts) {
    if (m_watch.over()) return false;
    std::vector<LayerSums*> sums;
    for (LayerSums* s : c.sums)
      if (layout.holds(s->strategy())) sums.push_back(s);
    if (sums.empty() || !open(item)) continue;
    if (simple && layouts.size() > 1 &&
        !seen.insert(layoutSignature(m_shapes, sums, layout, item.units, true)).second)
      continue;
    ++m_tuples;
    ChunkSolver dp = solverOf(item, prefixes, layout);
    if (m_many) {
      std::vector<Found> found;
      constexpr std::size_t kMostSequences = 2000;
      if (!dp.solveMany(goal(item), kMostSequences, found) || m_watch.states() > m_mostStates) return false;
      for (Found& f : found) m_incumbents.offer(std::move(f));
      continue;
    }
    Found found;
    if (!dp.solve(goal(item), found)) continue;
    m_leaders.push_back({item, layout, found});
    m_incumbents.offer(std::move(found));
  }
  return !m_watch.over();
}

bool ChunkSearch::runMany() {
  // Where the best plan alone took long, the others would take much longer.
  constexpr long long kFewStates = 30000;
  if (m_watch.states() > kFewStates * 4) return false;
  m_many = true;
  m_mostStates = m_watch.states() + kFewStates;
  const double bound = m_lowerBound;
  const bool complete = drain();
  m_lowerBound = bound;
  m_many = false;
  return complete;
}

void ChunkSearch::settleTies() {
  const auto lead = m_incumbents.lead();
  for (Leader& l : m_leaders) {
    if (m_watch.over()) return;
    if (!isAmongTheFastest(l.found, lead, kEqualTimes)) continue;
    const ChunkBounds::Prefixes prefixes(m_families[at(l.item.family)]->bounds, l.item.units);
    Found settled;
    if (solverOf(l.item, prefixes, l.layout).settle(lead.time, settled))
      m_incumbents.offer(std::move(settled));
  }
}

}  // namespace nest::planner
