#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

namespace nest::solver {

/// How the place of a stage affects its exchanges under one strategy (STATEMENT.md (6.10)). Places are
/// grouped into few classes; class 0 is the relaxed stage.
/// Claim: with a given number of units in front, in any of the given layouts, a stage takes at least extra()
/// seconds more than the relaxed one.
/// Proof: the load of a stage counts its slowest group, so any of its groups gives a bound; the groups used
/// here begin at position d_in·u of a block. Over several layouts and several policies, the least counts.
/// Cost: layouts × units calls of GroupShapes, which caches most of them; then O(classes × layouts) per
/// stage.
class StageSites {
public:
  static constexpr int kMostClasses = 32;
  /// For the strategy of these sums, and pipelines on at most `units` units.
  StageSites(const Problem&, GroupShapes&, LayerSums&, std::span<const BlockLayout>, int units);
  /// The first blocks of every layout for a given d.
  static std::vector<BlockLayout> firstBlocks(int dataDegree);

  int classes() const { return static_cast<int>(m_classes.size()); }
  const std::uint8_t* classOf() const { return m_classOf.data(); }  ///< per units in front
  /// The seconds by which the exchanges of a stage of a class exceed those of the relaxed stage, under any of
  /// the policies.
  double extra(int ofClass, const Part&, const Policies&) const;

private:
  /// Per policy and cut: seconds of the layers before the cut beyond those of the relaxed stage.
  using Extra = std::array<std::vector<double>, kRecomputeCount>;

  std::vector<std::vector<Extra>> m_classes;  ///< one per distinct d_in
  std::vector<std::uint8_t> m_classOf;
};

}  // namespace nest::solver
