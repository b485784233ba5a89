// A group's shape: per level the most parts n_ℓ and the fewest ranks f_ℓ, counted in one pass over ascending
// positions, of which identical ones are taken in one step; a repetition that comes back to the same place of
// the outermost group is counted twice and multiplied.
#include "solver/space/group_shapes.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "solver/bounds/bound_ledger.h"
#include "solver/common.h"

namespace nest::solver {
namespace {

/// Counts groups and ranks level by level while ascending positions go by.
class ShapeStream {
public:
  explicit ShapeStream(const Hierarchy& h)
      : m_cluster(h),
        m_levels(h.levelCount()),
        m_end(at(m_levels), -1),
        m_ranks(at(m_levels), 0),
        m_parts(at(m_levels), 0),
        m_occupied(at(m_levels), 0),
        m_most(at(m_levels), 0),
        m_fewest(at(m_levels), 0) {}

  void add(int position) {
    ++m_looked;
    ++m_total;
    if (position >= m_end[0]) enter(position);
    ++m_ranks[0];
  }
  void add(const RankPattern& p) {
    for (int o = 0; o < p.outer; ++o) {
      const int begin = p.base + o * p.outerStride;
      if (p.inner == 1)
        addRow(begin, p.count, p.stride);
      else if (p.stride == p.inner * p.innerStride)
        addRow(begin, p.count * p.inner, p.innerStride);
      else
        for (int j = 0; j < p.count; ++j) addRow(begin + j * p.stride, p.inner, p.innerStride);
    }
  }
  void finish() {
    for (int l = 0; l < m_levels; ++l) close(l);
  }

  int total() const { return m_total; }
  int occupied(int level) const { return m_occupied[at(level)]; }
  long long looked() const { return m_looked; }  ///< at positions one by one
  std::vector<int>& most() { return m_most; }
  std::vector<int>& fewest() { return m_fewest; }

private:
  // Between neighbours of a row lies more than a group of the levels below `level`: all but the first and the
  // last, which others may stand beside, are alone in theirs.
  void addRow(int begin, int count, int stride) {
    int level = 0;
    while (level + 1 < m_levels && m_cluster.largestGroupSize(level) <= stride) ++level;
    for (int j = 0; j < count;) {
      const int position = begin + j * stride;
      add(position);
      const int more = std::min((m_end[at(level)] - 1 - position) / stride, count - j - 2);
      if (more > 0) addAlone(level, more);
      j += 1 + std::max(0, more);
    }
  }
  /// So many positions more in the group of `level`, each alone in its groups below.
  void addAlone(int level, int count) {
    m_total += count;
    for (int l = 0; l < level; ++l) {
      close(l);
      m_occupied[at(l)] += count;
      m_most[at(l)] = std::max(m_most[at(l)], 1);
      m_fewest[at(l)] = 1;
    }
    m_ranks[at(level)] += count;
    if (level > 0) m_parts[at(level)] += count;
  }
  void close(int l) {
    const std::size_t i = at(l);
    if (m_ranks[i] == 0) return;
    const int parts = l == 0 ? m_ranks[i] : m_parts[i];
    m_most[i] = std::max(m_most[i], parts);
    m_fewest[i] = m_fewest[i] == 0 ? m_ranks[i] : std::min(m_fewest[i], m_ranks[i]);
    if (l + 1 < m_levels) {
      m_ranks[i + 1] += m_ranks[i];
      ++m_parts[i + 1];
    }
    m_ranks[i] = m_parts[i] = 0;
  }
  void enter(int position) {
    for (int l = 0; l < m_levels && position >= m_end[at(l)]; ++l) close(l);
    for (int l = 0; l < m_levels && position >= m_end[at(l)]; ++l) {
      m_end[at(l)] = m_cluster.groupSpan(l, m_cluster.groupOf(l, position)).second;
      ++m_occupied[at(l)];
    }
  }

  const Hierarchy& m_cluster;
  int m_levels;
  int m_total = 0;
  long long m_looked = 0;
  std::vector<int> m_end, m_ranks, m_parts, m_occupied, m_most, m_fewest;
};

void mix(std::size_t& seed, int value) {
  seed = (seed ^ static_cast<std::size_t>(value)) * 0x9e3779b97f4a7c15ULL;
  seed ^= seed >> 32;
}

/// Answers to questions that are asked again soon; a long search asks millions.
template <class Map>
int remember(Map& answers, typename Map::key_type key, int answer) {
  constexpr std::size_t kMost = 1 << 18;
  if (answers.size() >= kMost) answers.clear();
  answers.emplace(std::move(key), answer);
  return answer;
}

}  // namespace

std::size_t GroupShapes::Hash::operator()(const Key& k) const {
  std::size_t seed = 0;
  const RankPattern& p = k.pattern;
  for (int v : {p.base, p.outer, p.outerStride, p.count, p.stride, p.inner, p.innerStride, k.a, k.b, k.c})
    mix(seed, v);
  return seed;
}

std::size_t GroupShapes::Hash::operator()(const std::vector<int>& values) const {
  std::size_t seed = values.size();
  for (int v : values) mix(seed, v);
  return seed;
}

GroupShapes::GroupShapes(const Hierarchy& cluster, Places places) : m_cluster(cluster), m_places(places) {
  if (places == Places::Any) m_room.emplace(cluster);
  if (!cluster.isRegular() || places == Places::Any) return;
  const int h = cluster.levelCount();
  m_period = h >= 2 ? cluster.uniformGroupSize(h - 2) : 1;
}

int GroupShapes::shapeOfRun(int start, int ranks, int stride) {
  const Key key{{reduced(start), 1, 0, ranks, stride, 1, 1}, 0, 0, 0};
  if (m_period > 0)
    if (const auto it = m_runs.find(key); it != m_runs.end()) return it->second;
  ShapeStream stream(m_cluster);
  stream.add(key.pattern);
  stream.finish();
  m_looked += stream.looked();
  int outer = 0;
  while (stream.occupied(outer) > 1) ++outer;
  std::vector<int> positions;
  for (int j = 0; j < ranks; ++j) positions.push_back(key.pattern.base + j * stride);
  const int id = intern(stream.most(), stream.fewest(), outer, ranks, allToAllOf(positions));
  if (m_period > 0) remember(m_runs, key, id);  // else runsFrom() does
  return id;
}

// An irregular cluster has as many places as devices, and each layout asks about most of them.
std::vector<int>& GroupShapes::runsFrom(int ranks, int stride) {
  constexpr std::size_t kMostBytes = std::size_t(64) << 20;
  const auto devices = static_cast<std::size_t>(m_cluster.deviceCount());
  if (m_runsFrom.size() * devices * sizeof(int) > kMostBytes && !m_runsFrom.contains({ranks, stride}))
    m_runsFrom.clear();
  auto& known = m_runsFrom[{ranks, stride}];
  if (known.empty()) known.assign(devices, -1);
  return known;
}

// Runs that hosts hold whole, and such as fill them, begin where cheapest() has them.
GroupRates GroupShapes::cheapestRun(int ranks, int stride) {
  constexpr int kMostStarts = 1024;
  GroupRates least = cheapest(ranks, stride);
  if (ranks < 2 || m_period == 0 || m_period > kMostStarts) return least;
  const int host = m_cluster.uniformGroupSize(0), reach = (ranks - 1) * stride;
  if (reach < host || (host % stride == 0 && (ranks * stride) % host == 0)) return least;
  if (m_ledger && !m_ledger->uses(SearchBound::Runs)) return least;
  const auto [it, isNew] = m_cheapestRuns.try_emplace({ranks, stride});
  GroupRates& runs = it->second;
  std::optional<BoundLedger::Timer> timer;
  if (m_ledger && isNew) timer.emplace(*m_ledger, SearchBound::Runs);
  for (int start = 0; isNew && start < m_period && start + reach < m_cluster.deviceCount(); ++start) {
    ShapeStream stream(m_cluster);
    stream.add({start, 1, 0, ranks, stride, 1, 1});
    stream.finish();
    m_looked += stream.looked();
    int outer = 0;
    while (stream.occupied(outer) > 1) ++outer;
    const GroupRates run = ratesOf(stream.most(), stream.fewest(), outer, ranks);
    if (start == 0) runs = run;
    for (auto rate : {&GroupRates::flatLatency, &GroupRates::flatPerByte, &GroupRates::nestedLatency,
                      &GroupRates::nestedPerByte, &GroupRates::ringLatency, &GroupRates::ringPerByte})
      runs.*rate = std::min(runs.*rate, run.*rate);
    runs.outerLevel = std::min(runs.outerLevel, outer);
  }
  runs.allToAll = least.allToAll;
  if (m_ledger && isNew)
    m_ledger->count(SearchBound::Runs,
                    runs.flatPerByte > least.flatPerByte || runs.nestedPerByte > least.nestedPerByte);
  return runs;
}

int GroupShapes::shorten(int& count, int stride) const {
  if (m_period == 0 || count < 2) return 0;
  const int cycle = m_period / std::gcd(stride, m_period);
  if (count < 3 * cycle) return 0;
  const int kept = 2 * cycle + count % cycle;
  const int cycles = (count - kept) / cycle;
  count = kept;
  return cycles;
}

int GroupShapes::shapeOf(const RankPattern& full) {
  RankPattern p = full;
  p.base = reduced(p.base);
  if (p.inner == 1) p.innerStride = 1;
  if (p.outer == 1) p.outerStride = 0;
  if (p.count == 1 && p.inner == 1 && p.outer > 1) {
    std::swap(p.count, p.outer);
    p.stride = p.outerStride;
    p.outerStride = 0;
  }
  if (p.count == 1) p.stride = 1;
  const int ranks = p.outer * p.count * p.inner;
  // On an irregular hierarchy hardly a pattern is asked for twice but in the same set, which is remembered
  // itself; to look it up takes longer than to count it.
  if (m_period == 0) {
    const Counts c = countsOf(p);
    return intern(c.most, c.fewest, c.outer, ranks, {});
  }
  const Key key{p, 0, 0, 0};
  if (const auto it = m_patterns.find(key); it != m_patterns.end()) return it->second;

  const int top = m_cluster.levelCount() - 1;
  if (top == 0) return remember(m_patterns, key, intern({ranks}, {ranks}, 0, ranks, {}));
  const int below = std::max(0, top - 1);
  const auto occupiedBy = [&](const RankPattern& q) {
    ShapeStream s(m_cluster);
    s.add(q);
    m_looked += s.looked();
    return s.occupied(below);
  };
  int leftOut = 0;  // groups below the outermost level that the shortened pattern does not visit
  const auto shortenRepetition = [&](int& count, int stride, int copies, const RankPattern& single,
                                     int RankPattern::*field) {
    const int before = count;
    const int cycles = shorten(count, stride);
    if (cycles == 0) return 0;
    RankPattern once = single, more = single;
    once.*field = count;
    more.*field = count + m_period / std::gcd(stride, m_period);
    leftOut += copies * cycles * (occupiedBy(more) - occupiedBy(once));
    return (before - count) * stride;
  };
  RankPattern one = p;
  one.outer = 1;
  const int shrunk = shortenRepetition(p.count, p.stride, p.outer, one, &RankPattern::count);
  if (p.outer > 1) {
    p.outerStride -= shrunk;
    shortenRepetition(p.outer, p.outerStride, 1, p, &RankPattern::outer);
  }
  ShapeStream stream(m_cluster);
  stream.add(p);
  stream.finish();
  m_looked += stream.looked();
  int outer = 0;
  while (stream.occupied(outer) > 1) ++outer;
  auto most = stream.most();
  if (leftOut > 0) {
    outer = top;
    most[at(top)] = stream.occupied(below) + leftOut;
  }
  const int id = intern(most, stream.fewest(), outer, ranks, {});
  remember(m_patterns, key, id);
  return id;
}

int GroupShapes::internSet(std::vector<int> shapes) {
  std::sort(shapes.begin(), shapes.end());
  shapes.erase(std::unique(shapes.begin(), shapes.end()), shapes.end());
  std::vector<int> kept;
  for (int s : shapes) {
    if (std::any_of(kept.begin(), kept.end(), [&](int k) { return rates(k).atLeast(rates(s)); })) continue;
    std::erase_if(kept, [&](int k) { return rates(s).atLeast(rates(k)); });
    kept.push_back(s);
  }
  const auto [it, isNew] = m_setIds.try_emplace(kept, static_cast<int>(m_sets.size()));
  if (!isNew) return it->second;
  m_setRates.emplace_back();
  for (int s : kept) m_setRates.back().push_back(&rates(s));
  m_sets.push_back(std::move(kept));
  return it->second;
}

int GroupShapes::single() {
  if (m_single < 0) m_single = internSet({shapeOfRun(0, 1, 1)});
  return m_single;
}

int GroupShapes::setOfRuns(const RankPattern& starts, int ranks, int stride) {
  if (ranks == 1) return single();
  if (m_places == Places::Any) return setAnywhere({0, 1, 0, ranks, stride, 1, 1});
  RankPattern p = starts;
  p.base = reduced(p.base);
  if (m_period > 0) {
    // Only residues matter.
    if (p.outer > 1) p.outer = std::min(p.outer, m_period / std::gcd(p.outerStride, m_period));
    if (p.outer == 1) p.outerStride = 0;
    p.outerStride %= m_period;
    if (p.count > 1) p.count = std::min(p.count, m_period / std::gcd(p.stride, m_period));
    if (p.count == 1) p.stride = 0;
    p.stride %= m_period;
    // A run that fits a host in one offset fits it in all offsets of its alignment.
    const int host = m_cluster.uniformGroupSize(0);
    const int block = p.inner > 1 ? stride : ranks * stride;  // starts keep this alignment
    const int span = ranks * stride;
    if (host % span == 0 && p.base % span == 0 && p.outerStride % span == 0 && p.stride % span == 0 &&
        p.inner <= block) {
      p = RankPattern{0, 1, 0, 1, 0, 1, 1};
    }
  }
  const Key key{p, ranks, stride, 0};
  if (const auto it = m_runSets.find(key); it != m_runSets.end()) return it->second;
  std::vector<int> shapes;
  std::vector<char> seen(m_period > 0 ? static_cast<std::size_t>(m_period) : 0, 0);
  std::vector<int>* known = m_period > 0 ? nullptr : &runsFrom(ranks, stride);
  for (int o = 0; o < p.outer; ++o)
    for (int j = 0; j < p.count; ++j)
      for (int k = 0; k < p.inner; ++k) {
        const int start = reduced(p.base + o * p.outerStride + j * p.stride + k);
        if (m_period > 0) {
          if (seen[at(start)]) continue;
          seen[at(start)] = 1;
        }
        int shape = known ? (*known)[at(start)] : -1;
        if (shape < 0) shape = shapeOfRun(start, ranks, stride);
        if (known) (*known)[at(start)] = shape;
        if (shapes.empty() || shapes.back() != shape) shapes.push_back(shape);
      }
  const int id = internSet(std::move(shapes));
  remember(m_runSets, key, id);
  return id;
}

int GroupShapes::setOfGroups(RankPattern p, int shifts, int jumps, int jump) {
  if (m_places == Places::Any) return setAnywhere(p);
  p.base = reduced(p.base);
  if (p.outer == 1) p.outerStride = 0;
  if (p.count == 1) p.stride = 0;
  if (p.outer * p.count * p.inner == 1) return single();
  const Key key{p, shifts, jumps, jump};
  if (const auto it = m_groupSets.find(key); it != m_groupSets.end()) return it->second;
  // Shifts inside one unit of alignment change nothing on a regular hierarchy.
  int unit = 1;
  if (m_period > 0) {
    unit = std::gcd(std::gcd(m_cluster.uniformGroupSize(0), p.base), std::gcd(p.stride, p.outerStride));
    if (p.inner > 1) unit = std::gcd(unit, p.innerStride);
    if (jumps > 1) unit = std::gcd(unit, jump);
  }
  std::vector<int> shapes;
  for (int k = 0; k < jumps; ++k)
    for (int q = 0; q < shifts; q += unit) {
      RankPattern shifted = p;
      shifted.base += k * jump + q;
      shapes.push_back(shapeOf(shifted));
    }
  const int id = internSet(std::move(shapes));
  remember(m_groupSets, key, id);
  return id;
}

int GroupShapes::setOfGroups(RankPattern p, std::vector<Repeat> starts) {
  if (m_places == Places::Any) return setAnywhere(p);
  p.base = reduced(p.base);
  if (p.outer == 1) p.outerStride = 0;
  if (p.count == 1) p.stride = 0;
  if (p.inner == 1) p.innerStride = 1;
  if (p.outer * p.count * p.inner == 1) return single();
  std::erase_if(starts, [](const Repeat& r) { return r.count == 1; });
  std::vector<int> key = {p.base, p.outer, p.outerStride, p.count, p.stride, p.inner, p.innerStride};
  for (Repeat& r : starts) {
    // Only residues matter on a regular hierarchy, and there shifts inside one unit of alignment change
    // nothing.
    if (m_period > 0) r.count = std::min(r.count, m_period / std::gcd(r.stride, m_period));
    key.insert(key.end(), {r.count, r.stride});
  }
  if (const auto it = m_repeatedSets.find(key); it != m_repeatedSets.end()) return it->second;
  int unit = 1;
  if (m_period > 0) {
    unit = std::gcd(std::gcd(m_cluster.uniformGroupSize(0), p.base), std::gcd(p.stride, p.outerStride));
    if (p.inner > 1) unit = std::gcd(unit, p.innerStride);
    for (const Repeat& r : starts)
      if (r.stride > 1) unit = std::gcd(unit, r.stride);
  }
  std::vector<int> shifts = {0};
  for (const Repeat& r : starts) {
    const int step = r.stride == 1 ? unit : 1;
    const std::size_t before = shifts.size();
    for (int k = step; k < r.count; k += step)
      for (std::size_t i = 0; i < before; ++i) shifts.push_back(shifts[i] + k * r.stride);
  }
  for (int& s : shifts) s = reduced(p.base + s);
  std::sort(shifts.begin(), shifts.end());
  shifts.erase(std::unique(shifts.begin(), shifts.end()), shifts.end());
  std::vector<int> shapes;
  for (const int base : shifts) {
    RankPattern shifted = p;
    shifted.base = base;
    const int shape = shapeOf(shifted);
    if (shapes.empty() || shapes.back() != shape) shapes.push_back(shape);
  }
  const int id = internSet(std::move(shapes));
  remember(m_repeatedSets, std::move(key), id);
  return id;
}

GroupShapes::Counts GroupShapes::countsOf(const RankPattern& p) {
  ShapeStream stream(m_cluster);
  stream.add(p);
  stream.finish();
  m_looked += stream.looked();
  int outer = 0;
  while (stream.occupied(outer) > 1) ++outer;
  Counts counts{std::move(stream.most()), std::move(stream.fewest()), outer};
  counts.most.resize(at(outer + 1));
  counts.fewest.resize(at(outer + 1));
  return counts;
}

double GroupShapes::perByteOf(const RankPattern& group) {
  const int ranks = group.outer * group.count * group.inner;
  if (ranks < 2) return 0;
  const Counts c = countsOf(group);
  const GroupRates r = ratesOf(c.most, c.fewest, c.outer, ranks);
  return std::min(r.flatPerByte, r.nestedPerByte);
}

int GroupShapes::highestLevelCrossed(int base, int width, int distance, int outer, int outerStride) const {
  // Some pair (p, p + distance) straddles a boundary c exactly if base < c ≤ base + width − 1 + distance.
  const int span = width - 1 + distance;
  if (m_places == Places::Any) return m_room->levelOf(span + 1LL);
  int level = 0;
  if (m_period == 0) {
    for (int o = 0; o < outer; ++o) {
      const int begin = base + o * outerStride;
      level = std::max(level, m_cluster.levelBetween(begin, begin + span));
    }
    return level;
  }
  for (int l = m_cluster.levelCount() - 2; l >= 0; --l) {
    const int size = m_cluster.uniformGroupSize(l);
    int unit = outer > 1 ? std::gcd(outerStride, size) : size;
    if (unit == 0) unit = size;
    if (outer >= size / unit) {
      // All residues of base modulo `unit` occur; the worst one stands last in the group.
      if (base % unit + span >= unit) return l + 1;
      continue;
    }
    for (int o = 0; o < outer; ++o)
      if ((base + static_cast<long long>(o) * outerStride) % size + span >= size) return l + 1;
  }
  return level;
}

int GroupShapes::reachBetween(int base, int a, int other, int b, int inner, int outer, int outerStride) {
  if (a == b) {
    const int low = std::min(base, other);
    return highestLevelCrossed(low, inner * a, std::abs(other - base), outer, outerStride);
  }
  if (m_places == Places::Any) return reachAnywhere(base, a, other, b, inner);
  const int shift = base - reduced(base);
  base -= shift;
  other -= shift;
  if (outer == 1) outerStride = 0;
  const Key key{{base, outer, outerStride, a, b, inner, 1}, other, 0, 0};
  if (const auto it = m_reaches.find(key); it != m_reaches.end()) return it->second;
  // Blocks repeat on a regular hierarchy; the top level is the top level wherever a block begins.
  const int blocks =
      m_period > 0 && outer > 1 ? std::min(outer, m_period / std::gcd(outerStride, m_period)) : outer;
  const int wide = std::max(a, b), top = m_cluster.levelCount() - 1;
  int level = 0;
  for (int o = 0; o < blocks && level < top; ++o)
    for (int j = 0; j < inner && level < top; ++j)
      for (int q = 0; q < wide && level < top; ++q) {
        const int from =
            base + o * outerStride + j * a + static_cast<int>(static_cast<long long>(q) * a / wide);
        const int to =
            other + o * outerStride + j * b + static_cast<int>(static_cast<long long>(q) * b / wide);
        level = std::max(level, m_cluster.levelBetween(from, to));
      }
  remember(m_reaches, key, level);
  return level;
}

}  // namespace nest::solver
