#pragma once

#include <string>
#include <string_view>

#include "formats/profiles/imported_profile.h"

namespace nest {

/// Reads this program's own profile format, made to be easy to write from a profiler:
///
///   {"format": "nest-profile", "version": 1, "name": "…", "provenance": "measured on …", "sequence_length":
///   2048,
///    "layers": [{"name": "embedding", "kind": "embedding", "class": "embedding"},
///               {"name": "block", "kind": "block", "class": "block", "repeat": 24}, …],
///    "costs": [{"class": "block", "tensor": 2, "sequence": true, "context": 1, "expert": 1, "microbatch": 4,
///               "forward_s": 0.0072, "backward_s": 0.0118, "parameters": 5.7e7, "expert_parameters": 0,
///               "stash_bytes": 2.1e8, "workspace_bytes": 1e8, "output_bytes": 1e8,
///               "recompute": {"full": {"stash_bytes": 1e8, "extra_backward_s": 0.0072, "workspace_bytes":
///               3e8}}, "collectives": [{"kind": "all-reduce", "group": "tensor", "phase": "forward",
///               "bytes": 1e8, "times": 2}], "origin": "measured"}, …]}
///
/// One entry of "costs" is one row of the table: a layer class under one strategy and microbatch size.
/// Degrees and microbatch are 1 where they are left out; sizes hold for one device. Classes are names, or
/// numbers from 0. What "recompute" does not name is not on offer, except "none", which stash_bytes and
/// workspace_bytes describe. A measured time usually contains its exchanges: then "collectives" stays empty.
/// Without "edges" each layer reads its predecessor and gets the predecessor's output_bytes; with [{"from":
/// 0, "to": [1, 5], "bytes": [[…]]}] the layers form any DAG, `bytes` (a list of microbatch sizes for each
/// strategy) overriding output_bytes. "strategies" and "microbatches" may fix the order of both, "tied" names
/// parameters that two layers share, one number for each strategy. Limits: 16 MiB, 16,384 layers.
Reading<ImportedProfile> readProfileJson(std::string_view text, const std::string& file);

/// The same format; readProfileJson of it gives an equal profile. Cluster is left out, and of the job all but
/// the sequence length.
std::string writeProfileJson(const ImportedProfile& profile);

}  // namespace nest
