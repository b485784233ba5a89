#include <algorithm>
#include <initializer_list>

#include "analytic/layer_costs.h"
#include "analytic/layer_parts.h"

namespace nest {
namespace {

/// Builds the cost of one block operator by operator.
class BlockCost {
public:
  BlockCost(const LayerSetting& s, bool withExperts)
      : m(s), a(s.model), k(s.options.constants), m_shape(blockShape(s.model, withExperts)) {}

  LayerCost run() {
    attentionProducts();
    if (a.mixer == Mixer::Attention) attentionCore();
    mergeContext();
    if (a.mixer == Mixer::StateSpace) stateSpaceCore();
    if (a.mixer == Mixer::DeltaNet) deltaCore();
    if (a.encoder) crossAttention();
    mlp();
    elementWise();
    parameters();
    exchanges();
    recompute();
    offload();
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
    const Seconds weights = std::max(gradientProduct(m, out, in, tokens, count, work), issue);
    m_lastProduct = std::max(time(tokens, out, in) + cast(in), issue);
    c.forward += m_lastProduct;
    c.backward += std::max(time(tokens, in, out) + cast(out), issue) + weights;
    m_weightGradients += weights;
  }

  /// Matrices that read the same input run as one product: query, key and value.
  void attentionProducts() {
    double fused = 0;
    for (const Linear& l : m_shape.attention) {
      const bool joins = a.mixer == Mixer::Attention && !a.latent && l.split == Split::Column;
      if (joins)
        fused += l.outAt(m.shares);
      else
        product(m.tokens, l.outAt(m.shares), l.inAt(m.shares), 1);
      if (a.latent && l.axis == Axis::Heads && l.split == Split::Column && l.in < a.hidden)
        m_latentProjection += m.device.product(m.tokens, l.outAt(m.shares), l.inAt(m.shares)) +
                              m.device.cast(m.tokens * l.inAt(m.shares));
    }
    if (fused > 0) product(m.tokens, fused, a.hidden, 1);
  }

  double heads() const { return a.heads * m.shares.heads; }
  double keys() const {
    return a.slidingWindow > 0 ? std::min<double>(a.slidingWindow, m.sequence) : m.sequence;
  }
  /// Elements of the score matrices of a microbatch on one rank.
  double scores() const { return m.tokens * m.sequence * heads(); }

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

  /// Tokens of the encoder that belong to this rank's tokens.
  double encoderTokens() const {
    return a.encoder->length > 0 ? m.tokens / m.sequence * a.encoder->length : m.tokens;
  }
  double encoderKeys() const { return a.encoder->length > 0 ? a.encoder->length : m.sequence; }
  void crossAttention() {
    for (const Linear& l : m_shape.cross) {
      const bool ofEncoder = l.axis == Axis::KeyValueHeads;
      product(ofEncoder ? encoderTokens() : m.tokens, l.outAt(m.shares), l.inAt(m.shares), 1);
    }
    const double flops =
        2 * m.tokens * encoderKeys() * heads() * (m_shape.queryKeyHeadDim + m_shape.valueHeadDim);
    c.forward += m.device.attention(flops, encoderKeys(), m_shape.valueHeadDim);
    c.backward += m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value,
                                     encoderKeys(), m_shape.valueHeadDim);
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
    const double flops = 2 * m.tokens * seen * heads() * (m_shape.queryKeyHeadDim + m_shape.valueHeadDim);
    m_core = m.device.attention(flops, chosen, m_shape.valueHeadDim);
    m_coreBackward = m.device.attention(flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value,
                                        chosen, m_shape.valueHeadDim);
    c.forward += m_core;
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
      const double flops =
          2 * m.tokens * reach * share * heads() * (m_shape.queryKeyHeadDim + m_shape.valueHeadDim);
      m_core = m.device.attention(flops, reach, m_shape.valueHeadDim);
      m_coreBackward = m.device.attention(
          flops * k.attentionBackwardWork.value / k.attentionBackwardRate.value, reach, m_shape.valueHeadDim);
    } else {
      const double batches = m.tokens / (m.sequence / m.strategy.context) * heads();
      const double queries = m.sequence / m.strategy.context;
      const Seconds score = m.device.wideProduct(queries, m.sequence, m_shape.queryKeyHeadDim, batches);
      const Seconds value = m.device.wideProduct(queries, m_shape.valueHeadDim, m.sequence, batches);
      // Dropout moves 2, 2 and a mask of 1.
      const double dropout = hasDropout(a) ? 5 : 0;
      m_core = score + value + m.device.traffic((k.scoreTraffic.value + dropout) * scores());
      m_coreBackward =
          (score + value) * 2 + m.device.traffic((k.scoreBackwardTraffic.value + dropout) * scores());
    }
    c.forward += m_core;
    c.backward += m_coreBackward;
  }

  void mlp() {
    for (const Linear& l : m_shape.mlp) {
      if (l.isExpert) {
        product(tokensPerExpert(m, l), l.outAt(m.expertShares), l.inAt(m.expertShares),
                l.copies / m.strategy.expert, Work::Grouped);
      } else {
        product(l.split == Split::Replicated ? m.outerTokens() : m.tokens, l.outAt(m.shares),
                l.inAt(m.shares), 1, l.split == Split::Replicated ? Work::Wide : Work::Plain);
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
  double expertWidth() const {  // of them, of routed experts
    double width = 0;
    for (const Linear& l : m_shape.mlp)
      if (l.split == Split::Row && l.isExpert) width += l.inAt(m.shares) * l.perToken;
    return width;
  }
  double routedWidth() const { return a.experts && a.experts->latent > 0 ? a.experts->latent : a.hidden; }
  double routed() const { return m_shape.hasExperts ? a.experts->perToken : 0; }
  // What a mixer without attention keeps for its backward pass stands in place of queries, keys and values.
  double queryWidth() const {
    if (a.mixer == Mixer::StateSpace)
      return m.shares.width *
             (2 * a.stateSpace->inner() + 2.0 * a.stateSpace->groups * a.stateSpace->stateSize);
    if (a.mixer == Mixer::DeltaNet)
      return m.shares.width * 2 * (2.0 * a.deltaNet->keyHeads * a.deltaNet->keyHeadDim);
    if (a.mixer == Mixer::None) return 0;
    return heads() * m_shape.queryKeyHeadDim;
  }
  double outputWidth() const {
    if (a.mixer == Mixer::StateSpace) return m.shares.width * a.stateSpace->inner();
    if (a.mixer == Mixer::DeltaNet) return m.shares.width * a.deltaNet->valueHeads * a.deltaNet->valueHeadDim;
    return a.mixer == Mixer::None ? 0 : heads() * m_shape.valueHeadDim * (a.attentionGate ? 2 : 1);
  }
  double keyWidth() const {
    if (a.mixer != Mixer::Attention) return 0;
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * m_shape.queryKeyHeadDim;
  }
  double valueWidth() const {
    if (a.mixer == Mixer::DeltaNet) return 2 * outputWidth();
    if (a.mixer != Mixer::Attention) return 0;
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * m_shape.valueHeadDim;
  }

  /// Residual branches: attention and MLP, one of them, or both at once.
  double parts() const {
    const bool mixes = a.mixer != Mixer::None, feeds = m_shape.hasExperts || a.intermediate > 0;
    return (mixes && feeds && !a.parallelBlock ? 2 : 1) + (a.encoder ? 1 : 0);
  }

  /// An RMSNorm of several kernels.
  bool hasCompositeNorm() const {
    return m.options.eagerElementwise && !a.layerNorm &&
           k.eagerNormTraffic.value > kNormTraffic * m.device.elementBytes();
  }

  /// Bytes that it keeps per element besides its input and its result: what its kernels pass on to each
  /// other. Together they are a quarter of what it moves: counted, 6 of 24 bytes in 16 bits (input, result
  /// before the weight, result), 10 of 40 in fp32 (input and result before the weight in fp32, result).
  double keptByCompositeNorm() const {
    return std::max(0.0, k.eagerNormTraffic.value / 4 - 2 * m.device.elementBytes());
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
    const double norm = hasCompositeNorm() ? k.eagerNormTraffic.value : kNormTraffic * e;
    const double residual = m.outerTokens() * a.hidden * (kResidualTraffic * e + mask);
    double moved = m.outerTokens() * a.hidden * a.blockNorms * norm + parts() * residual;
    const double activation = m.tokens * activeWidth() * (a.gatedMlp ? 3 : 2) * e;
    moved += activation;
    const bool isScaled = hasScaledRotary();
    const double rotated =
        !a.learnedPositions && a.mixer == Mixer::Attention ? m.tokens * (queryWidth() + keyWidth()) : 0;
    if (!isScaled) moved += rotated * (eager ? k.eagerRotaryTraffic.value : 2 * e);
    if (a.queryKeyNorm && a.mixer == Mixer::Attention) moved += m.tokens * (queryWidth() + keyWidth()) * norm;
    const double gate = eager && a.gatedMlp ? m.tokens * activeWidth() : 0;
    if (!m.options.flashAttention && a.mixer == Mixer::Attention)
      moved += m.tokens * heads() * m_shape.valueHeadDim * 2 * e;  // heads put together
    const double clamped = a.clampedGate ? m.tokens * activeWidth() : 0;
    const double biased = a.projectionBias ? m.expertTokens() * routed() * routedWidth() : 0;
    // Tokens are gathered by expert, and their results added up again.
    moved += m.expertTokens() * routed() * routedWidth() * k.routedPasses.value * e;
    m_residual = m.device.traffic(residual);
    const double weighted = a.gatedMlp ? m.tokens * expertWidth() : 0;
    m_elementWise = m.device.traffic(moved + (isScaled ? rotated * k.scaledRotaryTraffic.value : 0) +
                                     gate * k.eagerGateTraffic.value + clamped * k.clampTraffic.value +
                                     biased * k.expertBiasTraffic.value);
    c.forward += m_elementWise;
    c.backward += m.device.traffic(
        moved * k.backwardTraffic.value + (isScaled ? rotated * k.scaledRotaryBackwardTraffic.value : 0) +
        gate * k.eagerGateBackwardTraffic.value + clamped * k.clampBackwardTraffic.value +
        biased * k.expertBiasBackwardTraffic.value + weighted * k.routingGradientTraffic.value);
    m_activations = m.device.traffic(m.outerTokens() * a.hidden * a.blockNorms * norm + activation +
                                     gate * k.eagerGateTraffic.value + clamped * k.clampTraffic.value);
  }

  void parameters() {
    c.denseParameters = m_shape.normParameters;
    for (const auto* part : {&m_shape.attention, &m_shape.cross, &m_shape.mlp})
      for (const Linear& l : *part)
        (l.isExpert ? c.expertParameters : c.denseParameters) +=
            l.parametersAt(l.isExpert ? m.expertShares : m.shares) * l.copies /
            (l.isExpert ? m.strategy.expert : 1);
  }

  /// Of a region of attention or a dense MLP; what its products read may be gathered in fewer bytes.
  double exchanged(bool into) const {
    return into && m.strategy.sequence ? m.tokens * a.hidden * m.device.gatheredBytes() : m.hiddenBytes();
  }
  /// What products read, once for each region.
  void gatherInputs(Phase phase) {
    for (int region = 0; region < regions(); ++region) addTensorExchange(c, phase, m, true, exchanged(true));
  }
  void forwardExchanges(Phase phase) {
    for (int part = 0; part < (a.mixer == Mixer::None ? 0 : a.encoder ? 2 : 1); ++part)
      for (const bool into : {true, false}) addTensorExchange(c, phase, m, into, exchanged(into));
    if (parts() >= 2 || a.mixer == Mixer::None || m_shape.hasExperts) mlpExchanges(phase);
  }
  /// With sequence parallelism and experts spread out, ranks send only their own tokens and gather what
  /// arrived; whole experts need no gathering.
  bool hasTensorMlp() const {
    return !m_shape.hasExperts || !m.strategy.foldedExperts || a.experts->sharedIntermediate > 0;
  }
  void mlpExchanges(Phase phase) {
    const bool spread = m_shape.hasExperts && m.strategy.expert > 1;
    const bool dense = hasTensorMlp() && (!m_shape.hasExperts || a.experts->sharedIntermediate > 0 ||
                                          !spread || !m.strategy.sequence);
    for (const bool into : {true, false}) {
      const bool isSpared = !into && phase == Phase::RecomputeFull && sparesLastProduct();
      if (dense && !isSpared) addTensorExchange(c, phase, m, into, exchanged(into));
      if (spread && m.strategy.sequence && !m.strategy.foldedExperts)
        addTensorExchange(c, phase, m, into, m.hiddenBytes() * routed() * routedWidth() / a.hidden);
    }
    if (spread)
      c.collectives.push_back({CollectiveKind::AllToAll, GroupKind::Expert, phase,
                               Bytes(m.outerTokens() * routed() * routedWidth() * m.device.elementBytes() *
                                     m.options.expertDispatchShare),
                               phase == Phase::RecomputeFull && m.options.recomputeStopsEarly ? 1.0 : 2.0});
  }
  /// A recompute that stops early leaves out what nothing in the block keeps the result of.
  bool sparesLastProduct() const {
    return m.options.recomputeStopsEarly && !m_shape.hasExperts && a.intermediate > 0 && !a.parallelBlock &&
           !hasDropout(a);
  }
  /// States that pass from one context rank to the next, fp32.
  double stateBytes() const {
    const double sequences = m.tokens / (m.sequence / m.strategy.context);
    if (a.mixer == Mixer::StateSpace)
      return 4 * sequences * m.shares.width * a.stateSpace->inner() * a.stateSpace->stateSize;
    const DeltaNet& d = *a.deltaNet;
    return 4 * sequences * m.shares.width * d.valueHeads * d.keyHeadDim * d.valueHeadDim;
  }
  bool gathersContext() const {
    return m.options.contextExchange == ContextExchange::Gather && a.mixer == Mixer::Attention;
  }
  /// One hop of a context rank: keys and values, those of shared heads repeated where they are gathered.
  double contextBytes() const {
    if (a.mixer != Mixer::Attention) return stateBytes();
    const double width = gathersContext() ? heads() * (m_shape.queryKeyHeadDim + m_shape.valueHeadDim)
                                          : keyWidth() + valueWidth();
    return m.tokens * width * m.device.elementBytes();
  }
  void passContext(Phase phase, double times) {
    if (m.strategy.context == 1 || a.mixer == Mixer::None) return;
    c.collectives.push_back(
        {CollectiveKind::RingExchange, GroupKind::Context, phase, Bytes(contextBytes()), times});
  }
  /// What adds up the results of attention to each rank's keys, in fp32, and their gradients.
  void mergeContext() {
    if (m.strategy.context == 1 || !gathersContext()) return;
    const double each = (m.strategy.context - 1) * m.tokens * heads() * k.contextMergeTraffic.value;
    c.forward += m.device.traffic(each * m_shape.valueHeadDim);
    c.backward += m.device.traffic(each * (2 * m_shape.queryKeyHeadDim + m_shape.valueHeadDim));
  }
  /// Regions of a block that gather their tokens under sequence parallelism.
  double regions() const { return parts() - (hasTensorMlp() || a.parallelBlock ? 0 : 1); }
  /// Products whose input gradients are summed beside that of another product with the same input.
  int furtherInputs() const {
    if (!m.options.sumsEachInput || m.strategy.sequence) return 0;
    const bool separateKeys = a.mixer == Mixer::Attention && !a.latent && a.keyValueHeads != a.heads;
    return (separateKeys ? 2 : 0) + (a.gatedMlp && !m_shape.hasExperts && a.intermediate > 0 ? 1 : 0);
  }
  void exchanges() {
    // Backward mirrors forward: gathers become scatters.
    for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::RecomputeFull}) forwardExchanges(phase);
    for (int further = 0; further < furtherInputs(); ++further)
      addTensorExchange(c, Phase::Backward, m, false, m.hiddenBytes());
    // Only its own part of what a product read is kept, so that weight gradients gather it again. It may run
    // beside the input gradients' product (Korthikanti 2022, §4.2.2), but the paper's layer times show no
    // gain from that.
    if (m.strategy.sequence && !m.options.keepsGatheredInputs) gatherInputs(Phase::Backward);
    // A policy that keeps results of products and scatters repeats the gathers before them.
    if (m.strategy.sequence && m.options.selectiveRecompute == SelectiveRecompute::EverySecondProduct)
      gatherInputs(Phase::RecomputeSelective);
    // Gathered keys and values come once more; their fp32 gradients go all the way round, to where they
    // began.
    const double ranks = m.strategy.context;
    const double gradients = gathersContext() ? 4 / m.device.elementBytes() * ranks / (ranks - 1) : 1;
    passContext(Phase::Forward, 1);
    passContext(Phase::Backward, 1 + gradients);
    passContext(Phase::RecomputeFull, 1);
    if (!m.options.flashAttention) passContext(Phase::RecomputeSelective, 1);
  }

  /// Elements that the scatters behind a block's products leave on a rank, of those that every second product
  /// keeps: compiled blocks drop the last, which nothing reads.
  double scattered() const {
    if (!m.strategy.sequence || m.strategy.tensor == 1) return 0;
    return m.outerTokens() * a.hidden * (regions() - (m.options.eagerElementwise ? 0 : 1));
  }

  /// Stash without the scores, bytes: what both norms and all products read, the attention's operands, the
  /// masks.
  double coreStash() const {
    const double e = m.device.elementBytes(), read = m.device.keptInputBytes();
    const double mask = hasDropout(a) ? 1 : 0;
    double outer =
        a.hidden * parts() * (e + read + mask);  // inputs of two norms and of what follows each, two masks
    if (hasCompositeNorm()) outer += a.hidden * a.blockNorms * keptByCompositeNorm();
    double inner = (queryWidth() + keyWidth() + valueWidth() + outputWidth()) * e;
    if (m.options.keepsWholeProjection && !a.latent && a.keyValueHeads == a.heads)
      inner += (keyWidth() + valueWidth()) * e;
    if (m.options.keepsGatheredInputs && m.strategy.sequence) {
      outer -= a.hidden * regions() * read;
      inner += a.hidden * regions() * read;
    }
    // Attention keeps its result; the product behind it keeps that as it reads it.
    if (read < e) inner += outputWidth() * read;
    // Both operands of a gate and their product; eager kernels keep what the activation made of one, too.
    inner += activeWidth() * ((!a.gatedMlp ? 1 : m.options.eagerElementwise ? 3 : 2) * e + read);
    if (a.encoder)
      inner += (queryWidth() + outputWidth() + (keyWidth() + valueWidth()) * encoderTokens() / m.tokens) * e;
    if (a.latent) outer += (a.latent->queryRank + a.latent->keyValueRank + a.latent->ropeHeadDim) * e;
    if (m.options.flashAttention && a.mixer == Mixer::Attention)
      inner += 4 * heads();  // one fp32 logarithm a query and head
    if (m_shape.hasExperts) {
      // What the experts read.
      (m.strategy.foldedExperts ? outer : inner) += routed() * routedWidth() * read;
      outer += 4.0 * a.experts->experts;  // routing probabilities, fp32
    }
    return m.outerTokens() * outer + m.tokens * inner;
  }

  void recompute() {
    const double e = m.device.elementBytes();
    // Unfused attention keeps softmax, its dropout's mask and result: 5 bytes a score, 2 without dropout.
    const double perScore = k.storedScores.value * e + (hasDropout(a) ? e + 1 : 0);
    const bool storesScores = !m.options.flashAttention && a.mixer == Mixer::Attention;
    const double kept = storesScores ? perScore * scores() : 0;
    const double whole = k.gradientWorkspace.value * (c.denseParameters + c.expertParameters);
    const double gradients = whole + m.outerTokens() * 2 * a.hidden * e +
                             m.tokens * activeWidth() * (a.gatedMlp ? 2 : 1) * e +
                             (storesScores ? 2 * e * scores() : 0);
    const double input = m.outerTokens() * a.hidden * e;
    const double stash = coreStash();
    Seconds again = storesScores ? m_core : Seconds(0);
    double selective = stash, transient = kept;
    if (m.options.selectiveRecompute == SelectiveRecompute::EverySecondProduct) {
      // Kept: the input, the attention's result, and the results of the other products.
      const EverySecondProduct products = everySecondProduct(m, m_shape);
      again += products.again + m_elementWise + exchangeReordered(m, exchanged(true)) * regions();
      selective = std::min(stash, input + (m.tokens * outputWidth() + products.kept + scattered()) * e);
      transient += stash - selective;
    }
    if (m.options.selectiveRecompute == SelectiveRecompute::Activations) {
      const double read = m.device.keptInputBytes();
      again += m_activations;
      selective -= (m.outerTokens() * a.hidden * parts() + m.tokens * activeWidth()) * read;
    }
    if (m.options.selectiveRecompute == SelectiveRecompute::LatentProjection && a.latent) {
      again += m_latentProjection;
      selective -= m.tokens * (queryWidth() + keyWidth() + valueWidth()) * e;
    }
    c.recompute[std::size_t(Recompute::None)] = {true, Bytes(stash + kept), Seconds(0), Bytes(gradients)};
    c.recompute[std::size_t(Recompute::Selective)] = {true, Bytes(selective), again,
                                                      Bytes(gradients + transient)};
    Seconds spared;
    if (m.options.recomputeStopsEarly) spared = m_residual;
    if (sparesLastProduct()) spared += m_lastProduct + exchangeReordered(m, exchanged(false));
    c.recompute[std::size_t(Recompute::Full)] = {true, Bytes(input), c.forward - spared,
                                                 Bytes(gradients + kept + stash)};
  }

  /// A share of the stash goes to the host's memory behind the forward pass and comes back before the
  /// backward pass, each beside the passes of the neighbours: two buffers, and no pass is shorter than its
  /// copy.
  void offload() {
    const double share = m.options.offloadedShare;
    if (!(share > 0)) return;
    for (RecomputeCost& r : c.recompute) {
      const Bytes moved = r.stash * share;
      const Seconds copy = m.device.toHost(moved.value());
      const Seconds late = std::max(Seconds(0), copy - c.forward) +
                           std::max(Seconds(0), copy - (c.backward + r.extraBackward));
      r.stash -= moved;
      r.workspace += moved * 2;
      r.extraBackward += late;
    }
  }

  const LayerSetting& m;
  const TransformerArchitecture& a;
  const AnalyticConstants& k;
  BlockShape m_shape;
  LayerCost c;
  Seconds m_core, m_coreBackward, m_elementWise;  ///< forward, but for the core's backward
  Seconds m_lastProduct, m_residual;              ///< one of each
  Seconds m_activations, m_latentProjection;      ///< of them, forward
  Seconds m_weightGradients;
};

}  // namespace

LayerCost blockCost(const LayerSetting& s, bool withExperts) {
  return BlockCost(s, withExperts).run();
}

}  // namespace nest
