// State (k, U, u, σ, ℓ): k stages are behind the cut U on u units; the next stage towards the front ends at
// U, has strategy σ or an equivalent one, and sends to the stage behind it at level ℓ. Both widths determine
// ℓ, so it is known before that stage is formed. The state also contains the sync between shared parameters,
// once known, and whether some stage shards anything. Transition: the stage V…U with strategy σ under its
// fastest policy that fits, and every strategy of the stage before it. Pruning: PerStageBounds for the layers
// before V on the remaining units, with the label's own values. The place of the earlier holder of shared
// parameters is guessed from outside; it is almost always the first stage.
#include "solver/models/per_stage_model.h"

#include <bit>

#include "solver/common.h"

namespace nest::solver {
namespace {
constexpr long long kMostLabels = 300000;
}  // namespace

std::size_t PerStageModel::State::Hash::operator()(const State& s) const {
  std::uint64_t seed = static_cast<std::uint64_t>(s.cut.value) * 0x9e3779b97f4a7c15ULL;
  const auto mix = [&seed](std::uint64_t v) { seed = (std::rotl(seed, 23) ^ v) * 0x9fb21c651e98df25ULL; };
  mix(static_cast<std::uint64_t>(s.behind.value) << 32 | static_cast<std::uint32_t>(s.strategy.value));
  mix(static_cast<std::uint64_t>(s.level.value + 1) << 1 | s.shards);
  mix(std::bit_cast<std::uint64_t>(s.tiedSync));
  return seed ^ seed >> 32;
}

PerStageModel::PerStageModel(const SearchSpace& space, const LayerOrder& order, const CutRules& rules,
                             const PipelineSchedule& schedule, ChosenStages& chosen, int fixedStages,
                             PerStageBounds& bounds, Watch& watch)
    : m_problem(*chosen.configuration().problem),
      m_space(space),
      m_order(order),
      m_rules(rules),
      m_schedule(schedule),
      m_chosen(chosen),
      m_target(chosen.configuration().target),
      m_fixedStages(fixedStages),
      m_bounds(bounds),
      m_watch(watch),
      m_predecessors(order),
      m_leastBackward(order.cutCount(), 0.0),
      m_mostBackward(order.cutCount(), 0.0) {
  for (int c = 1; c < order.cutCount(); ++c) {
    const CutIndex cut(c), before(order.parent(c));
    // Layer by layer, because with mixed strategies a prefix may do more work than under any single one.
    double least = kInfinity, most = 0;
    for (const StrategyId k : chosen.strategies()) {
      const LayerSums& s = chosen.sums(k);
      if (!s.usable(order.added(c))) continue;
      const double own = s.backward[cut.at()] - s.backward[before.at()];
      least = std::min(least, own);
      most = std::max(most, own);
    }
    m_leastBackward[cut] = m_leastBackward[before] + (least < kInfinity ? least * kRoundDown : 0);
    m_mostBackward[cut] = m_mostBackward[before] + most * kRoundUp / chosen.slowest();
  }
}

bool PerStageModel::limitTo(const Goal& goal) {
  m_goal = goal;
  m_mostLoad = m_bounds.mostLoad(units(), goal.time * kRoundUp) * kRoundUp;
  m_leastTail = m_bounds.leastTail(units(), m_mostLoad);
  return m_leastTail < kInfinity;
}

int PerStageModel::mostStages() const {
  if (m_fixedStages > 0) return m_fixedStages;
  return std::min(m_order.layerCount(), m_problem.constraints.stages.most.value_or(1 << 30));
}

bool PerStageModel::hopeless(double sum, double max, double tail, int cut, int units, int stages) {
  const int all = stages + (cut > 0 ? 1 : 0);
  const double most = bar(all);
  const double bound = m_bounds.time(stages, cut, units, max, sum, tail, most);
  if (bound > most || bound == kInfinity) return true;
  if (!m_target.byLoad()) return m_target.weights.time(sum, max, tail) > most;
  return m_problem.search.objective == Objective::Nest && weights(all).time(0, max, tail) > most;
}

bool PerStageModel::accept(int stages, double time) {
  if (!(time <= bar(stages)) || !m_space.stageCountAllowed(stages)) return false;
  if (m_keepAll) return true;
  m_goal = {std::min(m_goal.time, time), stages - 1};
  return true;
}

bool PerStageModel::mayStand(int behind, const State& state, int begin, int from) const {
  if ((from == 0) != (begin == 0)) return false;
  const int stage = stageNumber(behind);
  if (stage >= 0 && ((from == 0) != (stage == 0) || !m_rules.mayBegin(stage, from))) return false;
  return m_rules.mayForm(from, state.cut.value);
}

bool PerStageModel::prepare(int behind, const State& state, int begin, int from, Step& step) {
  StageCosts::Surroundings around;
  around.inFlight = inFlight(behind);
  around.policies = policies(behind);
  m_tiedSync = state.tiedSync;
  const StrategyId k(step.strategy);
  if (!sharesAs(state, k, begin, from, around, m_tiedSync)) return false;
  const Part part{from, state.cut.value};
  m_watch.count(1);
  const int slot = m_chosen.slot(k, UnitCount(begin));
  step.prepared = m_chosen.costs(k).prepare(slot, around, {&part, 1});
  step.from = from;
  step.begin = begin;
  step.first = from == 0;
  step.backward = solver::between(m_chosen.sums(k).backward, part) / m_chosen.costs(k).speed(slot);
  step.leastMax = m_bounds.leastMax(behind + 1, from, begin) * kRoundDown;
  step.leastTail = from > 0 ? m_leastTail : 0;
  step.leastBackward = m_leastBackward[CutIndex(from)];
  step.mostBackward = m_mostBackward[CutIndex(from)];
  return true;
}

bool PerStageModel::between(int behind, const State* before, const State& state, int from, Step& step,
                            Transfers& transfers) {
  const StrategyId k(step.strategy);
  const int width = m_chosen.width(k), begin = units() - state.behind.value - width;
  if (begin != (before ? units() - before->behind.value : 0) || from >= state.cut.value) return false;
  if (!m_order.subset(from, state.cut.value) || !mayStand(behind, state, begin, from)) return false;
  const int stage = stageNumber(behind);
  if (stage >= 0 && !m_space.strategyAllowed(stage, m_chosen.strategy(k))) return false;
  const bool shards = state.shards || m_chosen.shards(k);
  if (!before && m_chosen.configuration().zero > 0 && !shards) return false;
  if (before) {
    const int a = m_chosen.width(before->strategy);
    if (before->shards != shards || before->level != m_chosen.levelBetween(begin - a, a, begin, width))
      return false;
  }
  if (!prepare(behind, state, begin, from, step) || step.prepared.count == 0) return false;
  if (before && m_tiedSync != before->tiedSync) return false;
  transfers =
      m_chosen.transfer(state.level, m_chosen.sums(state.strategy).boundary[state.cut.at()]) +
      (before ? m_chosen.transfer(before->level, m_chosen.sums(before->strategy).boundary[at(from)]) : 0);
  return true;
}

std::vector<PerStageModel::TiedGuess> PerStageModel::guesses() const {
  const auto& tied = m_problem.profile->tied;
  const auto usable = [&](LayerIndex x) { return x.value >= 0 && x.value < m_order.layerCount(); };
  if (!tied || !usable(tied->first) || !usable(tied->second) || tied->first == tied->second) return {{}};
  const int low = std::min(tied->first.value, tied->second.value),
            high = std::max(tied->first.value, tied->second.value);
  std::vector<TiedGuess> all;
  TiedGuess guess;
  guess.front = low, guess.behind = high;
  all.push_back(guess);
  guess.same = false;
  for (int turn = 0; turn < (m_order.isChain() ? 1 : 2); ++turn, std::swap(guess.front, guess.behind))
    for (guess.begin = 0; guess.begin < (m_order.isChain() && low == 0 ? 1 : units()); ++guess.begin)
      for (const StrategyId k : m_chosen.strategies()) {
        bool isNew = true;
        for (StrategyId o(0); o < k; ++o.value) isNew = isNew && !m_chosen.sameHolder(o, k);
        guess.strategy = k;
        if (isNew) all.push_back(guess);
      }
  return all;
}

bool PerStageModel::holdsCopy(const Part& part) const {
  if (m_guess.front < 0 || m_guess.same) return false;
  const int second = m_problem.profile->tied->second.value;
  return m_order.holds(part.to, second) && !m_order.holds(part.from, second);
}

/// Whether the stage at a known place agrees with the guess. Sets its exchange of shared parameters.
bool PerStageModel::sharesAs(const State& state, StrategyId strategy, int begin, int from,
                             StageCosts::Surroundings& around, double& tiedSync) const {
  if (m_guess.front < 0) return true;
  const auto in = [&](int layer) {
    return m_order.holds(state.cut.value, layer) && !m_order.holds(from, layer);
  };
  const bool front = in(m_guess.front), behind = in(m_guess.behind);
  if (m_guess.same) return front == behind;
  if (front && behind) return false;
  around.copy = in(m_problem.profile->tied->second.value);
  if (m_guess.relaxed) return true;
  if (behind) {
    if (begin < m_guess.begin + m_chosen.width(m_guess.strategy)) return false;
    tiedSync = m_chosen.tiedSeconds(m_guess.begin, m_guess.strategy, begin, strategy);
    around.tiedSync = tiedSync;
  }
  if (front) {
    if (begin != m_guess.begin || !m_chosen.sameHolder(strategy, m_guess.strategy) || tiedSync < 0)
      return false;
    around.tiedSync = tiedSync;
  }
  return true;
}

PerStageSolver::PerStageSolver(const SearchSpace& space, const LayerOrder& order, const CutRules& rules,
                               const PipelineSchedule& schedule, const std::vector<LayerSums*>& sums,
                               const ChosenStages::Configuration& c, int microbatchIndex, int fixedStages,
                               PerStageBounds& bounds, Watch& watch)
    : m_chosen(c, sums),
      m_model(space, order, rules, schedule, m_chosen, fixedStages, bounds, watch),
      m_watch(watch),
      m_layers(order.layerCount()),
      m_microbatchIndex(microbatchIndex),
      m_fixedStages(fixedStages),
      m_schedule(schedule.kind()) {}

CandidatePlan PerStageSolver::blank() const {
  const auto& c = m_chosen.configuration();
  CandidatePlan found;
  found.microbatchIndex = m_microbatchIndex;
  found.dataDegree = c.dataDegree;
  found.zero = c.zero;
  found.schedule = m_schedule;
  found.layout = c.layout;
  found.devices = c.dataDegree * c.units.value;
  found.cut.cuts = {0};
  return found;
}

CandidatePlan PerStageSolver::describe(const Labels& labels, const Labels::Finished& best) {
  CandidatePlan found = blank();
  int stages = best.stages;  // this one and those behind it
  int begin = 0;
  for (const auto& [state, policy, strategy] : labels.follow(best)) {
    const StrategyId k(strategy);
    const Part part{found.cut.cuts.back(), state->cut.value};
    StageCosts::Surroundings around;
    around.inFlight = m_model.inFlight(--stages);
    around.copy = m_model.holdsCopy(part);
    const int slot = m_chosen.slot(k, UnitCount(begin));
    found.memory = std::max(found.memory, m_chosen.costs(k).memory(slot, around, {&part, 1}, policy));
    begin += m_chosen.width(k);
    found.cut.cuts.push_back(part.to);
    found.cut.policies.push_back(policy);
    found.strategies.push_back(m_chosen.sums(k).strategyIndex());
  }
  found.time = found.cut.time = best.time;
  found.cut.memory = found.memory;
  return found;
}

bool PerStageSolver::solve(const PerStageModel::Goal& goal, CandidatePlan& found, const Effort& effort) {
  m_complete = true;
  if (!m_model.limitTo(goal)) return false;
  bool any = false, apartChecked = false;
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    if (guess.front >= 0 && !guess.same && !apartChecked) {
      // Most configurations are too slow even without the exchange between the two copies.
      apartChecked = true;
      const auto before = m_model.goal();
      auto relaxed = guess;
      relaxed.relaxed = true;
      m_model.assume(relaxed);
      const bool complete = labels.fill(1, effort.states, effort.labels);
      m_model.restore(before);
      if (labels.best().stages == 0 && complete) break;
    }
    m_model.assume(guess);
    m_complete = labels.fill(1, effort.states, effort.labels) && m_complete;
    if (labels.best().stages == 0) continue;
    found = describe(labels, labels.best());
    any = true;
  }
  return any;
}

bool PerStageSolver::guess(const PerStageModel::Goal& goal, std::size_t width, CandidatePlan& found) {
  if (!m_model.limitTo(goal)) return false;
  bool any = false;
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.assume(guess);
    labels.fillBeam(width);
    if (labels.best().stages == 0) continue;
    found = describe(labels, labels.best());
    any = true;
  }
  return any;
}

bool PerStageSolver::solveMany(double time, int count, long long mostStates,
                               std::vector<CandidatePlan>& found) {
  if (!m_model.limitTo({time, m_layers})) return true;
  m_model.keepAll();
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.assume(guess);
    const bool complete = labels.fill(std::max(2, count), mostStates, kMostLabels);
    for (const auto& [sequence, best] : labels.finished()) found.push_back(describe(labels, best));
    if (!complete) return false;
  }
  return true;
}

bool PerStageSolver::settle(double time, long long mostLabels, CandidatePlan& found) {
  if (!m_model.limitTo({time, m_fixedStages})) return false;
  bool any = false;
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.restore({m_model.goal().time, m_fixedStages});
    m_model.assume(guess);
    if (!labels.fill(1, std::numeric_limits<long long>::max(), mostLabels)) return any;
    auto path = labels.preferred(m_fixedStages, m_model.goal().time);
    if (path.policies.empty()) continue;
    CandidatePlan other = blank();
    for (const int k : path.strategies)
      other.strategies.push_back(m_chosen.sums(StrategyId(k)).strategyIndex());
    other.time = m_model.weights(m_fixedStages).time(path.sum, path.max, path.tail);
    other.memory = path.memory;
    other.cut = {time, path.memory, std::move(path.cuts), std::move(path.policies)};
    if (!any || precedes(*m_chosen.configuration().problem, other, found)) found = std::move(other);
    any = true;
  }
  return any;
}

}  // namespace nest::solver
