#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

/// Interleaved schedules: the cuts follow from s·v, but for the ends.
namespace nest::solver {

/// Each the s·v + 1 cuts, left-most first; empty: there are none. Equally many blocks (all layers, if none is
/// a block) in each part, or one less in the first, in the last or in both; layers before the first block
/// belong to the first part, others to the part that is open, and no part is without layers.
std::vector<std::vector<int>> interleavedCuts(const Problem&, int stages, int chunks);

/// The parts of each stage, chunk by chunk.
std::vector<std::vector<Part>> chunkParts(const std::vector<int>& cuts, int stages, const PipelineSchedule&);

/// The stages that hold the two layers with shared parameters; nullopt: one does, or nothing is shared.
std::optional<std::pair<int, int>> tiedStagesOf(const Problem&, const std::vector<int>& cuts, int stages,
                                                const PipelineSchedule&);

/// Whether cuts and pins allow these parts.
bool obeys(const CutRules& rules, const std::vector<int>& cuts, int stages, const PipelineSchedule&);

}  // namespace nest::solver
