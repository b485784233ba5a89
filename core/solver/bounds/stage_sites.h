#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

namespace nest::planner {

/// What the place of a stage makes of its exchanges, at least, under one strategy (STATEMENT.md (6.10)): with
/// so many units in front, in whichever of some layouts it stands. Places are parted into few classes, those
/// of which the relaxed stage is true in class 0.
class StageSites {
public:
  static constexpr int kMostClasses = 32;
  /// Of the strategy of these sums, for pipelines of up to so many units.
  StageSites(const Problem&, GroupShapes&, LayerSums&, std::span<const BlockLayout>, int units);
  /// The first blocks of every layout of a d.
  static std::vector<BlockLayout> firstBlocks(int dataDegree);

  int classes() const { return static_cast<int>(m_classes.size()); }
  const std::uint8_t* classOf() const { return m_classOf.data(); }  ///< per units in front
  /// Seconds by which a stage of a class exchanges longer than the relaxed one, under any of the policies.
  double extra(int ofClass, const Part&, const Policies&) const;

private:
  /// Per policy and cut: the seconds of the layers before it beyond the relaxed stage's.
  using Extra = std::array<std::vector<double>, kRecomputeCount>;

  std::vector<std::vector<Extra>> m_classes;  ///< one for each d_in that differs
  std::vector<std::uint8_t> m_classOf;
};

}  // namespace nest::planner
