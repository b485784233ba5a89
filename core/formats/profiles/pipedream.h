#pragma once

#include <string>
#include <string_view>

#include "formats/profiles/imported_profile.h"

namespace nest {

/// Reads a PipeDream graph.txt: "node1 -- Name -- forward_compute_time=…, backward_compute_time=…,
/// activation_size=…, parameter_size=…", then edges "\tnode1 -- node2". Times are milliseconds, sizes bytes,
/// four a parameter; an activation
/// "[a; b]" counts as the sum; a trailing "-- stage_id=k" is left out with a note. One microbatch is what was
/// measured. Limits: 8 MiB, 4,096 nodes, 65,536 edges.
Reading<ImportedProfile> readPipeDream(std::string_view text, const std::string& file);

}  // namespace nest
