#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
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
  int intermediate = 0;               ///< FFN width of one expert
  int sharedIntermediate = 0;         ///< total FFN width of shared experts, 0 = none
  int firstDense = 0;                 ///< the first so many layers are dense
  int period = 1;                     ///< layer i has experts if i ≥ firstDense and (i + 1) % period == 0
  std::vector<int> denseLayers = {};  ///< further layers without experts
  bool sharedGate = false;
  int latent = 0;  ///< width that experts work in, between a projection down and one up; 0: hidden
  bool routerBias = false;
  int groups = 0, groupsPerToken = 0;  ///< of experts; a token's experts are in so many of them. 0: any
  int zeroExperts = 0;                 ///< that the router may choose as well and that return what they read
  friend bool operator==(const ExpertLayers&, const ExpertLayers&) = default;
};

/// State-space mixing (Mamba).
struct StateSpace {
  int heads = 0, headDim = 64;
  int stateSize = 128;
  int groups = 1;       ///< of heads that share what writes and reads the state
  int convolution = 4;  ///< taps of the convolution before it; 0: none
  int chunk = 256;      ///< tokens that one step of the scan takes
  int timeRank = 0;     ///< Mamba-1's rank of time steps; 0: Mamba-2
  bool projectionBias = false, convolutionBias = true;

  double inner() const { return double(heads) * headDim; }
  friend bool operator==(const StateSpace&, const StateSpace&) = default;
};

/// Linear attention with a gated delta rule (Yang 2024, arXiv 2412.06464).
struct DeltaNet {
  int keyHeads = 0, valueHeads = 0, keyHeadDim = 128, valueHeadDim = 128;
  int convolution = 4;
  /// Of the two products that make a decay for each channel of a key, and of those that make the output's
  /// gate (Kimi Delta Attention, arXiv 2510.26692); 0: a decay for each head, and one product for the gate.
  int gateRank = 0;
  bool wholeGate = false;  ///< with a rank, the output's gate is one product all the same
  friend bool operator==(const DeltaNet&, const DeltaNet&) = default;
};

/// Attention to a few keys that an indexer chooses for each query (DeepSeek-V3.2).
struct SparseAttention {
  int heads = 64, headDim = 128;  ///< of the indexer
  int keys = 2048;                ///< that each query attends to
  friend bool operator==(const SparseAttention&, const SparseAttention&) = default;
};

/// How the tokens of a block learn of each other, and what follows.
enum class Mixer {
  Attention,
  StateSpace,
  DeltaNet,
  None,
  ShortConvolution,  ///< a convolution over a few tokens between two gates (LFM2)
};
enum class Feed { Dense, Experts, None };

/// A kind of block beside others in one model.
struct BlockVariant {
  Mixer mixer = Mixer::Attention;
  Feed feed = Feed::Dense;
  int window = 0;              ///< tokens that attention reaches back; 0: all
  bool windowIsChunk = false;  ///< attention stays inside chunks of the window's length
  /// Where they differ from the architecture's; 0: they do not.
  int heads = 0, keyValueHeads = 0, headDim = 0, valueHeadDim = 0, intermediate = 0;
  bool sharedKeyValue = false;  ///< one projection gives keys and values
  friend bool operator==(const BlockVariant&, const BlockVariant&) = default;
};

/// The encoder before a decoder whose blocks attend to its result, too; hidden size and heads are shared.
struct EncoderStack {
  int layers = 0;
  int intermediate = 0;
  int length = 0;        ///< tokens it reads; 0: as many as the decoder
  int positionRows = 0;  ///< of a table of learned positions
  int patchInputs = 0;   ///< as the architecture's: sound or images instead of tokens
  friend bool operator==(const EncoderStack&, const EncoderStack&) = default;
};

/// What a model's configuration says under one key.
using ModelDetail = std::variant<double, bool, std::string>;

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
  int valueHeadDim = 0;    ///< where it differs from headDim, else 0
  int blockNorms = 2;      ///< norms of hidden width in a block
  bool normBias = true;    ///< a LayerNorm has a bias
  bool parallelBlock = false;     ///< attention and MLP read the same input, so that one exchange serves both
  bool wideQueryKeyNorm = false;  ///< queryKeyNorm has weights of its own for every head
  bool attentionGate = false;     ///< a projection as wide as the queries gates the attention's result
  bool attentionSinks = false;    ///< one learned score per head
  bool clampedGate = false;       ///< both operands of a gated MLP are clamped
  bool scaledRotary = false;      ///< rotary positions scale queries and keys, too (YaRN)
  bool headBias = false;
  bool sharedKeyValue = false;  ///< one projection gives keys and values
  bool windowIsChunk = false;   ///< see BlockVariant
  std::optional<bool> dropout;  ///< absent: with LayerNorm, as families of that time have it
  std::string activation;       ///< of the MLP, as its file names it: "silu", "gelu"; empty: not known
  int patchInputs =
      0;  ///< numbers in a patch of an image that takes a token's place; 0: tokens are looked up
  int shortConvolution = 0;  ///< taps of Mixer::ShortConvolution
  bool shortConvolutionBias = false;
  Mixer mixer = Mixer::Attention;
  std::optional<LatentAttention> latent;
  std::optional<ExpertLayers> experts;
  std::optional<StateSpace> stateSpace;
  std::optional<DeltaNet> deltaNet;
  std::optional<SparseAttention> sparse;
  std::optional<EncoderStack> encoder;
  std::vector<BlockVariant> variants;  ///< empty: all blocks are as said above
  std::vector<int> variantOf;          ///< by block, into `variants`
  /// What its configuration says that changes neither sizes nor costs and that launch files need:
  /// "rope_theta", "scoring_func" (formats/models/hf_details.cpp).
  std::map<std::string, ModelDetail> details;

  bool hasExperts(int layer) const;
  /// The architecture with one variant's figures in place of its own; `variants` is then empty.
  TransformerArchitecture withVariant(int variant) const;
  friend bool operator==(const TransformerArchitecture&, const TransformerArchitecture&) = default;
};

struct AnalyticOptions;

/// Total parameters, exactly.
double parameterCount(const TransformerArchitecture&);
/// Parameters used by one token.
double activeParameterCount(const TransformerArchitecture&);

/// Parameters that are trained, those of adapters included.
double trainedParameterCount(const TransformerArchitecture&, const AnalyticOptions&);
/// Profile::trainedWork.
double trainedWork(const TransformerArchitecture&, const AnalyticOptions&, int sequenceLength);

/// Matrix FLOPs of one training step over `sequences` sequences, forward and backward, nothing recomputed;
/// causal attention counted in full. The MFU convention "model" (Korthikanti 2022).
Flops modelFlops(const TransformerArchitecture&, int sequenceLength, double sequences);

/// Generation of a program's fused attention kernels.
enum class AttentionKernel {
  Latest,  ///< the device's best: FlashAttention-3, cuDNN
  Flash2,  ///< FlashAttention-2, as PyTorch's own
  Early,   ///< of before mid 2023: FlashAttention 1, Triton
};

/// What recompute "selective" repeats.
enum class SelectiveRecompute {
  AttentionCore,       ///< scores and what follows from them (Megatron); nothing where attention is fused
  Activations,         ///< norms and the MLP's activation (Megatron's modules layernorm and moe_act)
  LatentProjection,    ///< queries, keys and values of latent attention (Megatron's mla_up_proj)
  EverySecondProduct,  ///< every second matrix product and all element-wise work (torchtitan)
};

/// How often a token of a mixture of experts crosses the network.
enum class ExpertExchange {
  PerExpert,  ///< once for each expert that it is sent to
  PerHost,    ///< once for each host that holds one of its experts; inside the host it is copied
};

/// How context ranks exchange keys and values.
enum class ContextExchange {
  Ring,    ///< from neighbour to neighbour, as do their gradients, in the job's format
  Gather,  ///< gathered, shared heads repeated; partial results and gradients are summed in fp32 (PyTorch)
};

/// Which projections of a block LoRA adapts (Hu 2021, arXiv 2106.09685).
enum class LoraTargets {
  AllLinear,   ///< every projection of mixer, MLP and experts, but no router
  Attention,   ///< those of the mixer
  QueryValue,  ///< queries and values, as the paper does
};

/// Options of the analytic profile: what the program does, and constants of its kernels.
struct AnalyticOptions {
  bool flashAttention = true;  ///< a fused attention kernel, so that scores are never stored
  AttentionKernel attentionKernel = AttentionKernel::Latest;
  SelectiveRecompute selectiveRecompute = SelectiveRecompute::AttentionCore;
  ExpertExchange expertExchange = ExpertExchange::PerExpert;
  ContextExchange contextExchange = ContextExchange::Ring;
  /// Full recompute ends with the last result that the block's backward pass reads: the second product of a
  /// dense MLP, the way back from experts and the last addition are not repeated.
  bool recomputeStopsEarly = false;
  bool eagerElementwise = false;  ///< norms, rotary positions and gated MLPs in a kernel for each operation
  bool boundaryInParts = false;   ///< without sequence parallelism, a boundary tensor is sent in t parts
  Seconds hostTimePerBlock =
      {};  ///< least time of a block's passes where t > 1: what the host takes to issue them
  /// With sequence parallelism, products keep what they gathered for the backward pass, which else gathers it
  /// again.
  bool keepsGatheredInputs = false;
  /// With sequence parallelism, what is gathered is copied into the order of the tokens, and what is
  /// scattered out of it: the exchanges run along the first dimension, which is the sequences.
  bool reordersExchanges = false;
  /// Without sequence parallelism, tensor ranks sum the input gradients of each product alone: of a gate and
  /// of what it gates, and of queries, keys and values where queries share keys (else one product makes
  /// them).
  bool sumsEachInput = false;
  /// Queries are kept inside the result of the projection that also makes keys and values, copies of which
  /// are kept besides (multi-head attention alone; grouped queries are copied, too).
  bool keepsWholeProjection = false;
  /// Tensor ranks gather each other's logits, and each computes the whole loss.
  bool wholeLogits = false;
  /// Tokens that the busiest expert rank gets ÷ the mean over all of them; where experts are on one rank
  /// there is none that waits.
  double expertImbalance = 1;
  /// Depth of multi-token prediction: so many further blocks, each with a projection of two hidden states to
  /// one, and with the head and its loss once more. They stand with the head.
  int predictionLayers = 0;
  double expertDispatchShare = 1;  ///< bytes sent to and from experts ÷ those of 16-bit numbers both ways
  /// Share of what a block keeps that stands in the host's memory between its passes.
  double offloadedShare = 0;
  /// Share of the weights that are not trained, by kind of layer. The last norm goes with the head, a tied
  /// head with the embedding.
  double frozenEmbedding = 0, frozenBlocks = 0, frozenHead = 0;
  /// Rank of LoRA's adapters, with which no other weight is trained; 0: there are none.
  int loraRank = 0;
  LoraTargets loraTargets = LoraTargets::AllLinear;
  double activationFactor = 1, workspaceFactor = 1;  ///< memory that the program takes ÷ what is counted
  /// Share of the microbatches whose weight gradients a kernel of its own adds to the sum so far, as programs
  /// did before 2022; 0: the product that makes them adds them, too.
  double separateGradientSums = 0;
  AnalyticConstants constants = {};

  double frozenOfEmbedding() const { return loraRank > 0 ? 1 : frozenEmbedding; }
  double frozenOfBlocks() const { return loraRank > 0 ? 1 : frozenBlocks; }
  double frozenOfHead() const { return loraRank > 0 ? 1 : frozenHead; }
  bool freezes() const { return frozenOfEmbedding() > 0 || frozenOfBlocks() > 0 || frozenOfHead() > 0; }
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
