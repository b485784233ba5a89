#pragma once

#include "analytic/layer_costs.h"
#include "analytic/layer_parts.h"

namespace nest {

/// What one rank has of a block: the widths that its times, its exchanges and its memory are made of.
class BlockOnRank {
public:
  BlockOnRank(const LayerSetting& s, bool withExperts)
      : m(s), a(s.model), k(s.options.constants), shape(blockShape(s.model, withExperts)) {}

  double heads() const { return a.heads * m.shares.heads; }

  /// Elements of the score matrices of a microbatch on one rank.
  double scores() const { return m.tokens * m.sequence * heads(); }

  /// Tokens of the encoder that belong to this rank's tokens.
  double encoderTokens() const {
    return a.encoder->length > 0 ? m.tokens / m.sequence * a.encoder->length : m.tokens;
  }

  /// Width of all MLPs that one token passes, on one rank.
  double activeWidth() const {
    double width = 0;
    for (const Linear& l : shape.mlp)
      if (l.split == Split::Row)
        width += l.inAt(m.shares) * l.perToken * (l.isExpert ? m.expertImbalance() : 1);
    return width;
  }

  double routedWidth() const { return a.experts && a.experts->latent > 0 ? a.experts->latent : a.hidden; }

  /// Experts of a token, as the busiest rank counts them.
  double routed() const { return shape.hasExperts ? a.experts->perToken * m.expertImbalance() : 0; }

  // What a mixer without attention keeps for its backward pass stands in place of queries, keys and values.
  double queryWidth() const {
    if (a.mixer == Mixer::StateSpace)
      return m.shares.width *
             (2 * a.stateSpace->inner() + 2.0 * a.stateSpace->groups * a.stateSpace->stateSize);
    if (a.mixer == Mixer::DeltaNet)
      return m.shares.width * 2 * (2.0 * a.deltaNet->keyHeads * a.deltaNet->keyHeadDim);
    // Both gates, what they gate, and what the convolution makes of it.
    if (a.mixer == Mixer::ShortConvolution) return m.shares.width * 4 * a.hidden;
    if (a.mixer == Mixer::None) return 0;
    return heads() * shape.queryKeyHeadDim;
  }

  double outputWidth() const {
    if (a.mixer == Mixer::StateSpace) return m.shares.width * a.stateSpace->inner();
    if (a.mixer == Mixer::DeltaNet) return m.shares.width * a.deltaNet->valueHeads * a.deltaNet->valueHeadDim;
    if (a.mixer == Mixer::ShortConvolution) return m.shares.width * a.hidden;
    return a.mixer == Mixer::None ? 0 : heads() * shape.valueHeadDim * (a.attentionGate ? 2 : 1);
  }

  double keyWidth() const {
    if (a.mixer != Mixer::Attention) return 0;
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * shape.queryKeyHeadDim;
  }

  double valueWidth() const {
    if (a.mixer == Mixer::DeltaNet) return 2 * outputWidth();
    if (a.mixer != Mixer::Attention) return 0;
    return (a.latent ? heads() : a.keyValueHeads * m.shares.keyValueHeads) * shape.valueHeadDim;
  }

  /// Residual branches: attention and MLP, one of them, or both at once.
  double parts() const {
    const bool mixes = a.mixer != Mixer::None, feeds = shape.hasExperts || a.intermediate > 0;
    return (mixes && feeds && !a.parallelBlock ? 2 : 1) + (a.encoder ? 1 : 0);
  }

  /// An RMSNorm of several kernels.
  bool hasCompositeNorm() const {
    return m.options.eagerElementwise && !a.layerNorm &&
           k.eagerNormTraffic.value > kNormTraffic * m.device.elementBytes();
  }

  /// Of a region of attention or a dense MLP; what its products read may be gathered in fewer bytes.
  double exchanged(bool into) const {
    return into && m.strategy.sequence ? m.tokens * a.hidden * m.device.gatheredBytes() : m.hiddenBytes();
  }

  /// With sequence parallelism and experts spread out, ranks send only their own tokens and gather what
  /// arrived; whole experts need no gathering.
  bool hasTensorMlp() const {
    return !shape.hasExperts || !m.strategy.foldedExperts || a.experts->sharedIntermediate > 0;
  }

  /// A recompute that stops early leaves out what nothing in the block keeps the result of.
  bool sparesLastProduct() const {
    return m.options.recomputeStopsEarly && !shape.hasExperts && a.intermediate > 0 && !a.parallelBlock &&
           !hasDropout(a);
  }

  bool gathersContext() const {
    return m.options.contextExchange == ContextExchange::Gather && a.mixer == Mixer::Attention;
  }

  /// Regions of a block that gather their tokens under sequence parallelism.
  double regions() const { return parts() - (hasTensorMlp() || a.parallelBlock ? 0 : 1); }

  const LayerSetting& m;
  const TransformerArchitecture& a;
  const AnalyticConstants& k;
  const BlockShape shape;
};

/// Of a block's forward pass, what a recompute may leave out or repeat alone.
struct ForwardTimes {
  Seconds core, elementWise;
  Seconds lastProduct, residual;          ///< one of each
  Seconds activations, latentProjection;  ///< of them
};

/// Adds what ranks send each other.
void addExchanges(LayerCost&, const BlockOnRank&);
/// Adds what each recompute policy keeps, needs and repeats; the passes and parameters have to stand.
void addRecompute(LayerCost&, const BlockOnRank&, const ForwardTimes&);

}  // namespace nest
