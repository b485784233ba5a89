// From the last stage to the first. State (i, e, σ, ℓ, σ_last): stage i of strategy σ takes the units before
// e and sends at level ℓ; the stages behind it are placed. With it go the sync between shared parameters and
// whether some stage shards anything. Value: the Pareto front of (largest load, sum, A, S) as in FreeDp.
// Transition: every strategy of the stage in front decides the level between them and what stage i receives.
// The wrap edge from the last stage to the first crosses a level that both widths decide: the first stage is
// guessed from outside, up to what the others notice of it, and so is the earlier holder of shared
// parameters. Pruning: InterleavedBounds for the stages in front.
#include "solver/models/interleaved_dp.h"

#include <algorithm>
#include <limits>

#include "solver/models/interleaved.h"

namespace nest::planner {
namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-15;
}  // namespace

InterleavedDp::InterleavedDp(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                             GroupShapes& shapes, const InterleavedConfiguration& config,
                             const InterleavedBounds::Prefixes& bounds, const BlockLayout& layout, int units,
                             Watch& watch)
    : m_problem(problem),
      m_space(space),
      m_shapes(shapes),
      m_config(config),
      m_bounds(bounds),
      m_layout(layout),
      m_units(units),
      m_watch(watch) {
  for (LayerSums* s : config.sums) {
    StageCosts::Context c;
    c.problem = &problem;
    c.space = &space;
    c.order = &order;
    c.sums = s;
    c.shapes = &shapes;
    c.dataDegree = config.dataDegree;
    c.stages = config.stages;
    c.microbatchCount = config.microbatchCount;
    c.zero = config.zero;
    m_costs.push_back(std::make_unique<StageCosts>(c, std::vector<StageSite>{}));
    m_slots.emplace_back(at(units), -1);
  }
  if (const auto tied = tiedPlaceOf(problem, config.cuts, config.stages)) {
    m_early = std::min(tied->firstStage, tied->secondStage);
    m_late = std::max(tied->firstStage, tied->secondStage);
    m_copyIn = tied->secondStage;
  }
  fillTransfers();
  double slowest = 1;
  if (!problem.cluster->hasUniformDevices())
    slowest = problem.cluster->slowest(0, problem.cluster->deviceCount());
  m_leastBackward.push_back(0);
  m_mostBackward.push_back(0);
  for (int i = 0; i < config.stages; ++i) {
    double least = kNever, most = 0;
    for (int k = 0; k < static_cast<int>(config.sums.size()); ++k) {
      least = std::min(least, backward(i, k));
      most = std::max(most, backward(i, k));
    }
    m_leastBackward.push_back(m_leastBackward.back() + least * (1 - 1e-12));
    m_mostBackward.push_back(m_mostBackward.back() + most / slowest);
  }
}

double InterleavedDp::backward(int stage, int strategy) const {
  const auto& sums = m_config.sums[at(strategy)]->backward;
  return sums[at(m_config.cuts[at(stage) + 1])] - sums[at(m_config.cuts[at(stage)])];
}

void InterleavedDp::fillTransfers() {
  const int s = m_config.stages, parts = s * m_config.chunks;
  for (const LayerSums* sums : m_config.sums)
    for (int i = 0; i < s; ++i) {
      Messages into, outOf;
      for (int part = i; part < parts; part += s) {
        const double in = part > 0 ? sums->boundary[at(m_config.cuts[at(part)])] : 0,
                     out = part + 1 < parts ? sums->boundary[at(m_config.cuts[at(part) + 1])] : 0;
        into.count += in > 0, into.bytes += in;
        outOf.count += out > 0, outOf.bytes += out;
      }
      m_into.push_back(into);
      m_outOf.push_back(outOf);
    }
}

double InterleavedDp::transfers(int stage, int strategy, int before, int levelIn, int levelOut) const {
  const auto seconds = [&](int level, const Messages& m) {
    const auto& l = m_problem.cluster->level(level);
    return m.count * l.latency.value() + m.bytes / l.sustained().value();
  };
  const auto row = [&](int k) { return at(k) * at(m_config.stages) + at(stage); };
  return seconds(levelIn, m_into[row(before)]) + seconds(levelOut, m_outOf[row(strategy)]);
}

int InterleavedDp::levelBetween(int a, int widthA, int b, int widthB) const {
  return m_shapes.reachBetween(a * m_layout.inner, widthA, b * m_layout.inner, widthB, m_layout.inner,
                               m_layout.outer, m_layout.stride);
}

int InterleavedDp::wrapLevel(int last, int firstWidth) const {
  return levelBetween(0, firstWidth, m_units - width(last), width(last));
}

double InterleavedDp::share(int strategy) const {
  return m_problem.profile->tied->parameters[at(m_config.sums[at(strategy)]->strategyIndex())];
}

std::vector<InterleavedDp::Guess> InterleavedDp::guesses() const {
  const int count = static_cast<int>(m_config.sums.size());
  // What the other stages notice of a first stage.
  std::map<std::vector<double>, int> firsts;
  std::vector<Guess> all;
  for (int k = 0; k < count; ++k) {
    if (!forms(k) || width(k) > m_units) continue;
    std::vector<double> noticed;
    for (int last = 0; last < count; ++last)
      noticed.push_back(width(k) + width(last) <= m_units ? wrapLevel(last, width(k)) : -1);
    if (m_early == 0) noticed.insert(noticed.end(), {double(width(k)), share(k)});
    if (!firsts.try_emplace(noticed, k).second) continue;
    Guess g;
    g.first = k;
    if (m_early == 0) g.strategy = k;
    if (m_early <= 0) {
      all.push_back(g);
      continue;
    }
    for (g.begin = m_early; g.begin < m_units; ++g.begin)
      for (g.strategy = 0; g.strategy < count; ++g.strategy) {
        bool isNew = forms(g.strategy);
        for (int o = 0; o < g.strategy; ++o) isNew = isNew && !(forms(o) && sameHolder(o, g.strategy));
        if (isNew) all.push_back(g);
      }
  }
  return all;
}

bool InterleavedDp::asGuessed(int strategy, const Guess& guess) const {
  for (int last = 0; last < static_cast<int>(m_config.sums.size()); ++last)
    if (width(strategy) + width(last) <= m_units &&
        (width(guess.first) + width(last) > m_units ||
         wrapLevel(last, width(strategy)) != wrapLevel(last, width(guess.first))))
      return false;
  return true;
}

bool InterleavedDp::tiedSyncOf(int stage, int strategy, int begin, const Guess& guess,
                               double& seconds) const {
  if (m_early < 0 || (stage != m_early && stage != m_late)) return true;
  if (stage == m_early) return begin == guess.begin && sameHolder(strategy, guess.strategy);
  const int a = width(guess.strategy);
  if (begin < guess.begin + a) return false;
  const double bytes =
      std::max(share(guess.strategy), share(strategy)) * m_problem.job.optimizer.gradientBytes;
  const auto& l = m_problem.cluster->level(levelBetween(guess.begin, a, begin, width(strategy)));
  seconds = bytes > 0 ? 2 * (l.latency.value() + 0.5 * bytes / l.sustained().value()) : 0;
  return true;
}

StageCosts::Prepared InterleavedDp::prepare(int stage, int strategy, int begin, double tiedSync) {
  int& slot = m_slots[at(strategy)][at(begin)];
  StageCosts& costs = *m_costs[at(strategy)];
  if (slot < 0)
    slot = costs.addSlot(
        placeStage(m_shapes, m_config.sums[at(strategy)]->strategy(), m_layout, begin * m_layout.inner));
  StageCosts::Surroundings around;
  around.copy = stage == m_copyIn;
  around.tiedSync = stage == m_early || stage == m_late ? tiedSync : 0;
  around.policies = m_space.policies(stage);
  m_watch.count(1);
  return costs.prepareChunks(slot, around, stage, m_config.cuts);
}

double InterleavedDp::covered(int stage, int strategy, int begin) const {
  return backward(stage, strategy) / m_costs[at(strategy)]->speed(m_slots[at(strategy)][at(begin)]);
}

double InterleavedDp::rounding() const {
  return m_limit < kNever ? kRounding * m_limit : 0;
}

void InterleavedDp::insert(Front& front, const Point& point) const {
  const double little = rounding(), less = little / m_config.microbatchCount;
  const auto covers = [&](const Point& a, const Point& b) {
    return a.max <= b.max + less && a.sum <= b.sum + little && a.relative <= b.relative + little &&
           a.step <= b.step + little;
  };
  for (std::size_t k = 0; k < front.size(); ++k)
    if (covers(front[k], point)) {
      // What covers one point covers others soon.
      if (k > 0) std::swap(front[k], front[k / 2]);
      return;
    }
  std::erase_if(front, [&](const Point& f) { return covers(point, f); });
  front.push_back(point);
}

void InterleavedDp::expand(int stage, const Key& key, const Front& behind, const Guess& guess) {
  const int begin = key.end - width(key.strategy);
  if (begin < 0 || (stage == 0) != (begin == 0)) return;
  if (stage == 0 && !asGuessed(key.strategy, guess)) return;
  double tiedSync = key.tiedSync;
  if (!tiedSyncOf(stage, key.strategy, begin, guess, tiedSync)) return;
  const auto p = prepare(stage, key.strategy, begin, tiedSync);
  if (p.count == 0) return;
  const bool shards =
      key.shards || m_config.dataDegree * m_config.sums[at(key.strategy)]->strategy().context > 1;
  const double own = p.sync + p.step, first = covered(stage, key.strategy, begin);
  const double leastMax = m_bounds.leastMax(stage, begin) * (1 - 1e-12);
  const auto join = [&](double transfers, Front& front) {
    const auto f = p.with(transfers);
    if (f.load > m_mostLoad) return;
    for (std::size_t k = 0; k < behind.size(); ++k) {
      const Point& b = behind[k];
      Point l;
      l.max = std::max({b.max, f.load, leastMax});
      l.sum = m_config.weights.sum > 0 ? b.sum + f.load : 0;
      l.step = std::max(b.step, p.step);
      if (stage > 0) l.step = std::max(l.step, m_leastTail);
      l.relative = std::max({own, b.relative - first, l.step + m_leastBackward[at(stage)]});
      l.memory = std::max(b.memory, f.memory);
      l.policy = f.policy;
      l.next = static_cast<int>(k);
      l.behind = &behind;
      l.strategy = key.strategy;
      const double tail = std::max(l.relative - m_mostBackward[at(stage)], l.step);
      if (m_bounds.time(stage, begin, l.max, l.sum, tail) <= m_limit) insert(front, l);
    }
  };
  if (stage == 0) {
    if (m_config.zero > 0 && !shards) return;
    return join(transfers(0, key.strategy, key.last, wrapLevel(key.last, width(key.strategy)), key.level),
                m_finished);
  }
  Layer& next = m_layers[at(stage) - 1];
  for (int k = 0; k < static_cast<int>(m_config.sums.size()); ++k) {
    const int a = width(k);
    if (a > begin || !forms(k) || !m_space.strategyAllowed(stage - 1, m_config.sums[at(k)]->strategy()))
      continue;
    if (m_bounds.leastMax(stage, begin) > m_mostLoad) continue;
    const int level = levelBetween(begin - a, a, begin, width(key.strategy));
    const int out = stage + 1 == m_config.stages ? wrapLevel(key.last, width(guess.first)) : key.level;
    join(transfers(stage, key.strategy, k, level, out),
         next[Key{begin, k, level, key.last, shards, tiedSync}]);
  }
}

bool InterleavedDp::fill(const Guess& guess) {
  const int s = m_config.stages;
  m_layers.assign(at(s), {});
  m_finished.clear();
  for (int k = 0; k < static_cast<int>(m_config.sums.size()); ++k)
    if (forms(k) && m_space.strategyAllowed(s - 1, m_config.sums[at(k)]->strategy()) &&
        width(k) + width(guess.first) <= m_units)
      m_layers.back()[Key{m_units, k, 0, k, false, 0}] = {Point{}};
  for (int i = s - 1; i >= 0; --i)
    for (const auto& [key, front] : m_layers[at(i)]) {
      if (m_watch.over()) return false;
      if (!front.empty()) expand(i, key, front, guess);
    }
  return true;
}

void InterleavedDp::limitTo(double limit) {
  m_limit = limit;
  m_mostLoad = m_bounds.mostLoad(limit) * (1 + 1e-12);
  m_leastTail = m_bounds.leastTail(m_mostLoad);
}

double InterleavedDp::timeOf(const Point& p) const {
  return m_config.weights.time(p.sum, p.max, std::max(p.relative, p.step));
}

bool InterleavedDp::solve(double limit, Found& found) {
  bool any = false;
  limitTo(limit);
  for (const Guess& guess : guesses()) {
    if (!fill(guess)) return any;
    for (const Point& p : m_finished) {
      if (!(timeOf(p) <= m_limit)) continue;
      any = true;
      limitTo(timeOf(p));
      describe(found);
      found.time = found.cut.time = timeOf(p);
      found.memory = p.memory;
      for (const Point* l = &p; l->behind; l = &(*l->behind)[at(l->next)]) {
        found.strategies.push_back(m_config.sums[at(l->strategy)]->strategyIndex());
        found.cut.policies.push_back(l->policy);
      }
    }
  }
  return any;
}

void InterleavedDp::describe(Found& found) const {
  found = {};
  found.microbatchIndex = m_config.microbatchIndex;
  found.dataDegree = m_config.dataDegree;
  found.zero = m_config.zero;
  found.chunks = m_config.chunks;
  found.layout = m_layout;
  found.devices = m_units * m_config.dataDegree;
  found.cut.cuts = m_config.cuts;
}

}  // namespace nest::planner
