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
  return m_incumbents.lead().time * (1 + kEqualTimes);
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
            if (begin(walk)) descend(walk, 0, 0, 0);
          }
        }
      }
    }
  return m_nodes < kMostNodes;
}

bool FreeInterleaved::begin(Walk& w) const {
  w.cuts = interleavedCuts(m_problem, w.stages, w.chunks);
  w.weights = objectiveWeights(m_problem.search.objective, w.microbatchCount, w.stages, w.chunks);
  w.chosen.clear();
  w.least.assign(w.sums.size(), std::vector<double>(at(w.stages), 0));
  w.leastAfter.assign(at(w.stages) + 1, 0);
  for (int i = w.stages - 1; i >= 0; --i) {
    double best = kNever;
    for (std::size_t k = 0; k < w.sums.size(); ++k) {
      double& load = w.least[k][at(i)];
      if (!m_space.strategyAllowed(i, w.sums[k]->strategy())) load = kNever;
      for (std::size_t part = at(i); part + 1 < w.cuts.size(); part += at(w.stages)) {
        const int from = w.cuts[part], to = w.cuts[part + 1];
        load += w.sums[k]->leastAny[at(to)] - w.sums[k]->leastAny[at(from)];
        for (int x = from; x < to; ++x)
          if (!w.sums[k]->usable(x)) load = kNever;
      }
      best = std::min(best, load);
    }
    w.leastAfter[at(i)] = w.leastAfter[at(i) + 1] + best;
  }
  return w.leastAfter[0] < kNever;
}

void FreeInterleaved::descend(Walk& w, double sum, double max, int units) {
  const int i = static_cast<int>(w.chosen.size());
  const double bound = w.weights.time(sum + w.leastAfter[at(i)], max, 0);
  if (bound > limit() || m_watch.over()) return;
  if (++m_nodes >= kMostNodes) {
    m_lowerBound = std::min(m_lowerBound, bound);
    return;
  }
  if (i == w.stages) return place(w, units);
  for (std::size_t k = 0; k < w.sums.size(); ++k) {
    const int wider = units + w.sums[k]->strategy().width();
    if (w.least[k][at(i)] == kNever ||
        static_cast<long long>(wider) * w.dataDegree > m_problem.cluster->deviceCount())
      continue;
    w.chosen.push_back(static_cast<int>(k));
    descend(w, sum + w.least[k][at(i)], std::max(max, w.least[k][at(i)]), wider);
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
  std::optional<TiedPlace> tiedPlace;
  if (const auto& tied = m_problem.profile->tied) {
    const auto stageOf = [&](LayerIndex x) {
      return static_cast<int>(std::upper_bound(w.cuts.begin(), w.cuts.end(), x.value) - w.cuts.begin() - 1) %
             s;
    };
    const auto share = [&](int i) {
      return tied->parameters[at(w.sums[at(w.chosen[at(i)])]->strategyIndex())];
    };
    const int i = stageOf(tied->first), j = stageOf(tied->second);
    if (i != j)
      tiedPlace = TiedPlace{i, j, reach(std::min(i, j), std::max(i, j)), std::max(share(i), share(j))};
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
