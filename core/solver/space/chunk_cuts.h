#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

/// The cuts of interleaved schedules, which follow from s·v except at the ends.
namespace nest::solver {

/// All possible lists of s·v + 1 cuts, left-most first; empty if there are none. Every part has the same
/// number of blocks (of layers, if none is a block), except that the first part, the last, or both may have
/// one less. Layers before the first block belong to the first part, other layers to the part of the block
/// before them, and no part is empty.
std::vector<std::vector<int>> interleavedCuts(const Problem&, int stages, int chunks);

/// The parts of each stage, chunk by chunk.
std::vector<std::vector<Part>> chunkParts(const std::vector<int>& cuts, int stages, const PipelineSchedule&);

/// The stages that hold the two layers with shared parameters; nullopt if one stage holds both, or if nothing
/// is shared.
std::optional<std::pair<int, int>> tiedStagesOf(const Problem&, const std::vector<int>& cuts, int stages,
                                                const PipelineSchedule&);

/// Whether the cut rules and pins allow these parts.
bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages, const PipelineSchedule&);

}  // namespace nest::solver
