// The preferred one of the equally fast pipelines of a configuration with s stages. FreeDp's fronts, filled
// under the limit T*, say exactly what can still follow a cut. A path from the first stage on is (key of the
// front that follows, largest load, sum, tail, backward work so far; recompute, cuts, strategies); it grows
// by each stage that leads from its key to one with one stage less behind, under any policy. Pruning: a path
// that no point of the front that follows completes within T*; of two with one key the one no better in any
// figure and not preferred (what follows is the same for both). Cost: about that of filling the fronts.
#include <algorithm>
#include <tuple>

#include "solver/models/free_dp.h"
#include "solver/models/path_end.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
}  // namespace

int FreeDp::compareTies(const Path& a, const Path& b) const {
  if (a.recompute != b.recompute) return a.recompute - b.recompute;
  if (a.cuts != b.cuts) return a.cuts < b.cuts ? -1 : 1;
  const auto degrees = [&](int k) {
    const Strategy& s = m_sums[at(k)]->strategy();
    return std::tuple(s.tensor, s.context, s.expert, s.sequence);
  };
  for (std::size_t i = 0; i < a.strategies.size(); ++i)
    if (degrees(a.strategies[i]) != degrees(b.strategies[i]))
      return degrees(a.strategies[i]) < degrees(b.strategies[i]) ? -1 : 1;
  return 0;
}

bool FreeDp::canFinish(Path& p, const Key& key, const Front& behind) const {
  const auto weights = weightsFor(m_config.fixedStages);
  if (key.unitsBehind == 0) return finishesWithin(m_limit, weights, p, kNothingBehind);
  return finishesWithin(m_limit, weights, p, behind);
}

void FreeDp::growPath(const Path& path, const Key& key, const Front& behind, int stagesBehind,
                      const TiedGuess& guess, std::vector<Path>& grown) {
  const bool first = path.policies.empty();
  const int begin = m_config.units - key.unitsBehind - width(key.strategy), from = path.cuts.back();
  const int stage = m_config.fixedStages - 1 - stagesBehind;
  if (begin != (first ? 0 : m_config.units - path.key.unitsBehind) || from >= key.cut) return;
  if (!m_order.subset(from, key.cut) || !m_rules.mayBegin(stage, from) || !m_rules.mayForm(from, key.cut) ||
      !m_space.strategyAllowed(stage, m_sums[at(key.strategy)]->strategy()))
    return;
  const LayerSums& sums = *m_sums[at(key.strategy)];
  const bool shards = m_config.dataDegree * sums.strategy().context > 1;
  const auto& layout = m_config.layout;
  if (!first && (path.key.shards != (key.shards || shards) ||
                 path.key.level != m_shapes.reachBetween((begin - width(path.key.strategy)) * layout.inner,
                                                         width(path.key.strategy), begin * layout.inner,
                                                         width(key.strategy), layout.inner, layout.outer,
                                                         layout.stride)))
    return;
  if (m_config.zero > 0 && !(path.shards || shards || key.shards)) return;
  StageCosts::Surroundings around;
  around.inFlight = std::min(m_config.microbatchCount, stagesBehind + 1);
  around.policies = m_space.policies(stage);
  double tiedSync = key.tiedSync;
  if (!settleTied(key, begin, from, guess, around, tiedSync) || (!first && tiedSync != path.key.tiedSync))
    return;

  const StageCosts& costs = *m_costs[at(key.strategy)];
  const int slot = slotOf(key.strategy, begin);
  const auto prepared = costs.prepare(slot, around, from, key.cut);
  const double transfers =
      costs.transfer(key.level, sums.boundary[at(key.cut)]) +
      (first ? 0 : costs.transfer(path.key.level, m_sums[at(path.key.strategy)]->boundary[at(from)]));
  for (int c = 0; c < prepared.count; ++c) {
    const auto f = prepared.under(prepared.choices[at(c)], transfers);
    Path p = path;
    p.key = key;
    p.max = std::max(p.max, f.load);
    p.sum = weightsFor(1).sum == 0 ? 0 : p.sum + f.load;
    p.tail = std::max(p.tail, std::max(0.0, f.sync - p.covered) + f.step);
    p.covered += (sums.backward[at(key.cut)] - sums.backward[at(from)]) / costs.speed(slot);
    if (!canFinish(p, key, behind)) continue;
    p.memory = std::max(p.memory, f.memory);
    p.shards = p.shards || shards;
    p.recompute += f.policy;
    p.cuts.push_back(key.cut);
    p.policies.push_back(f.policy);
    p.strategies.push_back(key.strategy);
    const double little = 1e-15 * m_limit, less = little / m_config.microbatchCount;
    const auto covers = [&](const Path& a, const Path& b) {
      return a.key == b.key && a.max <= b.max + less && a.sum <= b.sum + little &&
             a.tail <= b.tail + little && a.covered >= b.covered - little && a.shards >= b.shards &&
             compareTies(a, b) <= 0;
    };
    if (std::any_of(grown.begin(), grown.end(), [&](const Path& o) { return covers(o, p); })) continue;
    std::erase_if(grown, [&](const Path& o) { return covers(p, o); });
    grown.push_back(std::move(p));
  }
}

std::optional<FreeDp::Path> FreeDp::preferred(const TiedGuess& guess) {
  std::vector<Path> paths(1);
  const int stages = m_config.fixedStages;
  if (static_cast<int>(m_kept.size()) < stages) return std::nullopt;
  for (int behind = stages - 1; behind >= 0; --behind) {
    std::vector<Path> grown;
    for (const Path& path : paths)
      for (const auto& [key, front] : m_kept[at(behind)]) {
        if (m_watch.over() || grown.size() > kMostPaths) return std::nullopt;
        growPath(path, key, front, behind, guess, grown);
      }
    paths = std::move(grown);
  }
  const auto best = std::min_element(paths.begin(), paths.end(),
                                     [&](const Path& a, const Path& b) { return compareTies(a, b) < 0; });
  return best == paths.end() ? std::nullopt : std::optional(*best);
}

bool FreeDp::settle(double time, Found& found) {
  m_limit = time;
  if (!limitLoads()) return false;
  bool any = false;
  for (const TiedGuess& guess : guesses()) {
    m_mostEqual = m_config.fixedStages;
    m_keeping = true;
    m_kept.clear();
    run(guess);
    if (const auto path = preferred(guess)) {
      Found other = found;
      other.strategies.clear();
      for (const int k : path->strategies) other.strategies.push_back(m_sums[at(k)]->strategyIndex());
      other.cut = {time, path->cuts, path->policies};
      other.time = weightsFor(m_config.fixedStages).time(path->sum, path->max, path->tail);
      other.memory = path->memory;
      if (!any || precedes(m_problem, other, found)) found = std::move(other);
      any = true;
    }
    m_labels.clear();
  }
  return any;
}

}  // namespace nest::planner
