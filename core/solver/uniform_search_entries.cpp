// Lists what is searched: every (b, σ, d, s, v) that the options allow, with its lower bounds, and afterwards
// what became of it.
#include "solver/common.h"
#include "solver/uniform_search.h"

#include <algorithm>
#include <utility>

#include "solver/space/chunk_cuts.h"

namespace nest::solver {
void UniformSearch::enumerate() {
  std::size_t most = 0;
  visitGroups(false, [&](LayerSums& sums, int d) {
    most += at(std::max(0, mostStages(sums, d) - m_rules.leastStages() + 1)) * m_space.schedules().size();
  });
  const bool listAll = most <= m_tuning.mostListed;
  if (listAll) m_entries.reserve(most);  // only address space; growing step by step would hold it twice
  for (int b : m_space.microbatches())
    for (int k : m_space.strategies()) {
      if (m_watch.poll()) return;
      if (sumsOf(b, k).offered()) continue;
      Candidate c;
      c.microbatch = m_problem.profile->microbatches()[at(b)];
      c.strategy = sumsOf(b, k).strategy();
      c.result = CandidateResult::NotOffered;
      m_notOffered.push_back(c);
    }
  visitGroups(!listAll, [&](LayerSums& sums, int d) {
    if (m_watch.shouldStop()) return;
    for (const bool covered : {false, true}) {
      const auto asks = [&](const ScheduleChoice& c) { return c.schedule->coversExchanges() == covered; };
      if (std::none_of(m_space.schedules().begin(), m_space.schedules().end(), asks)) continue;
      LayerSums& own = sumsOf(sums.microbatchIndex(), sums.strategyIndex(), covered);
      if (listAll)
        addEntries(own, d, covered);
      else
        addUnlisted(own, d, covered);
    }
  });
  if (listAll) m_candidates = m_entries.size();
}

template <class Visit>
void UniformSearch::visitGroups(bool byStrategy, Visit visit) {
  const auto visitAll = [&](int b, int k) {
    if (m_watch.poll()) return;  // summing a long chain takes milliseconds
    LayerSums& sums = sumsOf(b, k);
    if (!sums.offered()) return;
    for (int d : m_space.dataDegrees(b, sums.strategy().width(), sums.strategy())) visit(sums, d);
  };
  const auto &sizes = m_space.microbatches(), &strategies = m_space.strategies();
  for (const int outer : byStrategy ? strategies : sizes)
    for (const int inner : byStrategy ? sizes : strategies)
      byStrategy ? visitAll(inner, outer) : visitAll(outer, inner);
}

UniformSearch::Gradients& UniformSearch::gradientsOf(const LayerSums& sums, int dataDegree) {
  if (std::exchange(m_gradientsOf, sums.strategyIndex()) != sums.strategyIndex()) m_gradients.clear();
  return m_gradients[dataDegree];
}

int UniformSearch::mostStages(const LayerSums& sums, int d) const {
  return std::min(m_order.layerCount(), m_problem.cluster->deviceCount() / (d * sums.strategy().width()));
}

bool UniformSearch::runs(std::size_t choice, int stages, int microbatchCount,
                         std::vector<signed char>& known) const {
  const auto& [schedule, v] = m_space.schedules()[choice];
  const auto ask = [&, schedule = schedule, v = v] {
    return schedule->refusals(stages, v, microbatchCount).empty() &&
           (v == 1 || (m_order.isChain() && !interleavedCuts(m_problem, stages, v).empty()));
  };
  constexpr int kMostKnown = 256;
  if (stages >= kMostKnown) return ask();
  if (known.empty()) known.assign(m_space.schedules().size() * kMostKnown, -1);
  signed char& answer = known[choice * kMostKnown + at(stages)];
  if (answer < 0) answer = ask();
  return answer > 0;
}

template <class Visit>
void UniformSearch::visitEntries(LayerSums& sums, int d, bool covered, Visit visit) {
  const Strategy& strategy = sums.strategy();
  const int width = strategy.width();
  int most = 0;
  while (most < mostStages(sums, d) && m_space.strategyAllowed(most, strategy)) ++most;
  Group group;
  group.sums = &sums;
  group.dataDegree = d;
  const auto batches =
      m_problem.batchChoices(m_problem.profile->microbatches()[at(sums.microbatchIndex())], d);
  const auto [heaviest, isNew] = m_heaviest.try_emplace(&sums);
  if (isNew) heaviest->second = heaviestLayers(m_problem, sums, m_unlike);
  std::array<std::optional<StageFloor>, 4> floors;
  auto& [whole, sharded] = gradientsOf(sums, d);
  for (const int z : m_space.zeroStages()) {
    auto& gradients = z == 0 ? whole : sharded;
    if (!gradients)
      gradients = GradientFloor::of(m_shapes, strategy, d, m_space.shardDegrees(d, z, {&strategy, 1}));
    const StageFloor& stage = floors[at(z)].emplace(m_problem, sums, *gradients, z);
    group.modelMemory[at(z)] = leastTotalMemory(m_problem, stage, 0);
    group.stageMemory[at(z)] = leastStageMemory(stage, heaviest->second);
    group.tailPerLoad[at(z)] = stage.tailPerLoad();
  }
  auto* const known = batches.size() == 1 ? &m_runs[batches.front().microbatches] : nullptr;
  const BoundLedger::Timer timer(m_watch.bounds(), SearchBound::EvenWork);
  for (int s = m_rules.leastStages(); s <= most; ++s) {
    if (!m_space.stageCountAllowed(s) || !m_space.devicesAllowed(static_cast<long long>(d) * width * s))
      continue;
    for (std::size_t choice = 0; choice < m_space.schedules().size(); ++choice) {
      const auto& [schedule, v] = m_space.schedules()[choice];
      if (schedule->coversExchanges() != covered) continue;
      const auto visitOne = [&, schedule = schedule, v = v](const Problem::BatchChoice& one) {
        Entry e;
        e.group = &group;
        e.stages = s;
        e.chunks = v;
        e.schedule = schedule;
        e.batch = one.batch, e.microbatchCount = one.microbatches;
        e.weight = m_problem.weightOf(d * width * s, one.batch);
        if (boundEntry(e, floors)) visit(e);
      };
      if (batches.size() > 1)
        for (const auto& one : batchesOf(batches, choice, s)) visitOne(one);
      else if (known && runs(choice, s, batches.front().microbatches, *known))
        visitOne(batches.front());
    }
  }
}

// A step takes w·m + rest, so that of plans that differ in m alone the one with the most microbatches takes
// the least time for a sequence. Fewer count only where they leave less in flight, or where the last
// microbatch of more is padded.
std::vector<Problem::BatchChoice> UniformSearch::batchesOf(const std::vector<Problem::BatchChoice>& all,
                                                           std::size_t choice, int stages) {
  const auto& [schedule, v] = m_space.schedules()[choice];
  const auto inFlight = [&, schedule = schedule, v = v](int m) {
    return schedule->stashesInFlight(0, stages, m, v);
  };
  std::vector<Problem::BatchChoice> out;
  double least = kInfinity;
  for (const Problem::BatchChoice& c : all) {
    if (inFlight(c.microbatches) >= least) {
      if (inFlight(all.back().microbatches) >= least) break;
      continue;
    }
    if (!runs(choice, stages, c.microbatches, m_runs[c.microbatches])) continue;
    out.push_back(c);
    if (!c.isPadded) least = inFlight(c.microbatches);
  }
  return out;
}

/// False: no ZeRO stage is offered for it.
bool UniformSearch::boundEntry(Entry& e, const std::array<std::optional<StageFloor>, 4>& floors) {
  const Group& group = *e.group;
  const Strategy& strategy = group.sums->strategy();
  const int s = e.stages, d = group.dataDegree;
  e.bound.fill(kInfinity);
  bool offered = false;
  for (int z : m_space.zeroStages()) {
    if (!m_space.zeroAllowed(z, d * strategy.context > 1, s) || !m_space.mayCombine(strategy, z, s)) continue;
    offered = true;
    // However the layers are cut, some stage holds at least the average, and some stage holds the largest
    // layer.
    if (const double bytes = std::max(leastMemory(e, z) / s, group.stageMemory[at(z)]);
        bytes > m_roomiest * kRoundUp) {
      const double lack = bytes - m_roomiest;
      e.shortfall = e.shortfall > 0 ? std::min(e.shortfall, lack) : lack;
      continue;
    }
    const Target target = targetOf(e);
    e.bound[at(z)] = 0;
    if (!m_watch.bounds().uses(SearchBound::EvenWork)) continue;
    m_watch.bounds().countCalls(SearchBound::EvenWork, 1);
    e.bound[at(z)] = solver::lowerBound(*floors[at(z)], target, s);
    if (!target.byLoad()) {
      // Because g ≤ load, T ≥ Σ g + (m − 1)·max load is also valid.
      Target rest = target;
      rest.bound.max -= 1;
      const double fills = leastFill(m_problem, *group.sums, target, z, m_order.last());
      e.bound[at(z)] = std::max(e.bound[at(z)], fills + solver::lowerBound(*floors[at(z)], rest, s));
    }
    e.bound[at(z)] *= e.weight;
  }
  if (!offered) return false;
  if (e.least() == kInfinity)
    e.result = CandidateResult::OutOfMemory;
  else
    e.shortfall = 0;
  return true;
}

void UniformSearch::addEntries(LayerSums& sums, int d, bool covered) {
  const Group* kept = nullptr;
  visitEntries(sums, d, covered, [&](Entry& e) {
    if (!kept) kept = &m_groups.emplace_back(*e.group);
    e.group = kept;
    m_entries.push_back(e);
  });
}

void UniformSearch::addUnlisted(LayerSums& sums, int d, bool covered) {
  double least = kInfinity;
  visitEntries(sums, d, covered, [&](const Entry& e) {
    ++m_candidates;
    least = std::min(least, e.least());
  });
  if (least < kInfinity)
    m_unlisted.push_back({least, sums.microbatchIndex(), sums.strategyIndex(), d, covered});
}

void UniformSearch::note(Entry& e, CandidateResult result, double time) const {
  if (m_budget) return;
  if (result != CandidateResult::Bounded || e.result == CandidateResult::NotReached) e.result = result;
  if (time > 0 && (e.best == 0 || time < e.best)) e.best = time;
}

void UniformSearch::noteShortage(Entry& e, ChainConfiguration context) const {
  if (!m_order.isChain() || m_budget) return;
  context.rules = nullptr;  // only memory matters here
  StageWindows reach(context, room());
  if (reach.findWindows()) return;
  // The first stages hold as much as they can; the last one would have to hold the rest.
  int stage = 0;
  while (stage + 1 < e.stages && reach.last(stage + 1) > stage &&
         reach.last(stage + 1) < m_order.last() - (e.stages - stage - 1))
    ++stage;
  const int from = std::min(reach.last(stage), m_order.last() - 1);
  const int to = stage + 1 == e.stages ? m_order.last() : std::max(from + 1, reach.last(stage + 1) + 1);
  const double lack = reach.leastMemory(stage, from, std::min(to, m_order.last())) - m_roomiest;
  if (!(lack > 0)) return;
  if (e.result != CandidateResult::OutOfMemory || lack < e.shortfall) {
    e.shortStage = stage;
    e.shortfall = lack;
  }
  if (e.best == 0) e.result = CandidateResult::OutOfMemory;
}

Candidate UniformSearch::candidateOf(const Entry& e) const {
  Candidate c;
  c.microbatch = m_problem.profile->microbatches()[at(e.group->sums->microbatchIndex())];
  c.strategy = e.group->sums->strategy();
  c.dataDegree = e.group->dataDegree;
  c.stageCount = e.stages;
  c.chunks = e.chunks;
  c.schedule = e.schedule->kind();
  c.result = e.result;
  c.lowerBound = Seconds(e.least() / e.weight);
  if (e.best > 0) c.best = Seconds(e.best / e.weight);
  c.shortStage = e.shortStage;
  c.shortfall = Bytes(e.shortfall);
  return c;
}

// Nobody reads millions of rows, and writing them takes longer than a stopped search may. Where there are so
// many, the log has those that were solved, then those that might have been as fast as the best, then others
// as far as there is room.
void UniformSearch::fillLog(Outcome& outcome) const {
  auto& rows = outcome.log.candidates;
  outcome.statistics.candidates = static_cast<long long>(m_candidates + m_notOffered.size());
  rows.reserve(std::min(m_entries.size(), kMostLogged) + m_notOffered.size());
  const auto& best = m_incumbents->best();
  const int won = best.empty() ? -1 : best.front().candidate;
  const double limit = m_incumbents->limit();
  const auto rankOf = [limit](const Entry& e) {
    return e.result == CandidateResult::Solved ? 0 : e.least() <= limit ? 1 : 2;
  };
  const bool all = m_entries.size() <= kMostLogged;
  for (int rank = all ? 2 : 0; rank < 3; ++rank)
    for (std::size_t i = 0; i < m_entries.size() && rows.size() < kMostLogged; ++i) {
      const Entry& e = m_entries[i];
      const bool isBest = static_cast<int>(i) == won;
      if (!all && (isBest ? 0 : rankOf(e)) != rank) continue;
      rows.push_back(candidateOf(e));
      if (isBest) rows.back().result = CandidateResult::Won;
    }
  rows.insert(rows.end(), m_notOffered.begin(), m_notOffered.end());
}

}  // namespace nest::solver
