#pragma once

#include <vector>

#include "study/ranking.h"
#include "text/json_text.h"

namespace nest {

/// The sweeps of one of the "sets" of a file, as replayRanking() describes them: runs as measured, nothing
/// predicted. `given`: the program of all; nullptr: the set's own. What is wrong goes to `out`.
std::vector<Sweep> readSweeps(const JsonText& file, std::size_t number, const Program* given,
                              Diagnostics& out);

}  // namespace nest
