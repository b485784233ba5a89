#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

namespace nest::solver {

/// What the place of a stage makes of its exchanges under one strategy (STATEMENT.md (6.10)). Places are
/// parted into few classes; in class 0 the relaxed stage is all that is known. Claim: with so many units in
/// front, in whichever of some layouts, a stage takes at least extra() seconds more than
///   the relaxed one.
/// Proof: its load counts its slowest group, so that any of its groups is a bound; the groups looked at are
/// those that
///   begin at position d_in·u of a block. Of several layouts and of several policies the least counts.
/// Cost: layouts × units questions to GroupShapes, which remembers most of them; then O(classes × layouts) a
/// stage.
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

}  // namespace nest::solver
