#pragma once

#include "plan/plan.h"

namespace nest {

/// Small changes by hand to a plan of a chain with one chunk for each stage; what does not apply leaves the
/// plan as it is.

/// First layer of a stage, or −1.
int firstLayerOf(const Plan&, int stage);
/// The plan whose stage `stage` (1 … s−1) begins at `layer`; kept so that both neighbours keep a layer at
/// least.
Plan withCut(const Plan&, int stage, int layer);
Plan withRecompute(const Plan&, int stage, Recompute);
/// Blocks that stood side by side still do; others keep their stride as long as it holds them.
Plan withStrategy(const Plan&, int stage, const Strategy&);
/// Whether these edits apply: every stage has one chunk of neighbouring layers.
bool hasPlainCuts(const Plan&);

}  // namespace nest
