#include "cost/memory_parts.h"

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
  StateBytes s{{r.weightBytes, zero >= 3}, {held, zero >= 2}, {r.optimizerBytes, zero >= 1}, {0, true}, 0};
  if (!a.gathersGroups) {
    s.gathered = zero >= 3 ? r.weightBytes : 0;
    return s;
  }
  s.gathered = zero >= 3 ? 2 * r.weightBytes : zero == 1 ? r.weightBytes : 0;
  if (zero == 1) s.beside.bytes = r.weightBytes + held;
  return s;
}

StepBytes StepBytes::of(const OptimizerRegime& r, const Assumptions& a, int zero) {
  return {{{{"g", "gradient bytes per parameter", r.gradientBytes, 1},
            {"w", "weight bytes per parameter", r.weightBytes, 1},
            {"o", "optimizer bytes per parameter", r.optimizerBytes, 2},
            {"c", "gradient bytes that clipping reads or writes", r.gradientBytes, a.clippingPasses}}},
          zero >= 1};
}

}  // namespace nest
