#include "model/overlay.h"
#include "units/at.h"

#include <algorithm>
#include <map>

namespace nest {
namespace {

template <class T>
std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
  for (const T& x : b)
    if (std::find(a.begin(), a.end(), x) == a.end()) a.push_back(x);
  return a;
}

const LayerCost* costIn(const Profile& p, int classId, int strategy, int microbatch) {
  return strategy >= 0 && microbatch >= 0 ? p.cost(classId, strategy, microbatch) : nullptr;
}

/// What was measured, of whose parameters as large a share is frozen as of the estimate's; a measurement that
/// says so itself is left as it is.
LayerCost frozenAs(const LayerCost& estimate, LayerCost own) {
  if (own.frozenDense > 0 || own.frozenExpert > 0) return own;
  const auto share = [](double frozen, double all) { return all > 0 ? frozen / all : 0; };
  own.frozenDense = own.denseParameters * share(estimate.frozenDense, estimate.denseParameters);
  own.frozenExpert = own.expertParameters * share(estimate.frozenExpert, estimate.expertParameters);
  return own;
}

}  // namespace

Reading<GraphAndProfile> overlayMeasured(const GraphAndProfile& analytic, const GraphAndProfile& measured) {
  const auto& layers = analytic.graph.layers;
  if (layers.size() != measured.graph.layers.size() || analytic.graph.tensors != measured.graph.tensors) {
    return {
        std::nullopt,
        {error("overlay-layers", {},
               "the measured profile has " + std::to_string(measured.graph.layers.size()) +
                   " layers, the model " + std::to_string(layers.size()) + ", or they are joined differently",
               "Measure embedding, every block, final norm and head, in this order")}};
  }
  GraphAndProfile out{analytic.graph, {}};
  std::map<std::pair<int, int>, int> classes;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::pair key(layers[i].classId, measured.graph.layers[i].classId);
    out.graph.layers[i].classId = classes.emplace(key, static_cast<int>(classes.size())).first->second;
  }
  out.graph.classCount = static_cast<int>(classes.size());

  auto microbatches = joined(analytic.profile.microbatches(), measured.profile.microbatches());
  std::sort(microbatches.begin(), microbatches.end());
  const auto strategies = joined(analytic.profile.strategies(), measured.profile.strategies());
  const int tensors = static_cast<int>(out.graph.tensors.size());
  out.profile = Profile(strategies, microbatches, out.graph.classCount, tensors);
  for (int s = 0; s < static_cast<int>(strategies.size()); ++s) {
    const int as = analytic.profile.strategyIndex(strategies[at(s)]);
    const int ms = measured.profile.strategyIndex(strategies[at(s)]);
    for (int b = 0; b < static_cast<int>(microbatches.size()); ++b) {
      const int ab = analytic.profile.microbatchIndex(microbatches[at(b)]);
      const int mb = measured.profile.microbatchIndex(microbatches[at(b)]);
      bool isMeasured = false;
      for (const auto& [pair, id] : classes) {
        const LayerCost* own = costIn(measured.profile, pair.second, ms, mb);
        const LayerCost* estimate = costIn(analytic.profile, pair.first, as, ab);
        isMeasured = isMeasured || own;
        if (own || estimate)
          out.profile.setCost(id, s, b, own && estimate ? frozenAs(*estimate, *own) : own ? *own : *estimate);
      }
      for (int t = 0; t < tensors; ++t) {
        if (isMeasured && measured.profile.tensorBytes(t, ms, mb).value() > 0)
          out.profile.setTensorBytes(t, s, b, measured.profile.tensorBytes(t, ms, mb));
        else if (as >= 0 && ab >= 0)
          out.profile.setTensorBytes(t, s, b, analytic.profile.tensorBytes(t, as, ab));
      }
    }
  }
  out.profile.trainedWork = analytic.profile.trainedWork;
  if (analytic.profile.tied) {
    TiedParameters tied = *analytic.profile.tied;
    tied.parameters.resize(strategies.size());
    // A strategy that was only measured divides the table like any other.
    for (std::size_t s = analytic.profile.strategies().size(); s < strategies.size(); ++s)
      tied.parameters[s] = analytic.profile.tied->parameters.front() *
                           analytic.profile.strategies().front().tensor / strategies[s].tensor;
    out.profile.tied = std::move(tied);
  }
  out.profile.provenance =
      measured.profile.provenance + "; where nothing was measured: " + analytic.profile.provenance;
  return {std::move(out), {}};
}

}  // namespace nest
