// State (i, U): stages i…s−1 hold the layers outside the cut U. Value: the Pareto front of
//   (largest load, sum of loads, largest sync term, [largest step]),
// because T grows in each. Transition: F_i(U) = ∪ over cuts V ⊃ U of {stage i = V − U, fastest policy that
// fits} ∘ F_{i+1}(V). The sync term max_i(max(0, sync_i − Σ backward before i) + step_i) is absolute where
// all stages run at one speed (the backward work before a cut is then known); otherwise each label carries A
// = max(sync + step − backward between U and there) and S = max step, and A' = max(sync_i + step_i, A −
// backward_i). Pruning: a label is dropped if even the least work of the layers before U, spread evenly over
// i stages, leads past the limit. Cost: Σ over windows of (ends × front). A chain has at most L ends, a DAG
// those downsets from which a way to the end is known.
#include "solver/models/pipeline_dp.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kSlack = 1 + 1e-12;
/// Sums of the same loads in another order differ by roundings: those must not make labels differ.
constexpr double kRounding = 1e-15;
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

PipelineDp::PipelineDp(const StageCosts& costs, const Reach& reach, const CutRules& rules,
                       ObjectiveWeights weights, Watch& watch)
    : m_costs(costs),
      m_reach(reach),
      m_rules(rules),
      m_order(*costs.context().order),
      m_sums(*costs.context().sums),
      m_weights(weights),
      m_watch(watch),
      m_cutCount(at(m_order.cutCount())),
      m_stages(costs.context().stages),
      m_equalSpeeds(costs.equalSpeeds()) {
  for (int i = 0; i < m_stages; ++i) m_slowestSpeed = std::min(m_slowestSpeed, costs.speed(i));
}

double PipelineDp::timeOf(const Label& l) const {
  return m_weights.time(l.sum, l.max, std::max(l.relative, l.step));
}

bool PipelineDp::dominates(const Label& a, const Label& b) const {
  return a.max <= b.max + m_less && a.sum <= b.sum + m_little && a.relative <= b.relative + m_little &&
         a.step <= b.step + m_little && (!m_ties || a.recompute <= b.recompute);
}

bool PipelineDp::lookBack(int stage, int from) {
  const double work = m_reach.leastWork(stage, from) + m_reach.hopsBefore(stage);
  if (work == kNever) return false;
  m_before = m_weights.sum > 0 ? work : 0;
  m_evenBefore = stage > 0 ? work / stage : 0;
  m_leastMax = m_weights.max > 0 ? std::max(m_floor.max, m_evenBefore / kSlack) : 0;
  m_coveredBefore = m_equalSpeeds ? 0 : m_sums.backward[at(from)] / m_slowestSpeed;
  return true;
}

bool PipelineDp::hopeless(const Label& l) const {
  const double tail = std::max(l.relative - m_coveredBefore, l.step);
  return m_weights.time(l.sum + m_before, std::max(l.max, m_evenBefore), tail) > m_limit * kSlack;
}

bool PipelineDp::worthTrying(int stage, int from, int to) const {
  const double own = m_sums.leastAny[at(to)] - m_sums.leastAny[at(from)] + m_reach.hops(stage);
  Label least;
  if (stage + 1 < m_stages) {
    const Range& r = labelsAt(stage + 1, to);
    if (r.begin == r.end) return false;
    least = r.least;
  }
  least.max = m_weights.max > 0 ? std::max(least.max, own) : 0;
  least.sum = m_weights.sum > 0 ? least.sum + own : 0;
  if (!m_equalSpeeds) least.relative = 0;
  return !hopeless(least);
}

void PipelineDp::insert(const Label& label) {
  for (const Label& f : m_front)
    if (dominates(f, label)) return;
  std::erase_if(m_front, [&](const Label& f) { return dominates(label, f); });
  m_front.push_back(label);
}

void PipelineDp::combine(int stage, int from, int to, const StageCosts::Figures& f) {
  const double backward = m_sums.backward[at(to)] - m_sums.backward[at(from)];
  const double own = f.sync + f.step;
  const auto join = [&](const Label& tail, int next) {
    Label l;
    l.max = m_weights.max > 0 ? std::max(tail.max, f.load) : 0;
    l.sum = m_weights.sum > 0 ? tail.sum + f.load : 0;
    if (m_equalSpeeds) {
      l.relative = std::max(tail.relative, own - m_sums.backward[at(from)] / m_costs.speed(stage));
      l.relative = std::max(l.relative, f.step);
    } else {
      l.relative = std::max(own, tail.relative - backward / m_costs.speed(stage));
      l.step = std::max(tail.step, f.step);
    }
    // What every plan through here reaches anyway makes no difference between labels.
    l.max = std::max(l.max, m_leastMax);
    (m_equalSpeeds ? l.relative : l.step) = std::max(m_equalSpeeds ? l.relative : l.step, m_floor.tail);
    l.recompute = tail.recompute + f.policy;
    l.to = to;
    l.next = next;
    l.policy = f.policy;
    if (!hopeless(l)) insert(l);
  };
  if (stage + 1 == m_stages) return join(Label{}, -1);
  const Range range = labelsAt(stage + 1, to);
  for (int k = range.begin; k < range.end; ++k) join(m_labels[at(k)], k);
}

void PipelineDp::endsOf(int stage, int from) {
  m_ends.clear();
  if (m_order.isChain()) {
    const int last = m_reach.last(stage + 1);
    for (int to = std::max(from + 1, m_reach.first(stage + 1)); to <= last; ++to) m_ends.push_back(to);
    return;
  }
  const int size = m_order.size(from);
  for (const int to : m_live[at(stage) + 1])
    if (m_order.size(to) > size && m_reach.staysBelow(stage, from, to) && m_order.subset(from, to))
      m_ends.push_back(to);
}

void PipelineDp::fill(int stage, int from) {
  m_front.clear();
  m_ends.clear();
  if (lookBack(stage, from)) endsOf(stage, from);
  for (const int to : m_ends) {
    if (m_order.isChain() && !m_reach.staysBelow(stage, from, to)) break;
    if (!worthTrying(stage, from, to)) continue;
    if (!m_rules.mayForm(from, to)) continue;
    m_watch.count(1);
    if (!m_ties) {
      const auto figures = m_costs.best(stage, from, to);
      if (figures.policy >= 0) combine(stage, from, to, figures);
      continue;
    }
    auto figures = m_costs.fixedPart(stage, from, to);
    for (int r = 0; r < kRecomputeCount; ++r) {
      figures.load = m_costs.load(stage, from, to, r);
      figures.policy = r;
      if (figures.load < kNever) combine(stage, from, to, figures);
    }
  }
  Range& range = labelsAt(stage, from);
  range.begin = static_cast<int>(m_labels.size());
  m_labels.insert(m_labels.end(), m_front.begin(), m_front.end());
  range.end = static_cast<int>(m_labels.size());
  range.least.max = range.least.sum = range.least.relative = range.least.step = kNever;
  for (const Label& l : m_front) {
    range.least.max = std::min(range.least.max, l.max);
    range.least.sum = std::min(range.least.sum, l.sum);
    range.least.relative = std::min(range.least.relative, l.relative);
    range.least.step = std::min(range.least.step, l.step);
  }
}

std::optional<PipelineCut> PipelineDp::solve(double limit, const Floor& floor, bool ties) {
  m_limit = limit;
  m_little = std::isfinite(limit) ? kRounding * limit : 0;
  m_less = m_little / m_costs.context().microbatchCount;
  m_floor = {floor.max / kSlack, floor.tail / kSlack};
  m_ties = ties;
  m_labels.clear();
  m_ranges.assign(at(m_stages) * m_cutCount, {});
  m_live.assign(at(m_stages) + 1, {});
  m_live.back() = {m_order.last()};
  for (int i = m_stages - 1; i >= 0; --i) {
    const bool chain = m_order.isChain();
    const int begin = chain ? m_reach.first(i) : 0, end = chain ? m_reach.last(i) : m_order.last() - 1;
    for (int from = begin; from <= end; ++from) {
      if (i == 0 && from > 0) break;
      if (m_order.size(from) < i || m_order.layerCount() - m_order.size(from) < m_stages - i) continue;
      if (!chain && !m_reach.mayBegin(i, from)) continue;
      if (!m_rules.mayBegin(i, from)) continue;
      if (m_watch.over()) return std::nullopt;
      fill(i, from);
      if (!chain && !m_front.empty()) m_live[at(i)].push_back(from);
    }
  }
  const Range all = labelsAt(0, 0);
  const Label* best = nullptr;
  for (int k = all.begin; k < all.end; ++k) {
    const Label& l = m_labels[at(k)];
    if (!best || timeOf(l) < timeOf(*best)) best = &l;
  }
  if (!best) return std::nullopt;
  if (!ties) return follow(*best);
  const double within = timeOf(*best) * kSlack;
  int recompute = best->recompute;
  for (int k = all.begin; k < all.end; ++k)
    if (timeOf(m_labels[at(k)]) <= within) recompute = std::min(recompute, m_labels[at(k)].recompute);
  return leftMost(within, recompute);
}

PipelineCut PipelineDp::follow(const Label& first) const {
  PipelineCut cut;
  cut.time = timeOf(first);
  cut.cuts.push_back(0);
  for (const Label* l = &first; l; l = l->next < 0 ? nullptr : &m_labels[at(l->next)]) {
    cut.cuts.push_back(l->to);
    cut.policies.push_back(l->policy);
  }
  return cut;
}

/// `front` describes the stages before `stage`; its `relative` is their finished sync term, its `step` the
/// backward seconds.
bool PipelineDp::canFinish(const Label& front, int stage, int cut, double limit, int recompute) const {
  if (stage == m_stages)
    return m_weights.time(front.sum, front.max, front.relative) <= limit && front.recompute <= recompute;
  const Range range = labelsAt(stage, cut);
  for (int k = range.begin; k < range.end; ++k) {
    const Label& l = m_labels[at(k)];
    const double tail = std::max(l.step, m_equalSpeeds ? l.relative : l.relative - front.step);
    const double time =
        m_weights.time(front.sum + l.sum, std::max(front.max, l.max), std::max(front.relative, tail));
    if (time <= limit && front.recompute + l.recompute <= recompute) return true;
  }
  return false;
}

PipelineCut PipelineDp::leftMost(double limit, int recompute) {
  PipelineCut cut;
  cut.cuts.push_back(0);
  Label front;
  for (int i = 0; i < m_stages; ++i) {
    const int from = cut.cuts.back();
    endsOf(i, from);
    bool found = false;
    for (std::size_t e = 0; e < m_ends.size() && !found; ++e) {
      const int to = m_ends[e];
      if (!m_rules.mayForm(from, to)) continue;
      const auto fixed = m_costs.fixedPart(i, from, to);
      for (int r = 0; r < kRecomputeCount && !found; ++r) {
        const double load = m_costs.load(i, from, to, r);
        if (load == kNever) continue;
        Label l = front;
        l.max = std::max(l.max, load);
        l.sum += load;
        const double before = m_equalSpeeds ? m_sums.backward[at(from)] / m_costs.speed(i) : front.step;
        l.relative = std::max(l.relative, std::max(fixed.step, fixed.sync + fixed.step - before));
        l.step += (m_sums.backward[at(to)] - m_sums.backward[at(from)]) / m_costs.speed(i);
        l.recompute += r;
        // Sums run in another order here than in the labels: leave them a few roundings more.
        if (!canFinish(l, i + 1, to, limit * (1 + 1e-13), recompute)) continue;
        found = true;
        front = l;
        cut.cuts.push_back(to);
        cut.policies.push_back(r);
      }
    }
    if (!found) break;
  }
  cut.time = m_weights.time(front.sum, front.max, front.relative);
  return cut;
}

}  // namespace nest::planner
