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
  const double trained = 1 - s.options.frozenOfEmbedding();
  LayerCost c;
  const double moved = s.outerTokens() * a.hidden * s.device.elementBytes();
  double forward = 2 * moved;  // rows read and written
  if (a.embeddingNorm) forward += kNormTraffic * moved;
  if (hasDropout(a)) forward += 2 * moved;
  c.forward = s.device.traffic(forward);
  c.backward = s.device.traffic(moved + 2 * s.outerTokens() * a.hidden * s.gradientBytes) *
               trained;           // rows added into gradients
  c.weightGradient = c.backward;  // nothing in front of it asks for gradients
  if (a.patchInputs > 0) {
    c.forward += s.device.wideProduct(s.outerTokens(), a.hidden, a.patchInputs);
    c.backward += gradientProduct(s, a.hidden, a.patchInputs, s.outerTokens(), 1, Work::Wide) * trained;
    c.weightGradient = c.backward;
    c.denseParameters = embeddingParameters(a) + otherEmbeddingParameters(a);
    c.frozenDense = c.denseParameters * (1 - trained);
    setAllPolicies(c, {true, Bytes(s.outerTokens() * a.patchInputs * s.device.elementBytes()), Seconds(0),
                       Bytes(moved)});
    return c;
  }
  c.denseParameters = embeddingParameters(a) * s.shares.width + otherEmbeddingParameters(a);
  c.frozenDense = c.denseParameters * (1 - trained);
  // The table is divided by vocabulary: ranks sum what each found, and the gradient comes back whole.
  addTensorExchange(c, Phase::Forward, s, false, s.hiddenBytes());
  if (s.strategy.sequence && trained > 0) addTensorExchange(c, Phase::Backward, s, true, s.hiddenBytes());
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
    c.frozenDense = c.denseParameters * s.options.frozenOfHead();
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
  const double frozen = a.tiedEmbeddings ? s.options.frozenOfEmbedding() : s.options.frozenOfHead();
  c.weightGradient = gradientProduct(s, vocabulary, width, rows, 1, Work::Wide) * (1 - frozen);
  c.backward = s.device.wideProduct(rows, width, vocabulary) + *c.weightGradient +
               s.device.traffic(logits * k.lossBackwardTraffic.value);
  c.denseParameters = (a.tiedEmbeddings ? 0 : vocabularyTable(a) * s.shares.width) +
                      (headParameters(a) - (a.tiedEmbeddings ? 0 : vocabularyTable(a)));
  c.frozenDense = c.denseParameters * s.options.frozenOfHead();
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

LayerCost headCost(const LayerSetting& s, const LayerSetting& block, bool withExperts, int predictions) {
  const double h = s.model.hidden, e = s.device.elementBytes(), state = s.outerTokens() * h * e;
  const double norms = kNormTraffic * 2 * state, lookup = 2 * state;
  const double backwardTraffic = s.options.constants.backwardTraffic.value;
  const LayerCost again = headCost(s), body = blockCost(block, withExperts);
  LayerCost c = again;
  for (int k = 0; k < predictions; ++k) {
    // The token's embedding and the last hidden state, each behind a norm, become one hidden state.
    const double rows = s.tokens, out = h / s.strategy.tensor;
    const double frozen = s.options.frozenOfBlocks();
    const Seconds weights = gradientProduct(s, out, 2 * h, rows, 1, Work::Plain) * (1 - frozen);
    c.forward += s.device.product(rows, out, 2 * h) + s.device.cast(rows * 2 * h) +
                 s.device.traffic(norms + lookup) + body.forward + again.forward;
    c.backward += s.device.product(rows, 2 * h, out) + s.device.cast(rows * out) + weights +
                  s.device.traffic(norms * backwardTraffic + lookup) + body.backward + again.backward;
    c.weightGradient =
        c.weightGradientSeconds() + weights + body.weightGradientSeconds() + again.weightGradientSeconds();
    c.denseParameters += 2 * h * h / s.strategy.tensor + 3 * h + body.denseParameters;
    c.expertParameters += body.expertParameters;
    c.frozenDense += (2 * h * h / s.strategy.tensor + 3 * h) * frozen + body.frozenDense;
    c.frozenExpert += body.frozenExpert;
    c.collectives.insert(c.collectives.end(), body.collectives.begin(), body.collectives.end());
    c.collectives.insert(c.collectives.end(), again.collectives.begin(), again.collectives.end());
    addTensorExchange(c, Phase::Forward, s, true, s.hiddenBytes() * 2);
    addTensorExchange(c, Phase::Backward, s, false, s.hiddenBytes() * 2);
    for (std::size_t p = 0; p < c.recompute.size(); ++p) {
      const RecomputeCost &of = body.recompute[p], &head = again.recompute[p];
      RecomputeCost& all = c.recompute[p];
      all.available = all.available && of.available;
      all.stash += of.stash + head.stash + Bytes(4 * state);
      all.extraBackward += of.extraBackward + head.extraBackward;
      // All losses are held until the backward pass; of the blocks one is at work.
      all.workspace += head.workspace + (k == 0 ? of.workspace : Bytes(0));
    }
  }
  return c;
}

}  // namespace nest
