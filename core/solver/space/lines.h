#pragma once

#include <functional>
#include <vector>

#include "cluster/levels/hierarchy.h"

namespace nest::solver {

/// What stands on a line: blocks of `cell` devices (the first stage's), of replicas of `unit` devices.
struct LineUse {
  int unit = 1, cell = 1;
  long long devices = 1;  ///< of all blocks
  /// One block of stages of equal width: what it costs if the boundary behind a stage crosses groups. Empty:
  /// not known.
  std::vector<double> crossings;
};

/// A line of the cluster as parts of the groups of one level, in order: of each the first so many devices
/// that were kept.
class Line {
public:
  struct Part {
    int group = 0, taken = 0;
    friend bool operator==(const Part&, const Part&) = default;
  };
  /// Which devices of each group may be taken, in their order; of hosts whole units alone, where they hold
  /// several. `usable`: by position; empty: all.
  Line(const Hierarchy&, int level, int unit, const std::vector<char>& usable);

  int level() const { return m_level; }
  int groups() const { return static_cast<int>(m_kept.size()); }
  int room(int group) const { return static_cast<int>(m_kept[group].size()); }
  /// The devices of the parts, at most so many. Groups of a level further out stay together, in the order in
  /// which the parts name them first.
  std::vector<int> positions(const std::vector<Part>&, long long most) const;

private:
  const Hierarchy& m_cluster;
  int m_level;
  std::vector<std::vector<int>> m_kept;
};

/// Parts that let few blocks straddle groups: blocks whole or in equal chunks, with and without what is left
/// of the groups.
std::vector<std::vector<Line::Part>> partsFor(const Line&, const LineUse&);

}  // namespace nest::solver
