#include "analytic/layer_costs.h"

#include <algorithm>

namespace nest {
namespace {

/// LayerNorm or RMSNorm: reads and writes each element once.
constexpr double kNormTraffic = 2;
/// Residual addition reads two and writes one; where the family has dropout, a mask of a byte is written
/// beside.
constexpr double kResidualTraffic = 3;

void addTensorExchange(LayerCost& c, Phase phase, const LayerSetting& s, bool into, double bytes) {
  if (s.strategy.tensor == 1) return;
  if (s.strategy.sequence)
    c.collectives.push_back({into ? CollectiveKind::AllGather : CollectiveKind::ReduceScatter,
                             GroupKind::Tensor, phase, Bytes(bytes), 1});
  else if (!into)
    c.collectives.push_back({CollectiveKind::AllReduce, GroupKind::Tensor, phase, Bytes(bytes), 1});
}

/// The product that makes a weight's gradients, and what adds them to the sum.
Seconds gradientProduct(const LayerSetting& s, double out, double in, double tokens, double count,
                        bool wide) {
  const double separate = s.options.separateGradientSums;
  const double weights = out * in * count, sums = 2 * s.gradientBytes * weights * (1 - separate);
  const Seconds product = wide ? s.device.wideProduct(out, in, tokens, count, sums)
                               : s.device.product(out, in, tokens, count, sums);
  return product + separate * s.device.traffic(weights * (s.device.elementBytes() + 2 * s.gradientBytes));
}

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
      shares(a, st.tensor) {}

Bytes boundaryBytes(const LayerSetting& s) {
  return Bytes(s.outerTokens() * s.model.hidden * s.device.elementBytes());
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
  const double logits = s.tokens * vocabulary;
  c.forward =
      s.device.wideProduct(s.tokens, vocabulary, width) + s.device.traffic(logits * k.lossTraffic.value);
  c.backward = s.device.wideProduct(s.tokens, width, vocabulary) +
               gradientProduct(s, vocabulary, width, s.tokens, 1, true) +
               s.device.traffic(logits * k.lossBackwardTraffic.value);
  c.denseParameters = (a.tiedEmbeddings ? 0 : embeddingParameters(a) * s.shares.width) +
                      (headParameters(a) - (a.tiedEmbeddings ? 0 : embeddingParameters(a)));
  if (s.strategy.tensor > 1) {
    addTensorExchange(c, Phase::Forward, s, true, s.hiddenBytes());
    addTensorExchange(c, Phase::Backward, s, false, s.hiddenBytes());
    // Largest logit, its own logit and the sum of exponentials of each token, fp32.
    c.collectives.push_back(
        {CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(4 * s.tokens), 3});
  }
  const double input = s.outerTokens() * a.hidden * s.device.elementBytes();
  setAllPolicies(c, {true, Bytes(input), Seconds(0), Bytes(logits * k.lossWorkspace.value)});
  return c;
}

namespace {

/// Builds the cost of one block operator by operator.
class BlockCost {
public:
  BlockCost(const LayerSetting& s, bool withExperts)
      : m(s), a(s.model), k(s.options.constants), m_shape(blockShape(s.model, withExperts)) {}

  LayerCost run() {
    attentionProducts();
    attentionCore();
    mlp();
    elementWise();
    parameters();
    exchanges();
    recompute();
    return std::move(c);
  }

private:
  /// A weight product forward, and its two products backward: for the input and for the weights, the latter
  /// adding into gradients of the job's width.
  void product(double tokens, double out, double in, double count, bool wide = false) {
    const auto time = [&](double p, double q, double r) {
      return wide ? m.device.wideProduct(p, q, r, count) : m.device.product(p, q, r, count);
    };
    c.forward += time(tokens, out, in);
    c.backward += time(tokens, in, out) + gradientProduct(m, out, in, tokens, count, wide);
    if (wide) return;
    c.forward += m.device.cast(tokens * in * count);
    c.backward += m.device.cast(tokens * out * count);
  }

  /// Matrices that read the same input run as one product: query, key and value.
  void attentionProducts() {
    double fused = 0;
    for (const Linear& l : m_shape.attention) {
      const bool joins = !a.latent && l.split == Split::Column;
      if (joins)
        fused += l.outAt(m.shares);
      else
        product(m.tokens, l.outAt(m.shares), l.inAt(m.shares), 1);
    }
    if (fused > 0) product(m.tokens, fused, a.hidden, 1);
  }

  double heads() const { return a.heads * m.shares.heads; }
  double keys() const {
    return a.slidingWindow > 0 ? std::min<double>(a.slidingWindow, m.sequence) : m.sequence;
  }
  /// Elements of the score matrices of a microbatch on one rank.
  double scores() const { return m.tokens * m.sequence * heads(); }

  void attentionCore() {
    if (m.options.flashAttention) {
      // Fused kernels skip what the causal mask hides: half of it, or all beyond the window.
      const double share = a.causal && a.slidingWindow == 0 ? 0.5 : 1;
      const double flops =
          2 * m.tokens * keys() * share * heads() * (m_shape.queryKeyHeadDim + m_shape.valueHeadDim);
      m_core = m.device.attention(flops, keys(), m_shape.valueHeadDim);
      m_coreBackward =
          m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value, keys(),
                             m_shape.valueHeadDim);
    } else {
      const double batches = m.tokens / (m.sequence / m.strategy.context) * heads();
      const double queries = m.sequence / m.strategy.context;
      const Seconds score = m.device.wideProduct(queries, m.sequence, m_shape.queryKeyHeadDim, batches);
      const Seconds value = m.device.wideProduct(queries, m_shape.valueHeadDim, m.sequence, batches);
      // Softmax reads and writes 2 bytes a score; dropout 2, 2 and a mask of 1. Backward: 5 for dropout, 6
      // for softmax.
      const double dropout = hasDropout(a) ? 5 : 0;
      m_core = score + value + m.device.traffic((4 + dropout) * scores());
      m_coreBackward = (score + value) * 2 + m.device.traffic((6 + dropout) * scores());
    }
    c.forward += m_core;
    c.backward += m_coreBackward;
  }

  /// Tokens that one expert gets, all routed evenly: e replicas send theirs, experts ÷ e are here.
  double tokensPerExpert(const Linear& l) const {
    return m.tokens * l.perToken * m.strategy.expert / l.copies;
  }

  void mlp() {
    for (const Linear& l : m_shape.mlp) {
      if (l.isExpert) {
        const double experts = l.copies / m.strategy.expert;
        product(tokensPerExpert(l), l.outAt(m.shares), l.inAt(m.shares), experts);
        c.forward += m.device.expertOverhead(experts);
        c.backward += 2 * m.device.expertOverhead(experts);
      } else {
        product(l.split == Split::Replicated ? m.outerTokens() : m.tokens, l.outAt(m.shares),
                l.inAt(m.shares), 1, l.split == Split::Replicated);
      }
    }
  }

  /// Width of all MLPs that one token passes, on one rank.
  double activeWidth() const {
    double width = 0;
    for (const Linear& l : m_shape.mlp)
      if (l.split == Split::Row) width += l.inAt(m.shares) * l.perToken;
    return width;
  }
  double routed() const { return m_shape.hasExperts ? a.experts->perToken : 0; }
  double queryWidth() const { return heads() * m_shape.queryKeyHeadDim; }
  double keyWidth() const {
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * m_shape.queryKeyHeadDim;
  }
  double valueWidth() const {
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * m_shape.valueHeadDim;
  }

  void elementWise() {
    const double e = m.device.elementBytes();
    const double mask = hasDropout(a) ? 1 : 0;
    double moved = m.outerTokens() * a.hidden * (2 * kNormTraffic * e + 2 * (kResidualTraffic * e + mask));
    moved += m.tokens * activeWidth() * (a.gatedMlp ? 3 : 2) * e;
    if (!a.learnedPositions) moved += m.tokens * (queryWidth() + keyWidth()) * 2 * e;  // rotary positions
    if (a.queryKeyNorm) moved += m.tokens * (queryWidth() + keyWidth()) * kNormTraffic * e;
    if (!m.options.flashAttention)
      moved += m.tokens * heads() * m_shape.valueHeadDim * 2 * e;  // heads put together
    // Tokens are gathered by expert, and their results added up again.
    moved += m.tokens * routed() * a.hidden * 4 * e;
    c.forward += m.device.traffic(moved);
    c.backward += m.device.traffic(moved * k.backwardTraffic.value);
  }

  void parameters() {
    c.denseParameters = m_shape.normParameters;
    for (const auto* part : {&m_shape.attention, &m_shape.mlp})
      for (const Linear& l : *part)
        (l.isExpert ? c.expertParameters : c.denseParameters) +=
            l.parametersAt(m.shares) * l.copies / (l.isExpert ? m.strategy.expert : 1);
  }

  void forwardExchanges(Phase phase) {
    addTensorExchange(c, phase, m, true, m.hiddenBytes());
    addTensorExchange(c, phase, m, false, m.hiddenBytes());
    mlpExchanges(phase);
  }
  /// With sequence parallelism and experts spread out, ranks send only their own tokens and gather what
  /// arrived.
  void mlpExchanges(Phase phase) {
    const bool spread = m_shape.hasExperts && m.strategy.expert > 1;
    const bool dense =
        !m_shape.hasExperts || a.experts->sharedIntermediate > 0 || !spread || !m.strategy.sequence;
    for (const bool into : {true, false}) {
      if (dense) addTensorExchange(c, phase, m, into, m.hiddenBytes());
      if (spread && m.strategy.sequence) addTensorExchange(c, phase, m, into, m.hiddenBytes() * routed());
    }
    if (spread)
      c.collectives.push_back({CollectiveKind::AllToAll, GroupKind::Expert, phase,
                               Bytes(m.outerTokens() * routed() * a.hidden * m.device.elementBytes()), 2});
  }
  void ring(Phase phase, double times) {
    if (m.strategy.context == 1) return;
    const double bytes = m.tokens * (keyWidth() + valueWidth()) * m.device.elementBytes();
    c.collectives.push_back({CollectiveKind::RingExchange, GroupKind::Context, phase, Bytes(bytes), times});
  }
  void exchanges() {
    // Backward mirrors forward: gathers become scatters.
    for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::RecomputeFull}) forwardExchanges(phase);
    // Only its own part of what a product read is kept, so that weight gradients gather it again. It may run
    // beside the input gradients' product (Korthikanti 2022, §4.2.2), but the paper's layer times show no
    // gain from that.
    if (m.strategy.sequence)
      for (int region = 0; region < 2; ++region)
        addTensorExchange(c, Phase::Backward, m, true, m.hiddenBytes());
    ring(Phase::Forward, 1);
    ring(Phase::Backward, 2);
    ring(Phase::RecomputeFull, 1);
    if (!m.options.flashAttention) ring(Phase::RecomputeSelective, 1);
  }

  /// Stash without the scores, bytes: what both norms and all products read, the attention's operands, the
  /// masks.
  double coreStash() const {
    const double e = m.device.elementBytes();
    const double mask = hasDropout(a) ? 1 : 0;
    double outer = a.hidden * (4 * e + 2 * mask);  // inputs of two norms and of what follows each, two masks
    double inner = (queryWidth() + keyWidth() + valueWidth() + heads() * m_shape.valueHeadDim) * e;
    inner += activeWidth() * (a.gatedMlp ? 3 : 2) * e;
    if (a.latent) outer += (a.latent->queryRank + a.latent->keyValueRank + a.latent->ropeHeadDim) * e;
    if (m.options.flashAttention) inner += 4 * heads();  // one fp32 logarithm a query and head
    if (m_shape.hasExperts) {
      inner += routed() * a.hidden * e;   // what the experts read
      outer += 4.0 * a.experts->experts;  // routing probabilities, fp32
    }
    return m.outerTokens() * outer + m.tokens * inner;
  }

  void recompute() {
    const double e = m.device.elementBytes();
    // Unfused attention keeps softmax, its dropout's mask and result: 5 bytes a score (2 without dropout).
    const double perScore = hasDropout(a) ? 2 * e + 1 : e;
    const double kept = m.options.flashAttention ? 0 : perScore * scores();
    const double gradients = m.outerTokens() * 2 * a.hidden * e +
                             m.tokens * activeWidth() * (a.gatedMlp ? 2 : 1) * e +
                             (m.options.flashAttention ? 0 : 2 * e * scores());
    const double input = m.outerTokens() * a.hidden * e;
    const double stash = coreStash();
    const Seconds again = m.options.flashAttention ? Seconds(0) : m_core;
    c.recompute[std::size_t(Recompute::None)] = {true, Bytes(stash + kept), Seconds(0), Bytes(gradients)};
    c.recompute[std::size_t(Recompute::Selective)] = {true, Bytes(stash), again, Bytes(gradients + kept)};
    c.recompute[std::size_t(Recompute::Full)] = {true, Bytes(input), c.forward,
                                                 Bytes(gradients + kept + stash)};
  }

  const LayerSetting& m;
  const TransformerArchitecture& a;
  const AnalyticConstants& k;
  BlockShape m_shape;
  LayerCost c;
  Seconds m_core, m_coreBackward;
};

}  // namespace

LayerCost blockCost(const LayerSetting& s, bool withExperts) {
  return BlockCost(s, withExperts).run();
}

}  // namespace nest
