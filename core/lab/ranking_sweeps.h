#pragma once

#include <vector>

#include "lab/ranking.h"
#include "text/json_text.h"

namespace nest {

/// A column that says what a run's host takes for a block; empty: as long as its program usually does.
inline constexpr const char* kHostTimeField = "/model/analytic/host_time_per_block_s";

/// The sweeps of one of the "sets" of a file, as replayRanking() describes them: runs as measured, nothing
/// predicted. `given`: the program of all; nullptr: the set's own. What is wrong goes to `out`.
std::vector<Sweep> readSweeps(const JsonText& file, std::size_t number, const Program* given,
                              Diagnostics& out);

}  // namespace nest
