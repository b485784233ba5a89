#include "cost/group_shape.h"

#include <algorithm>

namespace nest {

GroupShape shapeOf(const Hierarchy& h, std::span<const int> positions) {
  GroupShape shape;
  shape.ranks = static_cast<std::int32_t>(positions.size());
  for (int l = 0; l < h.levelCount(); ++l) {
    // In one pass over the ranks, a level-l group ends where groupOf(l) changes, and a group of level l−1
    // where groupOf(l−1) changes.
    std::int32_t groups = 0, ranksHere = 0, partsHere = 0;
    std::int32_t most = 0, fewest = shape.ranks;
    const auto close = [&] {
      most = std::max(most, partsHere);
      fewest = std::min(fewest, ranksHere);
    };
    int group = -1, part = -1;
    for (const int p : positions) {
      const int g = h.groupOf(l, p);
      if (g != group) {
        if (groups > 0) close();
        ++groups;
        group = g;
        ranksHere = partsHere = 0;
        part = -1;
      }
      const int inner = l == 0 ? p : h.groupOf(l - 1, p);
      if (inner != part) {
        ++partsHere;
        part = inner;
      }
      ++ranksHere;
    }
    close();
    shape.occupied[l] = most;
    shape.fewest[l] = fewest;
    shape.outermost = l;
    if (groups == 1) break;
  }
  return shape;
}

PeerCounts peersOf(const Hierarchy& h, std::span<const int> positions) {
  PeerCounts peers;
  peers.ranks = static_cast<std::int32_t>(positions.size());
  std::vector<std::array<std::int32_t, kShapeLevels>> all(positions.size());
  for (int l = 0; l < h.levelCount(); ++l) {
    for (std::size_t from = 0; from < positions.size();) {
      std::size_t to = from;
      while (to < positions.size() && h.groupOf(l, positions[to]) == h.groupOf(l, positions[from])) ++to;
      for (std::size_t k = from; k < to; ++k) all[k][l] = static_cast<std::int32_t>(to - from);
      from = to;
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  peers.within = std::move(all);
  return peers;
}

}  // namespace nest
