// Every (b, d) has a bound computed in O(1). Where it may matter, every (s, z) gets one, then every set of
// cuts, from the costs of its stages on U units per pipeline, the widest first. Each of these is bounded
// again by a table of its own. Then ChunkSolver solves every layout (d_in, P) whose sites have not occurred
// before, with the incumbent's time as its limit.
#include "solver/mixed_interleaved_search.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "solver/best_first.h"
#include "solver/common.h"
#include "solver/space/chunk_cuts.h"
#include "solver/space/layout_signature.h"

namespace nest::solver {

MixedInterleavedSearch::MixedInterleavedSearch(const Problem& problem, const LayerOrder& order,
                                               GroupShapes& shapes, const SearchSpace& space,
                                               UniformSearch& uniform, Incumbents& incumbents, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_uniform(uniform),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order) {
  m_roomiest = mostRoom(problem);
}

double MixedInterleavedSearch::limit() const {
  return (m_many ? m_incumbents.limit() : m_incumbents.lead().time) * (1 + kEqualTimes);
}

/// Among equally fast plans only those count that are preferred: fewer devices, then fewer stages, then a
/// lower ZeRO stage.
double MixedInterleavedSearch::goal(const Item& item) const {
  if (m_many) return limit();
  const auto& lead = m_incumbents.lead();
  const bool first = std::tuple(item.units * item.dataDegree, item.stages, item.zero) <=
                     std::tuple(lead.devices, lead.stages, lead.zero);
  return lead.time * (first ? 1 + kEqualTimes : 1 - kEqualTimes);
}

bool MixedInterleavedSearch::open(const Item& item) const {
  return item.bound <= (item.kind == Item::Kind::Sharp ? goal(item) : limit());
}

MixedInterleavedSearch::Microbatch& MixedInterleavedSearch::microbatch(const Item& item) {
  const auto [it, isNew] = m_microbatches.try_emplace({item.choice, item.microbatch});
  Microbatch& m = it->second;
  if (!isNew) return m;
  const bool covers = m_space.schedules()[at(item.choice)].schedule->coversExchanges();
  std::vector<const LeastLayers*> least;
  for (int k : m_space.strategies()) {
    m.sums.push_back(&m_uniform.sumsOf(item.microbatch, k, covers));
    least.push_back(&m.sums.back()->leastLayers);
  }
  m.least = LeastWork(*m_problem.graph, least);
  return m;
}

int MixedInterleavedSearch::mostStages(const Item& item) const {
  const int chunks = m_space.schedules()[at(item.choice)].chunks;
  return std::min(m_order.layerCount() / chunks, m_problem.constraints.stages.most.value_or(1 << 30));
}

std::vector<MixedInterleavedSearch::Item> MixedInterleavedSearch::items() {
  std::vector<Item> all;
  if (!m_order.isChain() || m_rules.contradictory() || m_space.strategies().empty()) return all;
  for (int choice = 0; choice < static_cast<int>(m_space.schedules().size()); ++choice) {
    const auto& [schedule, chunks] = m_space.schedules()[at(choice)];
    if (chunks < 2) continue;
    for (const int b : m_space.microbatches()) {
      Item item{.bound = 0,
                .kind = Item::Kind::Group,
                .choice = choice,
                .microbatch = b,
                .dataDegree = 1,
                .family = {}};
      const LeastWork& least = microbatch(item).least;
      int last = 0;
      for (const int d : m_space.dataDegrees(b, least.narrow())) {
        if (m_watch.shouldStop()) return all;
        item.dataDegree = d;
        const int m = microbatchCount(item);
        if (m == std::exchange(last, m)) continue;
        const Target target = targetOf(m_problem.search.objective, *schedule, m, 1, chunks);
        item.bound = least.time(target.bound, m_problem.cluster->deviceCount() / d, mostStages(item),
                                m_watch.bounds());
        if (open(item))
          all.push_back(item);
        else
          m_watch.bounds().countClosed(SearchBound::LayerWork, 1);
      }
    }
  }
  return all;
}

int MixedInterleavedSearch::microbatchCount(const Item& item) const {
  return m_problem.microbatchCount(m_problem.profile->microbatches()[at(item.microbatch)], item.dataDegree);
}

void MixedInterleavedSearch::openGroup(const Item& item, const Put& put) {
  const auto& [schedule, chunks] = m_space.schedules()[at(item.choice)];
  const LeastWork& least = microbatch(item).least;
  const int m = microbatchCount(item);
  Item part = item;
  part.kind = Item::Kind::GroupOfStages;
  for (int s = 2; s <= mostStages(item); ++s) {
    if (!m_space.stageCountAllowed(s) || !schedule->refusals(s, chunks, m).empty()) continue;
    const Target target = targetOf(m_problem.search.objective, *schedule, m, s, chunks);
    part.stages = s;
    part.bound = std::max(
        item.bound,
        least.time(target.bound, m_problem.cluster->deviceCount() / item.dataDegree, s, m_watch.bounds()));
    for (const int z : m_space.zeroStages()) {
      part.zero = z;
      put(part);
    }
  }
}

const std::vector<GradientFloor>& MixedInterleavedSearch::gradientsOf(
    const Microbatch& of, const std::vector<Sharding>& shardings) {
  constexpr std::size_t kMostKept = 32;  // some hundred kilobytes each
  if (m_gradients.size() >= kMostKept && !m_gradients.contains(shardings)) m_gradients.clear();
  const auto [it, isNew] = m_gradients.try_emplace(shardings);
  if (isNew)
    for (const LayerSums* s : of.sums)
      it->second.push_back(GradientFloor::of(m_shapes, s->strategy(), shardings, m_watch));
  return it->second;
}

std::vector<MixedInterleavedSearch::Family> MixedInterleavedSearch::families(
    const Item& item, const std::vector<Sharding>& shardings) {
  const auto& [schedule, chunks] = m_space.schedules()[at(item.choice)];
  ChunkConfiguration c;
  c.schedule = schedule;
  c.chunks = chunks;
  c.microbatchIndex = item.microbatch;
  c.dataDegree = item.dataDegree;
  c.zero = item.zero;
  c.stages = item.stages;
  // Each of the other stages occupies at least the width of the narrowest strategy.
  const Microbatch& of = microbatch(item);
  const int widest =
      m_problem.cluster->deviceCount() / item.dataDegree - (item.stages - 1) * of.least.narrow();
  const std::vector<GradientFloor>& gradients = gradientsOf(of, shardings);
  std::vector<StageFloor> floors;
  for (std::size_t k = 0; k < gradients.size(); ++k)
    if (LayerSums* s = of.sums[k]; s->strategy().width() <= widest) {
      c.sums.push_back(s);
      floors.emplace_back(m_problem, *s, gradients[k], item.zero);
    }
  if (c.sums.empty()) return {};
  c.microbatchCount = microbatchCount(item);
  c.target = targetOf(m_problem.search.objective, *schedule, c.microbatchCount, c.stages, chunks);
  c.limit = limit() * (1 + kEqualTimes);
  std::vector<Family> all;
  int number = 0;
  for (auto& cuts : interleavedCuts(m_problem, c.stages, chunks)) {
    const int which = number++;
    if (m_watch.poll()) break;
    if (!obeys(m_rules, cuts, c.stages, *schedule)) continue;
    c.cuts = std::move(cuts);
    ChunkBounds bounds(m_problem, m_space, m_order, c, floors, m_roomiest, m_watch);
    if (bounds.leastUnits() <= bounds.mostUnits()) all.push_back({c, std::move(bounds), which});
  }
  return all;
}

// One bound prunes most d with the same microbatch count: it assumes the units of the smallest d, the
// cheapest exchanges and the most shards of any of them.
void MixedInterleavedSearch::openDegrees(const Item& item, const Put& put) {
  const Microbatch& of = microbatch(item);
  const bool context =
      std::any_of(of.sums.begin(), of.sums.end(), [](const auto* k) { return k->strategy().context > 1; });
  const int m = microbatchCount(item);
  std::vector<Item> parts;
  std::vector<Sharding> shardings;
  for (const int d : m_space.dataDegrees(item.microbatch, of.least.narrow())) {
    Item part = item;
    part.kind = Item::Kind::Stages;
    part.dataDegree = d;
    if (microbatchCount(part) != m || !m_space.zeroAllowed(item.zero, d > 1 || context, item.stages))
      continue;
    shardings.push_back({d, m_space.shardDegrees(d, item.zero, strategiesOf(of.sums))});
    parts.push_back(part);
  }
  if (parts.size() == 1) return put(parts.front());
  if (parts.empty()) return;
  const auto all = families(item, shardings);
  for (Item& part : parts) {
    if (m_watch.poll()) return;
    double least = kInfinity;
    for (const Family& f : all) {
      const int units = std::min(f.bounds.mostUnits(), m_problem.cluster->deviceCount() / part.dataDegree);
      if (units >= f.bounds.leastUnits())
        least = std::min(least, f.bounds.upTo(units, limit() * (1 + kEqualTimes)));
    }
    part.bound = std::max(part.bound, least);
    if (open(part)) put(part);
  }
}

void MixedInterleavedSearch::openStages(const Item& item, const Put& put) {
  const Sharding own{item.dataDegree,
                     m_space.shardDegrees(item.dataDegree, item.zero, strategiesOf(microbatch(item).sums))};
  for (Family& f : families(item, {own})) {
    Item part = item;
    part.kind = Item::Kind::AllUnits;
    part.units = std::min(f.bounds.mostUnits(), m_problem.cluster->deviceCount() / item.dataDegree);
    part.family = std::make_shared<const Family>(std::move(f));
    part = allUnits(std::move(part));
    if (open(part)) put(std::move(part));
  }
}

MixedInterleavedSearch::Item MixedInterleavedSearch::allUnits(Item item) const {
  const ChunkBounds& bounds = item.family->bounds;
  while (item.units >= bounds.leastUnits() &&
         !m_space.devicesAllowed(static_cast<long long>(item.units) * item.dataDegree))
    --item.units;
  item.bound = item.units < bounds.leastUnits()
                   ? kInfinity
                   : std::max(item.bound, bounds.upTo(item.units, limit() * (1 + kEqualTimes)));
  return item;
}

bool MixedInterleavedSearch::drain() {
  double bound = 0;
  return searchBestFirst(*this, items(), m_watch, bound);
}

void MixedInterleavedSearch::report(double bound, double done) {
  const double best = m_incumbents.lead().time;
  m_watch.report(m_many ? kNextBest : "interleaved, strategy per stage", done, best, m_many ? best : bound);
}

bool MixedInterleavedSearch::take(Item item, const Put& put) {
  switch (item.kind) {
    case Item::Kind::Group:
      openGroup(item, put);
      return true;
    case Item::Kind::GroupOfStages:
      openDegrees(item, put);
      return true;
    case Item::Kind::Stages:
      openStages(item, put);
      return true;
    case Item::Kind::Sharp:
      return process(item);
    case Item::Kind::AllUnits:
      break;
  }
  Item fewer = item;
  --fewer.units;
  fewer = allUnits(std::move(fewer));
  if (open(fewer)) put(std::move(fewer));
  const ChunkBounds::Prefixes prefixes(item.family->bounds, item.units);
  item.bound = std::max(item.bound, prefixes.time(item.stages, item.units, 0, 0, 0));
  item.kind = Item::Kind::Sharp;
  if (m_watch.bounds().uses(SearchBound::ChunkStages))
    m_watch.bounds().count(SearchBound::ChunkStages, !open(item));
  if (open(item)) put(std::move(item));
  return true;
}

ChunkSolver MixedInterleavedSearch::solverOf(const Item& item, const ChunkBounds::Prefixes& prefixes,
                                             const BlockLayout& layout) {
  return {m_problem, m_space, m_shapes, item.family->configuration, prefixes, layout, item.units, m_watch};
}

bool MixedInterleavedSearch::process(const Item& item) {
  const ChunkConfiguration& c = item.family->configuration;
  const ChunkBounds::Prefixes prefixes(item.family->bounds, item.units);
  // For shared parameters the signature records levels only to a first stage.
  const auto tied = tiedStagesOf(m_problem, c.cuts, c.stages, *c.schedule);
  const bool simple = !tied || std::min(tied->first, tied->second) == 0;
  const auto layouts = m_space.layouts(c.dataDegree, item.units, c.zero, strategiesOf(microbatch(item).sums));
  std::unordered_set<std::string> seen;
  for (const BlockLayout& layout : layouts) {
    if (m_watch.poll()) return false;
    std::vector<LayerSums*> sums;
    for (LayerSums* s : c.sums)
      if (layout.holds(s->strategy())) sums.push_back(s);
    if (sums.empty() || !open(item)) continue;
    if (simple && layouts.size() > 1 && isWorthSigning(sums, item.units) &&
        !seen.insert(layoutSignature(m_shapes, sums, layout, item.units, true, m_watch)).second)
      continue;
    ++m_tuples;
    ChunkSolver dp = solverOf(item, prefixes, layout);
    if (m_many) {
      std::vector<CandidatePlan> found;
      constexpr std::size_t kMostSequences = 2000;
      if (!dp.solveMany(goal(item), kMostSequences, found) || m_watch.states() > m_mostStates) return false;
      for (CandidatePlan& f : found) m_incumbents.offer(std::move(f));
      continue;
    }
    CandidatePlan found;
    if (!dp.solve(goal(item), found)) continue;
    m_leaders.push_back({item, layout, found});
    m_incumbents.offer(std::move(found));
  }
  return !m_watch.shouldStop();
}

bool MixedInterleavedSearch::runMany() {
  // If finding the best plan took long, finding the others would take much longer.
  constexpr long long kFewStates = 30000;
  if (m_watch.states() > kFewStates * 4) return false;
  m_many = true;
  m_mostStates = m_watch.states() + kFewStates;
  const bool complete = drain();
  m_many = false;
  return complete;
}

void MixedInterleavedSearch::settleTies() {
  const auto lead = m_incumbents.lead();
  for (Leader& l : m_leaders) {
    if (m_watch.shouldStop()) return;
    if (!isAmongTheFastest(l.found, lead, kEqualTimes)) continue;
    const ChunkBounds::Prefixes prefixes(l.item.family->bounds, l.item.units);
    CandidatePlan settled;
    if (solverOf(l.item, prefixes, l.layout).settle(lead.time, settled))
      m_incumbents.offer(std::move(settled));
  }
}

}  // namespace nest::solver
