#include "analytic/layer_parts.h"

namespace nest {

Seconds exchangeReordered(const LayerSetting& s, double bytes) {
  const bool isCopied = s.options.reordersExchanges && s.strategy.sequence && s.strategy.tensor > 1;
  return isCopied ? s.device.traffic(2 * bytes) : Seconds(0);
}

void addTensorExchange(LayerCost& c, Phase phase, const LayerSetting& s, bool into, double bytes) {
  if (s.strategy.tensor == 1) return;
  if (phase == Phase::Forward) c.forward += exchangeReordered(s, bytes);
  if (phase == Phase::Backward) c.backward += exchangeReordered(s, bytes);
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

double tokensPerExpert(const LayerSetting& s, const Linear& l) {
  return s.expertImbalance() * s.expertTokens() * l.perToken * s.strategy.expert / l.copies;
}

EverySecondProduct everySecondProduct(const LayerSetting& s, const BlockShape& shape) {
  struct Part {
    Seconds time;
    double elements;
  };
  std::vector<Part> all;
  const auto add = [&](const Linear& l, int matrices, bool inMlp) {
    const TensorShares& shares = l.isExpert ? s.expertShares : s.shares;
    const bool isWide = inMlp && l.split == Split::Replicated;
    const double tokens = l.isExpert ? tokensPerExpert(s, l) : isWide ? s.outerTokens() : s.tokens;
    const double count = l.isExpert ? l.copies / s.strategy.expert : 1;
    const double out = l.outAt(shares) / matrices, in = l.inAt(shares);
    const Seconds product = l.isExpert ? s.device.groupedProduct(tokens, out, in, count)
                            : isWide   ? s.device.wideProduct(tokens, out, in)
                                       : s.device.product(tokens, out, in);
    const Seconds cast = isWide ? Seconds(0) : s.device.cast(tokens * in * count);
    for (int i = 0; i < matrices; ++i) all.push_back({product + cast, tokens * out * count});
  };
  for (const Linear& l : shape.attention) add(l, 1, false);
  for (const Linear& l : shape.cross) add(l, 1, false);
  for (const Linear& l : shape.mlp) add(l, s.model.gatedMlp && l.split == Split::Column ? 2 : 1, true);
  EverySecondProduct sum;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool isLast = i + 1 == all.size();
    if (i % 2 == 0 && (!isLast || s.options.eagerElementwise)) sum.kept += all[i].elements;
    if (i % 2 == 1 && !isLast) sum.again += all[i].time;
  }
  return sum;
}

}  // namespace nest
