// For every (b, σ, d, s, v) a lower bound over the ZeRO stages; a heap by bound. Popped while the bound does
// not pass the limit (the k-th best time so far, k = plans asked for). The heap's top is a lower bound on
// everything not yet solved.
#include "solver/search.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>
#include <utility>

namespace nest::planner {
namespace {

constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1 + 1e-12;

}  // namespace

Search::Search(const Problem& problem, const LayerOrder& order, GroupShapes& shapes, const SearchSpace& space,
               Incumbents& incumbents, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_incumbents(&incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order) {
  const Hierarchy& cluster = *problem.cluster;
  m_roomiest = cluster.device().memory.value.value();
  if (!cluster.hasUniformDevices()) {
    m_roomiest = 0;
    for (int i = 0; i < cluster.deviceCount(); ++i)
      m_roomiest = std::max(m_roomiest, cluster.factor(DeviceIndex(i)).memory.value());
  }
  m_roomiest *= kMemoryRounding;
}

LayerSums& Search::sumsOf(int microbatch, int strategy) {
  auto& sums = m_sums[{microbatch, strategy}];
  if (!sums) sums = std::make_unique<LayerSums>(m_problem, m_order, m_shapes, microbatch, strategy);
  return *sums;
}

bool Search::run() {
  if (m_rules.contradictory()) {
    m_lowerBound = kNever;
    return true;
  }
  enumerate();
  return !m_watch.over() && drain();
}

bool Search::open(const Entry& e, int zero) const {
  if (e.bound[at(zero)] == kNever) return false;
  if (!m_budget) return true;
  return devicesOf(e) <= m_budget->devices && e.leastMemory[at(zero)] <= e.stages * room() * kSlack &&
         e.bound[at(zero)] <= m_incumbents->limit() * kSlack;
}

bool Search::drain() {
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
      if (std::pair(bound, z) > std::pair(after, zero) && bound < item.bound && open(m_entries[at(index)], z))
        item.bound = bound, item.zero = z;
    }
    return item;
  };
  std::vector<Item> items;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].least == kNever) continue;
    if (const Item item = next(static_cast<int>(i), -1, -1); item.zero >= 0) items.push_back(item);
  }
  std::priority_queue<Item, std::vector<Item>, std::greater<>> heap(std::greater<>{}, std::move(items));
  m_lowerBound = m_firstBound = heap.empty() ? kNever : heap.top().bound;
  while (!heap.empty()) {
    const Item item = heap.top();
    m_lowerBound = std::max(m_lowerBound, item.bound);
    if (item.bound > m_incumbents->limit() * kSlack) break;
    heap.pop();
    report();
    Entry& e = m_entries[at(item.entry)];
    note(e, Fate::Bounded);
    if (e.chunks > 1)
      processInterleaved(e, item.entry, item.zero);
    else
      processChain(e, item.entry, item.zero);
    if (m_watch.over()) return false;
    if (const Item more = next(item.entry, item.bound, item.zero); more.zero >= 0) heap.push(more);
  }
  m_lowerBound = heap.empty() ? kNever : heap.top().bound;
  for (; !heap.empty(); heap.pop()) note(m_entries[at(heap.top().entry)], Fate::Bounded);
  return true;
}

std::optional<Found> Search::fastestWithin(const Budget& budget, const std::vector<Found>& known) {
  Incumbents best(1);
  for (const Found& f : known)
    if (f.devices <= budget.devices && f.memory <= budget.memory) best.offer(f);
  Incumbents* const others = std::exchange(m_incumbents, &best);
  const double bound = m_lowerBound;
  m_budget = budget;
  const bool complete = drain();
  m_budget.reset();
  m_incumbents = others;
  m_lowerBound = bound;
  best.sort(m_problem);
  if (!complete || best.best().empty()) return std::nullopt;
  return best.best().front();
}

void Search::report() {
  if (m_budget) return;
  const double limit = m_incumbents->limit();
  const auto& best = m_incumbents->best();
  const double fraction =
      limit < kNever && limit > m_firstBound ? (m_lowerBound - m_firstBound) / (limit - m_firstBound) : 0;
  m_watch.report("search", std::min(1.0, fraction),
                 best.empty() ? std::nullopt : std::optional(Seconds(best.front().time)), m_lowerBound);
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
      Reach reach(context, room());
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

}  // namespace nest::planner
