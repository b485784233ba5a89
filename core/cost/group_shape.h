#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/levels/hierarchy.h"

namespace nest {

inline constexpr int kShapeLevels = 8;  ///< upper bound on the levels of a Hierarchy

/// How a group of ranks is distributed over the levels of a Hierarchy: everything that the cost of its
/// reduce-scatter, all-gather, all-reduce and ring depends on (STATEMENT.md §4). Entries above `outermost`
/// are 0, so that equal shapes compare equal.
struct GroupShape {
  std::int32_t ranks = 1;      ///< n
  std::int32_t outermost = 0;  ///< innermost level that joins all ranks
  /// n_ℓ: most occupied level-(ℓ−1) groups in one level-ℓ group; n_0: ranks.
  std::array<std::int32_t, kShapeLevels> occupied{};
  std::array<std::int32_t, kShapeLevels> fewest{};  ///< f_ℓ: fewest ranks in any occupied level-ℓ group

  friend auto operator<=>(const GroupShape&, const GroupShape&) = default;
};

/// For each distinct kind of rank r of a group, the number of ranks within level ℓ of it, itself included
/// (N_ℓ(r)). Sorted and distinct. An all-to-all depends on them.
struct PeerCounts {
  std::int32_t ranks = 1;
  std::vector<std::array<std::int32_t, kShapeLevels>> within;

  friend auto operator<=>(const PeerCounts&, const PeerCounts&) = default;
};

/// `positions` in locality order: ascending and distinct, at least one. O(n · levels).
GroupShape shapeOf(const Hierarchy&, std::span<const int> positions);
PeerCounts peersOf(const Hierarchy&, std::span<const int> positions);

}  // namespace nest
