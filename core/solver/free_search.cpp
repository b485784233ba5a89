// For every (b, d, z, U units per pipeline) a relaxed bound; a heap by bound; for each popped one every
// layout (d_in, P) whose sites were not seen before goes through FreeDp with the best time so far as its
// limit.
#include "solver/free_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <unordered_set>

#include "solver/space/layout_signature.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

bool choosesStrategies(const Problem& problem, const SearchSpace& space) {
  return problem.search.strategyPerStage && !problem.constraints.megatronExpressible &&
         space.strategies().size() > 1;
}

// All work where it takes least, shared out evenly between all devices: T ≥ w_sum·Σ l + w_max·Σ a·l / U,
// which falls with the chunks.
double leastTime(const Problem& problem, const LayerOrder& order, const SearchSpace& space, Search& uniform) {
  double least = kNever;
  for (int b : space.microbatches()) {
    std::vector<double> load(at(order.layerCount()), kNever), unitLoad = load;
    int narrow = std::numeric_limits<int>::max();
    for (int k : space.strategies()) {
      const LayerSums& s = uniform.sumsOf(b, k);
      narrow = std::min(narrow, s.strategy().width());
      for (int c = 1; c < order.cutCount(); ++c) {
        const std::size_t x = at(order.added(c));
        if (!s.usable(order.added(c))) continue;
        const double own = s.leastAny[at(c)] - s.leastAny[at(order.parent(c))];
        load[x] = std::min(load[x], own);
        unitLoad[x] = std::min(unitLoad[x], own * s.strategy().width());
      }
    }
    const double sum = std::accumulate(load.begin(), load.end(), 0.0),
                 units = std::accumulate(unitLoad.begin(), unitLoad.end(), 0.0);
    for (int d : space.dataDegrees(b, narrow, 1)) {
      const int m = problem.microbatchCount(problem.profile->microbatches()[at(b)], d);
      const auto weights = objectiveWeights(problem.search.objective, m, 1, space.chunkCounts().back());
      least = std::min(least, weights.time(sum, units / (problem.cluster->deviceCount() / d), 0));
    }
  }
  return least * (1 - 1e-12);
}

FreeSearch::FreeSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                       const SearchSpace& space, Search& uniform, Incumbents& incumbents, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_uniform(uniform),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order),
      m_pinned(!problem.constraints.layerPins.empty() || !problem.constraints.stagePins.empty()) {
  const Hierarchy& cluster = *problem.cluster;
  for (int i = 0; i < (cluster.hasUniformDevices() ? 1 : cluster.deviceCount()); ++i)
    m_roomiest = std::max(m_roomiest, cluster.factor(DeviceIndex(i)).memory.value());
  m_roomiest *= kMemoryRounding;
}

double FreeSearch::limit() const {
  if (m_many > 1) return m_incumbents.limit() * (1 + kEqualTimes);
  return m_incumbents.lead().time * (1 + kEqualTimes);
}

/// Of equally fast plans only those count that would stand first: fewer devices, then fewer stages, then a
/// lower ZeRO stage.
FreeDp::Goal FreeSearch::goal(const Item& item) const {
  const auto& lead = m_incumbents.lead();
  const int devices = item.units * item.dataDegree;
  if (devices != lead.devices) return {lead.time, devices < lead.devices ? m_order.layerCount() : 0};
  return {lead.time, item.zero > lead.zero ? lead.stages - 1 : lead.stages};
}

bool FreeSearch::open(const Item& item) const {
  if (m_many > 1) return item.bound < kNever && item.bound <= limit();
  const auto& lead = m_incumbents.lead();
  const bool equal = item.units * item.dataDegree <= lead.devices;
  return item.bound < kNever && item.bound <= lead.time * (equal ? 1 + kEqualTimes : 1 - kEqualTimes);
}

void FreeSearch::addItems(int b, const std::vector<LayerSums*>& sums, int d, std::vector<Item>& out) {
  const int m = m_problem.microbatchCount(m_problem.profile->microbatches()[at(b)], d);
  int narrow = std::numeric_limits<int>::max(), wide = 1;
  double bytes = kNever;
  for (const LayerSums* s : sums) {
    narrow = std::min(narrow, s->strategy().width());
    wide = std::max(wide, s->strategy().width());
    bytes = std::min(bytes, s->leastBoundary);
  }
  // Two neighbours take 2·narrow units at least; transfers may stay inside the smallest group that holds so
  // many.
  double hop = 0;
  if (bytes > 0) {
    const auto& level = m_problem.cluster->level(narrowestLevel(*m_problem.cluster, 2 * narrow));
    hop = (1 - m_problem.assumptions.overlap[at(static_cast<int>(Exchange::Pipeline))]) *
          (level.latency.value() + bytes / level.sustained().value());
  }
  const long long widest = static_cast<long long>(m_order.layerCount()) * wide;
  const int most = static_cast<int>(std::min<long long>(m_problem.cluster->deviceCount() / d, widest));
  for (int z : m_space.zeroStages()) {
    const bool shards = d > 1 || std::any_of(sums.begin(), sums.end(),
                                             [](const auto* s) { return s->strategy().context > 1; });
    if (!m_space.zeroAllowed(z, shards, 2)) continue;
    FreeBounds* bounds = nullptr;
    for (int units = narrow; units <= most; ++units) {
      if (!m_space.devicesAllowed(static_cast<long long>(units) * d)) continue;
      if (!bounds) {
        const int leastStages = 1;
        m_bounds.push_back(
            std::make_unique<FreeBounds>(m_problem, m_order, m_shapes, sums, d, z,
                                         objectiveWeights(m_problem.search.objective, m, leastStages, 1)));
        bounds = m_bounds.back().get();
      }
      const double room = units * (m_roomiest - m_problem.assumptions.reserve.value());
      if (bounds->leastBytes() > room * (1 + 1e-12)) continue;
      if (bounds->quick(units) > limit()) continue;
      const int stages = (units + wide - 1) / wide;
      const double hops =
          objectiveWeights(m_problem.search.objective, m, stages, 1).sum * 2 * (stages - 1) * hop;
      const double bound = bounds->time(0, m_order.last(), units, 0, 0, 0) + hops;
      if (bound > limit() || bound == kNever) continue;
      out.push_back({bound, b, d, z, units, bounds, false});
      m_widest[bounds] = units;
    }
  }
}

std::vector<FreeSearch::Item> FreeSearch::items() {
  std::vector<Item> all;
  for (int b : m_space.microbatches()) {
    std::vector<LayerSums*> sums;
    int narrow = std::numeric_limits<int>::max();
    for (int k : m_space.strategies()) {
      sums.push_back(&m_uniform.sumsOf(b, k));
      narrow = std::min(narrow, sums.back()->strategy().width());
    }
    if (sums.empty()) continue;
    for (int d : m_space.dataDegrees(b, narrow, 1)) {
      if (m_watch.over()) return all;
      addItems(b, sums, d, all);
    }
  }
  return all;
}

bool FreeSearch::runMany() {
  // Where the best plan alone took long, the others would take much longer.
  constexpr long long kFewStates = 30000;
  if (m_watch.states() * 6 > kFewStates) return false;
  m_many = m_incumbents.size();
  m_mostStates = m_watch.states() + kFewStates;
  // The bounds so far look away from what does not beat the best.
  m_leaders.clear();
  m_bounds.clear();
  m_widest.clear();
  const double bound = m_lowerBound;
  const bool complete = drain();
  m_lowerBound = bound;
  return complete;
}

bool FreeSearch::run() {
  return drain();
}

bool FreeSearch::drain() {
  m_lowerBound = kNever;
  const auto& chunks = m_space.chunkCounts();
  if (m_rules.contradictory() || std::find(chunks.begin(), chunks.end(), 1) == chunks.end()) return true;
  auto all = items();
  if (m_watch.over()) {
    m_lowerBound = 0;
    return false;
  }
  std::priority_queue<Item, std::vector<Item>, std::greater<>> heap(std::greater<>{}, std::move(all));
  const double first = heap.empty() ? 0 : heap.top().bound;
  while (!heap.empty() && heap.top().bound <= limit()) {
    Item item = heap.top();
    if (!open(item)) {
      heap.pop();
      continue;
    }
    m_lowerBound = item.bound;
    const double now = limit();
    m_watch.report("strategy per stage",
                   now < kNever && now > first ? 0.5 + 0.5 * (item.bound - first) / (now - first) : 0.5,
                   now < kNever ? std::optional(Seconds(now)) : std::nullopt, item.bound);
    heap.pop();
    if (!item.sharp) {
      sharpen(item);
      if (open(item)) heap.push(item);
    } else {
      process(item);
    }
    if (m_watch.over() || m_tired) return false;
  }
  m_lowerBound = heap.empty() ? kNever : heap.top().bound;
  return true;
}

void FreeSearch::sharpen(Item& item) {
  const int m =
      m_problem.microbatchCount(m_problem.profile->microbatches()[at(item.microbatch)], item.dataDegree);
  item.bounds->sharpen(m, m_widest[item.bounds], limit() * (1 + kEqualTimes), m_roomiest);
  item.bound = std::max(item.bound, item.bounds->time(0, m_order.last(), item.units, 0, 0, 0));
  item.sharp = true;
}

void FreeSearch::process(const Item& item) {
  std::unordered_set<std::string> seen;
  // Of shared parameters the signature tells the levels to a first stage only.
  const auto& tied = m_problem.profile->tied;
  const bool simple = !tied || (m_order.isChain() && std::min(tied->first, tied->second) == LayerIndex(0));
  const auto layouts = m_space.layouts(item.dataDegree, 1, item.units);
  for (const BlockLayout& layout : layouts) {
    std::vector<LayerSums*> sums;
    for (int k : m_space.strategies()) {
      LayerSums& s = m_uniform.sumsOf(item.microbatch, k);
      if (layout.inner % s.strategy().expert == 0 && s.strategy().width() <= item.units) sums.push_back(&s);
    }
    if (sums.empty() || !open(item)) continue;
    if (simple && layouts.size() > 1 &&
        !seen.insert(layoutSignature(m_shapes, sums, layout, item.units, tied.has_value())).second)
      continue;
    FreeConfiguration c;
    c.dataDegree = item.dataDegree;
    c.zero = item.zero;
    c.microbatchIndex = item.microbatch;
    c.microbatchCount =
        m_problem.microbatchCount(m_problem.profile->microbatches()[at(item.microbatch)], item.dataDegree);
    c.units = item.units;
    c.layout = layout;
    const int most = std::min(m_order.layerCount(), item.units);
    for (int s = m_pinned ? m_rules.leastStages() : 0; s <= (m_pinned ? most : 0); ++s) {
      if (m_watch.over()) return;
      c.fixedStages = s;
      ++m_tuples;
      Found found;
      found.microbatchIndex = item.microbatch;
      found.dataDegree = item.dataDegree;
      found.zero = item.zero;
      FreeDp dp(m_problem, m_space, m_order, m_shapes, m_rules, sums, c, *item.bounds, m_watch);
      if (m_many > 1) {
        std::vector<Found> all = {found};
        m_tired = !dp.solveMany(m_incumbents.limit(), m_many, m_mostStates, all);
        for (Found& f : all) m_incumbents.offer(std::move(f));
        if (m_tired) return;
        continue;
      }
      if (!dp.solve(goal(item), found)) continue;
      c.fixedStages = found.stages();
      m_leaders.push_back({c, sums, item.bounds, found});
      m_incumbents.offer(std::move(found));
    }
  }
}

void FreeSearch::settleTies() {
  const auto lead = m_incumbents.lead();
  for (Leader& l : m_leaders) {
    if (m_watch.over()) return;
    const Found& f = l.found;
    if (f.time > lead.time * (1 + kEqualTimes) ||
        std::tuple(f.devices, f.stages(), f.zero) != std::tuple(lead.devices, lead.stages, lead.zero))
      continue;
    FreeDp dp(m_problem, m_space, m_order, m_shapes, m_rules, l.sums, l.configuration, *l.bounds, m_watch);
    if (dp.settle(lead.time, l.found)) m_incumbents.offer(l.found);
  }
}

}  // namespace nest::planner
