#pragma once

#include <vector>

#include "model/layer_graph.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Layers in s·v parts of equal counts; where the count does not divide, earlier parts take one more. Only
/// blocks count if the graph has any; what stands before the first goes to the first part, the rest to the
/// part of the block before it. [part] → layers; empty if there are fewer countable layers than parts.
std::vector<std::vector<LayerIndex>> equalParts(const LayerGraph& graph, int parts);

/// A plan of equal parts with one strategy and recompute policy for all stages, replicas side by side (d_in =
/// d) and no stage apart. No stages if the layers do not suffice.
Plan equalSplitPlan(const LayerGraph& graph, int microbatch, int dataDegree, int zero, int stages, int chunks,
                    const Strategy& strategy, Recompute recompute);

bool isOnOffer(const Problem&, ScheduleKind);

/// Microbatch sizes that the job allows and the profile has costs for, ascending.
std::vector<int> microbatchesOnOffer(const Problem&);

/// Data-parallel degrees that a pipeline of `width` devices per replica allows, ascending: b·d divides the
/// batch (or is padded, no replica being idle), d·width devices exist, and its expert groups divide d.
std::vector<int> dataDegrees(const Problem& problem, int microbatch, int width, const Strategy&);

}  // namespace nest
