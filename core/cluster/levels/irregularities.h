#pragma once

#include <string>
#include <vector>

#include "cluster/levels/level_abstraction.h"

namespace nest {

/// Host of each input number: what the graph says, else the level-0 group, "host0"….
std::vector<std::string> hostNames(const NetworkGraph& graph, const Fabric& fabric,
                                   const LevelAbstraction& levels);

/// Id of the host of each device by node, failed ones too; empty for other nodes, and where none is drawn.
std::vector<std::string> hostIds(const NetworkGraph& graph);

/// Names the levels of the input: host where the groups are hosts, the tiers of a lattice, leaf, pod, spine.
void nameLevels(LevelAbstraction& levels);

/// What breaks the regularity, in words: groups smaller than their like, uplinks narrower than their like,
/// failed nodes and links, devices apart from their host. At most a few hundred.
std::vector<std::string> findIrregularities(const NetworkGraph& graph, const Fabric& fabric,
                                            const LevelAbstraction& levels);

}  // namespace nest
