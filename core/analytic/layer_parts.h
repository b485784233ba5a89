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

/// What a tensor-parallel region exchanges where it begins (`into`) or ends: nothing without TP. Copies that
/// put it in order count with the pass (of a recompute with what it repeats).
void addTensorExchange(LayerCost&, Phase, const LayerSetting&, bool into, double bytes);
/// Of one such exchange: a copy of all that is gathered, or before it is scattered.
Seconds exchangeReordered(const LayerSetting&, double bytes);

/// The product that makes a weight's gradients, and what adds them to the sum.
Seconds gradientProduct(const LayerSetting&, double out, double in, double tokens, double count, Work);

/// Tokens that one expert of the busiest rank gets: e ranks send theirs, experts ÷ e are here.
double tokensPerExpert(const LayerSetting&, const Linear&);

/// A block's products in the order in which a program with one for each matrix issues them, a gate's apart.
/// The second, fourth, … are repeated, but for the block's last, whose result nothing reads; the others'
/// results are kept (torchtitan, SelectiveRecompute::EverySecondProduct).
struct EverySecondProduct {
  Seconds again;
  double kept = 0;  ///< elements on a rank; where blocks are compiled, without the last, which nothing reads
};
EverySecondProduct everySecondProduct(const LayerSetting&, const BlockShape&);

}  // namespace nest
