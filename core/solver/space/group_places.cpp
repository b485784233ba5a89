// What a group of ranks costs at least on any line (STATEMENT.md §3): whatever devices stay idle, and in
// whatever order the groups of the network stand.
//
// Claim: no group of a pattern of n ranks is cheaper than cheapestAnywhere() on a line.
// Proof: on a line a level-l group is a run of positions, part of a level-l group of the cluster that has g
// devices, and holds at most heldBy(g) of the ranks. So the ranks stand in N_l >= leastGroups(l) groups, the
// fewest whose rooms add up to n; and in two at least where no level-l group holds all. By the proof of
// cheapest() (group_rates.cpp) a reduce-scatter takes per byte at least sum over l of
// (1/B_l - 1/B_{l-1})·(N_{l-1} - 1)/n, which grows with each N. Steps: from level k on the n_l multiply to
// N_{k-1} or more, so that they take ceil(log2 N_{k-1}) steps or more at level k or further out; latencies
// grow with the level, so sum over l of (a_l - a_{l-1})·ceil(log2 N_{l-1}) is least. Flat exchanges take all
// of that at the outermost level. All-to-all: of N_L groups the one with the fewest ranks has n/N_L of them
// or fewer, and so have the groups inside it; for each L some rank sees no more than that within any level up
// to L. Ring and hops: a run of positions that stands in one group has no more positions than the group
// devices. Cost: one look at the different sizes of groups a level.
#include <algorithm>
#include <functional>
#include <utility>

#include "solver/space/group_shapes.h"
#include "units/at.h"

namespace nest::solver {
namespace {

double stepsFor(int n) {
  int bits = 0;
  while ((1LL << bits) < n) ++bits;
  return bits;
}

/// A pattern as rows, the widest stride first.
struct Rows {
  std::vector<std::pair<long long, long long>> rows;  ///< stride, count
  long long spacing = 1;                              ///< what two members are apart, at least
  bool areNested = true;  ///< each row ends before the next one of its kind begins

  explicit Rows(const RankPattern& p) {
    for (const auto& [count, stride] :
         {std::pair(p.inner, p.innerStride), std::pair(p.count, p.stride), std::pair(p.outer, p.outerStride)})
      if (count > 1) rows.emplace_back(stride, count);
    std::sort(rows.begin(), rows.end(), std::greater<>());
    long long least = 0, extent = 0;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      const long long apart = row->first - extent;
      least = least == 0 ? apart : std::min(least, apart);
      extent += (row->second - 1) * row->first;
      if (const auto outer = row + 1; outer != rows.rend())
        areNested = areNested && outer->first >= row->first * row->second;
    }
    spacing = std::max(1LL, least);
  }

  /// Members in a run of so many positions, at most: those of a run that begins with the first member. For
  /// the number F of members before a position satisfies F(x + y) ≤ F(x) + F(y), where rows are nested.
  long long heldBy(long long run) const {
    if (!areNested) return (run + spacing - 1) / spacing;
    long long held = 0, members = 1;
    for (const auto& [stride, count] : rows) members *= count;
    for (const auto& [stride, count] : rows) {
      members /= count;
      const long long full = std::min(count, run / stride);
      held += full * members;
      if (full == count) return held;
      run %= stride;
    }
    return held + (run > 0);
  }
};

}  // namespace

GroupRates GroupShapes::cheapestAnywhere(const RankPattern& p, int apart) const {
  const Rows rows(p);
  const int ranks = p.outer * p.count * p.inner;
  GroupRates r;
  r.ranks = ranks;
  if (ranks < 2) return r;
  double latency = 0, perByte = 0, innerLatency = 0, innerPerByte = 0;
  std::vector<int> parts = {ranks};  // groups of the level inside
  const int levels = m_cluster.levelCount();
  for (int l = 0; l < levels && parts.back() > 1; ++l) {
    const NetworkLevel& level = m_cluster.level(l);
    const double own = level.latency.value(), ownPerByte = 1 / level.sustained(ranks).value();
    latency += (own - innerLatency) * stepsFor(parts.back());
    perByte += (ownPerByte - innerPerByte) * (parts.back() - 1.0) / ranks;
    innerLatency = own, innerPerByte = ownPerByte;
    r.outerLevel = l;
    int groups = 1;
    if (l + 1 < levels)
      groups = std::max(l <= apart ? 2 : 1,
                        m_room->leastGroups(l, ranks, [&](int size) { return rows.heldBy(size); }));
    parts.push_back(std::min(parts.back(), groups));
  }
  const NetworkLevel& outer = m_cluster.level(r.outerLevel);
  r.flatLatency = r.nestedLatency = latency;
  r.flatPerByte = r.nestedPerByte = perByte;
  r.ringLatency = (ranks - 1.0) * outer.latency.value();
  r.ringPerByte = (ranks - 1.0) / outer.sustained().value();
  for (int most = 0; most <= r.outerLevel; ++most) {  // of the smallest group of this level
    double steps = 0, share = 0;
    long long held = 1;
    for (int l = 0; l <= r.outerLevel; ++l) {
      long long now = l < r.outerLevel ? rows.heldBy(m_cluster.largestGroupSize(l)) : ranks;
      if (l <= most) now = std::min<long long>(now, ranks / parts[at(most) + 1]);
      now = std::max(held, std::min<long long>(now, ranks));
      steps += static_cast<double>(now - held) * m_cluster.level(l).latency.value();
      share += static_cast<double>(now - held) / (ranks * m_cluster.level(l).sustained().value());
      held = now;
    }
    r.allToAll.emplace_back(steps, share);
  }
  return r;
}

int GroupShapes::setAnywhere(const RankPattern& p, int apart) {
  if (p.outer * p.count * p.inner < 2) return single();
  const auto [it, isNew] =
      m_anywhere.try_emplace({p.outer > 1 ? p.outerStride : 0, p.outer, p.count > 1 ? p.stride : 0, p.count,
                              p.inner > 1 ? p.innerStride : 0, p.inner, apart},
                             0);
  if (isNew) {
    m_rates.push_back(cheapestAnywhere(p, apart));
    it->second = internSet({static_cast<int>(m_rates.size()) - 1});
  }
  return it->second;
}

// Neighbouring pairs overlap, so that the runs between them are one from the first rank to the last.
int GroupShapes::reachAnywhere(int base, int a, int other, int b, int inner) const {
  const long long first = std::min(base, other), end = std::max(base + static_cast<long long>(inner) * a,
                                                                other + static_cast<long long>(inner) * b);
  return m_room->levelOf(end - first);
}

}  // namespace nest::solver
