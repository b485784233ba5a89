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
/// Of a reduce-scatter or all-gather.
double beta(const Hierarchy& h, int l, const GroupShape& g) {
  return h.level(l).sustained(g.ranks).value();
}

/// ⌈log₂ n⌉ for n ≥ 1.
double rounds(int n) {
  return static_cast<double>(std::bit_width(static_cast<unsigned>(n - 1)));
}

bool isIdle(int ranks, Bytes bytes) {
  return ranks <= 1 || !(bytes.value() > 0);
}

}  // namespace

Seconds transferTime(const Hierarchy& h, int level, Bytes bytes) {
  if (!(bytes.value() > 0)) return {};
  return Seconds(alpha(h, level) + bytes.value() / beta(h, level));
}

Seconds flatGatherTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  if (isIdle(g.ranks, full)) return {};
  const double n = g.ranks;
  return Seconds(rounds(g.ranks) * alpha(h, g.outermost) +
                 (n - 1) / n * full.value() / beta(h, g.outermost, g));
}

Seconds hierarchicalGatherTime(const Hierarchy& h, const GroupShape& g, Bytes full) {
  if (isIdle(g.ranks, full)) return {};
  double sum = 0;
  double bytes = full.value();
  for (int l = 0; l <= g.outermost; ++l) {
    const std::int32_t parts = g.occupied[l];
    const double n = parts;
    sum += rounds(parts) * alpha(h, l) + (n - 1) / n * bytes / beta(h, l, g);
    bytes = full.value() / g.fewest[l];
  }
  return Seconds(sum);
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

Seconds collectiveTime(const Hierarchy& h, const Collective& c, const GroupShape& g,
                       const PeerCounts& peers) {
  switch (c.kind) {
    case CollectiveKind::AllReduce:
      return c.times * allReduceTime(h, g, c.bytes);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
      return c.times * gatherTime(h, g, c.bytes);
    case CollectiveKind::AllToAll:
      return c.times * allToAllTime(h, peers, c.bytes);
    case CollectiveKind::RingExchange:
      break;
  }
  return c.times * ringExchangeTime(h, g, c.bytes);
}

}  // namespace nest
