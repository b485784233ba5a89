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
  double denseShards = 1, expertShards = 1;  ///< h·c and h·c/e
  double gathered = 0;                       ///< parameters that ZeRO-3 gathers at once, dense + expert
};

Bytes weightBytes(const ModelState&, const OptimizerRegime&, int zero);
Bytes gradientBytes(const ModelState&, double bytesEach, int zero);
Bytes optimizerBytes(const ModelState&, const OptimizerRegime&, int zero);

/// Reads and writes of the optimizer step at the device's memory bandwidth; 0 where that is not known (0).
Seconds stepTime(const ModelState&, const OptimizerRegime&, int zero, BytesPerSecond memoryBandwidth);

/// Bytes per parameter that gradients take in memory.
inline double heldGradientBytes(const OptimizerRegime& r, const Assumptions& a) {
  return a.heldGradientBytes > 0 ? a.heldGradientBytes : r.gradientBytes;
}

/// Bytes for each parameter that is gathered at once: of ZeRO-3's largest layer; where groups are gathered,
/// of the exchange's buffer, and under ZeRO-3 of the weights beside it (STATEMENT.md (10.10)).
inline double gatheredWeightBytes(const OptimizerRegime& r, const Assumptions& a, int zero) {
  if (!a.gathersGroups) return zero >= 3 ? r.weightBytes : 0;
  return zero >= 3 ? 2 * r.weightBytes : zero == 1 ? r.weightBytes : 0;
}
/// Bytes for each parameter of a shard that stands beside whole weights and gradients, there.
inline double besideWholeBytes(const OptimizerRegime& r, const Assumptions& a, int zero) {
  return a.gathersGroups && zero == 1 ? r.weightBytes + heldGradientBytes(r, a) : 0;
}
/// What is gathered, and shards beside what is whole.
Bytes gatheredBytes(const ModelState&, const OptimizerRegime&, const Assumptions&, int zero);

/// All-reduce of the gradients of tied parameters between two ranks that meet at `level`.
Seconds tiedTime(const Hierarchy&, int level, Bytes);

/// f_k: the assumed overlaps, and 1 for what the schedule covers.
PerExchange<double> overlapUnder(const PipelineSchedule&, const Assumptions&);

/// What of each exchange overlaps with compute: f_k·E_k; where these are more than the compute together, each
/// has its share of it (STATEMENT.md (4.7)).
PerExchange<Seconds> hiddenExchange(Seconds compute, const PerExchange<Seconds>& exchange,
                                    const PerExchange<double>& overlap);

/// What a stage's own last backward and next forward passes hide of its sync, STATEMENT.md (4.12): the share
/// φ of min(sync, passes). `passes`: forward and backward of PipelineSchedule::coveringPasses() microbatches.
Seconds hiddenSync(Seconds sync, Seconds passes, double syncOverlap);
/// φ under a ZeRO stage: none where ZeRO 1 all-reduces behind the last pass (STATEMENT.md (10.6)).
inline double syncOverlap(const Assumptions& a, int zero) {
  return a.zeroAllReduces && zero == 1 ? 0 : a.syncOverlap;
}

/// The step time bound of the NEST paper, STATEMENT.md (4.17); `tail` = max_i (exposed_i + step_i).
Seconds nestBatchTime(Seconds maxLoad, Seconds tail, int microbatches, int stages, int chunksPerStage);

}  // namespace nest
