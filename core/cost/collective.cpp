#include "cost/collective.h"

#include <algorithm>
#include <bit>

namespace nest {
namespace {

double alpha(const Hierarchy& h, int l) {
  return h.level(l).latency.value();
}
double beta(const Hierarchy& h, int l) {
  return h.level(l).sustained().value();
}

/// ⌈log₂ n⌉ for n ≥ 1.
double rounds(int n) {
  return static_cast<double>(std::bit_width(static_cast<unsigned>(n - 1)));
}

bool isIdle(int ranks, Bytes bytes) {
  return ranks <= 1 || !(bytes.value() > 0);
}

}  // namespace

GatherStep gatherStep(const NetworkLevel& l, int level, int parties, int ranks) {
  const double n = parties;
  return {level, parties, rounds(parties) * l.latency, (n - 1) / n, l.sustained(ranks)};
}

Seconds transferTime(const Hierarchy& h, int level, Bytes bytes) {
  if (!(bytes.value() > 0)) return {};
  return Seconds(alpha(h, level) + bytes.value() / beta(h, level));
}

Seconds flatGatherTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  if (isIdle(g.ranks, full)) return {};
  return gatherStep(h.level(g.outermost), g.outermost, g.ranks, g.ranks).time(full);
}

Seconds hierarchicalGatherTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  if (isIdle(g.ranks, full)) return {};
  Seconds sum;
  visitGatherSteps(h, g, full, [&](const GatherStep& step, Bytes held) { sum += step.time(held); });
  return sum;
}

Seconds gatherTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  return std::min(flatGatherTime(h, g, full), hierarchicalGatherTime(h, g, full));
}

Seconds allReduceTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  return 2 * gatherTime(h, g, full);
}

Seconds allToAllTime(const Hierarchy& h, const PeerCounts& peers, Bytes sent) {
  if (isIdle(peers.ranks, sent)) return {};
  const double share = sent.value() / peers.ranks;
  double slowest = 0;
  for (const auto& within : peers.within) {
    double sum = 0;
    int inside = 1;
    for (int l = 0; l < h.levelCount(); ++l) {
      const int here = within[l];
      sum += (here - inside) * (alpha(h, l) + share / beta(h, l));
      inside = here;
    }
    slowest = std::max(slowest, sum);
  }
  return Seconds(slowest);
}

Seconds ringExchangeTime(const Hierarchy& h, const GroupShape& g, Bytes perHop) {
  if (isIdle(g.ranks, perHop)) return {};
  return (g.ranks - 1) * transferTime(h, g.outermost, perHop);
}

Seconds collectiveTime(const Hierarchy& h, CollectiveKind kind, Bytes bytes, const GroupShape& g,
                       const PeerCounts& peers) {
  switch (kind) {
    case CollectiveKind::AllReduce:
      return allReduceTime(h, g, bytes);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
      return gatherTime(h, g, bytes);
    case CollectiveKind::AllToAll:
      return allToAllTime(h, peers, bytes);
    case CollectiveKind::RingExchange:
      break;
  }
  return ringExchangeTime(h, g, bytes);
}

Seconds collectiveTime(const Hierarchy& h, const Collective& c, const GroupShape& g,
                       const PeerCounts& peers) {
  return c.times * collectiveTime(h, c.kind, c.bytes, g, peers);
}

}  // namespace nest
