#include "cost/stage_cost.h"

#include <algorithm>

#include "cost/collective.h"

namespace nest {
namespace {

Bytes held(const ModelState& s, double bytesEach, bool sharded) {
  return Bytes(sharded ? s.dense * bytesEach / s.denseShards + s.expert * bytesEach / s.expertShards
                       : (s.dense + s.expert) * bytesEach);
}

}  // namespace

Bytes weightBytes(const ModelState& s, const OptimizerRegime& r, int zero) {
  return held(s, r.weightBytes, zero >= 3);
}
Bytes gradientBytes(const ModelState& s, double bytesEach, int zero) {
  return held(s, bytesEach, zero >= 2);
}
Bytes optimizerBytes(const ModelState& s, const OptimizerRegime& r, int zero) {
  return held(s, r.optimizerBytes, zero >= 1);
}
Bytes gatheredBytes(const ModelState& s, const OptimizerRegime& r, const Assumptions& a, int zero) {
  return Bytes(s.gathered * gatheredWeightBytes(r, a, zero)) + held(s, besideWholeBytes(r, a, zero), true);
}

Seconds stepTime(const ModelState& s, const OptimizerRegime& r, int zero, BytesPerSecond memoryBandwidth) {
  if (!(memoryBandwidth.value() > 0)) return {};
  return held(s, r.gradientBytes + r.weightBytes + 2 * r.optimizerBytes, zero >= 1) / memoryBandwidth;
}

Seconds tiedTime(const Hierarchy& h, int level, Bytes bytes) {
  // Two ranks: recursive halving has one round and sends half, there and back.
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
