// S(c) = S(parent(c)) + f(added(c)) for every additive value f of the layers and every cut c, so the value of
// a stage is S(to) − S(from). Maxima over a range use sparse tables (chain) or values in descending order
// (DAG). Exchange sums are computed per group shape and cached. Cost: values × cuts, once per (b, σ).
#include "solver/space/layer_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/stage_messages.h"
#include "solver/common.h"
#include "solver/stage/messages.h"

namespace nest::solver {
namespace {

double fastestDevice(const Hierarchy& cluster) {
  if (cluster.hasUniformDevices()) return 1;
  double best = 0;
  for (int i = 0; i < cluster.deviceCount(); ++i) best = std::max(best, cluster.factor(DeviceIndex(i)).speed);
  return best;
}

template <class T, class PerLayer>
std::vector<T> sumOver(const LayerOrder& order, PerLayer perLayer) {
  std::vector<T> sums(at(order.cutCount()), T{});
  for (int c = 1; c < order.cutCount(); ++c)
    sums[at(c)] = sums[at(order.parent(c))] + perLayer(order.added(c));
  return sums;
}

/// Bytes of the tensors produced inside a cut and read outside it.
std::vector<double> boundaryBytes(const LayerGraph& graph, const LayerOrder& order,
                                  const std::vector<double>& tensors) {
  std::vector<double> bytes(at(order.cutCount()), 0.0);
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    const Tensor& t = graph.tensors[k];
    if (t.consumers.empty()) continue;
    if (order.isChain()) {
      const int last = t.consumers.back().value;
      for (int c = t.producer.value + 1; c <= last; ++c) bytes[at(c)] += tensors[k];
      continue;
    }
    for (int c = 1; c < order.last(); ++c) {
      if (!order.holds(c, t.producer.value)) continue;
      const bool crosses = std::any_of(t.consumers.begin(), t.consumers.end(),
                                       [&](LayerIndex x) { return !order.holds(c, x.value); });
      if (crosses) bytes[at(c)] += tensors[k];
    }
  }
  return bytes;
}

}  // namespace

LayerSums::LayerSums(const Problem& problem, const LayerOrder& order, GroupShapes& shapes, int microbatch,
                     int strategy, bool covered)
    : m_order(&order),
      m_shapes(&shapes),
      m_covered(covered),
      m_strategy(problem.profile->strategies()[at(strategy)]),
      m_strategyIndex(strategy),
      m_microbatchIndex(microbatch) {
  const LayerGraph& graph = *problem.graph;
  std::vector<const LayerCost*> cost;
  LayerCost absent;
  for (RecomputeCost& r : absent.recompute) r.available = false;
  m_messages.resize(at(graph.classCount));
  for (const Layer& layer : graph.layers) {
    const LayerCost* c = problem.profile->cost(layer.classId, strategy, microbatch);
    bool usable = false;
    for (int r = 0; c && r < kRecomputeCount; ++r)
      usable = usable || (problem.search.recompute[at(r)] && c->recompute[at(r)].available);
    m_usable.push_back(usable);
    if (!usable) {
      m_offered = false;
      c = &absent;
    }
    cost.push_back(c);
    m_classOf.push_back(layer.classId);
    auto& messages = m_messages[at(layer.classId)];
    if (messages.empty())
      for (const Collective& x : c->collectives)
        if (x.bytes.value() > 0) messages.push_back({x.group, x.kind, x.phase, x.bytes.value(), x.times});
  }
  const auto of = [&](int x) -> const LayerCost& { return *cost[at(x)]; };
  compute = sumOver<double>(order, [&](int x) { return of(x).forward.value() + of(x).backward.value(); });
  backward = sumOver<double>(order, [&](int x) { return of(x).backward.value(); });
  for (int x = 0; x < order.layerCount(); ++x)
    if (const double own = of(x).backward.value(); own > 0)
      mostBackwardShare = std::max(mostBackwardShare, own / (of(x).forward.value() + own));
  forward = sumOver<double>(order, [&](int x) { return of(x).forward.value(); });
  weightGradient = sumOver<double>(order, [&](int x) { return of(x).weightGradientSeconds().value(); });
  dense = sumOver<double>(order, [&](int x) { return of(x).denseParameters - of(x).frozenDense; });
  expert = sumOver<double>(order, [&](int x) { return of(x).expertParameters - of(x).frozenExpert; });
  if (std::any_of(cost.begin(), cost.end(),
                  [](const LayerCost* c) { return c->frozenDense > 0 || c->frozenExpert > 0; })) {
    frozenDense = sumOver<double>(order, [&](int x) { return of(x).frozenDense; });
    frozenExpert = sumOver<double>(order, [&](int x) { return of(x).frozenExpert; });
  }
  for (int r = 0; r < kRecomputeCount; ++r) {
    const auto policy = [&, r](int x) -> const RecomputeCost& { return of(x).recompute[at(r)]; };
    extra[at(r)] = sumOver<double>(order, [&](int x) { return policy(x).extraBackward.value(); });
    stash[at(r)] = sumOver<double>(order, [&](int x) { return policy(x).stash.value(); });
    missing[at(r)] = sumOver<int>(order, [&](int x) { return policy(x).available ? 0 : 1; });
    std::vector<double> work;
    for (int x = 0; x < graph.layerCount(); ++x) work.push_back(policy(x).workspace.value());
    workspace[at(r)] = RangeMaximum(order, std::move(work));
  }
  for (int x = 0; x < graph.layerCount(); ++x)
    layerParameters.push_back(of(x).denseParameters + of(x).expertParameters);
  std::vector<double> alone = layerParameters, whole(alone.size(), 0.0);
  if (problem.assumptions.gathersGroups) {
    const std::vector<char> isBlock = graph.blocks();
    for (std::size_t x = 0; x < alone.size(); ++x)
      if (!isBlock[x]) std::swap(alone[x], whole[x]);
    outsideBlocks = sumOver<double>(order, [&](int x) { return whole[at(x)]; });
    if (const auto& tied = problem.profile->tied) tiedGathersAlone = isBlock[tied->second.at()];
  }
  largestLayer = RangeMaximum(order, std::move(alone));

  for (int x = 0; x < graph.layerCount(); ++x)
    for (const RecomputeCost& r : of(x).recompute)
      noneIsFastest = noneIsFastest && r.extraBackward >= of(x).recompute[0].extraBackward;

  std::vector<double> tensors;
  for (int k = 0; k < static_cast<int>(graph.tensors.size()); ++k)
    tensors.push_back(problem.profile->tensorBytes(k, strategy, microbatch).value());
  boundary = boundaryBytes(graph, order, tensors);
  addLeastTransfer(problem);
  addBounds(problem, shapes);
}

void LayerSums::addLeastTransfer(const Problem& problem) {
  double bytes = std::numeric_limits<double>::infinity();
  for (int c = 1; c < m_order->last(); ++c) bytes = std::min(bytes, boundary[at(c)]);
  if (m_order->last() < 2 || !(bytes > 0)) return;
  leastBoundary = bytes;
  leastTransfer = m_covered ? 0 : solver::leastTransfer(problem, 2 * m_strategy.width(), bytes);
}

LeastLayers LeastLayers::of(const Problem& problem, GroupShapes& shapes, int microbatch, int strategy,
                            bool covered) {
  const Strategy& s = problem.profile->strategies()[at(strategy)];
  const double best = fastestDevice(*problem.cluster);
  const auto shown = [&](Exchange e) {  // the least visible share, given the overlap
    return covered && e == Exchange::Expert ? 0 : 1 - problem.assumptions.overlap[e];
  };
  const std::array groups{
      std::pair(shown(Exchange::Tensor), shapes.cheapestRun(s.tensor, 1)),
      std::pair(shown(Exchange::Context), shapes.cheapestRun(s.context, s.tensor)),
      std::pair(shown(Exchange::Expert), shapes.cheapestRun(s.expert, s.foldedExperts ? 1 : s.width()))};
  LeastLayers all{s.width(), std::vector<LeastLayer>(at(problem.graph->classCount))};
  for (int k = 0; k < problem.graph->classCount; ++k) {
    const LayerCost* cost = problem.profile->cost(k, strategy, microbatch);
    if (!cost) continue;
    LeastLayer layer;
    layer.forward = cost->forward.value() / best;
    for (int r = 0; r < kRecomputeCount; ++r)
      layer.seconds[at(r)] =
          (cost->forward + cost->backward + cost->recompute[at(r)].extraBackward).value() / best;
    for (const Collective& c : cost->collectives) {
      const auto& [share, rates] = groups[at(static_cast<int>(c.group))];
      const double time = share * c.times * rates.time(c.kind, c.bytes.value());
      if (c.phase == Phase::Forward) layer.forward += time;
      for (int r = 0; r < kRecomputeCount; ++r)
        if (runsUnder(Recompute(r), c.phase)) layer.seconds[at(r)] += time;
    }
    for (int r = 0; r < kRecomputeCount; ++r)
      if (problem.search.recompute[at(r)] && cost->recompute[at(r)].available)
        layer.fastest = std::min(layer.fastest, layer.seconds[at(r)]);
    if (std::isfinite(layer.fastest)) all.ofClass[at(k)] = layer;
  }
  return all;
}

void LayerSums::addBounds(const Problem& problem, GroupShapes& shapes) {
  const LayerOrder& order = *m_order;
  leastTensor = sumsOf(GroupKind::Tensor, shapes.cheapestRun(m_strategy.tensor, 1));
  leastContext = sumsOf(GroupKind::Context, shapes.cheapestRun(m_strategy.context, m_strategy.tensor));
  leastLayers = LeastLayers::of(problem, shapes, m_microbatchIndex, m_strategyIndex, m_covered);
  const auto layer = [&](int x) -> const LeastLayer& { return leastLayers.ofClass[at(m_classOf[at(x)])]; };
  leastForward = sumOver<double>(order, [&](int x) { return layer(x).forward; });
  for (int r = 0; r < kRecomputeCount; ++r)
    least[at(r)] = sumOver<double>(order, [&, r](int x) { return layer(x).seconds[at(r)]; });
  const auto fastest = [&](int x) { return m_usable[at(x)] ? layer(x).fastest : 0; };
  for (int x = 0; x < order.layerCount(); ++x) slowestLayer = std::max(slowestLayer, fastest(x));
  leastAny = sumOver<double>(order, fastest);
  leastDensePerLoad = leastExpertPerLoad = std::numeric_limits<double>::infinity();
  const auto unusable = sumOver<int>(order, [&](int x) { return m_usable[at(x)] ? 0 : 1; });
  for (int c = 1; c < order.cutCount(); ++c) {
    if (unusable[at(c)] > 0) continue;  // no first stage has this strategy
    const double load = leastAny[at(c)];
    leastDensePerLoad = load > 0 ? std::min(leastDensePerLoad, dense[at(c)] / load) : 0;
    leastExpertPerLoad = load > 0 ? std::min(leastExpertPerLoad, expert[at(c)] / load) : 0;
  }
  if (!std::isfinite(leastDensePerLoad)) leastDensePerLoad = leastExpertPerLoad = 0;
}

ExchangeSums LayerSums::sumsOf(GroupKind kind, const GroupRates& rates) const {
  ExchangeSums sums;
  std::vector<PerRecompute<double>> perClass(m_messages.size());
  std::vector<double> forwardOfClass(m_messages.size(), 0);
  for (std::size_t c = 0; c < m_messages.size(); ++c) {
    perClass[c].fill(0);
    for (const Message& m : m_messages[c]) {
      if (m.group != kind) continue;
      const double time = m.times * rates.time(m.kind, m.bytes);
      for (int r = 0; r < kRecomputeCount; ++r)
        if (runsUnder(Recompute(r), m.phase)) perClass[c][at(r)] += time;
      if (m.phase == Phase::Forward) forwardOfClass[c] += time;
    }
  }
  for (int r = 0; r < kRecomputeCount; ++r)
    sums.upTo[at(r)] =
        sumOver<double>(*m_order, [&](int x) { return perClass[at(m_classOf[at(x)])][at(r)]; });
  sums.forward = sumOver<double>(*m_order, [&](int x) { return forwardOfClass[at(m_classOf[at(x)])]; });
  return sums;
}

const std::vector<const ExchangeSums*>& LayerSums::exchange(GroupKind kind, int set) {
  auto& sets = m_sets[at(static_cast<int>(kind))];
  if (const auto it = sets.find(set); it != sets.end()) return it->second;
  auto& tables = m_tables[at(static_cast<int>(kind))];
  std::vector<const ExchangeSums*> kept;
  // A table whose every layer is at most that of another table is never the slowest.
  const auto covers = [&](const ExchangeSums& a, const ExchangeSums& b) {
    for (int r = 0; r < kRecomputeCount; ++r)
      for (int c = 1; c < m_order->cutCount(); ++c) {
        const int p = m_order->parent(c);
        if (a.between(r, p, c) < b.between(r, p, c)) return false;
      }
    return true;
  };
  for (const int shape : m_shapes->set(set)) {
    auto& table = tables[shape];
    if (!table) table = std::make_unique<ExchangeSums>(sumsOf(kind, m_shapes->rates(shape)));
    const auto* t = table.get();
    if (t->upTo[1].back() <= 0 && t->upTo[0].back() <= 0 && t->upTo[2].back() <= 0) continue;
    if (std::any_of(kept.begin(), kept.end(), [&](const auto* k) { return covers(*k, *t); })) continue;
    std::erase_if(kept, [&](const auto* k) { return covers(*t, *k); });
    kept.push_back(t);
  }
  return sets.emplace(set, std::move(kept)).first->second;
}

std::vector<Strategy> strategiesOf(const std::vector<LayerSums*>& sums) {
  std::vector<Strategy> all;
  for (const LayerSums* s : sums) all.push_back(s->strategy());
  return all;
}

}  // namespace nest::solver
