// Every (b, σ, d, s, v) gets a lower bound over the ZeRO stages and enters a heap ordered by bound. Entries
// are popped until the bound passes the limit: the k-th best time known, for k requested plans. The top of
// the heap is a lower bound on everything not solved yet.
#include "solver/uniform_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "solver/best_first.h"
#include "solver/common.h"

namespace nest::solver {
UniformSearch::UniformSearch(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                             const SearchSpace& space, Incumbents& incumbents, Watch& watch,
                             const Tuning& tuning)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_incumbents(&incumbents),
      m_watch(watch),
      m_tuning(tuning),
      m_rules(problem.constraints, order) {
  m_roomiest = mostRoom(problem);
  m_unlike = layersUnlike(*problem.graph);
}

LayerSums& UniformSearch::sumsOf(int microbatch, int strategy, bool covered) {
  auto& sums = m_sums[{microbatch, strategy, covered}];
  if (!sums) sums = std::make_unique<LayerSums>(m_problem, m_order, m_shapes, microbatch, strategy, covered);
  return *sums;
}

const LeastLayers* UniformSearch::leastLayersOf(int microbatch, int strategy, bool covered) {
  const auto made = m_sums.find({microbatch, strategy, covered});
  if (made != m_sums.end()) return &made->second->leastLayers;
  if (m_watch.poll() && m_watch.stopped()) return nullptr;
  return &m_leastLayers.emplace_back(LeastLayers::of(m_problem, m_shapes, microbatch, strategy, covered));
}

bool UniformSearch::run(const Most& most) {
  if (m_rules.contradictory()) {
    m_lowerBound = kInfinity;
    return true;
  }
  enumerate();
  if (m_watch.shouldStop()) return false;
  if (most.share < 1) m_watch.pauseAfter(most.share);
  m_mostStates = most.states;
  const bool complete = drain();
  m_mostStates = Most().states;
  m_watch.resume();
  return complete;
}

bool UniformSearch::open(const Entry& e, int zero) const {
  if (e.bound[at(zero)] == kInfinity) return false;
  if (!m_budget) return true;
  return devicesOf(e) <= m_budget->devices && leastMemory(e, zero) <= e.stages * room() * kRoundUp &&
         e.bound[at(zero)] <= m_incumbents->limit() * kRoundUp;
}

// An entry waits under its best ZeRO stage, and once that is solved, under the next best.
UniformSearch::Item UniformSearch::next(int index, double after, int zero) const {
  const Entry& e = m_entries[at(index)];
  Item item{kInfinity, index, -1};
  for (int z = 0; z < 4; ++z)
    if (std::pair(e.bound[at(z)], z) > std::pair(after, zero) && e.bound[at(z)] < item.bound && open(e, z))
      item.bound = e.bound[at(z)], item.zero = z;
  return item;
}

bool UniformSearch::drain() {
  m_lowerBound = 0;
  std::vector<Item> items;
  items.reserve(m_entries.size() + m_unlisted.size());
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (i % 65536 == 65535 && m_watch.checkClock()) return false;
    if (const Item item = next(static_cast<int>(i), -1, -1); item.zero >= 0) items.push_back(item);
  }
  for (std::size_t i = 0; i < m_unlisted.size(); ++i)
    if (m_unlisted[i].bound < kInfinity)
      items.push_back({m_unlisted[i].bound, static_cast<int>(i), kUnlisted});
  return searchBestFirst(*this, std::move(items), m_watch, m_lowerBound);
}

template <class Put>
void UniformSearch::list(const Unlisted& part, Put put) {
  const std::size_t before = m_entries.size();
  addEntries(sumsOf(part.microbatch, part.strategy, part.covered), part.dataDegree, part.covered);
  for (std::size_t i = before; i < m_entries.size(); ++i) put(next(static_cast<int>(i), -1, -1));
}

template <class Put>
bool UniformSearch::take(const Item& item, Put put) {
  if (m_watch.states() > m_mostStates) return false;
  if (item.zero == kUnlisted) {
    Unlisted& part = m_unlisted[at(item.entry)];
    list(part, put);
    part.bound = kInfinity;
    return true;
  }
  Entry& e = m_entries[at(item.entry)];
  note(e, CandidateResult::Bounded);
  if (sharpen(e, item.entry, item.zero)) {
    put(next(item.entry, item.bound, item.zero - 1));
    return true;
  }
  if (e.chunks > 1)
    processInterleaved(e, item.entry, item.zero);
  else
    processChain(e, item.entry, item.zero);
  put(next(item.entry, item.bound, item.zero));
  return true;
}

std::optional<CandidatePlan> UniformSearch::fastestWithin(const Budget& budget,
                                                          const std::vector<CandidatePlan>& known) {
  Incumbents best(1);
  for (const CandidatePlan& f : known)
    if (f.devices <= budget.devices && f.memory <= budget.memory) best.offer(f);
  Incumbents* const others = std::exchange(m_incumbents, &best);
  const double bound = m_lowerBound;
  m_budget = budget;
  m_budgetRoom = mostRoom(m_problem, budget.memory);
  const bool complete = drain();
  m_budget.reset();
  m_incumbents = others;
  m_lowerBound = bound;
  best.sort(m_problem);
  if (!complete || best.best().empty()) return std::nullopt;
  return best.best().front();
}

void UniformSearch::report(double bound, double done) {
  if (m_budget) return;
  const double best = m_incumbents->lead().time;
  if (choosesStrategies(m_problem, m_space))
    m_watch.report("search", 0.1 * done, best, 0);  // plans with a strategy per stage may be faster
  else
    m_watch.report(bound < best * (1 - kEqualTimes) ? "search" : kNextBest, done, best, bound);
}

// If the search was stopped early, there may be faster cuts than those it encountered.
void UniformSearch::settleTies(CandidatePlan& found) {
  if (found.candidate < 0 || found.chunks > 1) return;
  Entry& e = m_entries[at(found.candidate)];
  const auto sites = placeStages(m_shapes, e.group->sums->strategy(), found.layout, e.stages);
  std::optional<PipelineCut> best;
  const auto precedes = [](const PipelineCut& a, const PipelineCut& b) {
    if (std::max(a.time, b.time) > std::min(a.time, b.time) * (1 + kEqualTimes)) return a.time < b.time;
    return Preference(a.policies, a.cuts) < Preference(b.policies, b.cuts);
  };
  for (const TiedCase& tied : tiedCases(e.stages))
    for (const auto& policy : m_space.sharedPolicies()) {
      auto context = configurationOf(e, found.zero);
      context.sharedPolicy = policy;
      context.shardDegree = found.layout.shardDegree();
      context.tied = tiedPlace(tied, found.layout, found.layout.inner * e.group->sums->strategy().width());
      StageWindows windows(context, room());
      const double limit = found.time / e.weight * kRoundUp;
      if (!openWindows(windows, e, found.zero, limit)) continue;
      const ChainCosts costs(context, sites);
      auto cut = preferredCut(costs, windows, rulesOf(tied), targetOf(e), limit,
                              {0, leastTail(e, found.zero, windows)}, m_watch);
      if (cut && (!best || precedes(*cut, *best))) best = std::move(cut);
    }
  if (!best) return;
  found.time = std::min(found.time, best->time * e.weight);
  found.memory = best->memory;
  found.cut = std::move(*best);
  note(e, CandidateResult::Solved, found.time);
}

}  // namespace nest::solver
