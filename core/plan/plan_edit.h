#pragma once

#include "plan/plan.h"

namespace nest {

/// Small manual changes to a plan of a chain with one chunk per stage. A change that does not apply returns
/// the plan unchanged.

/// The first layer of a stage, or −1.
int firstLayerOf(const Plan&, int stage);
/// The plan in which stage `stage` (1 … s−1) begins at `layer`, limited so that both neighbours keep at least
/// one layer.
Plan withCut(const Plan&, int stage, int layer);
Plan withRecompute(const Plan&, int stage, Recompute);
/// Blocks that were adjacent remain adjacent; otherwise their stride is kept as long as a block fits in it.
Plan withStrategy(const Plan&, int stage, const Strategy&);
/// Whether these edits apply: every stage has one chunk of consecutive layers.
bool hasPlainCuts(const Plan&);

}  // namespace nest
