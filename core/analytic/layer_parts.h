#pragma once

#include "analytic/layer_costs.h"

/// What the costs of several kinds of layers are made of.
namespace nest {

/// LayerNorm or RMSNorm: reads and writes each element once.
inline constexpr double kNormTraffic = 2;
/// Residual addition reads two and writes one; where the family has dropout, a mask of a byte is written
/// beside.
inline constexpr double kResidualTraffic = 3;

/// How a weight's products run: in the job's format, in 16 bits whatever it is, or one for each expert at
/// once.
enum class Work { Plain, Wide, Grouped };

/// What a tensor-parallel region exchanges where it begins (`into`) or ends: nothing without TP.
void addTensorExchange(LayerCost&, Phase, const LayerSetting&, bool into, double bytes);

/// The product that makes a weight's gradients, and what adds them to the sum.
Seconds gradientProduct(const LayerSetting&, double out, double in, double tokens, double count, Work);

}  // namespace nest
