#pragma once

#include "units/sourced.h"

namespace nest {

/// What the analytic profile assumes about kernels, whatever the device; the device's own figures stand in
/// DeviceSpec.
struct AnalyticConstants {
  /// Bytes moved by element-wise backward kernels ÷ those of the forward ones.
  Sourced<double> backwardTraffic{
      1.6, Origin::Estimated,
      "counted per kernel: LayerNorm 6 to 4, GeLU 6 to 4, SwiGLU 10 to 6 bytes an element"};
  /// Operations of a fused attention's backward ÷ forward; it computes the scores again.
  Sourced<double> attentionBackwardWork{2.5, Origin::Catalog, "Dao 2023, arXiv 2307.08691"};
  /// Rate of a fused attention's backward ÷ forward.
  Sourced<double> attentionBackwardRate{0.85, Origin::Estimated,
                                        "Dao 2023, figures 4 to 6, arXiv 2307.08691"};
  /// Keys per query at which a fused attention kernel reaches half its rate.
  Sourced<double> attentionHalfLength{350, Origin::Estimated,
                                      "growth of the rate from 512 to 16k keys, Dao 2023, figure 5"};
  /// fp32 (TF32) matrix rate ÷ 16-bit rate.
  Sourced<double> fp32Rate{0.5, Origin::Catalog, "NVIDIA A100 and H100 data sheets: TF32 half of bf16"};
  /// Bytes moved per element of an operand that is cast to fp8: read in 16 bits, written as it is and turned,
  /// for the product forward and the one for the weights.
  Sourced<double> fp8CastTraffic{4, Origin::Estimated,
                                 "counted: NVIDIA TransformerEngine casts and transposes each operand once"};
  /// Bytes per element that fp8 products keep of what they read, for their backward pass.
  Sourced<double> fp8InputBytes{2, Origin::Estimated, "as other products: in 16 bits"};
  /// Bytes per element of what tensor ranks gather for fp8 products of attention and dense MLPs: inputs, and
  /// backward the gradients of results.
  Sourced<double> fp8GatherBytes{2, Origin::Estimated, "gathered in 16 bits, cast behind"};
  /// Least seconds of a grouped product in fp8 for each expert on a device: the host issues casts and a
  /// product for each.
  Sourced<double> fp8ExpertOverhead{
      60e-6, Origin::Estimated,
      "fitted on Qwen3 235B and DeepSeek-V3 with 16 and 32 experts a device (B200) against 4 (GB200), "
      "NVIDIA Megatron-Bridge performance summaries 25.11 to 26.04"};
  /// Bytes moved per logit by the loss, forward and backward (cast to fp32, maximum, exponential, sum;
  /// gradient).
  Sourced<double> lossTraffic{14, Origin::Estimated,
                              "counted per kernel of a vocabulary-parallel cross entropy"};
  Sourced<double> lossBackwardTraffic{8, Origin::Estimated,
                                      "counted: softmax read in fp32, gradient written in both"};
  /// Bytes held per logit: bf16 logits and fp32 softmax.
  Sourced<double> lossWorkspace{6, Origin::Catalog,
                                "Korthikanti 2022 (arXiv 2205.05198) §4.3: fp32 logits and bf16 ones"};
  /// Bytes held per logit besides, where tensor ranks share the vocabulary.
  Sourced<double> sharedLossWorkspace{0, Origin::Estimated, "as on one rank"};
  /// Bytes per parameter of a block that its backward pass holds: whole gradients, and what is reduced of
  /// them.
  Sourced<double> gradientWorkspace{0, Origin::Estimated, "gradients are added where they are summed"};

  /// Bytes moved per score by what stands between the two products of an attention that is not fused; dropout
  /// moves 5 more, both ways.
  Sourced<double> scoreTraffic{4, Origin::Estimated,
                               "counted: scale, mask and softmax in one kernel, R2 W2 (Megatron-LM's)"};
  /// How often such an attention keeps its scores for the backward pass; dropout's mask and result come
  /// besides.
  Sourced<double> storedScores{1, Origin::Catalog,
                               "Korthikanti 2022 (arXiv 2205.05198) §4.1: the output of softmax"};
  Sourced<double> scoreBackwardTraffic{6, Origin::Estimated, "counted: softmax R4 W2, with scale and mask"};

  /// Rate of early fused attention (AttentionKernel::Early) ÷ FlashAttention-2.
  Sourced<double> earlyAttention{
      0.6, Origin::Estimated,
      "Dao 2023 (arXiv 2307.08691): FlashAttention and Triton's at 1/2 to 2/3 of FlashAttention-2"};
  /// Tokens per expert at which grouped products lose half their rate, forward and for weight gradients; 0:
  /// as for any product.
  Sourced<double> groupedHalfSize{0, Origin::Estimated, "as for any product"};
  Sourced<double> groupedGradientHalfSize{0, Origin::Estimated, "as for any product"};
  /// Bytes moved per element by eager kernels: a norm, a rotary position, and beyond the fused kernel a gated
  /// MLP's activation.
  Sourced<double> eagerNormTraffic{
      36, Origin::Estimated,
      "counted per kernel of PyTorch's composite RMSNorm: cast R2 W4, square R4 W4, "
      "mean R4, scale R4 W4, cast R4 W2, weight R2 W2"};
  Sourced<double> eagerRotaryTraffic{
      20, Origin::Estimated,
      "counted per kernel of torchtitan's rotary positions: cast R2 W4, complex "
      "product R4 W4, cast R4 W2"};
  Sourced<double> eagerGateTraffic{4, Origin::Estimated,
                                   "counted per kernel: silu and product apart write and read once more"};
  Sourced<double> eagerGateBackwardTraffic{16, Origin::Estimated,
                                           "counted per kernel: silu and product apart, backward"};

  /// Bytes moved per element where attention to gathered keys is added up rank by rank
  /// (ContextExchange::Gather).
  Sourced<double> contextMergeTraffic{10, Origin::Estimated,
                                      "counted, in one kernel: sum R4 W4, a step's result R2"};

  /// Bytes moved per element of a query or key by rotary positions that scale it, too (YaRN), where no fused
  /// kernel does.
  Sourced<double> scaledRotaryTraffic{0, Origin::Estimated, "as other rotary positions"};
  Sourced<double> scaledRotaryBackwardTraffic{0, Origin::Estimated, "as other rotary positions"};

  /// Sides of matrices beyond this are computed in whole tiles.
  Sourced<double> matrixTile{
      128, Origin::Catalog,
      "NVIDIA, Matrix Multiplication Background User's Guide, tile quantization: products "
      "compute whole tiles, large ones of 128 × 128 at least"};

  /// How often an element that is routed to an expert is read or written: gathered by expert, and added up
  /// again.
  Sourced<double> routedPasses{4, Origin::Estimated, "counted: one kernel there, one back, R1 W1 each"};
  /// Bytes moved per element that experts write, where kernels of their own add the experts' biases.
  Sourced<double> expertBiasTraffic{0, Origin::Estimated, "added by the product"};
  Sourced<double> expertBiasBackwardTraffic{0, Origin::Estimated, "added by the product"};
  /// Bytes moved per element of an expert's gated MLP, backward, by a kernel of its own that makes the
  /// gradients of routing weights.
  Sourced<double> routingGradientTraffic{0, Origin::Estimated, "in the kernel of the activation"};
  /// Bytes moved per element of a gated MLP whose operands are clamped by kernels of their own.
  Sourced<double> clampTraffic{0, Origin::Estimated, "in the kernel of the activation"};
  Sourced<double> clampBackwardTraffic{0, Origin::Estimated, "in the kernel of the activation"};

  friend bool operator==(const AnalyticConstants&, const AnalyticConstants&) = default;
};

}  // namespace nest
