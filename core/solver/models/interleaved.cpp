// Interleaved schedules: cuts follow from s·v, so nothing is left to choose but each stage's policy, and T
// grows in every load: the fastest policy that fits is the best one.
#include "solver/models/interleaved.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nest::planner {
namespace {

std::vector<int> countedLayers(const LayerGraph& graph) {
  std::vector<int> counted;
  for (int x = 0; x < graph.layerCount(); ++x)
    if (graph.layers[static_cast<std::size_t>(x)].kind == LayerKind::Block) counted.push_back(x);
  if (!counted.empty()) return counted;
  counted.resize(graph.layers.size());
  std::iota(counted.begin(), counted.end(), 0);
  return counted;
}

}  // namespace

bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages) {
  for (std::size_t part = 0; part + 1 < cuts.size(); ++part)
    if (!rules.mayForm(cuts[part], cuts[part + 1])) return false;
  return rules.pinsHold([&](int layer) {
    const auto after = std::upper_bound(cuts.begin(), cuts.end(), layer);
    return static_cast<int>(after - cuts.begin() - 1) % stages;
  });
}

std::optional<TiedPlace> tiedPlaceOf(const Problem& problem, const std::vector<int>& cuts, int stages) {
  const auto& tied = problem.profile->tied;
  if (!tied) return std::nullopt;
  const auto stageOf = [&](LayerIndex x) {
    return static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), x.value) - cuts.begin() - 1) % stages;
  };
  const int i = stageOf(tied->first), j = stageOf(tied->second);
  if (i == j) return std::nullopt;
  return TiedPlace{i, j, 0, -1};
}

bool interleaves(const Problem& problem, const LayerOrder& order, int stages, int chunks,
                 int microbatchCount) {
  if (!order.isChain() || stages < 2 || microbatchCount % stages != 0) return false;
  const auto counted = static_cast<long long>(countedLayers(*problem.graph).size());
  return counted % (static_cast<long long>(stages) * chunks) == 0;
}

std::vector<int> interleavedCuts(const Problem& problem, int stages, int chunks) {
  const auto counted = countedLayers(*problem.graph);
  const std::size_t parts = static_cast<std::size_t>(stages) * static_cast<std::size_t>(chunks),
                    each = counted.size() / parts;
  std::vector<int> cuts = {0};
  for (std::size_t p = 1; p < parts; ++p) cuts.push_back(counted[p * each]);
  cuts.push_back(problem.graph->layerCount());
  return cuts;
}

bool InterleavedStages::fits() const {
  return !stages.empty() && stages.back().fastest() >= 0;
}

// T grows in every load, so the fastest policies give the least time; a slower one with less recompute may
// take as long where neither the largest load nor the sum notices it. Labels: the Pareto front of (largest
// load, sum, recompute).
PipelineCut InterleavedStages::settle(const ObjectiveWeights& weights) const {
  PipelineCut cut;
  double sum = 0, most = 0;
  bool open = false;
  for (const auto& f : stages) {
    const int r = f.fastest();
    cut.policies.push_back(r);
    sum += f.load[static_cast<std::size_t>(r)];
    most = std::max(most, f.load[static_cast<std::size_t>(r)]);
    for (int k = 0; k < r; ++k) open = open || std::isfinite(f.load[static_cast<std::size_t>(k)]);
  }
  cut.time = weights.time(sum, most, tail);
  if (!open) return cut;

  struct Label {
    double max = 0, sum = 0;
    int recompute = 0;
    std::vector<int> policies;
  };
  const double limit = cut.time * (1 + kEqualTimes);
  std::vector<Label> front(1);
  double sumAfter = sum;
  for (const auto& f : stages) {
    sumAfter -= f.load[static_cast<std::size_t>(f.fastest())];
    std::vector<Label> next;
    for (const Label& label : front)
      for (int r = 0; r < kRecomputeCount; ++r) {
        const double load = f.load[static_cast<std::size_t>(r)];
        Label l{std::max(label.max, load), label.sum + load, label.recompute + r, label.policies};
        l.policies.push_back(r);
        if (!(weights.time(l.sum + std::max(0.0, sumAfter), std::max(l.max, most), tail) <= limit)) continue;
        l.max = std::max(l.max, most);
        if (weights.sum == 0) l.sum = 0;
        const auto covers = [](const Label& a, const Label& b) {
          return a.max <= b.max && a.sum <= b.sum && a.recompute <= b.recompute;
        };
        if (std::any_of(next.begin(), next.end(), [&](const Label& o) { return covers(o, l); })) continue;
        std::erase_if(next, [&](const Label& o) { return covers(l, o); });
        next.push_back(std::move(l));
      }
    front = std::move(next);
  }
  const auto least = std::min_element(
      front.begin(), front.end(), [](const Label& a, const Label& b) { return a.recompute < b.recompute; });
  if (least != front.end()) cut.policies = least->policies;
  return cut;
}

bool solveInterleaved(const StageCosts::Context& given, const CutRules& rules, const BlockLayout& layout,
                      Found& found) {
  StageCosts::Context context = given;
  const Problem& problem = *context.problem;
  const LayerSums& sums = *context.sums;
  const int stages = context.stages;
  const int width = layout.inner * sums.strategy().width();
  found.layout = layout;
  found.cut.cuts = interleavedCuts(problem, stages, found.chunks);
  const auto cuts = found.cut.cuts;
  if (!obeys(rules, cuts, stages)) return false;

  const auto reach = [&](int i, int j) {
    return context.shapes->reach(std::min(i, j) * width, width, std::abs(i - j) * width, layout.outer,
                                 layout.stride);
  };
  context.tied = tiedPlaceOf(problem, cuts, stages);
  if (context.tied) context.tied->level = reach(context.tied->firstStage, context.tied->secondStage);
  const auto sites = placeStages(*context.shapes, sums.strategy(), layout, stages);
  const int wrapLevel = reach(0, stages - 1);
  bool fits = false;
  for (const auto& policy : context.space->sharedPolicies()) {
    context.sharedPolicy = policy;
    const StageCosts costs(context, sites);
    InterleavedStages all;
    double covered = 0;
    for (int i = 0; i < stages; ++i) {
      const auto& f = all.stages.emplace_back(costs.chunkFigures(i, cuts, wrapLevel));
      if (f.fastest() < 0) break;
      all.tail = std::max(all.tail, std::max(0.0, f.sync - covered) + f.step);
      const auto part = static_cast<std::size_t>(i);
      covered += (sums.backward[static_cast<std::size_t>(cuts[part + 1])] -
                  sums.backward[static_cast<std::size_t>(cuts[part])]) /
                 costs.speed(i);
    }
    if (!all.fits()) continue;
    PipelineCut cut =
        all.settle(objectiveWeights(problem.search.objective, context.microbatchCount, stages, found.chunks));
    if (fits && cut.time >= found.time * (1 - kEqualTimes)) continue;
    fits = true;
    cut.cuts = cuts;
    found.time = cut.time;
    found.cut = std::move(cut);
    found.memory = 0;
    for (int i = 0; i < stages; ++i)
      found.memory =
          std::max(found.memory,
                   costs.memoryOfChunks(i, found.cut.cuts, found.cut.policies[static_cast<std::size_t>(i)]));
  }
  return fits;
}

}  // namespace nest::planner
