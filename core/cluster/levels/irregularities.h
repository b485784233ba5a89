#pragma once

#include <string>
#include <vector>

#include "cluster/levels/level_abstraction.h"

namespace nest {

/// Host of each input number as the graph says; empty where none is drawn.
std::vector<std::string> hostNames(const NetworkGraph& graph, const Fabric& fabric,
                                   const LevelAbstraction& levels);

/// Id of the host of each device by node, failed ones too; empty for other nodes, and where none is drawn.
std::vector<std::string> hostIds(const NetworkGraph& graph);

/// Names the levels of the input: host where the groups are hosts, the tiers of a lattice, leaf, pod, spine.
void nameLevels(LevelAbstraction& levels);

/// Names of the groups of each level in the order of the input (see HierarchyInput::groupNames): of the one
/// switch that joins just these devices. Empty where several do, or none.
std::vector<std::vector<std::string>> namesOfSwitches(const NetworkGraph& graph,
                                                      const LevelAbstraction& levels);

/// What breaks the regularity, in words: groups smaller than their like, uplinks narrower than their like,
/// devices apart from their host; what has failed in `whole`, and what that has cut off, which is failed in
/// `graph`, too. At most a few hundred.
std::vector<std::string> findIrregularities(const NetworkGraph& graph, const NetworkGraph& whole,
                                            const Fabric& fabric, const LevelAbstraction& levels);

}  // namespace nest
