#pragma once

#include "cost/group_shape.h"
#include "model/profile.h"
#include "units/quantity.h"

/// Durations of exchanges (STATEMENT.md §4). They are pure functions of a group's shape. An exchange of no
/// bytes, or in a group of one rank, takes no time.
namespace nest {

/// α_ℓ + D/B_ℓ, STATEMENT.md (4.1).
Seconds transferTime(const Hierarchy&, int level, Bytes);

/// One level's part of a reduce-scatter or all-gather: latency + share · bytes ÷ bandwidth. The evaluation
/// sums these steps, the explanation shows them, and the search derives its coefficients from them.
struct GatherStep {
  int level = 0, parties = 1;
  Seconds latency;   ///< ⌈log₂ parties⌉·α
  double share = 0;  ///< (parties − 1) ÷ parties
  BytesPerSecond bandwidth;

  Seconds time(Bytes bytes) const { return latency + Seconds(share * bytes.value() / bandwidth.value()); }
};
/// `ranks`: of the whole group; the bandwidth may depend on it (STATEMENT.md (10.7)).
GatherStep gatherStep(const NetworkLevel&, int level, int parties, int ranks);

/// A reduce-scatter or all-gather of a tensor of `full` bytes at the outermost level spanned, by recursive
/// halving [Thakur 2005], STATEMENT.md (4.2).
Seconds flatGatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// The same level by level, innermost first, STATEMENT.md (4.3).
template <class Visit>  // visit(GatherStep, Bytes)
void visitGatherSteps(const Hierarchy& h, const GroupShape& g, Bytes full, const Visit& visit) {
  Bytes held = full;
  for (int l = 0; l <= g.outermost; ++l) {
    const auto k = static_cast<std::size_t>(l);
    visit(gatherStep(h.level(l), l, g.occupied[k], g.ranks), held);
    held = Bytes(full.value() / g.fewest[k]);
  }
}
Seconds hierarchicalGatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// The smaller of the two times.
Seconds gatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// Reduce-scatter, then all-gather, STATEMENT.md (4.4).
Seconds allReduceTime(const Hierarchy&, const GroupShape&, Bytes full);

/// `sent`: what one rank sends in all, including its own share. The slowest rank counts, STATEMENT.md (4.5).
Seconds allToAllTime(const Hierarchy&, const PeerCounts&, Bytes sent);

/// n−1 hops of `perHop` bytes at the outermost level spanned, STATEMENT.md (4.6).
Seconds ringExchangeTime(const Hierarchy&, const GroupShape&, Bytes perHop);

/// The time of one collective of the given bytes. `peers` is used for an all-to-all only.
Seconds collectiveTime(const Hierarchy&, CollectiveKind, Bytes, const GroupShape&, const PeerCounts& peers);
/// The time of one Collective of a layer, repeated `times` times.
Seconds collectiveTime(const Hierarchy&, const Collective&, const GroupShape&, const PeerCounts& peers);

}  // namespace nest
