#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

/// Interleaved schedules: the cuts follow from s·v.
namespace nest::planner {

/// s stages of v chunks can share the layers and microbatches out evenly (Megatron's rule).
bool interleaves(const Problem&, const LayerOrder&, int stages, int chunks, int microbatchCount);

/// The s·v + 1 cuts: equally many blocks (all layers, if none is a block) in each part; layers before the
/// first block belong to the first part, others to the part that is open.
std::vector<int> interleavedCuts(const Problem&, int stages, int chunks);

/// The parts of each stage: stage i holds parts i, i + s, …
std::vector<std::vector<Part>> chunkParts(const std::vector<int>& cuts, int stages);

/// The stages that hold the two layers with shared parameters; nullopt: one does, or nothing is shared.
std::optional<std::pair<int, int>> tiedStagesOf(const Problem&, const std::vector<int>& cuts, int stages);

/// Whether cuts and pins allow these parts.
bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages);

}  // namespace nest::planner
