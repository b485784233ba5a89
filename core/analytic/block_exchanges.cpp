#include "analytic/block_on_rank.h"

namespace nest {
namespace {

class BlockExchanges {
public:
  BlockExchanges(LayerCost& cost, const BlockOnRank& r) : c(cost), rank(r), m(r.m), a(r.a) {}

  void run() {
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
    const double gradients = rank.gathersContext() ? 4 / m.device.elementBytes() * ranks / (ranks - 1) : 1;
    passContext(Phase::Forward, 1);
    passContext(Phase::Backward, 1 + gradients);
    passContext(Phase::RecomputeFull, 1);
    if (!m.options.flashAttention) passContext(Phase::RecomputeSelective, 1);
  }

private:
  /// What products read, once for each region.
  void gatherInputs(Phase phase) {
    for (int region = 0; region < rank.regions(); ++region)
      addTensorExchange(c, phase, m, true, rank.exchanged(true));
  }

  void forwardExchanges(Phase phase) {
    for (int part = 0; part < (a.mixer == Mixer::None ? 0 : a.encoder ? 2 : 1); ++part)
      for (const bool into : {true, false}) addTensorExchange(c, phase, m, into, rank.exchanged(into));
    if (rank.parts() >= 2 || a.mixer == Mixer::None || rank.shape.hasExperts) mlpExchanges(phase);
  }

  void mlpExchanges(Phase phase) {
    const bool spread = rank.shape.hasExperts && m.strategy.expert > 1;
    const bool dense = rank.hasTensorMlp() && (!rank.shape.hasExperts || a.experts->sharedIntermediate > 0 ||
                                               !spread || !m.strategy.sequence);
    for (const bool into : {true, false}) {
      const bool isSpared = !into && phase == Phase::RecomputeFull && rank.sparesLastProduct();
      if (dense && !isSpared) addTensorExchange(c, phase, m, into, rank.exchanged(into));
      if (spread && m.strategy.sequence && !m.strategy.foldedExperts)
        addTensorExchange(c, phase, m, into, m.hiddenBytes() * rank.routed() * rank.routedWidth() / a.hidden);
    }
    if (spread)
      c.collectives.push_back({CollectiveKind::AllToAll, GroupKind::Expert, phase,
                               Bytes(m.outerTokens() * rank.routed() * rank.routedWidth() *
                                     m.device.elementBytes() * m.options.expertDispatchShare),
                               phase == Phase::RecomputeFull && m.options.recomputeStopsEarly ? 1.0 : 2.0});
  }

  /// States that pass from one context rank to the next, fp32.
  double stateBytes() const {
    const double sequences = m.tokens / (m.sequence / m.strategy.context);
    if (a.mixer == Mixer::StateSpace)
      return 4 * sequences * m.shares.width * a.stateSpace->inner() * a.stateSpace->stateSize;
    if (a.mixer == Mixer::ShortConvolution)  // the tokens in front of a rank's own
      return sequences * m.shares.width * a.hidden * std::max(0, a.shortConvolution - 1) *
             m.device.elementBytes();
    const DeltaNet& d = *a.deltaNet;
    return 4 * sequences * m.shares.width * d.valueHeads * d.keyHeadDim * d.valueHeadDim;
  }

  /// One hop of a context rank: keys and values, those of shared heads repeated where they are gathered.
  double contextBytes() const {
    if (a.mixer != Mixer::Attention) return stateBytes();
    const double width = rank.gathersContext()
                             ? rank.heads() * (rank.shape.queryKeyHeadDim + rank.shape.valueHeadDim)
                             : rank.keyWidth() + rank.valueWidth();
    return m.tokens * width * m.device.elementBytes();
  }

  void passContext(Phase phase, double times) {
    if (m.strategy.context == 1 || a.mixer == Mixer::None) return;
    c.collectives.push_back(
        {CollectiveKind::RingExchange, GroupKind::Context, phase, Bytes(contextBytes()), times});
  }

  /// Products whose input gradients are summed beside that of another product with the same input.
  int furtherInputs() const {
    if (!m.options.sumsEachInput || m.strategy.sequence) return 0;
    const bool separateKeys = a.mixer == Mixer::Attention && !a.latent && a.keyValueHeads != a.heads;
    return (separateKeys ? 2 : 0) + (a.gatedMlp && !rank.shape.hasExperts && a.intermediate > 0 ? 1 : 0);
  }

  LayerCost& c;
  const BlockOnRank& rank;
  const LayerSetting& m;
  const TransformerArchitecture& a;
};

}  // namespace

void addExchanges(LayerCost& cost, const BlockOnRank& rank) {
  BlockExchanges(cost, rank).run();
}

}  // namespace nest
