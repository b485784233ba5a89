#pragma once

#include <optional>

#include "cluster/levels/hierarchy.h"
#include "document/plan_context.h"
#include "document/selection.h"

namespace nest {

/// The same device, group or pair after the cluster has changed: positions and numbers of groups are other
/// ones when something fails. nullopt: it is no longer there. Stages, layers and levels stay.
std::optional<SelectionItem> carriedOver(const SelectionItem&, const Hierarchy& before,
                                         const Hierarchy& after);

/// Whether the plan and its cluster have such a thing. The plan of a context without one may have anything.
bool isThere(const SelectionItem&, const PlanContext&);

}  // namespace nest
