#pragma once

#include <string>
#include <string_view>

#include "formats/profiles/imported_profile.h"

namespace nest {

/// Reads an input file of the Piper planner (msr-fiddle/piper): nodes with costs by tensor degree, "vanilla"
/// and "activation recomp".
///
/// timePerSample is forward plus backward: a third counts as forward, or what recomputation adds where that
/// is known. parameterSize counts 4 bytes a parameter; memory A·y + B: A is the stash, B less weights and
/// gradients the workspace. The exchange inside a tensor group that Piper charges on cut edges only
/// (syncTimeFw) is added to the edge's bytes. Compute and its exchanges inside a layer are one measured time,
/// so that no collectives are listed. Notes say what of this mattered. Limits: 4,096 nodes, 65,536 edges.
Reading<ImportedProfile> readPiper(std::string_view text, const std::string& file);

}  // namespace nest
