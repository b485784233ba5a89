// What a group of ranks costs at least on any line (STATEMENT.md §3): whatever devices stay idle, and in
// whatever order the groups of the network stand.
//
// Claim: no group of n ranks, q positions or more apart, is cheaper than cheapestAnywhere(n, q) on a line.
// Proof: on a line a level-l group is a run of positions, part of a level-l group of the cluster that has g
// devices, and holds at most ceil(g/q) of the ranks. So the ranks stand in N_l >= leastGroups(l) groups, the
// fewest whose rooms add up to n. By the proof of cheapest() (group_rates.cpp) a reduce-scatter takes per
// byte at least sum over l of (1/B_l - 1/B_{l-1})·(N_{l-1} - 1)/n, which grows with each N. Steps: from level
// k on the n_l multiply to N_{k-1} or more, so that they take ceil(log2 N_{k-1}) steps or more at level k or
// further out; latencies grow with the level, so sum over l of (a_l - a_{l-1})·ceil(log2 N_{l-1}) is least.
// Flat exchanges take all of that at the outermost level. Ring and hops: a run of positions that stands in
// one group has no more positions than the group devices.
// Cost: one look at the different sizes of groups a level.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "solver/space/group_shapes.h"
#include "units/at.h"

namespace nest::solver {
namespace {

double stepsFor(int n) {
  int bits = 0;
  while ((1LL << bits) < n) ++bits;
  return bits;
}

/// What two members of the pattern are apart, at least.
int spacingOf(const RankPattern& p) {
  std::vector<std::pair<long long, int>> rows;
  for (const auto& [count, stride] :
       {std::pair(p.inner, p.innerStride), std::pair(p.count, p.stride), std::pair(p.outer, p.outerStride)})
    if (count > 1) rows.emplace_back(stride, count);
  std::sort(rows.begin(), rows.end());
  long long spacing = 0, extent = 0;
  for (const auto& [stride, count] : rows) {
    const long long apart = stride - extent;
    spacing = spacing == 0 ? apart : std::min(spacing, apart);
    extent += (count - 1) * stride;
  }
  return static_cast<int>(std::max(1LL, spacing));
}

}  // namespace

void GroupShapes::countSizes() {
  m_sizes.resize(at(m_cluster.levelCount()));
  for (int l = 0; l < m_cluster.levelCount(); ++l) {
    std::map<int, int, std::greater<>> count;
    for (int g = 0; g < m_cluster.groupCount(l); ++g) {
      const auto [begin, end] = m_cluster.groupSpan(l, g);
      ++count[end - begin];
    }
    m_sizes[at(l)].assign(count.begin(), count.end());
  }
}

int GroupShapes::leastGroups(int level, int ranks, int spacing) const {
  long long groups = 0, left = ranks;
  for (const auto& [size, count] : m_sizes[at(level)]) {
    const long long room = (size + spacing - 1LL) / spacing;
    const long long taken = std::min<long long>(count, (left + room - 1) / room);
    groups += taken;
    left -= taken * room;
    if (left <= 0) break;
  }
  return static_cast<int>(std::max(1LL, groups));
}

int GroupShapes::levelOf(long long devices) const {
  int level = 0;
  while (level + 1 < m_cluster.levelCount() && m_cluster.largestGroupSize(level) < devices) ++level;
  return level;
}

GroupRates GroupShapes::cheapestAnywhere(int ranks, int spacing) const {
  GroupRates r = cheapest(ranks, spacing);  // of all-to-all
  if (ranks < 2) return r;
  double latency = 0, perByte = 0, innerLatency = 0, innerPerByte = 0;
  int parts = ranks;  // groups of the level inside
  r.outerLevel = 0;
  for (int l = 0; l < m_cluster.levelCount() && parts > 1; ++l) {
    const NetworkLevel& level = m_cluster.level(l);
    const double own = level.latency.value(), ownPerByte = 1 / level.sustained(ranks).value();
    latency += (own - innerLatency) * stepsFor(parts);
    perByte += (ownPerByte - innerPerByte) * (parts - 1.0) / ranks;
    innerLatency = own, innerPerByte = ownPerByte;
    r.outerLevel = l;
    parts = l + 1 < m_cluster.levelCount() ? std::min(parts, leastGroups(l, ranks, spacing)) : 1;
  }
  const NetworkLevel& outer = m_cluster.level(r.outerLevel);
  r.flatLatency = r.nestedLatency = latency;
  r.flatPerByte = r.nestedPerByte = perByte;
  r.ringLatency = (ranks - 1.0) * outer.latency.value();
  r.ringPerByte = (ranks - 1.0) / outer.sustained().value();
  return r;
}

int GroupShapes::setAnywhere(int ranks, int spacing) {
  if (ranks < 2) return single();
  const auto [it, isNew] = m_anywhere.try_emplace({ranks, spacing}, 0);
  if (isNew) {
    m_rates.push_back(cheapestAnywhere(ranks, spacing));
    it->second = internSet({static_cast<int>(m_rates.size()) - 1});
  }
  return it->second;
}

int GroupShapes::setAnywhere(const RankPattern& p) {
  return setAnywhere(p.outer * p.count * p.inner, spacingOf(p));
}

// The pairs that are furthest apart stand at an end.
int GroupShapes::reachAnywhere(int base, int a, int other, int b, int inner) const {
  const int wide = std::max(a, b);
  long long most = 0;
  for (const int j : {0, inner - 1})
    for (const int q : {0, wide - 1}) {
      const long long from = base + static_cast<long long>(j) * a + static_cast<long long>(q) * a / wide;
      const long long to = other + static_cast<long long>(j) * b + static_cast<long long>(q) * b / wide;
      most = std::max(most, std::abs(to - from));
    }
  return levelOf(most + 1);
}

}  // namespace nest::solver
