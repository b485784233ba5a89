#include "cost/memory_parts.h"

#include <algorithm>

namespace nest {

const MemoryPartWords& wordsOf(MemoryPart part) {
  static constexpr PerMemoryPart<MemoryPartWords> kWords{
      {{{"weights", "Weights", "Parameters in training precision."},
        {"gradients", "Gradients", "Gradients of the parameters held here."},
        {"optimizer", "Optimizer", "Optimizer state: master weights and moments."},
        {"stash", "Activations", "Activations kept for backward, for all microbatches in flight."},
        {"workspace", "Temporary buffers", "Temporary buffers: recomputed activations, logits."},
        {"gathered", "All-gathered parameters", "ZeRO-3: parameters of the largest layer, all-gathered."},
        {"reserve", "Reserve", "Reserved: driver context, fragmentation, communication buffers."},
        {"headroom", "Headroom", "Left free, as predicted memory errs."}}}};
  return kWords[part];
}

StateBytes StateBytes::of(const OptimizerRegime& r, const Assumptions& a, int zero) {
  const double held = a.heldGradientBytes > 0 ? a.heldGradientBytes : r.gradientBytes;
  const double offloaded = a.offloadedOptimizer;
  StateBytes s{{r.weightBytes, zero >= 3, true},
               {held, zero >= 2},
               {r.optimizerBytes * (1 - offloaded), zero >= 1},
               {r.optimizerBytes * offloaded, zero >= 1},
               {0, true},
               0};
  if (!a.gathersGroups) {
    s.gathered = zero >= 3 ? r.weightBytes : 0;
    return s;
  }
  s.gathered = zero >= 3 ? 2 * r.weightBytes : zero == 1 ? r.weightBytes : 0;
  if (zero == 1) s.beside.bytes = r.weightBytes + held;
  return s;
}

StepBytes StepBytes::of(const OptimizerRegime& r, const Assumptions& a, int zero) {
  const double here = 1 - a.offloadedOptimizer;
  return {{{{"g", "gradient bytes per parameter", r.gradientBytes, here},
            {"w", "weight bytes per parameter", r.weightBytes, here},
            {"o", "optimizer bytes per parameter", r.optimizerBytes, 2 * here},
            {"c", "gradient bytes that clipping reads or writes", r.gradientBytes, a.clippingPasses}}},
          zero >= 1};
}

StepRate StepRate::of(const OptimizerRegime& r, const Assumptions& a, const DeviceSpec& device, int zero) {
  StepRate rate;
  const StepBytes bytes = StepBytes::of(r, a, zero);
  rate.sharded = bytes.sharded;
  if (const BytesPerSecond bandwidth = device.memoryBandwidth.value; bandwidth.value() > 0)
    rate.device = Bytes(bytes.perParameter().bytes) / bandwidth;
  rate.host = {a.offloadedOptimizer,
               r.gradientBytes,
               r.weightBytes,
               a.hostUpdateRate,
               device.hostMemoryBandwidth ? device.hostMemoryBandwidth->value : BytesPerSecond(),
               a.overlapsOptimizerCopies};
  return rate;
}

Seconds StepRate::perParameter() const {
  if (!(host.share > 0)) return device;
  return host.overlaps ? std::max({device, host.toHost(), host.update(), host.fromHost()})
                       : device + host.toHost() + host.update() + host.fromHost();
}

}  // namespace nest
