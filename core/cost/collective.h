#pragma once

#include "cost/group_shape.h"
#include "model/profile.h"
#include "units/quantity.h"

/// Durations of exchanges (STATEMENT.md §4). Pure functions of a group's shape. Nothing to send, or one rank,
/// takes no time.
namespace nest {

/// α_ℓ + D/B_ℓ, STATEMENT.md (4.1).
Seconds transferTime(const Hierarchy&, int level, Bytes);

/// Reduce-scatter or all-gather of a tensor of `full` bytes at the outermost level spanned, by recursive
/// halving [Thakur 2005], STATEMENT.md (4.2).
Seconds flatGatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// The same level by level, innermost first, STATEMENT.md (4.3).
Seconds hierarchicalGatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// The cheaper of the two.
Seconds gatherTime(const Hierarchy&, const GroupShape&, Bytes full);
/// Reduce-scatter, then all-gather, STATEMENT.md (4.4).
Seconds allReduceTime(const Hierarchy&, const GroupShape&, Bytes full);

/// `sent`: what one rank sends in all, its own share included. The slowest rank counts, STATEMENT.md (4.5).
Seconds allToAllTime(const Hierarchy&, const PeerCounts&, Bytes sent);

/// n−1 hops of `perHop` bytes at the outermost level spanned, STATEMENT.md (4.6).
Seconds ringExchangeTime(const Hierarchy&, const GroupShape&, Bytes perHop);

/// One Collective of a layer, all its `times`. `peers` is read for an all-to-all only.
Seconds collectiveTime(const Hierarchy&, const Collective&, const GroupShape&, const PeerCounts& peers);

}  // namespace nest
