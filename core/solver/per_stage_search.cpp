// For every (b, d) and units U per pipeline, the widest first, a bound in O(1); where it may matter, for each
// ZeRO stage the relaxed bound, then the sharp one; what is left of them goes, layout by layout (d_in, P)
// whose sites were not seen before, through PerStageSolver with the best time so far as its limit.
#include "solver/per_stage_search.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "solver/best_first.h"
#include "solver/space/layout_signature.h"
#include "solver/stage/messages.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

LeastWork::LeastWork(const LayerOrder& order, std::vector<LayerSums*> sums) {
  std::stable_sort(sums.begin(), sums.end(), [](const LayerSums* a, const LayerSums* b) {
    return a->strategy().width() < b->strategy().width();
  });
  std::vector<double> load(at(order.layerCount()), kNever), unitLoad = load;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const LayerSums& s = *sums[k];
    const int width = s.strategy().width();
    for (int c = 1; c < order.cutCount(); ++c) {
      const std::size_t x = at(order.added(c));
      if (!s.usable(order.added(c))) continue;
      const double own = s.leastAny[at(c)] - s.leastAny[at(order.parent(c))];
      load[x] = std::min(load[x], own);
      unitLoad[x] = std::min(unitLoad[x], own * width);
    }
    if (k + 1 < sums.size() && sums[k + 1]->strategy().width() == width) continue;
    Sums all{width};
    for (const double v : load) all.work += v;
    for (const double v : unitLoad) all.unitWork += v;
    m_sums.push_back(all);
  }
}

double LeastWork::time(const ObjectiveWeights& weights, int units) const {
  const auto next = std::upper_bound(m_sums.begin(), m_sums.end(), units,
                                     [](int most, const Sums& s) { return most < s.width; });
  if (next == m_sums.begin()) return kNever;
  return weights.time(std::prev(next)->work, std::prev(next)->unitWork / units, 0);
}

bool choosesStrategies(const Problem& problem, const SearchSpace& space) {
  return problem.search.strategyPerStage && !problem.constraints.megatronExpressible &&
         space.strategies().size() > 1;
}

// All work where it takes least, shared out evenly between all devices: T ≥ w_sum·Σ l + w_max·Σ a·l / U,
// which falls with the chunks.
double leastTime(const Problem& problem, const LayerOrder& order, const SearchSpace& space, Search& uniform) {
  double least = kNever;
  for (const auto& [schedule, v] : space.schedules())
    for (int b : space.microbatches()) {
      std::vector<LayerSums*> sums;
      int narrow = std::numeric_limits<int>::max();
      for (int k : space.strategies()) {
        sums.push_back(&uniform.sumsOf(b, k, schedule->coversExchanges()));
        narrow = std::min(narrow, sums.back()->strategy().width());
      }
      const LeastWork all(order, sums);
      for (int d : space.dataDegrees(b, narrow)) {
        const int m = problem.microbatchCount(problem.profile->microbatches()[at(b)], d);
        const auto bound = targetOf(problem.search.objective, *schedule, m, 1, v).bound;
        least = std::min(least, all.time(bound, problem.cluster->deviceCount() / d));
      }
    }
  return least * (1 - 1e-12);
}

PerStageSearch::PerStageSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                               const SearchSpace& space, Search& uniform, Incumbents& incumbents,
                               Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_uniform(uniform),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order),
      m_pinned(!problem.constraints.layerPins.empty() || !problem.constraints.stagePins.empty()) {
  m_roomiest = roomiest(*problem.cluster) * kMemoryRounding;
}

double PerStageSearch::limit() const {
  if (m_many > 1) return m_incumbents.limit() * (1 + kEqualTimes);
  return m_incumbents.lead().time * (1 + kEqualTimes);
}

/// Of equally fast plans only those count that would stand first: fewer devices, then fewer stages, then a
/// lower ZeRO stage.
PerStageModel::Goal PerStageSearch::goal(const Item& item) const {
  const auto& lead = m_incumbents.lead();
  const int devices = item.units * item.dataDegree;
  if (devices != lead.devices) return {lead.time, devices < lead.devices ? m_order.layerCount() : 0};
  return {lead.time, item.zero > lead.zero ? lead.stages - 1 : lead.stages};
}

bool PerStageSearch::open(const Item& item) const {
  if (m_many > 1 || item.kind == Item::Kind::AllUnits) return item.bound <= limit();
  const auto& lead = m_incumbents.lead();
  const bool equal = item.units * item.dataDegree <= lead.devices;
  return item.bound <= lead.time * (equal ? 1 + kEqualTimes : 1 - kEqualTimes);
}

const PerStageSearch::Microbatch& PerStageSearch::microbatch(int index) {
  const auto [it, isNew] = m_microbatches.try_emplace(index);
  Microbatch& m = it->second;
  if (!isNew) return m;
  m.narrow = std::numeric_limits<int>::max();
  m.leastBoundary = kNever;
  for (int k : m_space.strategies()) {
    LayerSums& s = m_uniform.sumsOf(index, k);
    m.sums.push_back(&s);
    m.narrow = std::min(m.narrow, s.strategy().width());
    m.wide = std::max(m.wide, s.strategy().width());
    m.leastBoundary = std::min(m.leastBoundary, s.leastBoundary);
  }
  m.least = LeastWork(m_order, m.sums);
  return m;
}

int PerStageSearch::microbatchCount(int index, int dataDegree) const {
  return m_problem.microbatchCount(m_problem.profile->microbatches()[at(index)], dataDegree);
}

int PerStageSearch::widest(const Microbatch& m, int dataDegree) const {
  const long long most = static_cast<long long>(m_order.layerCount()) * m.wide;
  return static_cast<int>(std::min<long long>(m_problem.cluster->deviceCount() / dataDegree, most));
}

Target PerStageSearch::target(const Item& item, int stages) const {
  return targetOf(m_problem.search.objective, *item.schedule,
                  microbatchCount(item.microbatch, item.dataDegree), stages, 1);
}

// Without what ZeRO 2 and 3 exchange: it holds for all of them, and grows as units get fewer.
PerStageSearch::Item PerStageSearch::allUnits(Item item) {
  const Microbatch& m = microbatch(item.microbatch);
  while (item.units >= m.narrow &&
         !m_space.devicesAllowed(static_cast<long long>(item.units) * item.dataDegree))
    --item.units;
  item.bound = item.units < m.narrow ? kNever : m.least.time(target(item, 1).bound, item.units);
  item.kind = Item::Kind::AllUnits;
  return item;
}

PerStageBounds& PerStageSearch::boundsOf(const Item& item) {
  auto& bounds = m_bounds[{item.microbatch, item.dataDegree, item.zero, item.schedule->kind()}];
  if (bounds) return *bounds;
  std::size_t bytes = 0;
  for (const auto& [key, other] : m_bounds)
    if (other) bytes += other->bytes();
  if (bytes > kMostBytes)
    for (auto& [key, other] : m_bounds) other.reset();
  const auto shards =
      m_space.shardDegrees(item.dataDegree, item.zero, strategiesOf(microbatch(item.microbatch).sums));
  bounds = std::make_unique<PerStageBounds>(m_problem, m_order, m_shapes, microbatch(item.microbatch).sums,
                                            item.dataDegree, shards, item.zero, target(item, 1).bound);
  return *bounds;
}

double PerStageSearch::relaxed(const Item& item) {
  const Microbatch& m = microbatch(item.microbatch);
  PerStageBounds& bounds = boundsOf(item);
  const double room = item.units * (m_roomiest - m_problem.assumptions.reserve.value());
  if (bounds.leastBytes() > room * (1 + 1e-12)) return kNever;
  // Two neighbours take 2·narrow units at least.
  const double hop = leastTransfer(m_problem, 2 * m.narrow, m.leastBoundary);
  const int stages = (item.units + m.wide - 1) / m.wide;
  return bounds.whole(item.units) + target(item, stages).bound.sum * 2 * (stages - 1) * hop;
}

template <class Put>
bool PerStageSearch::take(Item item, Put put) {
  if (item.kind == Item::Kind::AllUnits) {
    Item fewer = item;
    --fewer.units;
    put(allUnits(fewer));
    const auto& sums = microbatch(item.microbatch).sums;
    const bool shards = item.dataDegree > 1 || std::any_of(sums.begin(), sums.end(), [](const auto* s) {
                          return s->strategy().context > 1;
                        });
    Item part = item;
    part.kind = Item::Kind::Relaxed;
    for (const int z : m_space.zeroStages()) {
      if (!m_space.zeroAllowed(z, shards, 2)) continue;
      part.zero = z;
      part.bound = std::max(item.bound, relaxed(part));
      put(part);
    }
    return true;
  }
  if (item.kind == Item::Kind::Sharp) return process(item);
  PerStageBounds& bounds = boundsOf(item);
  const int room =
      std::min(widest(microbatch(item.microbatch), item.dataDegree), item.units + item.units / 8);
  bounds.sharpen(microbatchCount(item.microbatch, item.dataDegree), room, limit() * (1 + kEqualTimes),
                 m_roomiest, m_watch);
  item.bound = std::max(item.bound, bounds.whole(item.units));
  item.kind = Item::Kind::Sharp;
  put(item);
  return true;
}

void PerStageSearch::report(double bound, double done) {
  m_watch.report("strategy per stage", 0.1 + 0.6 * done, limit(), bound);
}

bool PerStageSearch::runMany() {
  // Where the best plan alone took long, the others would take much longer.
  constexpr long long kFewStates = 30000;
  if (m_watch.states() * 6 > kFewStates) return false;
  m_many = m_incumbents.size();
  m_mostStates = m_watch.states() + kFewStates;
  // The bounds so far look away from what does not beat the best.
  m_leaders.clear();
  m_bounds.clear();
  const double bound = m_lowerBound;
  const bool complete = drain();
  m_lowerBound = bound;
  return complete;
}

bool PerStageSearch::run() {
  return drain();
}

bool PerStageSearch::drain() {
  m_lowerBound = kNever;
  if (m_rules.contradictory()) return true;
  m_lowerBound = 0;
  std::vector<Item> all;
  for (const auto& [schedule, v] : m_space.schedules()) {
    if (v > 1) continue;
    for (const int b : m_space.microbatches()) {
      if (m_space.strategies().empty()) continue;
      for (const int d : m_space.dataDegrees(b, microbatch(b).narrow)) {
        if (m_watch.over()) return false;
        const Item item = allUnits({0, b, d, 0, widest(microbatch(b), d), Item::Kind::AllUnits, schedule});
        if (item.bound <= limit()) all.push_back(item);
      }
    }
  }
  if (all.empty()) m_lowerBound = kNever;
  if (all.empty()) return true;
  return searchBestFirst(*this, std::move(all), m_watch, m_lowerBound);
}

bool PerStageSearch::process(const Item& item) {
  std::unordered_set<std::string> seen;
  // Of shared parameters the signature tells the levels to a first stage only.
  const auto& tied = m_problem.profile->tied;
  const bool simple = !tied || (m_order.isChain() && std::min(tied->first, tied->second) == LayerIndex(0));
  const auto layouts =
      m_space.layouts(item.dataDegree, item.units, item.zero, strategiesOf(microbatch(item.microbatch).sums));
  const int count = microbatchCount(item.microbatch, item.dataDegree);
  // Its tables may have been given up since.
  PerStageBounds& bounds = boundsOf(item);
  bounds.sharpen(count, item.units, limit() * (1 + kEqualTimes), m_roomiest, m_watch);
  for (const BlockLayout& layout : layouts) {
    if (m_watch.over()) return false;
    std::vector<LayerSums*> sums;
    for (LayerSums* s : microbatch(item.microbatch).sums)
      if (layout.holds(s->strategy()) && s->strategy().width() <= item.units) sums.push_back(s);
    if (sums.empty() || !open(item)) continue;
    if (simple && layouts.size() > 1 &&
        !seen.insert(layoutSignature(m_shapes, sums, layout, item.units, tied.has_value())).second)
      continue;
    const ChosenStages::Configuration c{&m_problem, &m_shapes,      item.dataDegree,
                                        item.zero,  count,          UnitCount(item.units),
                                        layout,     target(item, 1)};
    // What a stage holds under other schedules depends on the number of stages.
    const bool fixed = m_pinned || item.schedule->kind() != usualSchedule(1);
    const int most = std::min(m_order.layerCount(), item.units);
    for (int s = fixed ? m_rules.leastStages() : 0; s <= (fixed ? most : 0); ++s) {
      if (m_watch.over()) return false;
      if (fixed && (!item.schedule->refusals(s, 1, count).empty() || !m_space.stageCountAllowed(s))) continue;
      ++m_tuples;
      PerStageSolver solver(m_space, m_order, m_rules, *item.schedule, sums, c, item.microbatch, s, bounds,
                            m_watch);
      if (m_many > 1) {
        std::vector<Found> all;
        const bool complete = solver.solveMany(m_incumbents.limit(), m_many, m_mostStates, all);
        for (Found& f : all) m_incumbents.offer(std::move(f));
        if (!complete) return false;
        continue;
      }
      Found found;
      if (!solver.solve(goal(item), found)) continue;
      m_leaders.push_back({c, item.microbatch, item.schedule, sums, found});
      m_incumbents.offer(std::move(found));
    }
  }
  return true;
}

void PerStageSearch::settleTies() {
  const auto lead = m_incumbents.lead();
  for (Leader& l : m_leaders) {
    if (m_watch.over()) return;
    if (!isAmongTheFastest(l.found, lead, kEqualTimes)) continue;
    const auto& c = l.configuration;
    const Item item{0, l.microbatch, c.dataDegree, c.zero, c.units.value, Item::Kind::Sharp, l.schedule};
    PerStageSolver solver(m_space, m_order, m_rules, *l.schedule, l.sums, c, l.microbatch, l.found.stages(),
                          boundsOf(item), m_watch);
    if (solver.settle(lead.time, l.found)) m_incumbents.offer(l.found);
  }
}

}  // namespace nest::planner
