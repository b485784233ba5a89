#include "analytic/layer_costs.h"

#include "analytic/layer_parts.h"

namespace nest {
namespace {

/// Layers that are never recomputed cost the same under every policy.
void setAllPolicies(LayerCost& c, RecomputeCost cost) {
  c.recompute.fill(cost);
}

}  // namespace

LayerSetting::LayerSetting(const TransformerArchitecture& a, const Roofline& r, const AnalyticOptions& o,
                           const Job& job, const Strategy& st, int microbatch)
    : model(a),
      device(r),
      options(o),
      strategy(st),
      sequence(job.sequenceLength),
      tokens(double(microbatch) * job.sequenceLength / st.context),
      gradientBytes(job.optimizer.gradientBytes),
      shares(a, st.tensor),
      expertShares(a, st.foldedExperts ? 1 : st.tensor) {}

Bytes boundaryBytes(const LayerSetting& s) {
  const bool inParts = s.options.boundaryInParts && !s.strategy.sequence;
  return Bytes(s.outerTokens() * s.model.hidden * s.device.elementBytes() /
               (inParts ? s.strategy.tensor : 1));
}

LayerCost embeddingCost(const LayerSetting& s) {
  const TransformerArchitecture& a = s.model;
  LayerCost c;
  const double moved = s.outerTokens() * a.hidden * s.device.elementBytes();
  double forward = 2 * moved;  // rows read and written
  if (a.embeddingNorm) forward += kNormTraffic * moved;
  if (hasDropout(a)) forward += 2 * moved;
  c.forward = s.device.traffic(forward);
  c.backward = s.device.traffic(moved + 2 * s.outerTokens() * a.hidden *
                                            s.gradientBytes);  // rows added into gradients
  c.weightGradient = c.backward;                               // nothing in front of it asks for gradients
  if (a.patchInputs > 0) {
    c.forward += s.device.wideProduct(s.outerTokens(), a.hidden, a.patchInputs);
    c.backward += gradientProduct(s, a.hidden, a.patchInputs, s.outerTokens(), 1, Work::Wide);
    c.weightGradient = c.backward;
    c.denseParameters = embeddingParameters(a) + otherEmbeddingParameters(a);
    setAllPolicies(c, {true, Bytes(s.outerTokens() * a.patchInputs * s.device.elementBytes()), Seconds(0),
                       Bytes(moved)});
    return c;
  }
  c.denseParameters = embeddingParameters(a) * s.shares.width + otherEmbeddingParameters(a);
  // The table is divided by vocabulary: ranks sum what each found, and the gradient comes back whole.
  addTensorExchange(c, Phase::Forward, s, false, s.hiddenBytes());
  if (s.strategy.sequence) addTensorExchange(c, Phase::Backward, s, true, s.hiddenBytes());
  setAllPolicies(c, {true, Bytes(hasDropout(a) ? s.outerTokens() * a.hidden : 0), Seconds(0), Bytes(moved)});
  return c;
}

LayerCost finalNormCost(const LayerSetting& s) {
  LayerCost c;
  const double moved = s.outerTokens() * s.model.hidden * s.device.elementBytes();
  if (s.model.finalNorm) {
    c.forward = s.device.traffic(kNormTraffic * moved);
    c.backward = s.device.traffic(kNormTraffic * moved * s.options.constants.backwardTraffic.value);
    c.weightGradient = Seconds(0);  // in the kernel that makes the input's
    c.denseParameters = finalNormParameters(s.model);
    setAllPolicies(c, {true, Bytes(moved), Seconds(0), Bytes(moved)});
  }
  return c;
}

LayerCost headCost(const LayerSetting& s) {
  const TransformerArchitecture& a = s.model;
  const AnalyticConstants& k = s.options.constants;
  LayerCost c;
  const double vocabulary = a.vocabulary * s.shares.width;
  const double width = a.embeddingWidth > 0 ? a.embeddingWidth : a.hidden;
  const double rows = a.patchInputs > 0 ? s.tokens / s.sequence : s.tokens;  // an image has one label
  const bool gathered = s.options.wholeLogits && s.strategy.tensor > 1;
  const double logits = rows * (gathered ? a.vocabulary : vocabulary);
  c.forward = s.device.wideProduct(rows, vocabulary, width) + s.device.traffic(logits * k.lossTraffic.value);
  c.weightGradient = gradientProduct(s, vocabulary, width, rows, 1, Work::Wide);
  c.backward = s.device.wideProduct(rows, width, vocabulary) + *c.weightGradient +
               s.device.traffic(logits * k.lossBackwardTraffic.value);
  c.denseParameters = (a.tiedEmbeddings ? 0 : vocabularyTable(a) * s.shares.width) +
                      (headParameters(a) - (a.tiedEmbeddings ? 0 : vocabularyTable(a)));
  if (s.strategy.tensor > 1) {
    addTensorExchange(c, Phase::Forward, s, true, s.hiddenBytes());
    addTensorExchange(c, Phase::Backward, s, false, s.hiddenBytes());
    // Logits, or the largest, its own and the sum of exponentials of each token, fp32.
    c.collectives.push_back(gathered ? Collective{CollectiveKind::AllGather, GroupKind::Tensor,
                                                  Phase::Forward, Bytes(logits * s.device.elementBytes()), 1}
                                     : Collective{CollectiveKind::AllReduce, GroupKind::Tensor,
                                                  Phase::Forward, Bytes(4 * s.tokens), 3});
  }
  const double tokens = s.options.keepsGatheredInputs ? s.tokens : s.outerTokens();
  const double input = tokens * a.hidden * s.device.elementBytes();
  // What is gathered arrives in one buffer and is copied apart before the ranks' parts are joined.
  const double shared = s.strategy.tensor > 1 ? k.sharedLossWorkspace.value : 0;
  const double held = k.lossWorkspace.value + shared + (gathered ? 2 * s.device.elementBytes() : 0);
  setAllPolicies(c, {true, Bytes(input), Seconds(0), Bytes(logits * held)});
  return c;
}

}  // namespace nest
