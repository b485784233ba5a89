// Which of the pipelines within a limit: the fronts of InterleavedDp say exactly what can still follow a
// stage. A path from the first stage on is (key of the front that follows, largest load, sum, tail, backward
// work so far; recompute, strategies); it grows by each stage that leads from its key to one of the next
// layer, under any policy. Pruning: a path that no point of the front that follows completes within the
// limit; of two with one key (and, if all sequences are wanted, one sequence) the one no better in any figure
// and not preferred. Cost: paths × strategies × points.
#include <algorithm>
#include <limits>
#include <tuple>

#include "solver/models/interleaved_dp.h"
#include "solver/models/path_end.h"

namespace nest::planner {
namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

int InterleavedDp::compareTies(const Path& a, const Path& b) const {
  if (a.recompute != b.recompute) return a.recompute - b.recompute;
  const auto degrees = [&](int k) {
    const Strategy& s = m_config.sums[at(k)]->strategy();
    return std::tuple(s.tensor, s.context, s.expert, s.sequence);
  };
  for (std::size_t i = 0; i < a.strategies.size(); ++i)
    if (degrees(a.strategies[i]) != degrees(b.strategies[i]))
      return degrees(a.strategies[i]) < degrees(b.strategies[i]) ? -1 : 1;
  return 0;
}

bool InterleavedDp::covers(const Path& a, const Path& b, bool each) const {
  const double little = rounding(), less = little / m_config.microbatchCount;
  return a.key == b.key && (!each || a.strategies == b.strategies) && a.max <= b.max + less &&
         a.sum <= b.sum + little && a.tail <= b.tail + little && a.covered >= b.covered - little &&
         a.shards >= b.shards && compareTies(a, b) <= 0;
}

bool InterleavedDp::canFinish(Path& p, int stage, const Front& behind) const {
  if (stage + 1 == m_config.stages) return finishesWithin(m_limit, m_config.weights, p, kNothingBehind);
  return finishesWithin(m_limit, m_config.weights, p, behind);
}

void InterleavedDp::extend(int stage, const Path& path, const Key& key, const Front& behind,
                           const Guess& guess, std::vector<Path>& grown) {
  const int begin = key.end - width(key.strategy), last = m_config.stages - 1;
  if (begin != (stage == 0 ? 0 : path.key.end) || (stage == 0 && !asGuessed(key.strategy, guess))) return;
  double tiedSync = key.tiedSync;
  if (!tiedSyncOf(stage, key.strategy, begin, guess, tiedSync)) return;
  const bool shards = shardsAlone(key.strategy);
  if (stage > 0) {
    const int before = path.key.strategy,
              level = levelBetween(begin - width(before), width(before), begin, width(key.strategy));
    if (path.key.last != key.last || path.key.level != level || path.key.tiedSync != tiedSync ||
        path.key.shards != (key.shards || shards))
      return;
  }
  if (m_config.zero > 0 && !(path.shards || shards || key.shards)) return;
  const auto prepared = prepare(stage, key.strategy, begin, tiedSync);
  const int wrap = wrapLevel(key.last, width(guess.first));
  const double sent = stage == 0 ? transfers(stage, key.strategy, key.last, wrap, key.level)
                                 : transfers(stage, key.strategy, path.key.strategy, path.key.level,
                                             stage == last ? wrap : key.level);
  for (int c = 0; c < prepared.count; ++c) {
    const auto f = prepared.under(prepared.choices[at(c)], sent);
    Path p = path;
    p.key = key;
    p.max = std::max(p.max, f.load);
    p.sum = m_config.weights.sum > 0 ? p.sum + f.load : 0;
    p.tail = std::max(p.tail, std::max(0.0, f.sync - p.covered) + f.step);
    p.covered += covered(stage, key.strategy, begin);
    if (!canFinish(p, stage, behind)) continue;
    p.memory = std::max(p.memory, f.memory);
    p.shards = p.shards || shards;
    p.recompute += f.policy;
    p.policies.push_back(f.policy);
    p.strategies.push_back(key.strategy);
    grown.push_back(std::move(p));
  }
}

bool InterleavedDp::grow(const Guess& guess, bool each, std::size_t most, std::vector<Path>& paths) {
  paths.assign(1, {});
  for (int i = 0; i < m_config.stages; ++i) {
    std::vector<Path> kept;
    for (const Path& path : paths) {
      if (m_watch.over()) return false;
      std::vector<Path> grown;
      for (const auto& [key, behind] : m_layers[at(i)])
        if (!behind.empty()) extend(i, path, key, behind, guess, grown);
      for (Path& p : grown) {
        if (std::any_of(kept.begin(), kept.end(), [&](const Path& o) { return covers(o, p, each); }))
          continue;
        std::erase_if(kept, [&](const Path& o) { return covers(p, o, each); });
        kept.push_back(std::move(p));
      }
      if (kept.size() > most) return false;
    }
    paths = std::move(kept);
  }
  return true;
}

void InterleavedDp::follow(const Path& path, double time, Found& found) const {
  describe(found);
  for (const int k : path.strategies) found.strategies.push_back(m_config.sums[at(k)]->strategyIndex());
  found.cut.policies = path.policies;
  found.time = found.cut.time = time;
  found.memory = path.memory;
}

bool InterleavedDp::settle(double limit, Found& found) {
  limitTo(limit * (1 + kEqualTimes));
  std::optional<Path> best;
  for (const Guess& guess : guesses()) {
    std::vector<Path> paths;
    if (!fill(guess) || !grow(guess, false, kMostPaths, paths)) return false;
    for (Path& p : paths)
      if (!best || compareTies(p, *best) < 0) best = std::move(p);
  }
  if (!best) return false;
  follow(*best, m_config.weights.time(best->sum, best->max, best->tail), found);
  return true;
}

bool InterleavedDp::solveMany(double limit, std::size_t most, std::vector<Found>& found) {
  limitTo(limit);
  for (const Guess& guess : guesses()) {
    std::vector<Path> paths;
    if (!fill(guess) || !grow(guess, true, most, paths)) return false;
    const auto time = [&](const Path& p) { return m_config.weights.time(p.sum, p.max, p.tail); };
    std::map<std::vector<int>, double> fastest;
    for (const Path& p : paths) {
      auto& least = fastest.try_emplace(p.strategies, kNever).first->second;
      least = std::min(least, time(p));
    }
    std::map<std::vector<int>, const Path*> best;
    for (const Path& p : paths) {
      if (time(p) > fastest[p.strategies] * (1 + kEqualTimes)) continue;
      const Path*& chosen = best[p.strategies];
      if (!chosen || p.recompute < chosen->recompute) chosen = &p;
    }
    for (const auto& [strategies, path] : best) follow(*path, fastest[strategies], found.emplace_back());
  }
  return true;
}

}  // namespace nest::planner
