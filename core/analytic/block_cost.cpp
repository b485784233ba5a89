#include <algorithm>
#include <initializer_list>

#include "analytic/block_on_rank.h"

namespace nest {
namespace {

/// Builds the cost of one block operator by operator.
class BlockCost {
public:
  explicit BlockCost(const BlockOnRank& r) : rank(r), m(r.m), a(r.a), k(r.k) {}

  LayerCost run() {
    attentionProducts();
    if (a.mixer == Mixer::Attention) attentionCore();
    mergeContext();
    if (a.mixer == Mixer::StateSpace) stateSpaceCore();
    if (a.mixer == Mixer::DeltaNet) deltaCore();
    if (a.mixer == Mixer::ShortConvolution) convolveAndGate(a.hidden, a.hidden);
    if (a.encoder) crossAttention();
    mlp();
    elementWise();
    parameters();
    adapters();
    addExchanges(c, rank);
    addRecompute(c, rank, m_times);
    keepAdapted();
    c.weightGradient = m_weightGradients;
    return std::move(c);
  }

private:
  /// A weight product forward, and its two products backward: for the input and for the weights, the latter
  /// adding into gradients of the job's width.
  void product(double tokens, double out, double in, double count, Work work = Work::Plain) {
    const auto time = [&](double p, double q, double r) {
      return work == Work::Wide      ? m.device.wideProduct(p, q, r, count)
             : work == Work::Grouped ? m.device.groupedProduct(p, q, r, count)
                                     : m.device.product(p, q, r, count);
    };
    const auto cast = [&](double width) {
      return work == Work::Wide ? Seconds(0) : m.device.cast(tokens * width * count);
    };
    const Seconds issue = work == Work::Grouped ? m.device.expertIssue(count) : Seconds(0);
    const Seconds weights =
        std::max(gradientProduct(m, out, in, tokens, count, work), issue) * (1 - m.options.frozenOfBlocks());
    m_times.lastProduct = std::max(time(tokens, out, in) + cast(in), issue);
    c.forward += m_times.lastProduct;
    c.backward += std::max(time(tokens, in, out) + cast(out), issue) + weights;
    m_weightGradients += weights;
  }

  /// Matrices that read the same input run as one product: query, key and value.
  void attentionProducts() {
    double fused = 0;
    for (const Linear& l : rank.shape.attention) {
      const bool joins = a.mixer == Mixer::Attention && !a.latent && l.split == Split::Column;
      if (joins)
        fused += l.outAt(m.shares);
      else
        product(m.tokens, l.outAt(m.shares), l.inAt(m.shares), 1);
      if (a.latent && l.axis == Axis::Heads && l.split == Split::Column && l.in < a.hidden)
        m_times.latentProjection += m.device.product(m.tokens, l.outAt(m.shares), l.inAt(m.shares)) +
                                    m.device.cast(m.tokens * l.inAt(m.shares));
    }
    if (fused > 0) product(m.tokens, fused, a.hidden, 1);
  }

  double keys() const {
    return a.slidingWindow > 0 ? std::min<double>(a.slidingWindow, m.sequence) : m.sequence;
  }

  /// Products of state-space and linear attention, chunk by chunk; backward run `backward` of its size.
  struct ChunkProduct {
    double rows, columns, depth, count;
    int backward = 2;
  };

  void chunked(std::initializer_list<ChunkProduct> products) {
    for (const ChunkProduct& p : products) {
      const Seconds time = m.device.wideProduct(p.rows, p.columns, p.depth, p.count);
      c.forward += time;
      c.backward += p.backward * time;
    }
  }

  /// The convolution before the state, and the gated norm behind it.
  void convolveAndGate(double convolved, double inner) {
    const double moved = m.tokens * m.shares.width * m.device.elementBytes() * (2 * convolved + 4 * inner);
    c.forward += m.device.traffic(moved);
    c.backward += m.device.traffic(moved * k.backwardTraffic.value);
  }

  /// State-space duality (Dao 2024, arXiv 2405.21060, §6): inside a chunk as attention, between chunks by
  /// states. Mamba-1 has a scan of element-wise steps instead.
  void stateSpaceCore() {
    const StateSpace& s = *a.stateSpace;
    const double inner = s.inner(), state = s.stateSize, share = m.shares.width;
    convolveAndGate(inner + (s.timeRank > 0 ? 0 : 2.0 * s.groups * state), inner);
    if (s.timeRank > 0) {
      const double moved = m.tokens * inner * share * 4 * m.device.elementBytes();
      c.forward += m.device.traffic(moved);
      c.backward += m.device.traffic(moved * k.backwardTraffic.value);
      return;
    }
    const double chunk = std::min<double>(s.chunk, m.sequence), chunks = m.tokens / chunk;
    const double heads = s.heads * share * chunks, groups = s.groups * share * chunks;
    // mamba_ssm, ops/triton/ssd_combined.py: backward the convolution, C·B and the states of chunks are
    // computed again, and gradients of decays take one more product inside a chunk.
    chunked({{chunk, chunk, state, groups, 3},
             {chunk, double(s.headDim), chunk, heads, 3},
             {state, double(s.headDim), chunk, heads, 2},
             {chunk, double(s.headDim), state, heads, 3}});
    const double convolved = inner + 2.0 * s.groups * state;
    c.backward += m.device.traffic(m.tokens * share * m.device.elementBytes() * 2 * convolved);
    // States go from chunk to chunk in fp32: W4 (2 of it in the product), R4 W2; backward as that with W4 for
    // W2, their gradients W4 (2 in the product), and R4 R4 W2 W2.
    const double passed = heads * s.headDim * state;
    c.forward += m.device.traffic(passed * 8);
    c.backward += m.device.traffic(passed * 24);
  }

  /// Gated delta rule in chunks (Yang 2024, arXiv 2412.06464, §3.3).
  void deltaCore() {
    const DeltaNet& d = *a.deltaNet;
    const double keys = d.keyHeadDim, values = d.valueHeadDim;
    convolveAndGate(2.0 * d.keyHeads * keys + d.valueHeads * values, d.valueHeads * values);
    const double chunk = std::min<double>(kDeltaChunk, m.sequence);
    const double count = d.valueHeads * m.shares.width * m.tokens / chunk;
    chunked({{chunk, chunk, keys, 2 * count},
             {chunk, chunk, chunk, count},
             {chunk, keys, chunk, count},
             {chunk, values, chunk, 2 * count},
             {chunk, values, keys, 2 * count},
             {keys, values, chunk, count}});
  }

  double encoderKeys() const { return a.encoder->length > 0 ? a.encoder->length : m.sequence; }

  void crossAttention() {
    for (const Linear& l : rank.shape.cross) {
      const bool ofEncoder = l.axis == Axis::KeyValueHeads;
      product(ofEncoder ? rank.encoderTokens() : m.tokens, l.outAt(m.shares), l.inAt(m.shares), 1);
    }
    const double flops =
        2 * m.tokens * encoderKeys() * rank.heads() * (rank.shape.queryKeyHeadDim + rank.shape.valueHeadDim);
    c.forward += m.device.attention(flops, encoderKeys(), rank.shape.valueHeadDim);
    c.backward += m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value,
                                     encoderKeys(), rank.shape.valueHeadDim);
  }

  /// Scores of the indexer, and attention to the keys that it chooses.
  void sparseCore() {
    const SparseAttention& s = *a.sparse;
    const double causal = a.causal ? 0.5 : 1, chosen = std::min<double>(s.keys, m.sequence);
    // The first queries see fewer keys than are chosen.
    const double seen = chosen * (1 - causal * chosen / m.sequence);
    const double index = 2 * m.tokens * m.sequence * causal * s.heads * s.headDim;
    c.forward += m.device.attention(index, m.sequence, s.headDim);
    c.backward += m.device.attention(2 * index, m.sequence, s.headDim);
    const double flops =
        2 * m.tokens * seen * rank.heads() * (rank.shape.queryKeyHeadDim + rank.shape.valueHeadDim);
    m_times.core = m.device.attention(flops, chosen, rank.shape.valueHeadDim);
    m_coreBackward = m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value,
                                        chosen, rank.shape.valueHeadDim);
    c.forward += m_times.core;
    c.backward += m_coreBackward;
  }

  void attentionCore() {
    if (a.sparse && m.options.flashAttention) return sparseCore();
    if (m.options.flashAttention) {
      // Fused kernels skip what the causal mask hides: half of it, or all beyond the window.
      const bool isWindow = a.slidingWindow > 0 && !a.windowIsChunk;
      const double reach = isWindow ? std::min(m.device.keysOfWindow(keys()), m.sequence) : keys();
      // The first queries of a sequence, or of a chunk, see fewer keys than their window has.
      const double share = !a.causal ? 1 : isWindow ? 1 - 0.5 * reach / m.sequence : 0.5;
      const double flops = 2 * m.tokens * reach * share * rank.heads() *
                           (rank.shape.queryKeyHeadDim + rank.shape.valueHeadDim);
      m_times.core = m.device.attention(flops, reach, rank.shape.valueHeadDim);
      m_coreBackward =
          m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value, reach,
                             rank.shape.valueHeadDim);
    } else {
      const double batches = m.tokens / (m.sequence / m.strategy.context) * rank.heads();
      const double queries = m.sequence / m.strategy.context;
      const Seconds score = m.device.wideProduct(queries, m.sequence, rank.shape.queryKeyHeadDim, batches);
      const Seconds value = m.device.wideProduct(queries, rank.shape.valueHeadDim, m.sequence, batches);
      // Dropout moves 2, 2 and a mask of 1.
      const double dropout = hasDropout(a) ? 5 : 0;
      m_times.core = score + value + m.device.traffic((k.scoreTraffic.value + dropout) * rank.scores());
      m_coreBackward =
          (score + value) * 2 + m.device.traffic((k.scoreBackwardTraffic.value + dropout) * rank.scores());
    }
    c.forward += m_times.core;
    c.backward += m_coreBackward;
  }

  /// What adds up the results of attention to each rank's keys, in fp32, and their gradients.
  void mergeContext() {
    if (m.strategy.context == 1 || !rank.gathersContext()) return;
    const double each = (m.strategy.context - 1) * m.tokens * rank.heads() * k.contextMergeTraffic.value;
    c.forward += m.device.traffic(each * rank.shape.valueHeadDim);
    c.backward += m.device.traffic(each * (2 * rank.shape.queryKeyHeadDim + rank.shape.valueHeadDim));
  }

  void mlp() {
    for (const Linear& l : rank.shape.mlp) {
      if (l.isExpert) {
        product(tokensPerExpert(m, l), l.outAt(m.expertShares), l.inAt(m.expertShares),
                l.copies / m.strategy.expert, Work::Grouped);
      } else {
        product(l.split == Split::Replicated ? m.outerTokens() : m.tokens, l.outAt(m.shares),
                l.inAt(m.shares), 1, l.split == Split::Replicated ? Work::Wide : Work::Plain);
      }
    }
  }

  double expertWidth() const {  // of them, of routed experts
    double width = 0;
    for (const Linear& l : rank.shape.mlp)
      if (l.split == Split::Row && l.isExpert) width += l.inAt(m.shares) * l.perToken * m.expertImbalance();
    return width;
  }

  /// Rotary positions that no fused kernel scales.
  bool hasScaledRotary() const {
    return a.scaledRotary && !a.latent && !m.options.eagerElementwise && k.scaledRotaryTraffic.value > 0;
  }

  void elementWise() {
    const double e = m.device.elementBytes();
    const double mask = hasDropout(a) ? 1 : 0;
    // Eager kernels: one for each operation (LayerNorm is one in any program).
    const bool eager = m.options.eagerElementwise;
    const double norm = rank.hasCompositeNorm() ? k.eagerNormTraffic.value : kNormTraffic * e;
    const double residual = m.outerTokens() * a.hidden * (kResidualTraffic * e + mask);
    double moved = m.outerTokens() * a.hidden * a.blockNorms * norm + rank.parts() * residual;
    const double activation = m.tokens * rank.activeWidth() * (a.gatedMlp ? 3 : 2) * e;
    moved += activation;
    const bool isScaled = hasScaledRotary();
    const double rotated = !a.learnedPositions && a.mixer == Mixer::Attention
                               ? m.tokens * (rank.queryWidth() + rank.keyWidth())
                               : 0;
    if (!isScaled) moved += rotated * (eager ? k.eagerRotaryTraffic.value : 2 * e);
    if (a.queryKeyNorm && a.mixer == Mixer::Attention)
      moved += m.tokens * (rank.queryWidth() + rank.keyWidth()) * norm;
    const double gate = eager && a.gatedMlp ? m.tokens * rank.activeWidth() : 0;
    if (!m.options.flashAttention && a.mixer == Mixer::Attention)
      moved += m.tokens * rank.heads() * rank.shape.valueHeadDim * 2 * e;  // heads put together
    const double clamped = a.clampedGate ? m.tokens * rank.activeWidth() : 0;
    const double biased = a.projectionBias ? m.expertTokens() * rank.routed() * rank.routedWidth() : 0;
    // Tokens are gathered by expert, and their results added up again.
    moved += m.expertTokens() * rank.routed() * rank.routedWidth() * k.routedPasses.value * e;
    m_times.residual = m.device.traffic(residual);
    const double weighted = a.gatedMlp ? m.tokens * expertWidth() : 0;
    m_times.elementWise = m.device.traffic(moved + (isScaled ? rotated * k.scaledRotaryTraffic.value : 0) +
                                           gate * k.eagerGateTraffic.value + clamped * k.clampTraffic.value +
                                           biased * k.expertBiasTraffic.value);
    c.forward += m_times.elementWise;
    c.backward += m.device.traffic(
        moved * k.backwardTraffic.value + (isScaled ? rotated * k.scaledRotaryBackwardTraffic.value : 0) +
        gate * k.eagerGateBackwardTraffic.value + clamped * k.clampBackwardTraffic.value +
        biased * k.expertBiasBackwardTraffic.value + weighted * k.routingGradientTraffic.value);
    m_times.activations = m.device.traffic(m.outerTokens() * a.hidden * a.blockNorms * norm + activation +
                                           gate * k.eagerGateTraffic.value + clamped * k.clampTraffic.value);
  }

  void parameters() {
    c.denseParameters = rank.shape.normParameters;
    for (const auto* part : {&rank.shape.attention, &rank.shape.cross, &rank.shape.mlp})
      for (const Linear& l : *part)
        (l.isExpert ? c.expertParameters : c.denseParameters) +=
            l.parametersAt(l.isExpert ? m.expertShares : m.shares) * l.copies /
            (l.isExpert ? m.strategy.expert : 1);
  }

  /// LoRA: for each projection a product down to the rank and one up from it, in 16 bits, whose result is
  /// added. Tensor ranks split both.
  void adapters() {
    c.frozenDense = c.denseParameters * m.options.frozenOfBlocks();
    c.frozenExpert = c.expertParameters * m.options.frozenOfBlocks();
    if (m.options.loraRank <= 0) return;
    for (const auto* part : {&rank.shape.attention, &rank.shape.cross, &rank.shape.mlp})
      for (const Linear& l : *part)
        if (isAdapted(l, m.options.loraTargets, part == &rank.shape.mlp)) adapt(l);
  }
  void adapt(const Linear& l) {
    const TensorShares& shares = l.isExpert ? m.expertShares : m.shares;
    const double tokens = l.isExpert                     ? tokensPerExpert(m, l)
                          : l.split == Split::Replicated ? m.outerTokens()
                                                         : m.tokens;
    const double matrices = matricesIn(a, l), r = m.options.loraRank, e = m.device.elementBytes();
    const double count = matrices * (l.isExpert ? l.copies / m.strategy.expert : 1);
    const double split = l.split == Split::Replicated ? 1 : shares.width;
    const double in = l.inAt(shares), inner = l.split == Split::Column ? r * split : r;
    const double out = l.out / matrices * split;
    const Seconds weights = gradientProduct(m, inner, in, tokens, count, Work::Wide) +
                            gradientProduct(m, out, r, tokens, count, Work::Wide);
    c.forward += m.device.wideProduct(tokens, inner, in, count) +
                 m.device.wideProduct(tokens, out, r, count) +
                 m.device.traffic(kResidualTraffic * e * tokens * out * count);
    c.backward += m.device.wideProduct(tokens, in, inner, count) +
                  m.device.wideProduct(tokens, r, out, count) +
                  m.device.traffic(kResidualTraffic * e * tokens * in * count) + weights;
    m_weightGradients += weights;
    (l.isExpert ? c.expertParameters : c.denseParameters) += count * (in * inner + r * out);
    m_adapted += tokens * inner * count * e;
  }
  /// What adapters pass from one product to the other.
  void keepAdapted() {
    for (const Recompute policy : {Recompute::None, Recompute::Selective})
      c.recompute[std::size_t(policy)].stash += Bytes(m_adapted);
    c.recompute[std::size_t(Recompute::Full)].workspace += Bytes(m_adapted);
  }

  const BlockOnRank& rank;
  const LayerSetting& m;
  const TransformerArchitecture& a;
  const AnalyticConstants& k;
  double m_adapted = 0;  ///< bytes
  LayerCost c;
  ForwardTimes m_times;
  Seconds m_coreBackward, m_weightGradients;
};

}  // namespace

LayerCost blockCost(const LayerSetting& s, bool withExperts) {
  const BlockOnRank rank(s, withExperts);
  return BlockCost(rank).run();
}

}  // namespace nest
