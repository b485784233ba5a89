// For every (b, d) and number of units U per pipeline, the widest first, an item has a bound computed in
// O(1). Where it may matter, each ZeRO stage gets the relaxed bound, then the sharp one. What remains is
// solved by PerStageSolver, layout by layout (d_in, P), with the incumbent's time as its limit; layouts whose
// sites have occurred before are skipped.
#include "solver/mixed_chain_search.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "evaluation/evaluation.h"
#include "solver/best_first.h"
#include "solver/common.h"
#include "solver/space/layout_signature.h"
#include "solver/stage/messages.h"
#include "solver/stage/packed_stages.h"

namespace nest::solver {

MixedChainSearch::MixedChainSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                                   const SearchSpace& space, UniformSearch& uniform, Incumbents& incumbents,
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
  m_roomiest = mostRoom(problem);
}

double MixedChainSearch::limit() const {
  if (m_many > 1) return reach() * (1 + kEqualTimes);
  return m_incumbents.lead().time * (1 + kEqualTimes);
}

/// Among equally fast plans only those count that are preferred: fewer devices, then fewer stages, then a
/// lower ZeRO stage.
PerStageModel::Goal MixedChainSearch::goal(const Item& item) const {
  const auto& lead = m_incumbents.lead();
  if (item.tries.upTo < lead.time) return {item.tries.upTo, m_order.layerCount()};
  const int devices = item.units * item.dataDegree;
  if (devices != lead.devices) return {lead.time, devices < lead.devices ? m_order.layerCount() : 0};
  return {lead.time, item.zero > lead.zero ? lead.stages - 1 : lead.stages};
}

bool MixedChainSearch::open(const Item& item) const {
  if (m_many > 1 || item.kind <= Item::Kind::AllUnits) return item.bound <= limit();
  const auto& lead = m_incumbents.lead();
  const bool equal = item.units * item.dataDegree <= lead.devices;
  return item.bound <= lead.time * (equal ? 1 + kEqualTimes : 1 - kEqualTimes);
}

const MixedChainSearch::Microbatch& MixedChainSearch::microbatch(int index) {
  const auto [it, isNew] = m_microbatches.try_emplace(index);
  Microbatch& m = it->second;
  if (!isNew) return m;
  m.narrow = std::numeric_limits<int>::max();
  m.leastBoundary = kInfinity;
  std::vector<const LeastLayers*> least;
  for (int k : m_space.strategies()) {
    LayerSums& s = m_uniform.sumsOf(index, k);
    m.sums.push_back(&s);
    least.push_back(&s.leastLayers);
    m.narrow = std::min(m.narrow, s.strategy().width());
    m.wide = std::max(m.wide, s.strategy().width());
    m.leastBoundary = std::min(m.leastBoundary, s.leastBoundary);
  }
  m.least = LeastWork(*m_problem.graph, least);
  return m;
}

int MixedChainSearch::microbatchCount(int index, int dataDegree) const {
  return m_problem.microbatchCount(m_problem.profile->microbatches()[at(index)], dataDegree);
}

int MixedChainSearch::widest(const Microbatch& m, int dataDegree) const {
  const long long most = static_cast<long long>(m_order.layerCount()) * m.wide;
  return static_cast<int>(std::min<long long>(m_problem.cluster->deviceCount() / dataDegree, most));
}

std::vector<LayerSums*> MixedChainSearch::sumsUpTo(const Item& item, int dataDegree) {
  std::vector<LayerSums*> sums = microbatch(item.microbatch).sums;
  const int units = m_problem.cluster->deviceCount() / dataDegree;
  std::erase_if(sums, [&](const LayerSums* s) { return s->strategy().width() > units; });
  return sums;
}

Target MixedChainSearch::target(const Item& item, int stages) const {
  return targetOf(m_problem.search.objective, *item.schedule,
                  microbatchCount(item.microbatch, item.dataDegree), stages, 1);
}

int MixedChainSearch::mostStages(const Item& item) const {
  int most = std::min(m_order.layerCount(), m_problem.constraints.stages.most.value_or(1 << 30));
  const int count = microbatchCount(item.microbatch, item.dataDegree);
  while (most > 0 && !item.schedule->refusals(most, 1, count).empty()) --most;
  return most;
}

MixedChainSearch::Item MixedChainSearch::allUnits(Item item) {
  const int least = leastUnits(microbatch(item.microbatch));
  while (item.units >= least && !m_space.devicesAllowed(static_cast<long long>(item.units) * item.dataDegree))
    --item.units;
  item.bound = item.units < least ? kInfinity : std::max(item.bound, atLeast(item));
  item.kind = Item::Kind::AllUnits;
  return item;
}

PerStageBounds& MixedChainSearch::boundsOf(const Item& item) {
  auto& bounds = m_bounds[keyOf(item)];
  if (bounds) return *bounds;
  // This rarely happens, because few configurations matter.
  if (m_bounds.size() * microbatch(item.microbatch).sums.size() > kMostFloors) {
    m_bounds.clear();
    return boundsOf(item);
  }
  bounds = std::make_unique<PerStageBounds>(
      m_problem, m_order, m_rules, m_shapes, sumsUpTo(item, item.dataDegree),
      std::vector{shardingOf(item, item.dataDegree)}, item.zero, target(item, 1), m_watch);
  return *bounds;
}

bool MixedChainSearch::price(PerStageBounds& bounds, const Item& item) {
  return bounds.priceUnits(item.units, limit() * (1 + kEqualTimes), m_roomiest, m_uniform.tuning().mostPriced,
                           m_watch);
}

PerStageBounds& MixedChainSearch::pricedBoundsOf(const Item& item) {
  PerStageBounds& bounds = boundsOf(item);
  price(bounds, item);
  return bounds;
}

bool MixedChainSearch::fits(const PerStageBounds& bounds, int units) const {
  return bounds.leastBytes() <= units * (m_roomiest - m_problem.assumptions.reserve.value()) * kRoundUp;
}

// The bound falls as the number of units grows.
double MixedChainSearch::atLeast(const Item& item) {
  PerStageBounds& bounds = boundsOf(item);
  return fits(bounds, item.units) ? bounds.upTo(item.units, limit() * (1 + kEqualTimes)) : kInfinity;
}

double MixedChainSearch::relaxed(const Item& item) {
  const Microbatch& m = microbatch(item.microbatch);
  // Two neighbouring stages occupy at least 2·narrow units.
  const double hop = leastTransfer(m_problem, 2 * m.narrow, m.leastBoundary);
  const int stages = (item.units + m.wide - 1) / m.wide;
  return boundsOf(item).whole(item.units, 2 * (stages - 1) * hop);
}

// Drops the tables of other configurations when all of them take too much memory.
void MixedChainSearch::makeRoom(const PerStageBounds& bounds) {
  std::size_t bytes = 0;
  for (const auto& [key, other] : m_bounds) bytes += other->bytes();
  if (bytes < kMostBytes) return;
  for (const auto& [key, other] : m_bounds)
    if (other.get() != &bounds) other->dropTables();
}

Sharding MixedChainSearch::shardingOf(const Item& item, int dataDegree) {
  return {dataDegree,
          m_space.shardDegrees(dataDegree, item.zero, strategiesOf(microbatch(item.microbatch).sums))};
}

std::vector<int> MixedChainSearch::groupOf(const Item& item) const {
  auto all = m_space.dataDegrees(item.microbatch, leastUnits(m_microbatches.at(item.microbatch)));
  const int count = microbatchCount(item.microbatch, item.dataDegree);
  std::erase_if(all, [&](int d) { return microbatchCount(item.microbatch, d) != count; });
  return all;
}

bool MixedChainSearch::sharesContext(const Item& item) {
  const auto& sums = microbatch(item.microbatch).sums;
  return std::any_of(sums.begin(), sums.end(), [](const auto* s) { return s->strategy().context > 1; });
}

// One bound prunes most d with the same microbatch count: it assumes the units of the smallest d, the
// cheapest exchanges and the most shards of any of them.
void MixedChainSearch::openGroup(const Item& item, const Put& put) {
  const Microbatch& m = microbatch(item.microbatch);
  std::vector<Sharding> shardings;
  for (const int d : groupOf(item))
    if (m_space.zeroAllowed(item.zero, d > 1 || sharesContext(item), 2))
      shardings.push_back(shardingOf(item, d));
  PerStageBounds bounds(m_problem, m_order, m_rules, m_shapes, sumsUpTo(item, shardings.front().dataDegree),
                        shardings, item.zero, target(item, 1), m_watch);
  const double most = limit() * (1 + kEqualTimes);
  const auto boundOf = [&](int units) {
    return fits(bounds, units) ? std::max(item.bound, bounds.upTo(units, most)) : kInfinity;
  };
  const int units = widest(m, shardings.front().dataDegree);
  if (boundOf(units) > limit()) return;
  bounds.priceUnits(units, most, m_roomiest, m_uniform.tuning().mostPriced, m_watch);
  Item part = item;
  part.kind = Item::Kind::DegreeOfZero;
  for (const Sharding& d : shardings) {
    if (m_watch.shouldStopAfter(1000)) return;
    part.dataDegree = d.dataDegree;
    part.units = widest(m, d.dataDegree);
    part.bound = boundOf(part.units);
    if (open(part)) put(part);
  }
}

bool MixedChainSearch::take(Item item, const Put& put) {
  using Kind = Item::Kind;
  if (item.kind == Kind::Group || item.kind == Kind::Degree) {
    item.kind = item.kind == Kind::Group ? Kind::GroupOfZero : Kind::DegreeOfZero;
    const int most = item.kind == Kind::GroupOfZero ? groupOf(item).back() : item.dataDegree;
    for (const int z : m_space.zeroStages()) {
      item.zero = z;
      if (m_space.zeroAllowed(z, most > 1 || sharesContext(item), 2)) put(item);
    }
    return true;
  }
  if (item.kind == Kind::GroupOfZero) {
    openGroup(item, put);
    return true;
  }
  if (item.kind == Kind::DegreeOfZero) {
    Item all = allUnits(item);
    if (open(all))
      put(all);
    else
      m_bounds.erase(keyOf(item));
    return true;
  }
  if (item.kind == Item::Kind::AllUnits) {
    if (m_many == 1 && boundsOf(item).knowsDepths()) offerPacked(item);
    if (price(boundsOf(item), item)) {
      item.bound = std::max(item.bound, atLeast(item));
      if (open(item)) put(item);
      return true;
    }
    Item fewer = item;
    --fewer.units;
    put(allUnits(fewer));
    item.kind = Item::Kind::Relaxed;
    item.bound = std::max(item.bound, relaxed(item));
    put(item);
    return true;
  }
  if (item.kind == Item::Kind::Sharp) return process(std::move(item), put);
  PerStageBounds& bounds = boundsOf(item);
  if (bounds.whole(item.units, 0) <= limit()) {
    const int room =
        std::min(widest(microbatch(item.microbatch), item.dataDegree), item.units + item.units / 8);
    bounds.sharpen(room, limit() * (1 + kEqualTimes), m_roomiest, knowsSites(), m_watch);
    makeRoom(bounds);
  }
  item.bound = std::max(item.bound, bounds.whole(item.units, 0));
  item.kind = Item::Kind::Sharp;
  put(item);
  return true;
}

void MixedChainSearch::report(double bound, double done) {
  const double best = m_incumbents.lead().time;
  m_watch.report(m_many > 1 ? kNextBest : kPhase, 0.1 + 0.9 * done, best, m_many > 1 ? best : bound);
}

bool MixedChainSearch::runMany() {
  // If finding the best plan took long, finding the others would take much longer.
  constexpr long long kFewStates = 30000;
  if (m_watch.states() * 6 > kFewStates) return false;
  m_many = m_incumbents.size();
  m_mostStates = m_watch.states() + kFewStates;
  m_leaders.clear();
  // The plans encountered until now may be far slower than the next best ones, so the search begins close to
  // the best plan and widens the range.
  constexpr double kFarShare = 1.2;
  const bool isFar = m_incumbents.limit() > m_incumbents.lead().time * kFarShare;
  for (const double near : {0.04, 0.16, kInfinity}) {
    if (!isFar && near < kInfinity) continue;
    m_reach = m_incumbents.lead().time * (1 + near);
    // The existing bounds ignore plans slower than the previous range.
    m_bounds.clear();
    if (!drain()) return false;
    if (m_incumbents.limit() <= m_reach) break;
  }
  return true;
}

bool MixedChainSearch::drain() {
  double bound = 0;
  return searchBestFirst(*this, items(), m_watch, bound);
}

std::vector<MixedChainSearch::Item> MixedChainSearch::items() {
  std::vector<Item> all;
  if (m_rules.contradictory() || m_space.strategies().empty()) return all;
  for (const auto& [schedule, v] : m_space.schedules()) {
    if (v > 1) continue;
    for (const int b : m_space.microbatches()) {
      const Microbatch& m = microbatch(b);
      for (const int d : m_space.dataDegrees(b, leastUnits(m))) {
        if (m_watch.shouldStop()) return all;
        Item item{0, b, d, 0, widest(m, d), Item::Kind::Degree, schedule, {}};
        if (!all.empty() && all.back().schedule == schedule && all.back().microbatch == b &&
            microbatchCount(b, all.back().dataDegree) == microbatchCount(b, d)) {
          all.back().kind = Item::Kind::Group;
          continue;
        }
        item.bound = m.least.time(target(item, 1).bound, item.units, mostStages(item), m_watch.bounds());
        all.push_back(item);
      }
    }
  }
  m_watch.bounds().countClosed(
      SearchBound::LayerWork,
      static_cast<long long>(std::erase_if(all, [&](const Item& item) { return !open(item); })));
  return all;
}

// No search gets far in a long chain, so it begins with a plan whose stages hold as much as they can.
void MixedChainSearch::offerPacked(const Item& item) {
  const Tuning::Guesses& guesses = m_uniform.tuning().guesses;
  if (!m_order.isChain() || m_order.layerCount() < guesses.layers || !m_rules.empty() || m_pinned ||
      item.schedule->kind() != usualSchedule(1) || m_incumbents.lead().time <= item.bound * (1 + 1e-3) ||
      !m_packed.insert(keyOf(item)).second)
    return;
  const auto& sums = microbatch(item.microbatch).sums;
  std::vector<StageFloor> floors;
  for (const LayerSums* s : sums)
    floors.emplace_back(
        m_problem, *s,
        GradientFloor::of(m_shapes, s->strategy(), {shardingOf(item, item.dataDegree)}, m_watch), item.zero);
  PerStageBounds& bounds = boundsOf(item);
  const PackedStages packed = packedStages(m_problem, m_order, floors, target(item, 1), m_roomiest,
                                           item.units, bounds.leastMax(0, m_order.last(), item.units),
                                           bounds.mostLoad(item.units, limit()), m_watch);
  const int stages = packed.stages();
  if (!packed.whole() || stages < 2 || !m_space.stageCountAllowed(stages) ||
      !m_space.devicesAllowed(static_cast<long long>(packed.units) * item.dataDegree))
    return;
  CandidatePlan found;
  found.microbatchIndex = item.microbatch;
  found.dataDegree = item.dataDegree;
  found.zero = item.zero;
  found.schedule = item.schedule->kind();
  found.devices = packed.units * item.dataDegree;
  found.cut.cuts = packed.cuts;
  found.cut.policies = packed.policies;
  for (const std::size_t k : packed.floors) found.strategies.push_back(sums[k]->strategyIndex());
  constexpr int kMostLayouts = 4;
  int looked = 0;
  for (const BlockLayout& layout :
       m_space.layouts(item.dataDegree, packed.units, item.zero, strategiesOf(sums))) {
    if (looked == kMostLayouts || m_watch.checkClock()) return;
    const auto shards = [&](std::size_t k) { return layout.shardDegree() * sums[k]->strategy().context > 1; };
    if (!std::all_of(packed.floors.begin(), packed.floors.end(),
                     [&](std::size_t k) { return layout.holds(sums[k]->strategy()); }) ||
        (item.zero > 0 && std::none_of(packed.floors.begin(), packed.floors.end(), shards)))
      continue;
    ++looked;
    found.layout = layout;
    const Evaluation e = evaluate(m_problem, planOf(m_problem, m_order, found));
    if (!e.feasible()) continue;
    found.time = found.cut.time = e.ranked.value();
    found.memory = 0;
    for (const StageEvaluation& s : e.stages) found.memory = std::max(found.memory, s.memory.total().value());
    found.cut.memory = found.memory;
    m_incumbents.offer(found);
  }
}

bool MixedChainSearch::process(Item item, const Put& put) {
  if (m_many == 1) offerPacked(item);
  std::unordered_set<std::string> seen;
  // For shared parameters the signature records levels only to a first stage.
  const auto& tied = m_problem.profile->tied;
  const bool simple = !tied || (m_order.isChain() && std::min(tied->first, tied->second) == LayerIndex(0));
  const auto layouts =
      m_space.layouts(item.dataDegree, item.units, item.zero, strategiesOf(microbatch(item.microbatch).sums));
  const int count = microbatchCount(item.microbatch, item.dataDegree);
  // The tables may have been dropped in the meantime.
  PerStageBounds& bounds = pricedBoundsOf(item);
  bounds.sharpen(item.units, limit() * (1 + kEqualTimes), m_roomiest, knowsSites(), m_watch);
  makeRoom(bounds);
  for (const BlockLayout& layout : layouts) {
    if (m_watch.poll()) return false;
    std::vector<LayerSums*> sums;
    for (LayerSums* s : microbatch(item.microbatch).sums)
      if (layout.holds(s->strategy()) && s->strategy().width() <= item.units) sums.push_back(s);
    if (sums.empty() || !open(item)) continue;
    if (simple && layouts.size() > 1 && isWorthSigning(sums, item.units) &&
        !seen.insert(layoutSignature(m_shapes, sums, layout, item.units, tied.has_value(), m_watch)).second)
      continue;
    const ChosenStages::Configuration c{&m_problem, &m_shapes,      item.dataDegree,
                                        item.zero,  count,          UnitCount(item.units),
                                        layout,     target(item, 1)};
    // Under other schedules, what a stage stores depends on the number of stages.
    const bool fixed = m_pinned || item.schedule->kind() != usualSchedule(1);
    const int most = std::min(m_order.layerCount(), item.units);
    for (int s = fixed ? m_rules.leastStages() : 0; s <= (fixed ? most : 0); ++s) {
      if (m_watch.shouldStop()) return false;
      if (fixed && (!item.schedule->refusals(s, 1, count).empty() || !m_space.stageCountAllowed(s))) continue;
      ++m_tuples;
      PerStageSolver solver(m_space, m_order, m_rules, *item.schedule, sums, c, item.microbatch, s, bounds,
                            m_watch);
      if (m_many > 1) {
        std::vector<CandidatePlan> all;
        const bool complete = solver.solveMany(reach(), m_many, m_mostStates, all);
        for (CandidatePlan& f : all) m_incumbents.offer(std::move(f));
        if (!complete) return false;
        continue;
      }
      CandidatePlan found;
      const bool any = solve(solver, item, layout, found);
      bounds.standAnywhere();
      if (any && solver.complete()) m_leaders.push_back({c, item.microbatch, item.schedule, sums, found});
      const double upTo = goal(item).time;
      if (any) m_incumbents.offer(std::move(found));
      if (m_watch.shouldStop()) return false;
      if (!solver.complete()) {
        item.tries.failed = upTo;
        tryAgain(std::move(item), put);
        return true;
      }
    }
  }
  if (m_many == 1 && item.tries.upTo < m_incumbents.lead().time) {
    item.bound = std::max(item.bound, item.tries.upTo);
    tryAgain(std::move(item), put);
  }
  return true;
}

// A lower time limit needs fewer labels than the incumbent's time. Either the best plan of the item is within
// that limit, or the item takes longer, which raises its bound. The limit is halfway between the item's bound
// and the limit that failed, for as long as that narrows the range; after that more labels are allowed.
void MixedChainSearch::tryAgain(Item item, const Put& put) {
  const Tuning::Labels& labels = m_uniform.tuning().labels;
  Item::Tries& tries = item.tries;
  const double failed = std::min(tries.failed, m_incumbents.lead().time);
  if (failed < kInfinity && failed - item.bound > labels.narrow * failed) {
    tries.upTo = (item.bound + failed) / 2;
  } else if (allowance(item) < labels.most) {
    ++tries.doublings;
    tries.upTo = tries.failed = kInfinity;
  } else {
    m_left = std::min(m_left, item.bound);
    return;
  }
  if (open(item)) put(std::move(item));
}

long long MixedChainSearch::allowance(const Item& item) const {
  const Tuning::Labels& labels = m_uniform.tuning().labels;
  return std::min(labels.most, labels.few << std::min(item.tries.doublings, 40));
}

// Far above the bound, a search expands far too many states, and if stopped early it returns the plan it
// began with. Where a layout takes long, a beam search therefore looks for a better plan first, as long as
// guesses expand no more than half of all states.
bool MixedChainSearch::solve(PerStageSolver& solver, const Item& item, const BlockLayout& layout,
                             CandidatePlan& found) {
  const Tuning::Guesses& guesses = m_uniform.tuning().guesses;
  const bool isFar = m_incumbents.lead().time > item.bound * guesses.far;
  const PerStageSolver::Effort effort{.labels = allowance(item)};
  if (!isFar || 2 * m_guessed > m_watch.states() || item.tries.upTo < kInfinity)
    return solver.solve(goal(item), found, effort);
  const long long most = m_watch.states() + guesses.states;
  const bool any = solver.solve(goal(item), found, {most, effort.labels});
  if (solver.complete() || m_watch.states() <= most) return any;
  if (any) m_incumbents.offer(found);
  PerStageBounds& bounds = boundsOf(item);
  bounds.standOn(layout, item.units, limit(), m_roomiest, m_watch);
  const long long before = m_watch.states();
  if (CandidatePlan guess; solver.guess(goal(item), guesses.width, guess))
    m_incumbents.offer(std::move(guess));
  m_guessed += m_watch.states() - before;
  return solver.solve(goal(item), found, effort);
}

void MixedChainSearch::settleTies() {
  const auto lead = m_incumbents.lead();
  for (Leader& l : m_leaders) {
    if (m_watch.shouldStop()) return;
    if (!isAmongTheFastest(l.found, lead, kEqualTimes)) continue;
    const auto& c = l.configuration;
    const Item item{0, l.microbatch, c.dataDegree, c.zero, c.units.value, Item::Kind::Sharp, l.schedule, {}};
    PerStageSolver solver(m_space, m_order, m_rules, *l.schedule, l.sums, c, l.microbatch, l.found.stages(),
                          pricedBoundsOf(item), m_watch);
    if (solver.settle(lead.time, m_uniform.tuning().labels.most, l.found)) m_incumbents.offer(l.found);
  }
}

}  // namespace nest::solver
