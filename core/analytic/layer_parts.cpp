#include "analytic/layer_parts.h"

namespace nest {

void addTensorExchange(LayerCost& c, Phase phase, const LayerSetting& s, bool into, double bytes) {
  if (s.strategy.tensor == 1) return;
  if (s.strategy.sequence)
    c.collectives.push_back({into ? CollectiveKind::AllGather : CollectiveKind::ReduceScatter,
                             GroupKind::Tensor, phase, Bytes(bytes), 1});
  else if (!into)
    c.collectives.push_back({CollectiveKind::AllReduce, GroupKind::Tensor, phase, Bytes(bytes), 1});
}

Seconds gradientProduct(const LayerSetting& s, double out, double in, double tokens, double count,
                        Work work) {
  const double separate = s.options.separateGradientSums;
  const double weights = out * in * count, sums = 2 * s.gradientBytes * weights * (1 - separate);
  const Seconds product = work == Work::Wide ? s.device.wideProduct(out, in, tokens, count, sums)
                          : work == Work::Grouped
                              ? s.device.groupedGradientProduct(out, in, tokens, count, sums)
                              : s.device.product(out, in, tokens, count, sums);
  return product + separate * s.device.traffic(weights * (s.device.elementBytes() + 2 * s.gradientBytes));
}

}  // namespace nest
