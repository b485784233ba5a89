#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytic/analytic_constants.h"
#include "cluster/devices/device_spec.h"
#include "diagnostics/diagnostic.h"
#include "model/profile.h"
#include "problem/job.h"

namespace nest {

/// Multi-head latent attention (DeepSeek).
struct LatentAttention {
  int queryRank = 0;  ///< 0: queries are not compressed
  int keyValueRank = 512;
  int nopeHeadDim = 128, ropeHeadDim = 64, valueHeadDim = 128;
  friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

struct ExpertLayers {
  int experts = 8, perToken = 2;
  int intermediate = 0;          ///< FFN width of one expert
  int sharedIntermediate = 0;    ///< total FFN width of shared experts, 0 = none
  int firstDense = 0;            ///< the first so many layers are dense
  int period = 1;                ///< layer i has experts if i ≥ firstDense and (i + 1) % period == 0
  std::vector<int> denseLayers;  ///< further layers without experts
  bool sharedGate = false;
  friend bool operator==(const ExpertLayers&, const ExpertLayers&) = default;
};

/// The shape of a transformer, independent of the file it came from.
struct TransformerArchitecture {
  std::string family;  ///< Hugging Face model_type
  std::string name;
  int hidden = 0, intermediate = 0, layers = 0;
  int heads = 0, keyValueHeads = 0, headDim = 0;
  int vocabulary = 0;
  int maxPositions = 0;
  bool gatedMlp = true;  ///< three matrices instead of two
  bool causal = true;
  bool tiedEmbeddings = false;
  bool learnedPositions = false;  ///< position table of maxPositions rows
  bool projectionBias = false;    ///< biases on MLP and output projections
  bool attentionBias = false;     ///< biases on Q, K, V
  bool layerNorm = false;         ///< LayerNorm (weight and bias) instead of RMSNorm
  bool queryKeyNorm = false;      ///< RMSNorm on heads (qwen3)
  int tokenTypes = 0;             ///< bert
  int slidingWindow = 0;          ///< 0 = full attention
  bool attentionOutputBias =
      false;                   ///< a bias on the attention's output projection, whatever projectionBias says
  bool embeddingNorm = false;  ///< a LayerNorm behind the embedding (bert)
  bool finalNorm = true;       ///< a norm before the head
  bool pooler = false;         ///< hidden × hidden behind the last block (bert)
  int positionRows = 0;    ///< rows of the position table where they differ from maxPositions (opt), else 0
  int embeddingWidth = 0;  ///< width of the token table where it differs from hidden (opt-350m), else 0
  std::optional<LatentAttention> latent;
  std::optional<ExpertLayers> experts;

  bool hasExperts(int layer) const;
  friend bool operator==(const TransformerArchitecture&, const TransformerArchitecture&) = default;
};

/// Total parameters, exactly.
double parameterCount(const TransformerArchitecture&);
/// Parameters used by one token.
double activeParameterCount(const TransformerArchitecture&);

/// Matrix FLOPs of one training step over `sequences` sequences, forward and backward, nothing recomputed;
/// causal attention counted in full. The MFU convention "model" (Korthikanti 2022).
Flops modelFlops(const TransformerArchitecture&, int sequenceLength, double sequences);

/// Options of the analytic profile.
struct AnalyticOptions {
  bool flashAttention = true;  ///< a fused attention kernel, so that scores are never stored
  /// Share of the microbatches whose weight gradients a kernel of its own adds to the sum so far, as programs
  /// did before 2022; 0: the product that makes them adds them, too.
  double separateGradientSums = 0;
  AnalyticConstants constants = {};
  friend bool operator==(const AnalyticOptions&, const AnalyticOptions&) = default;
};

/// Embedding, every block, final norm and head as layers, costed by a per-operator roofline on `device`.
GraphAndProfile analyticProfile(const TransformerArchitecture&, const DeviceSpec& device, const Job& job,
                                const std::vector<Strategy>& strategies, const AnalyticOptions& = {});

/// Strategies on offer. Runnable: t divides heads and host size, and KV heads divide t or t divides them; c
/// divides the sequence; e divides the experts. Free: every t up to the heads, ….
std::vector<Strategy> strategiesOnOffer(const TransformerArchitecture&, const SearchOptions&,
                                        const Constraints&, const Job&, int hostSize, int deviceCount);

}  // namespace nest
