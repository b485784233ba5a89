#pragma once

#include <optional>

#include "cluster/levels/hierarchy.h"
#include "document/selection.h"

namespace nest {

/// The same device, group or pair after the cluster has changed: positions and numbers of groups are other
/// ones when something fails. nullopt: it is no longer there. Stages, layers and levels stay.
std::optional<SelectionItem> carriedOver(const SelectionItem&, const Hierarchy& before,
                                         const Hierarchy& after);

}  // namespace nest
