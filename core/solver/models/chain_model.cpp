// Solves the states (i, U) of (6.1) under a limit. A label is pruned if even the least work of the layers
// before U, spread evenly over i stages, exceeds the limit; windows bound the cuts. Cost: Σ over windows of
// (ends × front). A chain has at most L ends, a DAG those downsets from which the end can be reached.
#include "solver/models/chain_model.h"

#include <cmath>

#include "solver/bounds/search_bounds.h"
#include "solver/common.h"

namespace nest::solver {
namespace {
PipelineCut cutOf(const ChainCosts& costs, const ChainLabels& labels) {
  PipelineCut cut;
  cut.time = labels.best().time;
  cut.cuts.push_back(0);
  for (const auto& [state, policy, strategy] : labels.follow(labels.best())) {
    const Part part{cut.cuts.back(), state->cut};
    cut.memory =
        std::max(cut.memory, costs.memory(static_cast<int>(cut.policies.size()), {&part, 1}, policy));
    cut.cuts.push_back(part.to);
    cut.policies.push_back(policy);
  }
  return cut;
}
}  // namespace

ChainModel::ChainModel(const ChainCosts& costs, const StageWindows* windows, const CutRules& rules,
                       const Target& target, Watch& watch)
    : m_costs(costs),
      m_windows(windows),
      m_rules(rules),
      m_order(*costs.configuration().order),
      m_target(target),
      m_watch(watch),
      m_predecessors(m_order),
      m_stages(costs.stages()),
      m_befores(at(m_order.cutCount())) {
  for (int i = 0; i < m_stages; ++i) {
    m_slowest = std::min(m_slowest, costs.speed(i));
    m_fastest = std::max(m_fastest, costs.speed(i));
  }
}

void ChainModel::limitTo(double limit, const Floor& floor) {
  m_limit = limit;
  m_floor = {floor.max * m_target.share / kRoundUp, floor.tail / kRoundUp};
  m_best = kInfinity;
}

const ChainModel::Before& ChainModel::before(int stage, int from) {
  Before& b = m_befores[at(from)];
  if (b.stage == stage) return b;
  b = {};
  b.stage = stage;
  const auto [least, most] = m_costs.backwardBefore(from);
  b.leastBackward = least / m_fastest;
  b.mostBackward = most / m_slowest;
  if (!m_windows) return b;
  const double work = m_windows->leastWork(stage, from) + m_windows->hopsBefore(stage);
  const ChainConfiguration& c = m_costs.configuration();
  b.work = m_target.byLoad()   ? (m_target.bound.sum > 0 || work == kInfinity ? work : 0)
           : work == kInfinity ? work
                               : leastFill(*c.problem, *c.sums, m_target, c.zero, from);
  b.even = stage > 0 ? work / stage * m_target.share : 0;
  b.least = m_target.weights.max > 0 ? std::max(m_floor.max, b.even / kRoundUp) : 0;
  return b;
}

bool ChainModel::hopeless(double max, double sum, double relative, double step, double mostBackward) const {
  const double tail = std::max(relative - mostBackward, step);
  return m_target.weights.time(sum + m_before.work, std::max(max, m_before.even), tail) > m_limit * kRoundUp;
}

bool ChainModel::hopeless(int, const Step& step, const Label& l) const {
  return hopeless(l.max, l.sum, l.relative, l.step, step.mostBackward);
}

bool ChainModel::worthTrying(int stage, int from, int to, const LeastCosts& least) const {
  if (!m_windows) return true;
  const auto& work = m_costs.configuration().sums->leastAny;
  const double own = work[at(to)] - work[at(from)] + m_windows->hops(stage);
  const double backward = m_costs.backwardBefore(to).second / m_slowest;
  return !hopeless(m_target.weights.max > 0 ? std::max(least.max, own * m_target.share) : 0,
                   m_target.weights.sum > 0 ? least.sum + (m_target.bound.sum > 0 ? own : 0) : 0,
                   least.relative, least.step, backward);
}

void ChainModel::prepare(int stage, int from, int to, Step& step) {
  const Part part{from, to};
  m_watch.count(1);
  step.prepared = m_costs.prepare(stage, {&part, 1});
  step.from = from;
  step.first = stage == 0;
  step.backward = m_costs.backward(stage, part);
  step.leastMax = m_before.least;
  step.leastTail = m_floor.tail;
  step.mostBackward = m_before.mostBackward;
  step.leastBackward = m_before.leastBackward;
  m_transfers = m_costs.transfers(stage, {&part, 1});
}

bool ChainModel::between(int behind, const State*, const State& state, int from, Step& step,
                         Transfers& transfers) {
  const int stage = m_stages - 1 - behind, to = state.cut;
  if (to <= from || !m_order.subset(from, to) || !mayStand(stage, from, to)) return false;
  m_before = before(stage, from);
  prepare(stage, from, to, step);
  transfers = m_transfers;
  return step.prepared.count > 0;
}

std::optional<PipelineCut> bestCut(const ChainCosts& costs, const StageWindows& windows,
                                   const CutRules& rules, const Target& target, double limit,
                                   const ChainModel::Floor& floor, Watch& watch,
                                   ChainLabels::Storage& storage) {
  ChainModel model(costs, &windows, rules, target, watch);
  model.limitTo(limit, floor);
  ChainLabels labels(model, watch, storage);
  if (!labels.fill() || labels.best().stages == 0) return std::nullopt;
  return cutOf(costs, labels);
}

std::optional<PipelineCut> preferredCut(const ChainCosts& costs, const StageWindows& windows,
                                        const CutRules& rules, const Target& target, double limit,
                                        const ChainModel::Floor& floor, Watch& watch) {
  ChainModel model(costs, &windows, rules, target, watch);
  model.limitTo(limit, floor);
  ChainLabels labels(model, watch);
  if (!labels.fill() || labels.best().stages == 0) return std::nullopt;
  PipelineCut cut = cutOf(costs, labels);
  auto path = labels.preferred(costs.stages(), cut.time);
  if (!path.policies.empty())
    cut = {target.weights.time(path.sum, path.max, path.tail), path.memory, std::move(path.cuts),
           std::move(path.policies)};
  return cut;
}

}  // namespace nest::solver
