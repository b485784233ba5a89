// Cuts are given, so this is a walk over the strategies of stage 0, 1, …: (b, d, z, s, v) → σ_0 … σ_{i−1}.
// With the least loads l of its stages and of those to come on the units left,
//   T ≥ w_sum·Σ l + w_max·max l,   and, as Σ width·l ≤ U·max l on U units,   T ≥ Σ l·(w_sum + w_max·width/U);
// what is still to come is a table over (stage, units left) for each of Σ, max and the mix. Whole sequences
// are placed and evaluated exactly. Cost: the prefixes that the bounds leave open.
#include "solver/free_interleaved.h"

#include <algorithm>
#include <limits>

#include "solver/interleaved.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

FreeInterleaved::FreeInterleaved(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                                 const SearchSpace& space, Search& uniform, Incumbents& incumbents,
                                 Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_shapes(shapes),
      m_space(space),
      m_uniform(uniform),
      m_incumbents(incumbents),
      m_watch(watch),
      m_rules(problem.constraints, order) {}

double FreeInterleaved::limit() const {
  return (m_many ? m_incumbents.limit() : m_incumbents.lead().time) * (1 + kEqualTimes);
}

bool FreeInterleaved::runMany() {
  const double bound = m_lowerBound;
  m_many = true;
  m_nodes = 0;
  m_mostNodes = kMostNodes / 10;
  const bool complete = run();
  m_lowerBound = bound;
  return complete;
}

bool FreeInterleaved::run() {
  m_lowerBound = kNever;
  if (!m_order.isChain() || m_rules.contradictory()) return true;
  for (int v : m_space.chunkCounts())
    for (int b : m_space.microbatches()) {
      if (v < 2) continue;
      Walk walk;
      walk.chunks = v;
      walk.microbatch = b;
      int narrow = std::numeric_limits<int>::max();
      for (int k : m_space.strategies()) {
        walk.sums.push_back(&m_uniform.sumsOf(b, k));
        narrow = std::min(narrow, walk.sums.back()->strategy().width());
      }
      for (int d : m_space.dataDegrees(b, narrow, 1)) {
        walk.dataDegree = d;
        walk.microbatchCount = m_problem.microbatchCount(m_problem.profile->microbatches()[at(b)], d);
        for (int s = 2; s <= m_order.layerCount() / v; ++s) {
          if (!m_space.stageCountAllowed(s) || !interleaves(m_problem, m_order, s, v, walk.microbatchCount))
            continue;
          for (int z : m_space.zeroStages()) {
            if (m_watch.over()) return false;
            walk.stages = s;
            walk.zero = z;
            if (begin(walk)) descend(walk, 0, 0, 0, 0);
          }
        }
      }
    }
  return m_nodes < m_mostNodes;
}

bool FreeInterleaved::begin(Walk& w) const {
  w.cuts = interleavedCuts(m_problem, w.stages, w.chunks);
  w.weights = objectiveWeights(m_problem.search.objective, w.microbatchCount, w.stages, w.chunks);
  w.chosen.clear();
  w.least.assign(w.sums.size(), std::vector<double>(at(w.stages), 0));
  w.mostUnits = std::min(m_problem.cluster->deviceCount() / w.dataDegree,
                         m_problem.constraints.devices.most.value_or(1 << 30) / w.dataDegree);
  for (int i = w.stages - 1; i >= 0; --i)
    for (std::size_t k = 0; k < w.sums.size(); ++k) {
      double& load = w.least[k][at(i)];
      if (!m_space.strategyAllowed(i, w.sums[k]->strategy())) load = kNever;
      for (std::size_t part = at(i); part + 1 < w.cuts.size(); part += at(w.stages)) {
        const int from = w.cuts[part], to = w.cuts[part + 1];
        load += w.sums[k]->leastAny[at(to)] - w.sums[k]->leastAny[at(from)];
        for (int x = from; x < to; ++x)
          if (!w.sums[k]->usable(x)) load = kNever;
      }
    }
  if (w.mostUnits < 1) return false;
  fillBounds(w);
  return w.sumAfter[w.row(0, w.mostUnits)] < kNever;
}

void FreeInterleaved::fillBounds(Walk& w) const {
  const std::size_t all = w.row(w.stages, w.mostUnits) + 1;
  w.sumAfter.assign(all, kNever);
  w.maxAfter.assign(all, kNever);
  w.mixAfter.assign(all, kNever);
  for (int u = 0; u <= w.mostUnits; ++u)
    w.sumAfter[w.row(w.stages, u)] = w.maxAfter[w.row(w.stages, u)] = w.mixAfter[w.row(w.stages, u)] = 0;
  for (int i = w.stages - 1; i >= 0; --i)
    for (std::size_t k = 0; k < w.sums.size(); ++k) {
      const double load = w.least[k][at(i)];
      const int width = w.sums[k]->strategy().width();
      if (load == kNever) continue;
      const double mix = load * (w.weights.sum + w.weights.max * width / w.mostUnits);
      for (int u = width; u <= w.mostUnits; ++u) {
        const std::size_t here = w.row(i, u), next = w.row(i + 1, u - width);
        w.sumAfter[here] = std::min(w.sumAfter[here], load + w.sumAfter[next]);
        w.maxAfter[here] = std::min(w.maxAfter[here], std::max(load, w.maxAfter[next]));
        w.mixAfter[here] = std::min(w.mixAfter[here], mix + w.mixAfter[next]);
      }
    }
}

void FreeInterleaved::descend(Walk& w, double sum, double max, double mix, int units) {
  const int i = static_cast<int>(w.chosen.size());
  const std::size_t rest = w.row(i, w.mostUnits - units);
  if (w.sumAfter[rest] == kNever) return;
  const double bound = std::max(w.weights.time(sum + w.sumAfter[rest], std::max(max, w.maxAfter[rest]), 0),
                                mix + w.mixAfter[rest]) *
                       (1 - 1e-12);
  if (bound > limit() || m_watch.over()) return;
  if (++m_nodes >= m_mostNodes) {
    m_lowerBound = std::min(m_lowerBound, bound);
    return;
  }
  if (i == w.stages) return place(w, units);
  for (std::size_t k = 0; k < w.sums.size(); ++k) {
    const double load = w.least[k][at(i)];
    const int width = w.sums[k]->strategy().width();
    if (load == kNever || units + width > w.mostUnits) continue;
    w.chosen.push_back(static_cast<int>(k));
    descend(w, sum + load, std::max(max, load),
            mix + load * (w.weights.sum + w.weights.max * width / w.mostUnits), units + width);
    w.chosen.pop_back();
  }
}

void FreeInterleaved::place(const Walk& w, int units) {
  if (!m_space.devicesAllowed(static_cast<long long>(units) * w.dataDegree)) return;
  const bool shards = w.dataDegree > 1 || std::any_of(w.chosen.begin(), w.chosen.end(), [&](int k) {
                        return w.sums[at(k)]->strategy().context > 1;
                      });
  if (!m_space.zeroAllowed(w.zero, shards, w.stages)) return;
  for (const BlockLayout& layout : m_space.layouts(w.dataDegree, 1, units)) {
    const bool whole = std::all_of(w.chosen.begin(), w.chosen.end(), [&](int k) {
      return layout.inner % w.sums[at(k)]->strategy().expert == 0;
    });
    Found found;
    m_nodes += kPlacementNodes;
    if (!whole || !solve(w, layout, found) || !(found.time <= limit())) continue;
    found.microbatchIndex = w.microbatch;
    found.dataDegree = w.dataDegree;
    found.zero = w.zero;
    found.chunks = w.chunks;
    found.layout = layout;
    found.devices = units * w.dataDegree;
    for (int k : w.chosen) found.strategies.push_back(w.sums[at(k)]->strategyIndex());
    m_incumbents.offer(std::move(found));
  }
}

bool FreeInterleaved::solve(const Walk& w, const BlockLayout& layout, Found& found) const {
  if (!obeys(m_rules, w.cuts, w.stages)) return false;
  const int s = w.stages;
  std::vector<int> begin = {0};
  const auto width = [&](int i) { return w.sums[at(w.chosen[at(i)])]->strategy().width(); };
  for (int i = 0; i < s; ++i) begin.push_back(begin.back() + layout.inner * width(i));
  const auto reach = [&](int i, int j) {
    return m_shapes.reachBetween(begin[at(i)], width(i), begin[at(j)], width(j), layout.inner, layout.outer,
                                 layout.stride);
  };
  std::vector<StageSite> sites;
  for (int i = 0; i < s; ++i) {
    sites.push_back(placeStage(m_shapes, w.sums[at(w.chosen[at(i)])]->strategy(), layout, begin[at(i)]));
    if (i > 0) sites[at(i)].levelIn = sites[at(i - 1)].levelOut = reach(i - 1, i);
  }
  auto tiedPlace = tiedPlaceOf(m_problem, w.cuts, s);
  if (tiedPlace) {
    const int i = tiedPlace->firstStage, j = tiedPlace->secondStage;
    const auto share = [&](int k) {
      return m_problem.profile->tied->parameters[at(w.sums[at(w.chosen[at(k)])]->strategyIndex())];
    };
    tiedPlace->level = reach(std::min(i, j), std::max(i, j));
    tiedPlace->share = std::max(share(i), share(j));
  }
  InterleavedStages all;
  double covered = 0;
  std::vector<std::array<double, kRecomputeCount>> memory(at(s));
  for (int i = 0; i < s; ++i) {
    StageCosts::Context c;
    c.problem = &m_problem;
    c.space = &m_space;
    c.order = &m_order;
    c.sums = w.sums[at(w.chosen[at(i)])];
    c.shapes = &m_shapes;
    c.dataDegree = w.dataDegree;
    c.stages = s;
    c.microbatchCount = w.microbatchCount;
    c.zero = w.zero;
    c.tied = tiedPlace;
    const StageCosts costs(c, sites);
    const auto& f = all.stages.emplace_back(
        costs.chunkFigures(i, w.cuts, reach(0, s - 1), &w.sums[at(w.chosen[at((i + s - 1) % s)])]->boundary));
    if (f.fastest() < 0) return false;
    all.tail = std::max(all.tail, std::max(0.0, f.sync - covered) + f.step);
    covered +=
        (c.sums->backward[at(w.cuts[at(i) + 1])] - c.sums->backward[at(w.cuts[at(i)])]) / costs.speed(i);
    for (int r = 0; r < kRecomputeCount; ++r)
      if (f.load[at(r)] < kNever) memory[at(i)][at(r)] = costs.memoryOfChunks(i, w.cuts, r);
  }
  found.cut = all.settle(w.weights);
  for (int i = 0; i < s; ++i)
    found.memory = std::max(found.memory, memory[at(i)][at(found.cut.policies[at(i)])]);
  found.cut.cuts = w.cuts;
  found.time = found.cut.time;
  return true;
}

}  // namespace nest::planner
