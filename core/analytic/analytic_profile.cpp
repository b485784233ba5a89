#include <algorithm>
#include <map>

#include "analytic/layer_costs.h"
#include "analytic/transformer.h"

namespace nest {
namespace {

enum class Part { Embedding, DenseBlock, ExpertBlock, Norm, Head };

/// Layers in order, equal parts sharing a class.
struct Outline {
  LayerGraph graph;
  std::vector<Part> parts;  ///< by class
};

Outline outlineOf(const TransformerArchitecture& a) {
  Outline out;
  std::vector<Layer> layers;
  std::map<Part, int> classes;
  const auto add = [&](std::string name, LayerKind kind, Part part) {
    const auto [it, isNew] = classes.emplace(part, static_cast<int>(out.parts.size()));
    if (isNew) out.parts.push_back(part);
    layers.push_back({std::move(name), kind, it->second});
  };
  add("embedding", LayerKind::Embedding, Part::Embedding);
  for (int i = 0; i < a.layers; ++i)
    add("block " + std::to_string(i + 1), LayerKind::Block,
        a.hasExperts(i) ? Part::ExpertBlock : Part::DenseBlock);
  if (a.finalNorm) add("final norm", LayerKind::Norm, Part::Norm);
  add("head", LayerKind::Head, Part::Head);
  out.graph = LayerGraph::chain(std::move(layers));
  return out;
}

LayerCost costOf(Part part, const LayerSetting& s) {
  switch (part) {
    case Part::Embedding:
      return embeddingCost(s);
    case Part::DenseBlock:
      return blockCost(s, false);
    case Part::ExpertBlock:
      return blockCost(s, true);
    case Part::Norm:
      return finalNormCost(s);
    case Part::Head:
      break;
  }
  return headCost(s);
}

}  // namespace

GraphAndProfile analyticProfile(const TransformerArchitecture& a, const DeviceSpec& device, const Job& job,
                                const std::vector<Strategy>& strategies, const AnalyticOptions& options) {
  Outline outline = outlineOf(a);
  const Roofline roofline(device, job.format, options.constants);
  Profile profile(strategies, job.microbatches, outline.graph.classCount,
                  static_cast<int>(outline.graph.tensors.size()));
  for (int s = 0; s < static_cast<int>(strategies.size()); ++s) {
    for (int b = 0; b < static_cast<int>(job.microbatches.size()); ++b) {
      const LayerSetting setting(a, roofline, options, job, strategies[std::size_t(s)],
                                 job.microbatches[std::size_t(b)]);
      for (int c = 0; c < outline.graph.classCount; ++c)
        profile.setCost(c, s, b, costOf(outline.parts[std::size_t(c)], setting));
      for (int t = 0; t < static_cast<int>(outline.graph.tensors.size()); ++t)
        profile.setTensorBytes(t, s, b, boundaryBytes(setting));
    }
  }
  if (a.tiedEmbeddings) {
    TiedParameters tied{LayerIndex(0), LayerIndex(outline.graph.layerCount() - 1), {}};
    for (const Strategy& s : strategies) tied.parameters.push_back(embeddingParameters(a) / s.tensor);
    profile.tied = std::move(tied);
  }
  profile.provenance = "Estimated by a roofline for each operator on " + device.name +
                       (options.flashAttention ? ", fused attention" : ", attention with stored scores");
  return {std::move(outline.graph), std::move(profile)};
}

}  // namespace nest
