// State (i, e, σ, ℓ, σ_last): stage i with strategy σ uses the units before e and sends at level ℓ; the
// stages behind it are placed. The state also contains the sync between shared parameters and whether some
// stage shards anything. Transition: every strategy of the stage in front determines the level between them
// and what stage i receives. The wrap edge from the last stage to the first crosses a level that both widths
// determine. Therefore the first stage is guessed from outside, up to what the others can distinguish, and so
// is the earlier holder of shared parameters. Pruning: ChunkBounds for the stages in front.
#include "solver/models/chunk_model.h"

#include <bit>
#include <set>

#include "solver/common.h"
#include "solver/space/chunk_cuts.h"
#include "solver/stage/messages.h"

namespace nest::solver {

std::size_t ChunkModel::State::Hash::operator()(const State& s) const {
  std::uint64_t seed = static_cast<std::uint64_t>(s.end.value) * 0x9e3779b97f4a7c15ULL;
  const auto mix = [&seed](std::uint64_t v) { seed = (std::rotl(seed, 23) ^ v) * 0x9fb21c651e98df25ULL; };
  mix(static_cast<std::uint64_t>(s.strategy.value) << 32 | static_cast<std::uint32_t>(s.last.value));
  mix(static_cast<std::uint64_t>(s.behind.value) << 32 | static_cast<std::uint64_t>(s.level.value + 1) << 1 |
      s.shards);
  mix(std::bit_cast<std::uint64_t>(s.tiedSync));
  return seed ^ seed >> 32;
}

ChunkModel::ChunkModel(const SearchSpace& space, ChosenStages& chosen, const ChunkConfiguration& config,
                       const ChunkBounds::Prefixes& bounds, Watch& watch)
    : m_space(space),
      m_chosen(chosen),
      m_config(config),
      m_bounds(bounds),
      m_watch(watch),
      m_stages(config.stages),
      m_units(chosen.configuration().units.value),
      m_leastBackward(1, 0.0),
      m_mostBackward(1, 0.0) {
  if (const auto tied =
          tiedStagesOf(*chosen.configuration().problem, config.cuts, m_stages, *config.schedule)) {
    m_early = std::min(tied->first, tied->second);
    m_late = std::max(tied->first, tied->second);
    m_copyIn = tied->second;
  }
  m_parts = chunkParts(config.cuts, m_stages, *config.schedule);
  std::set<int> widths;
  for (const StrategyId k : chosen.strategies()) {
    if (widths.insert(chosen.width(k)).second) m_ofWidth.push_back(k);
    const auto& boundary = chosen.sums(k).boundary;
    std::vector<Boundaries> all(m_parts.size());
    for (std::size_t i = 0; i < m_parts.size(); ++i)
      for (std::size_t q = 0; q < m_parts[i].size(); ++q) {
        const bool back = folded() && q % 2 == 1;
        (back ? all[i].fromBehind : all[i].into).add(boundary[at(m_parts[i][q].from)]);
        (back ? all[i].returned : all[i].outOf).add(boundary[at(m_parts[i][q].to)]);
      }
    m_boundaries.append(std::move(all));
  }
  for (int i = 0; i < m_stages; ++i) {
    double least = kInfinity, most = 0;
    for (const StrategyId k : chosen.strategies()) {
      least = std::min(least, backward(i, k));
      most = std::max(most, backward(i, k));
    }
    m_leastBackward.push_back(m_leastBackward.back() + least * kRoundDown);
    m_mostBackward.push_back(m_mostBackward.back() + most / chosen.slowest());
  }
}

void ChunkModel::limitTo(double limit) {
  m_limit = limit;
  m_mostLoad = m_bounds.mostLoad(limit) * kRoundUp;
  m_leastTail = m_bounds.leastTail(m_mostLoad);
}

double ChunkModel::backward(int stage, StrategyId k) const {
  return solver::between(m_chosen.sums(k).backward, m_parts[at(stage)].front());
}

Transfers ChunkModel::transfers(int stage, StrategyId k, StrategyId before, StrategyId behind, Level in,
                                Level out) const {
  const Hierarchy& cluster = *m_chosen.configuration().problem->cluster;
  const std::size_t i = at(stage);
  const double received = transferSeconds(cluster, in.value, m_boundaries[before][i].into),
               sent = transferSeconds(cluster, out.value, m_boundaries[k][i].outOf);
  if (!folded()) return {received + sent, received};
  const double fromBehind = transferSeconds(cluster, out.value, m_boundaries[behind][i].fromBehind),
               returned = transferSeconds(cluster, in.value, m_boundaries[k][i].returned);
  return {received + sent + fromBehind + returned, received + fromBehind};
}

Level ChunkModel::wrapLevel(StrategyId last, int firstWidth) const {
  if (folded()) return kNoLevel;
  return m_chosen.levelBetween(0, firstWidth, m_units - m_chosen.width(last), m_chosen.width(last));
}

std::vector<ChunkModel::Guess> ChunkModel::guesses() const {
  // What the other stages can distinguish about a first stage.
  std::map<std::vector<double>, StrategyId> firsts;
  std::vector<Guess> all;
  for (const StrategyId k : m_chosen.strategies()) {
    const int width = m_chosen.width(k);
    if (!m_chosen.forms(k) || width > m_units) continue;
    std::vector<double> noticed;
    for (const StrategyId last : m_ofWidth)
      noticed.push_back(width + m_chosen.width(last) <= m_units ? wrapLevel(last, width).value : -1);
    if (m_early == 0) noticed.insert(noticed.end(), {double(width), m_chosen.share(k)});
    if (!firsts.try_emplace(noticed, k).second) continue;
    Guess g;
    g.first = g.holder = k;
    if (m_early <= 0) {
      all.push_back(g);
      continue;
    }
    for (g.begin = m_early; g.begin < m_units; ++g.begin)
      for (const StrategyId holder : m_chosen.strategies()) {
        bool isNew = m_chosen.forms(holder);
        for (StrategyId o(0); o < holder; ++o.value)
          isNew = isNew && !(m_chosen.forms(o) && m_chosen.sameHolder(o, holder));
        g.holder = holder;
        if (isNew) all.push_back(g);
      }
  }
  return all;
}

bool ChunkModel::asGuessed(StrategyId strategy) const {
  if (folded()) return true;
  const int width = m_chosen.width(strategy), guessed = m_chosen.width(m_guess.first);
  for (const StrategyId last : m_ofWidth) {
    const int a = m_chosen.width(last);
    if (width + a <= m_units && (guessed + a > m_units || wrapLevel(last, width) != wrapLevel(last, guessed)))
      return false;
  }
  return true;
}

/// Sets the seconds of the exchange when the later holder is placed. Returns false if the place contradicts
/// the guess.
bool ChunkModel::sharesAs(int stage, StrategyId strategy, int begin, double& seconds) const {
  if (m_early < 0 || (stage != m_early && stage != m_late)) return true;
  if (stage == m_early) return begin == m_guess.begin && m_chosen.sameHolder(strategy, m_guess.holder);
  if (begin < m_guess.begin + m_chosen.width(m_guess.holder)) return false;
  seconds = m_chosen.tiedSeconds(m_guess.begin, m_guess.holder, begin, strategy);
  return true;
}

StageCosts::Surroundings ChunkModel::surroundings(int stage, double tiedSync) const {
  StageCosts::Surroundings around;
  around.inFlight =
      inFlightOf(*m_config.schedule, stage, m_stages, m_config.microbatchCount, m_config.chunks);
  around.passes = m_config.schedule->coveringPasses(m_stages);
  around.copy = stage == m_copyIn;
  around.tiedSync = stage == m_early || stage == m_late ? tiedSync : 0;
  around.policies = m_space.policies(stage);
  return around;
}

bool ChunkModel::prepare(int stage, int begin, Step& step, double& tiedSync) {
  const StrategyId k(step.strategy);
  if (!sharesAs(stage, k, begin, tiedSync)) return false;
  m_watch.count(1);
  const int slot = m_chosen.slot(k, UnitCount(begin));
  const StageCosts& costs = m_chosen.costs(k);
  step.prepared = costs.prepare(slot, surroundings(stage, tiedSync), parts(stage));
  step.from = stage;
  step.begin = begin;
  step.first = stage == 0;
  step.backward = backward(stage, k) / costs.speed(slot);
  step.leastMax = m_bounds.leastMax(stage, begin) * kRoundDown;
  step.leastTail = stage > 0 ? m_leastTail : 0;
  step.leastBackward = m_leastBackward[at(stage)];
  step.mostBackward = m_mostBackward[at(stage)];
  return true;
}

bool ChunkModel::hopeless(int, const Step& step, const Label& l) const {
  const double tail = std::max(l.relative - step.mostBackward, l.step);
  return l.max > m_mostLoad || !(m_bounds.time(step.from, step.begin, l.max, l.sum, tail) <= m_limit) ||
         (!m_config.target.byLoad() && m_config.target.weights.time(l.sum, l.max, tail) > m_limit);
}

bool ChunkModel::between(int behind, const State* before, const State& state, int, Step& step,
                         Transfers& transfer) {
  const StrategyId k(step.strategy);
  const int stage = stageOf(behind), width = m_chosen.width(k), begin = state.end.value - width;
  if (begin != (before ? before->end.value : 0) || (!before && !asGuessed(k)) || !allowed(stage, k))
    return false;
  const bool shards = state.shards || m_chosen.shards(k);
  if (!before && m_config.zero > 0 && !shards) return false;
  if (before) {
    const int a = m_chosen.width(before->strategy);
    if (before->last != state.last || before->shards != shards || before->behind != behindOf(k) ||
        before->level != m_chosen.levelBetween(begin - a, a, begin, width))
      return false;
  }
  double tiedSync = state.tiedSync;
  if (!prepare(stage, begin, step, tiedSync) || step.prepared.count == 0) return false;
  if (before && before->tiedSync != tiedSync) return false;
  const Level wrap = wrapLevel(state.last, m_chosen.width(before ? m_guess.first : k));
  transfer = transfers(stage, k, before ? before->strategy : state.last, state.behind,
                       before ? before->level : wrap, behind == 0 ? wrap : state.level);
  return true;
}

ChunkSolver::ChunkSolver(const Problem& problem, const SearchSpace& space, GroupShapes& shapes,
                         const ChunkConfiguration& config, const ChunkBounds::Prefixes& bounds,
                         const BlockLayout& layout, int units, Watch& watch)
    : m_config(config),
      m_chosen({&problem, &shapes, config.dataDegree, config.zero, config.microbatchCount, UnitCount(units),
                layout, config.target},
               config.sums),
      m_model(space, m_chosen, config, bounds, watch),
      m_watch(watch) {}

CandidatePlan ChunkSolver::blank() const {
  const auto& c = m_chosen.configuration();
  CandidatePlan found;
  found.microbatchIndex = m_config.microbatchIndex;
  found.dataDegree = c.dataDegree;
  found.zero = c.zero;
  found.chunks = m_config.chunks;
  found.schedule = m_config.schedule->kind();
  found.layout = c.layout;
  found.devices = c.units.value * c.dataDegree;
  found.cut.cuts = m_config.cuts;
  return found;
}

CandidatePlan ChunkSolver::describe(const Labels::Path& path, double time) const {
  CandidatePlan found = blank();
  for (const int k : path.strategies)
    found.strategies.push_back(m_chosen.sums(StrategyId(k)).strategyIndex());
  found.cut.policies = path.policies;
  found.time = found.cut.time = time;
  found.memory = found.cut.memory = path.memory;
  return found;
}

bool ChunkSolver::solve(double limit, CandidatePlan& found) {
  bool any = false;
  m_model.limitTo(limit);
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.assume(guess);
    if (!labels.fill()) return any;
    if (labels.best().stages == 0) continue;
    any = true;
    found = blank();
    int stage = 0, begin = 0;
    for (const auto& [state, policy, strategy] : labels.follow(labels.best())) {
      const StrategyId k(strategy);
      found.strategies.push_back(m_chosen.sums(k).strategyIndex());
      found.cut.policies.push_back(policy);
      const int slot = m_chosen.slot(k, UnitCount(begin));
      found.memory = std::max(found.memory, m_chosen.costs(k).memory(slot, m_model.surroundings(stage, 0),
                                                                     m_model.parts(stage), policy));
      begin += m_chosen.width(k);
      ++stage;
    }
    found.time = found.cut.time = labels.best().time;
    found.cut.memory = found.memory;
  }
  return any;
}

bool ChunkSolver::settle(double limit, CandidatePlan& found) {
  m_model.limitTo(limit * (1 + kEqualTimes));
  m_model.keepAll();
  std::optional<Labels::Path> best;
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.assume(guess);
    std::vector<Labels::Path> paths;
    if (!labels.fill() || !labels.paths(m_config.stages, m_model.limit(), paths)) return false;
    for (auto& p : paths)
      if (!best || labels.compare(p, *best) < 0) best = std::move(p);
  }
  if (!best) return false;
  found = describe(*best, m_config.target.weights.time(best->sum, best->max, best->tail));
  return true;
}

bool ChunkSolver::solveMany(double limit, std::size_t most, std::vector<CandidatePlan>& found) {
  m_model.limitTo(limit);
  m_model.keepAll();
  for (const auto& guess : m_model.guesses()) {
    Labels labels(m_model, m_watch);
    m_model.assume(guess);
    std::vector<Labels::Path> paths;
    if (!labels.fill() || !labels.all(m_config.stages, limit, most, paths)) return false;
    const auto time = [&](const auto& p) { return m_config.target.weights.time(p.sum, p.max, p.tail); };
    std::map<std::vector<int>, double> fastest;
    for (const auto& p : paths) {
      auto& least = fastest.try_emplace(p.strategies, kInfinity).first->second;
      least = std::min(least, time(p));
    }
    std::map<std::vector<int>, const Labels::Path*> best;
    for (const auto& p : paths) {
      if (time(p) > fastest[p.strategies] * (1 + kEqualTimes)) continue;
      const auto*& chosen = best[p.strategies];
      if (!chosen || p.recompute < chosen->recompute) chosen = &p;
    }
    for (const auto& [strategies, path] : best) found.push_back(describe(*path, fastest[strategies]));
  }
  return true;
}

}  // namespace nest::solver
