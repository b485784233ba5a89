#include <algorithm>

#include "analytic/block_on_rank.h"

namespace nest {
namespace {

class BlockRecompute {
public:
  BlockRecompute(LayerCost& cost, const BlockOnRank& r, const ForwardTimes& forward)
      : c(cost), rank(r), times(forward), m(r.m), a(r.a), k(r.k) {}

  void recompute() {
    const double e = m.device.elementBytes();
    // Unfused attention keeps softmax, its dropout's mask and result: 5 bytes a score, 2 without dropout.
    const double perScore = k.storedScores.value * e + (hasDropout(a) ? e + 1 : 0);
    const bool storesScores = !m.options.flashAttention && a.mixer == Mixer::Attention;
    const double kept = storesScores ? perScore * rank.scores() : 0;
    const double whole =
        k.gradientWorkspace.value * (c.denseParameters + c.expertParameters - c.frozenDense - c.frozenExpert);
    const double gradients = whole + m.outerTokens() * 2 * a.hidden * e +
                             m.tokens * rank.activeWidth() * (a.gatedMlp ? 2 : 1) * e +
                             (storesScores ? 2 * e * rank.scores() : 0);
    const double input = m.outerTokens() * a.hidden * e;
    const double stash = coreStash();
    Seconds again = storesScores ? times.core : Seconds(0);
    double selective = stash, transient = kept;
    if (m.options.selectiveRecompute == SelectiveRecompute::EverySecondProduct) {
      // Kept: the input, the attention's result, and the results of the other products.
      const EverySecondProduct products = everySecondProduct(m, rank.shape);
      again +=
          products.again + times.elementWise + exchangeReordered(m, rank.exchanged(true)) * rank.regions();
      selective = std::min(stash, input + (m.tokens * rank.outputWidth() + products.kept + scattered()) * e);
      transient += stash - selective;
    }
    if (m.options.selectiveRecompute == SelectiveRecompute::Activations) {
      const double read = m.device.keptInputBytes();
      again += times.activations;
      selective -= (m.outerTokens() * a.hidden * rank.parts() + m.tokens * rank.activeWidth()) * read;
    }
    if (m.options.selectiveRecompute == SelectiveRecompute::LatentProjection && a.latent) {
      again += times.latentProjection;
      selective -= m.tokens * (rank.queryWidth() + rank.keyWidth() + rank.valueWidth()) * e;
    }
    c.recompute[std::size_t(Recompute::None)] = {true, Bytes(stash + kept), Seconds(0), Bytes(gradients)};
    c.recompute[std::size_t(Recompute::Selective)] = {true, Bytes(selective), again,
                                                      Bytes(gradients + transient)};
    Seconds spared;
    if (m.options.recomputeStopsEarly) spared = times.residual;
    if (rank.sparesLastProduct()) spared += times.lastProduct + exchangeReordered(m, rank.exchanged(false));
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

private:
  /// Bytes that it keeps per element besides its input and its result: what its kernels pass on to each
  /// other. Together they are a quarter of what it moves: counted, 6 of 24 bytes in 16 bits (input, result
  /// before the weight, result), 10 of 40 in fp32 (input and result before the weight in fp32, result).
  double keptByCompositeNorm() const {
    return std::max(0.0, k.eagerNormTraffic.value / 4 - 2 * m.device.elementBytes());
  }

  /// Elements that the scatters behind a block's products leave on a rank, of those that every second product
  /// keeps: compiled blocks drop the last, which nothing reads.
  double scattered() const {
    if (!m.strategy.sequence || m.strategy.tensor == 1) return 0;
    return m.outerTokens() * a.hidden * (rank.regions() - (m.options.eagerElementwise ? 0 : 1));
  }

  /// Stash without the scores, bytes: what both norms and all products read, the attention's operands, the
  /// masks.
  double coreStash() const {
    const double e = m.device.elementBytes(), read = m.device.keptInputBytes();
    const double mask = hasDropout(a) ? 1 : 0;
    double outer = a.hidden * rank.parts() *
                   (e + read + mask);  // inputs of two norms and of what follows each, two masks
    if (rank.hasCompositeNorm()) outer += a.hidden * a.blockNorms * keptByCompositeNorm();
    double inner = (rank.queryWidth() + rank.keyWidth() + rank.valueWidth() + rank.outputWidth()) * e;
    if (m.options.keepsWholeProjection && !a.latent && a.keyValueHeads == a.heads)
      inner += (rank.keyWidth() + rank.valueWidth()) * e;
    if (m.options.keepsGatheredInputs && m.strategy.sequence) {
      outer -= a.hidden * rank.regions() * read;
      inner += a.hidden * rank.regions() * read;
    }
    // Attention keeps its result; the product behind it keeps that as it reads it.
    if (read < e) inner += rank.outputWidth() * read;
    // Both operands of a gate and their product; eager kernels keep what the activation made of one, too.
    inner += rank.activeWidth() * ((!a.gatedMlp ? 1 : m.options.eagerElementwise ? 3 : 2) * e + read);
    if (a.encoder)
      inner += (rank.queryWidth() + rank.outputWidth() +
                (rank.keyWidth() + rank.valueWidth()) * rank.encoderTokens() / m.tokens) *
               e;
    if (a.latent) outer += (a.latent->queryRank + a.latent->keyValueRank + a.latent->ropeHeadDim) * e;
    if (m.options.flashAttention && a.mixer == Mixer::Attention)
      inner += 4 * rank.heads();  // one fp32 logarithm a query and head
    if (rank.shape.hasExperts) {
      // What the experts read.
      (m.strategy.foldedExperts ? outer : inner) += rank.routed() * rank.routedWidth() * read;
      outer += 4.0 * a.experts->experts;  // routing probabilities, fp32
    }
    return m.outerTokens() * outer + m.tokens * inner;
  }

  LayerCost& c;
  const BlockOnRank& rank;
  const ForwardTimes& times;
  const LayerSetting& m;
  const TransformerArchitecture& a;
  const AnalyticConstants& k;
};

}  // namespace

void addRecompute(LayerCost& cost, const BlockOnRank& rank, const ForwardTimes& forward) {
  BlockRecompute of(cost, rank, forward);
  of.recompute();
  of.offload();
}

}  // namespace nest
