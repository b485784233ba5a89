#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cluster/levels/hierarchy.h"

namespace nest::solver {

/// How much the groups and devices of a cluster can hold of what stands on any line of it (STATEMENT.md
/// (6.17), (6.18)). On a line a level-l group of the cluster is a run of no more positions than it has
/// devices.
class LineRoom {
public:
  explicit LineRoom(const Hierarchy&);

  /// Level-l groups that hold so many ranks, at least; `held(g)`: what a run of g positions holds at most.
  template <class Held>
  int leastGroups(int level, int ranks, Held held) const;
  /// The innermost level with a group of so many devices; of those that no line holds the outermost.
  int levelOf(long long devices) const;

  /// Runs of so many neighbouring positions that stand whole in level-l groups, at most.
  long long runsInside(int level, long long devices) const;
  /// (runs of so many positions, level-l groups that hold so many of them), the largest first.
  std::vector<std::pair<int, int>> capacities(int level, int devices) const;
  /// Boundaries between neighbours of a pipeline of stages of `width` positions a block of which each block
  /// has both stages in one level-l group, at most.
  int boundariesInside(int level, int width, int stages, int blocks) const;

  /// Devices that are at least as fast, or hold at least as much: the best first.
  struct Kind {
    double value = 0;
    long long devices = 0;
  };
  const std::vector<Kind>& speeds() const { return m_speeds; }
  const std::vector<Kind>& memories() const { return m_memories; }  ///< bytes

private:
  /// By level: (devices, groups that have so many), largest first.
  std::vector<std::vector<std::pair<int, int>>> m_sizes;
  std::vector<Kind> m_speeds, m_memories;
};

template <class Held>
int LineRoom::leastGroups(int level, int ranks, Held held) const {
  long long groups = 0, left = ranks;
  for (const auto& [size, count] : m_sizes[static_cast<std::size_t>(level)]) {
    const long long room = held(size);
    const long long taken = std::min<long long>(count, (left + room - 1) / room);
    groups += taken;
    left -= taken * room;
    if (left <= 0) break;
  }
  return static_cast<int>(std::max(1LL, groups));
}

}  // namespace nest::solver
