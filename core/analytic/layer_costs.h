#pragma once

#include "analytic/block_shape.h"
#include "analytic/roofline.h"
#include "model/profile.h"

namespace nest {

/// Everything that the cost of a layer depends on: one model, device, job, strategy and microbatch size.
struct LayerSetting {
  const TransformerArchitecture& model;
  const Roofline& device;
  const AnalyticOptions& options;
  Strategy strategy;
  double sequence;       ///< tokens of a whole sequence
  double tokens;         ///< per rank and microbatch: b·s/c
  double gradientBytes;  ///< per parameter, accumulated by the weight-gradient product
  TensorShares shares;
  TensorShares expertShares;  ///< of an expert's matrices

  LayerSetting(const TransformerArchitecture&, const Roofline&, const AnalyticOptions&, const Job&,
               const Strategy&, int microbatch);

  /// Tokens that a rank holds outside the tensor-parallel regions.
  double outerTokens() const { return strategy.sequence ? tokens / strategy.tensor : tokens; }
  /// Tokens that a rank sends to experts.
  double expertTokens() const { return strategy.foldedExperts ? outerTokens() : tokens; }
  /// Of the busiest rank, see AnalyticOptions::expertImbalance.
  double expertImbalance() const { return strategy.expert > 1 ? options.expertImbalance : 1; }
  /// The hidden state of a rank's tokens, bytes, undivided by sequence parallelism.
  double hiddenBytes() const { return tokens * model.hidden * device.elementBytes(); }
};

/// Costs of the layers of a transformer by roofline; stash after Korthikanti 2022 (arXiv 2205.05198) §4 and
/// §5, generalised to any MLP width, gated MLPs, grouped queries, latent attention and experts.
LayerCost embeddingCost(const LayerSetting&);
LayerCost blockCost(const LayerSetting&, bool withExperts);
LayerCost finalNormCost(const LayerSetting&);
LayerCost headCost(const LayerSetting&);  ///< logits and loss
/// The head with so many layers of multi-token prediction (AnalyticOptions::predictionLayers) like `block`.
LayerCost headCost(const LayerSetting& head, const LayerSetting& block, bool withExperts, int predictions);

/// Bytes of the hidden state that one rank passes to the next stage.
Bytes boundaryBytes(const LayerSetting&);

}  // namespace nest
