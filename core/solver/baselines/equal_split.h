#pragma once

#include <vector>

#include "model/layer_graph.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// Divides the layers into s·v parts with equal counts; if the count does not divide, earlier parts take one
/// more. If the graph has blocks, only they count: what is in front of the first block goes to the first
/// part, other layers to the part of the block before them. [part] → layers; empty if there are fewer
/// countable layers than parts.
std::vector<std::vector<LayerIndex>> equalParts(const LayerGraph& graph, int parts);

/// A plan with equal parts, one strategy and recompute policy for all stages, and replicas next to each other
/// (d_in = d). Has no stages if there are too few layers.
Plan equalSplitPlan(const LayerGraph& graph, int microbatch, int dataDegree, int zero, int stages, int chunks,
                    const Strategy& strategy, Recompute recompute);

bool isOnOffer(const Problem&, ScheduleKind);

/// The microbatch sizes that the job allows and the profile has costs for, ascending.
std::vector<int> microbatchesOnOffer(const Problem&);

/// The data-parallel degrees that a pipeline with `width` devices per replica allows, ascending: b·d divides
/// the batch (or is padded, with no idle replica), there are d·width devices, and its expert groups divide d.
std::vector<int> dataDegrees(const Problem& problem, int microbatch, int width, const Strategy&);

}  // namespace nest
