// State (k, U, u, σ, ℓ): k stages stand behind the cut U on u units; the next stage towards the front ends at
// U, has strategy σ and sends to the one behind it at level ℓ (both widths decide it, so it is settled before
// that stage is formed). With it go the sync between shared parameters, once known, and whether some stage
// shards anything. Value: the Pareto front of (largest load, sum of loads, A, S): A = max(sync + step −
// backward of the stages between here and there), S = max step; the backward work in front depends on
// strategies not yet chosen. Transition: the stage V…U of strategy σ, its fastest policy that fits, and every
// strategy of the stage before it. Pruning: FreeBounds for the layers before V on the units left, with the
// label's own figures. Where the earlier holder of shared parameters stands is guessed from outside (almost
// always: the first stage).
#include "solver/models/free_dp.h"

#include <algorithm>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kRounding = 1e-15;
}  // namespace

FreeDp::FreeDp(const Problem& problem, const SearchSpace& space, const LayerOrder& order, GroupShapes& shapes,
               const CutRules& rules, std::vector<LayerSums*> sums, const FreeConfiguration& config,
               FreeBounds& bounds, Watch& watch)
    : m_problem(problem),
      m_space(space),
      m_order(order),
      m_shapes(shapes),
      m_rules(rules),
      m_sums(std::move(sums)),
      m_config(config),
      m_bounds(bounds),
      m_watch(watch) {
  double slowest = 1;
  if (!problem.cluster->hasUniformDevices())
    slowest = problem.cluster->slowest(0, problem.cluster->deviceCount());
  m_mostBackward.assign(at(order.cutCount()), 0);
  m_leastBackward.assign(at(order.cutCount()), 0);
  for (int c = 1; c < order.cutCount(); ++c) {
    // Stages of mixed strategies can do less, and more, than any strategy alone: layer by layer.
    double least = kNever, most = 0;
    for (const LayerSums* s : m_sums) {
      const double backward = s->backward[at(c)] - s->backward[at(order.parent(c))];
      if (s->usable(order.added(c))) least = std::min(least, backward);
      most = std::max(most, backward);
    }
    m_leastBackward[at(c)] =
        m_leastBackward[at(order.parent(c))] + (least < kNever ? least * (1 - 1e-12) : 0);
    m_mostBackward[at(c)] = m_mostBackward[at(order.parent(c))] + most / slowest * (1 + 1e-12);
  }
  for (LayerSums* s : m_sums) {
    StageCosts::Context c;
    c.problem = &problem;
    c.space = &space;
    c.order = &order;
    c.sums = s;
    c.shapes = &shapes;
    c.dataDegree = config.dataDegree;
    c.microbatchCount = config.microbatchCount;
    c.zero = config.zero;
    m_costs.push_back(std::make_unique<StageCosts>(c, std::vector<StageSite>{}));
    m_slots.emplace_back(at(config.units), -1);
  }
  if (order.isChain()) return;
  m_previous.resize(at(order.cutCount()));
  for (int c = 0; c < order.cutCount(); ++c)
    for (const int n : order.next(c)) m_previous[at(n)].push_back(c);
}

ObjectiveWeights FreeDp::weightsFor(int stages) const {
  return objectiveWeights(m_problem.search.objective, m_config.microbatchCount, stages, 1);
}

int FreeDp::slotOf(int strategy, int begin) {
  int& slot = m_slots[at(strategy)][at(begin)];
  if (slot < 0) {
    const auto& layout = m_config.layout;
    slot = m_costs[at(strategy)]->addSlot(
        placeStage(m_shapes, m_sums[at(strategy)]->strategy(), layout, begin * layout.inner));
  }
  return slot;
}

void FreeDp::startsOf(const Key& key) {
  m_starts.clear();
  const LayerSums& sums = *m_sums[at(key.strategy)];
  const auto light = [&](int from) {
    return sums.leastAny[at(key.cut)] - sums.leastAny[at(from)] <= m_mostLoad;
  };
  if (m_order.isChain()) {
    for (int from = key.cut - 1; from >= 0 && light(from); --from) m_starts.push_back(from);
    return;
  }
  if (m_stamp.empty()) m_stamp.assign(at(m_order.cutCount()), 0);
  ++m_stampNow;
  m_starts.push_back(key.cut);
  for (std::size_t k = 0; k < m_starts.size(); ++k)
    for (const int from : m_previous[at(m_starts[k])]) {
      if (m_stamp[at(from)] == m_stampNow || !light(from)) continue;
      m_stamp[at(from)] = m_stampNow;
      m_starts.push_back(from);
    }
  m_starts.erase(m_starts.begin());
}

bool FreeDp::hopeless(double sum, double max, double tail, int cut, int units, int stages) const {
  const int all = stages + (cut > 0 ? 1 : 0);
  const double most = bar(all);
  const double bound = m_bounds.time(stages, cut, units, max, sum, tail);
  if (bound > most || bound == kNever) return true;
  return m_problem.search.objective == Objective::Nest && weightsFor(all).time(0, max, tail) > most;
}

namespace {
// Sums of the same loads in another order differ by roundings: those must not make labels differ.
template <class Point>
bool covers(const Point& a, const Point& b, double little, double less) {
  return a.max <= b.max + less && a.sum <= b.sum + little && a.relative <= b.relative + little &&
         a.step <= b.step + little;
}
}  // namespace

// Whatever stands in front of `point` can stand in front of those that cover it: as many pipelines with
// strategies of their own are at least as fast.
bool FreeDp::coveredByMany(const Front& front, const Point& point, double little, double less) const {
  std::vector<int> others;
  for (const Point& f : front) {
    if (!covers(f, point, little, less)) continue;
    if (f.sequence == point.sequence) return true;
    if (std::find(others.begin(), others.end(), f.sequence) == others.end()) others.push_back(f.sequence);
    if (static_cast<int>(others.size()) >= m_many) return true;
  }
  return false;
}

void FreeDp::insert(Front& front, const Label& label) {
  const double little = m_limit < kNever ? kRounding * m_limit : 0, less = little / m_config.microbatchCount;
  Point point{label.max, label.sum, label.relative, label.step, 0, label.sequence};
  if (m_many > 1) {
    if (coveredByMany(front, point, little, less)) return;
  } else {
    for (std::size_t k = 0; k < front.size(); ++k)
      if (covers(front[k], point, little, less)) {
        // What covers one label covers others soon.
        if (k > 0) std::swap(front[k], front[k / 2]);
        return;
      }
  }
  std::erase_if(
      front, [&](const Point& f) { return f.sequence == point.sequence && covers(point, f, little, less); });
  point.label = static_cast<int>(m_labels.size());
  front.push_back(point);
  m_labels.push_back(label);
}

bool FreeDp::accept(const Label& l, int stages) {
  if (!(l.time <= bar(stages)) || !m_space.stageCountAllowed(stages)) return false;
  if (m_many > 1) {
    const auto [it, isNew] = m_finished.try_emplace(l.sequence, l);
    if (!isNew && l.time < it->second.time) it->second = l;
    return true;
  }
  m_mostEqual = stages - 1;
  m_limit = std::min(m_limit, l.time);
  m_best = l;
  return m_improved = true;
}

void FreeDp::extend(int behind, const Key& key, int from, double tiedSync,
                    const StageCosts::Prepared& prepared, const Front& labels, Layer& next) {
  const auto& layout = m_config.layout;
  const int begin = m_config.units - key.unitsBehind - width(key.strategy);
  const StageCosts& costs = *m_costs[at(key.strategy)];
  const LayerSums& sums = *m_sums[at(key.strategy)];
  const double gradientIn = costs.transfer(key.level, sums.boundary[at(key.cut)]);
  const double backward =
      (sums.backward[at(key.cut)] - sums.backward[at(from)]) / costs.speed(slotOf(key.strategy, begin));
  const bool shards = key.shards || m_config.dataDegree * sums.strategy().context > 1;
  const double leastMax = m_bounds.leastMax(behind + 1, from, begin) * (1 - 1e-12);
  if (leastMax > m_mostLoad) return;
  const bool sums0 = weightsFor(1).sum == 0;
  const auto join = [&](double activationIn, Front* front) {
    const auto f = prepared.with(gradientIn + activationIn);
    const double own = f.sync + f.step;
    for (std::size_t k = 0; k < std::max<std::size_t>(1, labels.size()); ++k) {
      const Label tail = labels.empty() ? Label{} : m_labels[at(labels[k].label)];
      Label l;
      l.max = std::max(tail.max, f.load);
      l.sum = sums0 ? 0 : tail.sum + f.load;
      l.relative = std::max(own, tail.relative - backward);
      l.step = std::max(tail.step, f.step);
      // Raised to what every way of going on makes of them anyway, so that fewer labels differ.
      l.max = std::max(l.max, leastMax);
      if (from > 0) l.step = std::max(l.step, m_leastTail);
      l.relative = std::max(l.relative, l.step + m_leastBackward[at(from)]);
      l.from = from, l.to = key.cut, l.strategy = key.strategy, l.policy = f.policy;
      l.next = labels.empty() ? -1 : labels[k].label;
      l.memory = std::max(tail.memory, f.memory);
      if (m_many > 1)
        l.sequence =
            m_sequences.try_emplace({key.strategy, tail.sequence}, static_cast<int>(m_sequences.size()) + 1)
                .first->second;
      const double sync = std::max(l.relative - m_mostBackward[at(from)], l.step);
      if (hopeless(l.sum, l.max, sync, from, begin, behind + 1)) continue;
      if (front) {
        insert(*front, l);
        continue;
      }
      l.time = weightsFor(behind + 1).time(l.sum, l.max, std::max(l.relative, l.step));
      if (m_config.zero == 0 || shards) accept(l, behind + 1);
    }
  };
  if (from == 0) return join(0, nullptr);
  for (int k = 0; k < static_cast<int>(m_sums.size()); ++k) {
    const int a = width(k);
    if (a > begin) continue;
    const int level = m_shapes.reachBetween((begin - a) * layout.inner, a, begin * layout.inner,
                                            width(key.strategy), layout.inner, layout.outer, layout.stride);
    auto& front = next[Key{from, m_config.units - begin, k, level, shards, tiedSync}];
    join(costs.transfer(level, m_sums[at(k)]->boundary[at(from)]), &front);
  }
}

void FreeDp::expand(int behind, const Key& key, const Front& labels, const TiedGuess& guess, Layer& next) {
  const int begin = m_config.units - key.unitsBehind - width(key.strategy);
  if (begin < 0) return;
  const int stage = m_config.fixedStages > 0 ? m_config.fixedStages - 1 - behind : -1;
  StageCosts::Surroundings around;
  around.inFlight = std::min(m_config.microbatchCount, behind + 1);
  around.policies = stage >= 0 ? m_space.policies(stage) : m_problem.search.recompute;
  if (stage >= 0 && !m_space.strategyAllowed(stage, m_sums[at(key.strategy)]->strategy())) return;
  double least = kNever, leastMax = kNever;
  for (const Point& p : labels) {
    least = std::min(least, p.sum);
    leastMax = std::min(leastMax, p.max);
  }
  if (labels.empty()) least = leastMax = 0;
  startsOf(key);
  const LayerSums& sums = *m_sums[at(key.strategy)];
  const auto starts = m_starts;
  for (const int from : starts) {
    if (m_watch.over()) return;
    if ((from == 0) != (begin == 0)) continue;
    if (stage >= 0 && ((from == 0) != (stage == 0) || !m_rules.mayBegin(stage, from))) continue;
    if (!m_rules.mayForm(from, key.cut)) continue;
    const double load = sums.leastAny[at(key.cut)] - sums.leastAny[at(from)];
    if (hopeless(least + load, std::max(leastMax, load), 0, from, begin, behind + 1)) continue;
    auto here = around;
    double tiedSync = key.tiedSync;
    if (!settleTied(key, begin, from, guess, here, tiedSync)) continue;
    const auto prepared =
        m_costs[at(key.strategy)]->prepare(slotOf(key.strategy, begin), here, from, key.cut);
    m_watch.count(1);
    if (prepared.count == 0) {
      if (m_order.isChain() && !here.copy) break;  // it does not fit with more layers either
      continue;
    }
    extend(behind, key, from, tiedSync, prepared, labels, next);
  }
}

void FreeDp::run(const TiedGuess& guess) {
  Layer layer;
  for (int k = 0; k < static_cast<int>(m_sums.size()); ++k)
    layer[Key{m_order.last(), 0, k, -1, false, -1}] = {};
  const int most = m_config.fixedStages > 0
                       ? m_config.fixedStages
                       : std::min(m_order.layerCount(), m_problem.constraints.stages.most.value_or(1 << 30));
  for (int behind = 0; behind < most && !layer.empty(); ++behind) {
    Layer next;
    for (const auto& [key, labels] : layer) {
      if (behind > 0 && labels.empty()) continue;
      if (m_watch.over()) return;
      if (m_many > 1 && (m_watch.states() > m_mostStates || m_labels.size() > kMostLabels)) {
        m_tired = true;
        return;
      }
      expand(behind, key, labels, guess, next);
    }
    if (m_keeping) m_kept.push_back(std::move(layer));
    layer = std::move(next);
  }
}

void FreeDp::follow(const Label& first, Found& found) const {
  found.strategies.clear();
  found.cut = {};
  found.cut.cuts.push_back(0);
  for (const Label* l = &first; l; l = l->next < 0 ? nullptr : &m_labels[at(l->next)]) {
    found.cut.cuts.push_back(l->to);
    found.cut.policies.push_back(l->policy);
    found.strategies.push_back(m_sums[at(l->strategy)]->strategyIndex());
  }
  found.time = found.cut.time = first.time;
  found.memory = first.memory;
  found.layout = m_config.layout;
  found.devices = m_config.dataDegree * m_config.units;
}

bool FreeDp::limitLoads() {
  m_mostLoad = m_bounds.mostLoad(m_config.units, m_limit * (1 + kEqualTimes)) * (1 + 1e-12);
  m_leastTail = m_bounds.leastTail(m_config.units, m_mostLoad);
  return m_leastTail < kNever;
}

bool FreeDp::solve(const Goal& goal, Found& found) {
  m_limit = goal.time;
  m_mostEqual = goal.mostEqual;
  if (!limitLoads()) return false;
  for (const TiedGuess& guess : guesses()) {
    if (guess.front >= 0 && !guess.same && !m_apartChecked) {
      // Most configurations lose even without the exchange between the two copies.
      m_apartChecked = true;
      const auto best = m_best;
      const double limit = m_limit;
      const int mostEqual = m_mostEqual;
      m_improved = false;
      TiedGuess relaxed = guess;
      relaxed.relaxed = true;
      run(relaxed);
      m_labels.clear();
      m_best = best;
      m_limit = limit;
      m_mostEqual = mostEqual;
      if (!m_improved) break;
    }
    m_improved = false;
    run(guess);
    // Labels are forgotten with the guess: follow the winner now.
    if (m_improved) follow(*m_best, found);
    m_labels.clear();
  }
  return m_best.has_value();
}

bool FreeDp::solveMany(double time, int count, long long mostStates, std::vector<Found>& found) {
  m_limit = time;
  m_mostEqual = m_order.layerCount();
  m_many = std::max(2, count);
  m_mostStates = mostStates;
  const Found blank = found.back();
  found.pop_back();
  if (!limitLoads()) return true;
  for (const TiedGuess& guess : guesses()) {
    run(guess);
    for (const auto& [sequence, label] : m_finished) follow(label, found.emplace_back(blank));
    m_finished.clear();
    m_labels.clear();
    if (m_tired || m_watch.over()) return false;
  }
  return true;
}

}  // namespace nest::planner
