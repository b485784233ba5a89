#pragma once

#include <optional>

#include "solver/uniform_search.h"

namespace nest::solver {

/// Where memory alone forbids every plan: the one that lacks least (to a millionth; of large problems the
/// best met in a few times the states of the search), and what would make one fit. nullopt if something else
/// than memory stands in the way, or the watch ends it first.
std::optional<NearestMiss> findNearestMiss(const Problem&, const LayerOrder&, GroupShapes&,
                                           const SearchSpace&, UniformSearch&, Watch&);

}  // namespace nest::solver
