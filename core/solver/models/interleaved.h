#pragma once

#include "solver/bounds/search_bounds.h"
#include "solver/proof/incumbents.h"

namespace nest::planner {

/// s stages of v chunks can share the layers and microbatches out evenly (Megatron's rule).
bool interleaves(const Problem&, const LayerOrder&, int stages, int chunks, int microbatchCount);

/// The s·v + 1 cuts: equally many blocks (all layers, if none is a block) in each part; layers before the
/// first block belong to the first part, others to the part that is open.
std::vector<int> interleavedCuts(const Problem&, int stages, int chunks);

/// Where shared parameters fall among these parts, at no level yet; nullopt: in one stage, or nothing is
/// shared.
std::optional<TiedPlace> tiedPlaceOf(const Problem&, const std::vector<int>& cuts, int stages);

/// Whether cuts and pins allow these parts.
bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages);

/// The loads of an interleaved pipeline's stages, with what they add up to.
struct InterleavedStages {
  std::vector<StageCosts::ChunkFigures> stages;
  double tail = 0;  ///< largest exposed sync + step
  bool fits() const;
  /// The fastest policies; of those that are equally fast in all, the ones with the least recompute.
  PipelineCut settle(const ObjectiveWeights&) const;
};

/// The best plan of one configuration with found.chunks > 1. The cuts are given, so each stage takes its
/// fastest policy that fits. False if none does.
bool solveInterleaved(const StageCosts::Context&, const CutRules&, const BlockLayout&, Found& found);

}  // namespace nest::planner
