#pragma once

#include <array>

#include "cost/group_shape.h"
#include "problem/job.h"
#include "units/quantity.h"

/// The closed formulas of STATEMENT.md §4 for one stage and for the whole batch, on numbers that the caller
/// has summed.
namespace nest {

/// Parameters that one device of a stage holds before ZeRO shards them, and over how many ranks it does.
struct ModelState {
  double dense = 0, expert = 0;
  double denseShards = 1, expertShards = 1;  ///< d·c and d·c/e
  double largestLayer = 0;                   ///< parameters of the stage's largest layer, dense + expert
};

Bytes weightBytes(const ModelState&, const OptimizerRegime&, int zero);
Bytes gradientBytes(const ModelState&, const OptimizerRegime&, int zero);
Bytes optimizerBytes(const ModelState&, const OptimizerRegime&, int zero);
Bytes gatheredBytes(const ModelState&, const OptimizerRegime&, int zero);  ///< ZeRO-3's largest layer, else 0

/// Reads and writes of the optimizer step at the device's memory bandwidth; 0 where that is not known (0).
Seconds stepTime(const ModelState&, const OptimizerRegime&, int zero, BytesPerSecond memoryBandwidth);

/// Microbatches (chunks when interleaved, v > 1) whose stash stage i of s holds at its peak, STATEMENT.md
/// (4.10).
int stashesInFlight(int stage, int stages, int microbatches, int chunksPerStage);

/// What one gradient message (dense or expert) of `parameters` costs: per microbatch, and once at the end of
/// the step, STATEMENT.md (4.11).
struct GradientTime {
  Seconds load, sync;
  Seconds gather;  ///< of `load`, the part before the forward pass (ZeRO-3)
};
GradientTime gradientTime(const Hierarchy&, const GroupShape&, double parameters, const OptimizerRegime&,
                          int zero);

/// All-reduce of tied parameters between two ranks that meet at `level`.
Seconds tiedTime(const Hierarchy&, int level, double parameters, const OptimizerRegime&);

/// What overlaps with compute: min(Σ f_k·E_k, compute), STATEMENT.md (4.7).
Seconds hiddenTime(Seconds compute, const std::array<Seconds, kExchangeCount>& exchange, const Assumptions&);

/// What a stage's own last backward and next forward passes hide of its sync: the share f of min(sync,
/// passes). `pass` is one microbatch's forward and backward. Interleaved, a chunk is done with all but its
/// last s microbatches long before the others are: so many passes count, else one.
Seconds hiddenSync(Seconds sync, Seconds pass, int stages, int chunksPerStage, const Assumptions&);

/// Batch times from the stages' loads (STATEMENT.md (4.15) to (4.17)); `tail` = max_i (exposed_i + step_i).
Seconds pipelineBatchTime(Seconds sumLoad, Seconds maxLoad, Seconds tail, int microbatches,
                          int chunksPerStage);
Seconds nestBatchTime(Seconds maxLoad, Seconds tail, int microbatches, int stages, int chunksPerStage);

}  // namespace nest
