#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/profiles/imported_profile.h"

namespace nest {

/// Reads a DP input of the NEST paper's artifact, either the merged file its solver reads or one with
/// "dp_input" and "scales"; `devices` picks the scale, by default the smallest.
///
/// Units become SI: latencies are milliseconds, sizes bytes at 2 a parameter, bws bytes/s, latency_per_level
/// seconds. The times hold the exchanges inside tensor, context and expert groups, so that no collectives are
/// listed. Each width is a tensor degree together with the file's sequence, context and expert settings.
/// Recomputation keeps a layer's input and runs its forward again. What is odd in a file becomes a note:
/// network levels that get faster outwards, wider groups that bring nothing, times too short to be
/// milliseconds, expert parameters not told apart.
Reading<ImportedProfile> readNestArtifact(std::string_view text, const std::string& file,
                                          std::optional<int> devices = {});

}  // namespace nest
