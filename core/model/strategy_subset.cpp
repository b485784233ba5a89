#include "model/strategy_subset.h"

namespace nest {

Profile withStrategies(const LayerGraph& graph, const Profile& all, const std::vector<int>& kept) {
  std::vector<Strategy> strategies;
  for (const int k : kept) strategies.push_back(all.strategies()[k]);
  const int tensors = static_cast<int>(graph.tensors.size());
  Profile out(strategies, all.microbatches(), graph.classCount, tensors);
  out.provenance = all.provenance;
  out.tied = all.tied;
  if (out.tied) out.tied->parameters.clear();
  for (int s = 0; s < static_cast<int>(kept.size()); ++s) {
    const int old = kept[s];
    if (out.tied) out.tied->parameters.push_back(all.tied->parameters[old]);
    for (int b = 0; b < static_cast<int>(all.microbatches().size()); ++b) {
      for (int c = 0; c < graph.classCount; ++c)
        if (const LayerCost* cost = all.cost(c, old, b)) out.setCost(c, s, b, *cost);
      for (int t = 0; t < tensors; ++t) out.setTensorBytes(t, s, b, all.tensorBytes(t, old, b));
    }
  }
  return out;
}

}  // namespace nest
