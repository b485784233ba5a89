#pragma once

#include <array>

#include "cost/group_shape.h"
#include "cost/memory_parts.h"
#include "problem/job.h"
#include "units/quantity.h"

/// The closed formulas of STATEMENT.md §4 for one stage and for the whole batch, on numbers that the caller
/// has summed.
namespace nest {

/// Reads and writes of the optimizer step at the device's memory bandwidth; 0 where that is not known (0).
Seconds stepTime(const ModelState&, const StepBytes&, BytesPerSecond memoryBandwidth);

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
