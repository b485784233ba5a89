#pragma once

#include <array>

#include "cost/group_shape.h"
#include "cost/memory_parts.h"
#include "problem/job.h"
#include "units/quantity.h"

/// The closed formulas of STATEMENT.md §4 for one stage and for the whole batch, applied to sums that the
/// caller has computed.
namespace nest {

/// An all-reduce of the gradients of tied parameters between two ranks that are joined at `level`.
Seconds tiedTime(const Hierarchy&, int level, Bytes);

/// f_k: the assumed overlaps, and 1 for the exchanges that the schedule hides.
PerExchange<double> overlapUnder(const PipelineSchedule&, const Assumptions&);

/// The part of each exchange that overlaps with compute: f_k·E_k. If these exceed the compute, each gets its
/// share of the compute (STATEMENT.md (4.7)).
PerExchange<Seconds> hiddenExchange(Seconds compute, const PerExchange<Seconds>& exchange,
                                    const PerExchange<double>& overlap);

/// The part of a stage's sync that its own last backward and next forward passes hide, STATEMENT.md (4.12):
/// the share φ of min(sync, passes). `passes`: forward and backward of PipelineSchedule::coveringPasses()
/// microbatches.
Seconds hiddenSync(Seconds sync, Seconds passes, double syncOverlap);
/// φ under a ZeRO stage; 0 if ZeRO 1 all-reduces after the last pass (STATEMENT.md (10.6)).
inline double syncOverlap(const Assumptions& a, int zero) {
  return a.zeroAllReduces && zero == 1 ? 0 : a.syncOverlap;
}

/// The step time bound of the NEST paper, STATEMENT.md (4.17); `tail` = max_i (exposed_i + step_i).
Seconds nestBatchTime(Seconds maxLoad, Seconds tail, int microbatches, int stages, int chunksPerStage);

}  // namespace nest
