// For every (b, σ, d, s, v) a lower bound over the ZeRO stages; a heap by bound. Popped while the bound does
// not pass the limit (the k-th best time so far, k = plans asked for): for each ZeRO stage windows under the
// largest load that could still matter; for each layout (d_in, P) the sites of its stages; sites seen before
// are dropped; then the DP. The heap's top is a lower bound on everything not yet solved.
#include "solver/search.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "solver/interleaved.h"

namespace nest::planner {
namespace {

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1 + 1e-12;

/// Sites are alike where every figure that a stage's cost reads is.
std::string signatureOf(const std::vector<StageSite>& sites, const std::optional<TiedPlace>& tied) {
  std::string text;
  const auto add = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const StageSite& s : sites) {
    for (int v :
         {s.levelIn, s.levelOut, s.tensorSet, s.contextSet, s.expertSet, s.denseSet, s.expertGradientSet})
      add(v);
    add(s.speed);
    add(s.memory);
  }
  add(tied ? tied->level : -1);
  return text;
}

}  // namespace

Search::Search(const Problem& problem, const LayerOrder& order, GroupShapes& shapes, const SearchSpace& space,
               Incumbents& incumbents, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order) {
  const Hierarchy& cluster = *problem.cluster;
  m_roomiest = cluster.device().memory.value.value();
  if (!cluster.hasUniformDevices()) {
    m_roomiest = 0;
    for (int i = 0; i < cluster.deviceCount(); ++i)
      m_roomiest = std::max(m_roomiest, cluster.factor(DeviceIndex(i)).memory.value());
  }
}

LayerSums& Search::sumsOf(int microbatch, int strategy) {
  auto& sums = m_sums[{microbatch, strategy}];
  if (!sums) sums = std::make_unique<LayerSums>(m_problem, m_order, m_shapes, microbatch, strategy);
  return *sums;
}

void Search::enumerate() {
  for (int b : m_space.microbatches())
    for (int k : m_space.strategies()) {
      LayerSums& sums = sumsOf(b, k);
      const Strategy& s = m_problem.profile->strategies()[at(k)];
      if (!sums.offered()) {
        Candidate c;
        c.microbatch = m_problem.profile->microbatches()[at(b)];
        c.strategy = s;
        c.fate = Fate::NotOffered;
        m_notOffered.push_back(c);
        continue;
      }
      for (int d : m_space.dataDegrees(b, s.width(), s.expert)) {
        if (m_watch.over()) return;
        addEntries(sums, d, GradientFloor::of(m_shapes, s, d));
      }
    }
}

void Search::addEntries(LayerSums& sums, int d, const GradientFloor& floor) {
  const int width = sums.strategy().width();
  const int m = m_problem.microbatchCount(m_problem.profile->microbatches()[at(sums.microbatchIndex())], d);
  const int most = std::min(m_order.layerCount(), m_problem.cluster->deviceCount() / (d * width));
  for (int s = m_rules.leastStages(); s <= most; ++s) {
    if (!m_space.stageCountAllowed(s) || !m_space.devicesAllowed(static_cast<long long>(d) * width * s))
      continue;
    bool pinned = true;
    for (int i = 0; i < s; ++i) pinned = pinned && m_space.strategyAllowed(i, sums.strategy());
    if (!pinned) continue;
    for (int v : m_space.chunkCounts()) {
      if (v > 1 && !interleaves(m_problem, m_order, s, v, m)) continue;
      Entry e;
      e.sums = &sums;
      e.dataDegree = d;
      e.stages = s;
      e.chunks = v;
      e.microbatchCount = m;
      e.bound.fill(kNever);
      e.least = kNever;
      bool offered = false;
      for (int z : m_space.zeroStages()) {
        if (!m_space.zeroAllowed(z, floor.denseShards > 1, s)) continue;
        offered = true;
        if (leastTotalMemory(m_problem, sums, floor, s, z) > s * m_roomiest * kSlack) continue;
        e.bound[at(z)] = planner::lowerBound(m_problem, sums, floor, m, s, z, v);
        e.tailPerLoad[at(z)] = planner::tailPerLoad(m_problem, sums, floor, z);
        e.least = std::min(e.least, e.bound[at(z)]);
      }
      if (!offered) continue;
      if (e.least == kNever) e.fate = Fate::OutOfMemory;
      m_entries.push_back(e);
    }
  }
}

bool Search::run() {
  if (m_rules.contradictory()) {
    m_lowerBound = kNever;
    return true;
  }
  enumerate();
  if (m_watch.over()) return false;
  struct Item {
    double bound;
    int entry, zero;
    bool operator>(const Item& o) const {
      return std::tie(bound, entry, zero) > std::tie(o.bound, o.entry, o.zero);
    }
  };
  // An entry waits under its best ZeRO stage; once that is solved, under the next.
  const auto next = [&](int index, double after, int zero) {
    Item item{kNever, index, -1};
    for (int z = 0; z < 4; ++z) {
      const double bound = m_entries[at(index)].bound[at(z)];
      if (std::pair(bound, z) > std::pair(after, zero) && bound < item.bound)
        item.bound = bound, item.zero = z;
    }
    return item;
  };
  std::vector<Item> items;
  for (std::size_t i = 0; i < m_entries.size(); ++i)
    if (m_entries[i].least < kNever) items.push_back(next(static_cast<int>(i), -1, -1));
  std::priority_queue<Item, std::vector<Item>, std::greater<>> heap(std::greater<>{}, std::move(items));
  m_lowerBound = m_firstBound = heap.empty() ? kNever : heap.top().bound;
  while (!heap.empty()) {
    const Item item = heap.top();
    m_lowerBound = std::max(m_lowerBound, item.bound);
    if (item.bound > m_incumbents.limit() * kSlack) break;
    heap.pop();
    report();
    Entry& e = m_entries[at(item.entry)];
    if (e.fate == Fate::NotReached) e.fate = Fate::Bounded;
    if (e.chunks > 1)
      processInterleaved(e, item.entry, item.zero);
    else
      processChain(e, item.entry, item.zero);
    if (m_watch.over()) return false;
    if (const Item more = next(item.entry, item.bound, item.zero); more.zero >= 0) heap.push(more);
  }
  m_lowerBound = heap.empty() ? kNever : heap.top().bound;
  for (; !heap.empty(); heap.pop())
    if (Entry& e = m_entries[at(heap.top().entry)]; e.fate == Fate::NotReached) e.fate = Fate::Bounded;
  return true;
}

void Search::report() {
  const double limit = m_incumbents.limit();
  const auto& best = m_incumbents.best();
  const double fraction =
      limit < kNever && limit > m_firstBound ? (m_lowerBound - m_firstBound) / (limit - m_firstBound) : 0;
  m_watch.report("search", std::min(1.0, fraction),
                 best.empty() ? std::nullopt : std::optional(Seconds(best.front().time)), m_lowerBound);
}

Found Search::foundOf(const Entry& e, int zero) const {
  Found f;
  f.microbatchIndex = e.sums->microbatchIndex();
  f.dataDegree = e.dataDegree;
  f.zero = zero;
  f.chunks = e.chunks;
  f.strategies.assign(at(e.stages), e.sums->strategyIndex());
  f.devices = e.dataDegree * e.stages * e.sums->strategy().width();
  return f;
}

StageCosts::Context Search::contextOf(const Entry& e, int zero) const {
  StageCosts::Context c;
  c.problem = &m_problem;
  c.space = &m_space;
  c.order = &m_order;
  c.sums = e.sums;
  c.shapes = &m_shapes;
  c.dataDegree = e.dataDegree;
  c.stages = e.stages;
  c.microbatchCount = e.microbatchCount;
  c.zero = zero;
  return c;
}

std::vector<Search::TiedCase> Search::tiedCases(int stages) const {
  const auto& tied = m_problem.profile->tied;
  const auto usable = [&](LayerIndex x) { return x.value >= 0 && x.value < m_order.layerCount(); };
  if (!tied || stages == 1 || !usable(tied->first) || !usable(tied->second)) return {{}};
  if (std::all_of(tied->parameters.begin(), tied->parameters.end(), [](double p) { return p == 0; }))
    return {{}};
  const int first = tied->first.value, second = tied->second.value, last = m_order.layerCount() - 1;
  std::vector<TiedCase> cases;
  for (int i = 0; i < stages; ++i)
    for (int j = 0; j < stages; ++j) {
      if (m_order.isChain()) {
        if ((first <= second && i > j) || (second <= first && j > i)) continue;
        if ((first == 0 && i > 0) || (second == 0 && j > 0)) continue;
        if ((first == last && i + 1 < stages) || (second == last && j + 1 < stages)) continue;
      }
      cases.push_back({std::pair(i, j)});
    }
  return cases;
}

CutRules Search::rulesOf(const TiedCase& tied) const {
  if (!tied.stages) return m_rules;
  return m_rules.with({{m_problem.profile->tied->first, StageIndex(tied.stages->first)},
                       {m_problem.profile->tied->second, StageIndex(tied.stages->second)}});
}

std::optional<TiedPlace> Search::tiedPlace(const TiedCase& tied, const BlockLayout& layout, int width) const {
  if (!tied.apart()) return std::nullopt;
  const auto [i, j] = *tied.stages;
  const int early = std::min(i, j), distance = std::abs(i - j) * width;
  return TiedPlace{i, j, m_shapes.reach(early * width, width, distance, layout.outer, layout.stride), -1};
}

double Search::mostLoad(const Entry& e, double hops, double limit, double tail) const {
  if (limit == kNever) return kNever;
  const auto w = objectiveWeights(m_problem.search.objective, e.microbatchCount, e.stages, e.chunks);
  const double left = limit * kSlack - tail - w.sum * (e.sums->leastAny.back() + hops);
  double most = w.max > 0 ? left / w.max : kNever;
  // The sum contains the largest load: it may grow past the least sum, but not past this.
  if (w.sum > 0) most = std::min(most, (limit * kSlack - tail) / (w.sum + w.max));
  return most;
}

double Search::leastTail(const Entry& e, int zero, const Reach& reach) const {
  return m_order.isChain() ? e.tailPerLoad[at(zero)] * e.sums->leastAny[at(reach.first(1))] : 0;
}

bool Search::openWindows(Reach& reach, const Entry& e, int zero, double limit) const {
  const double hops = reach.hopsBefore(e.stages);
  reach.limitLoad(mostLoad(e, hops, limit, 0));
  if (!m_order.isChain()) return true;
  if (!reach.findWindows()) return false;
  // The first stage exchanges at least the gradients of the layers that it cannot leave to others.
  const double tail = leastTail(e, zero, reach);
  if (limit == kNever || tail <= 1e-3 * limit) return true;
  reach.limitLoad(mostLoad(e, hops, limit, tail));
  return reach.findWindows();
}

// Any plan at all is better than no limit: without one the DP would look at every cut.
std::optional<PipelineCut> Search::cutEvenly(const StageCosts& costs, Reach& reach, const CutRules& rules,
                                             const ObjectiveWeights& weights) const {
  if (!m_order.isChain()) return std::nullopt;
  PipelineCut cut;
  cut.cuts = reach.evenCuts();
  double sum = 0, most = 0, tail = 0, before = 0;
  for (int i = 0; i + 1 < static_cast<int>(cut.cuts.size()); ++i) {
    const int from = cut.cuts[at(i)], to = cut.cuts[at(i) + 1];
    if (to <= from || !rules.mayForm(from, to) || !rules.mayBegin(i, from)) return std::nullopt;
    const auto f = costs.best(i, from, to);
    if (f.policy < 0) return std::nullopt;
    cut.policies.push_back(f.policy);
    sum += f.load;
    most = std::max(most, f.load);
    tail = std::max(tail, std::max(0.0, f.sync - before) + f.step);
    before +=
        (costs.context().sums->backward[at(to)] - costs.context().sums->backward[at(from)]) / costs.speed(i);
  }
  if (cut.policies.empty()) return std::nullopt;
  cut.time = weights.time(sum, most, tail);
  return cut;
}

void Search::noteShortage(Entry& e, Reach& reach) const {
  if (!m_order.isChain()) return;
  reach.limitLoad(kNever);
  if (reach.findWindows()) return;
  // The first stages hold what they can; the last one would have to hold the rest.
  int stage = 0;
  while (stage + 1 < e.stages && reach.last(stage + 1) > stage &&
         reach.last(stage + 1) < m_order.last() - (e.stages - stage - 1))
    ++stage;
  const int from = std::min(reach.last(stage), m_order.last() - 1);
  const int to = stage + 1 == e.stages ? m_order.last() : std::max(from + 1, reach.last(stage + 1) + 1);
  const double lack = reach.leastMemory(stage, from, std::min(to, m_order.last())) - m_roomiest;
  if (!(lack > 0)) return;
  if (e.fate != Fate::OutOfMemory || lack < e.shortfall) {
    e.shortStage = stage;
    e.shortfall = lack;
  }
  if (e.best == 0) e.fate = Fate::OutOfMemory;
}

void Search::processChain(Entry& e, int index, int zero) {
  const Strategy& strategy = e.sums->strategy();
  const int width = strategy.width();
  const auto weights = objectiveWeights(m_problem.search.objective, e.microbatchCount, e.stages, 1);
  const auto cases = tiedCases(e.stages);
  Found blank = foundOf(e, zero);
  blank.candidate = index;
  if (e.bound[at(zero)] > m_incumbents.limit(blank) * kSlack) return;

  struct Open {
    StageCosts::Context context;
    Reach reach;
  };
  std::vector<Open> open;  // one per policy that all stages must share
  for (const auto& policy : m_space.sharedPolicies()) {
    auto context = contextOf(e, zero);
    context.sharedPolicy = policy;
    Open o{context, Reach(context, m_roomiest)};
    if (openWindows(o.reach, e, zero, m_incumbents.limit(blank)))
      open.push_back(std::move(o));
    else
      noteShortage(e, o.reach);
  }
  if (open.empty()) return;

  std::unordered_set<std::string> seen;
  for (const BlockLayout& layout : m_space.layouts(e.dataDegree, strategy.expert, width * e.stages)) {
    const auto sites = placeStages(m_shapes, strategy, layout, e.stages);
    for (const TiedCase& tied : cases) {
      const auto place = tiedPlace(tied, layout, layout.inner * width);
      if (cases.size() == 1 && !seen.insert(signatureOf(sites, place)).second) continue;
      const CutRules rules = rulesOf(tied);
      for (Open& o : open) {
        if (m_watch.over()) return;
        o.context.tied = place;
        const StageCosts costs(o.context, sites);
        o.reach.setHops(costs.leastHops());
        auto cut = solveSite(e, zero, costs, o.reach, rules, weights, m_incumbents.limit(blank));
        if (!cut) continue;
        Found found = blank;
        found.layout = layout;
        found.time = cut->time;
        found.cut = std::move(*cut);
        found.memory = peakMemory(costs, found.cut);
        if (e.best == 0 || found.time < e.best) e.best = found.time;
        e.fate = Fate::Solved;
        m_incumbents.offer(std::move(found));
      }
    }
  }
}

std::optional<PipelineCut> Search::solveSite(const Entry& e, int zero, const StageCosts& costs, Reach& reach,
                                             const CutRules& rules, const ObjectiveWeights& weights,
                                             double limit) {
  if (e.bound[at(zero)] > limit * kSlack || !openWindows(reach, e, zero, limit)) return std::nullopt;
  ++m_tuples;
  const auto even = cutEvenly(costs, reach, rules, weights);
  if (even && even->time * kSlack < limit) {
    limit = even->time * kSlack;
    if (!openWindows(reach, e, zero, limit)) return std::nullopt;
  }
  const PipelineDp::Floor floor{reach.leastMax(), leastTail(e, zero, reach)};
  if (weights.time(e.sums->leastAny.back() + reach.hopsBefore(e.stages), floor.max, floor.tail) >
      limit * kSlack)
    return std::nullopt;
  return PipelineDp(costs, reach, rules, weights, m_watch).solve(limit, floor);
}

void Search::processInterleaved(Entry& e, int index, int zero) {
  const Strategy& strategy = e.sums->strategy();
  for (const BlockLayout& layout :
       m_space.layouts(e.dataDegree, strategy.expert, strategy.width() * e.stages)) {
    if (m_watch.over()) return;
    Found found = foundOf(e, zero);
    if (e.bound[at(zero)] > m_incumbents.limit(found) * kSlack) return;
    ++m_tuples;
    if (!solveInterleaved(contextOf(e, zero), m_rules, layout, found)) continue;
    if (e.best == 0 || found.time < e.best) e.best = found.time;
    e.fate = Fate::Solved;
    found.candidate = index;
    if (found.time <= m_incumbents.limit(found) * kSlack) m_incumbents.offer(std::move(found));
  }
}

double Search::peakMemory(const StageCosts& costs, const PipelineCut& cut) const {
  double most = 0;
  for (std::size_t i = 0; i < cut.policies.size(); ++i)
    most = std::max(most, costs.memory(static_cast<int>(i), cut.cuts[i], cut.cuts[i + 1], cut.policies[i]));
  return most;
}

void Search::settleTies(Found& found) {
  if (found.candidate < 0 || found.chunks > 1) return;
  const Entry& e = m_entries[at(found.candidate)];
  const auto weights = objectiveWeights(m_problem.search.objective, e.microbatchCount, e.stages, 1);
  const auto sites = placeStages(m_shapes, e.sums->strategy(), found.layout, e.stages);
  std::optional<PipelineCut> best;
  const auto recompute = [](const PipelineCut& c) {
    int sum = 0;
    for (int r : c.policies) sum += r;
    return sum;
  };
  for (const TiedCase& tied : tiedCases(e.stages))
    for (const auto& policy : m_space.sharedPolicies()) {
      auto context = contextOf(e, found.zero);
      context.sharedPolicy = policy;
      context.tied = tiedPlace(tied, found.layout, found.layout.inner * e.sums->strategy().width());
      Reach reach(context, m_roomiest);
      if (!openWindows(reach, e, found.zero, found.time * kSlack)) continue;
      const StageCosts costs(context, sites);
      auto cut = PipelineDp(costs, reach, rulesOf(tied), weights, m_watch)
                     .solve(found.time * kSlack, {0, leastTail(e, found.zero, reach)}, true);
      if (!cut || cut->policies.size() != at(e.stages)) continue;
      if (!best || std::pair(recompute(*cut), cut->cuts) < std::pair(recompute(*best), best->cuts)) {
        found.memory = peakMemory(costs, *cut);
        best = std::move(cut);
      }
    }
  if (best) found.cut = std::move(*best);
}

void Search::fillLog(Outcome& outcome) const {
  auto& rows = outcome.log.candidates;
  rows.reserve(m_entries.size() + m_notOffered.size());
  for (const Entry& e : m_entries) {
    Candidate c;
    c.microbatch = m_problem.profile->microbatches()[at(e.sums->microbatchIndex())];
    c.strategy = e.sums->strategy();
    c.dataDegree = e.dataDegree;
    c.stageCount = e.stages;
    c.fate = e.fate;
    c.lowerBound = Seconds(e.least);
    if (e.best > 0) c.best = Seconds(e.best);
    c.shortStage = e.shortStage;
    c.shortfall = Bytes(e.shortfall);
    rows.push_back(c);
  }
  for (const Found& f : m_incumbents.best()) {
    if (f.candidate >= 0) rows[at(f.candidate)].fate = Fate::Won;
    break;
  }
  rows.insert(rows.end(), m_notOffered.begin(), m_notOffered.end());
  outcome.statistics.candidates = static_cast<long long>(rows.size());
}

}  // namespace nest::planner
