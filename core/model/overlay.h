#pragma once

#include "diagnostics/diagnostic.h"
#include "model/profile.h"

namespace nest {

/// Measured costs over analytic ones: a combination of strategy and microbatch size that was measured keeps
/// what was measured, all others what the analytic profile estimates; each LayerCost's origin tells which it
/// is. Offered is what either offers. Both must have the same number of layers and tensors, in the same
/// order; else an error says so. Layers share a class in the result if they do in both. Tied parameters are
/// the analytic profile's.
Reading<GraphAndProfile> overlayMeasured(const GraphAndProfile& analytic, const GraphAndProfile& measured);

}  // namespace nest
