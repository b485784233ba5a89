#include "cost/stage_cost.h"

#include <algorithm>

#include "cost/collective.h"

namespace nest {

Seconds tiedTime(const Hierarchy& h, int level, Bytes bytes) {
  // With two ranks, recursive halving has one round and sends half the bytes, there and back.
  return 2 * transferTime(h, level, bytes * 0.5);
}

PerExchange<double> overlapUnder(const PipelineSchedule& schedule, const Assumptions& a) {
  auto overlap = a.overlap;
  if (schedule.coversExchanges())
    for (const Exchange e : {Exchange::Expert, Exchange::Pipeline}) overlap[e] = 1;
  return overlap;
}

PerExchange<Seconds> hiddenExchange(Seconds compute, const PerExchange<Seconds>& exchange,
                                    const PerExchange<double>& overlap) {
  PerExchange<Seconds> hidden{};
  Seconds wanted;
  for (std::size_t k = 0; k < kExchangeCount; ++k) wanted += hidden[k] = overlap[k] * exchange[k];
  if (wanted > compute)
    for (Seconds& h : hidden) h *= compute / wanted;
  return hidden;
}

Seconds hiddenSync(Seconds sync, Seconds passes, double syncOverlap) {
  return syncOverlap * std::min(sync, passes);
}

Seconds nestBatchTime(Seconds max, Seconds tail, int microbatches, int stages, int v) {
  return max * (microbatches + (stages - 1.0) / std::max(1, v)) + tail;
}

}  // namespace nest
