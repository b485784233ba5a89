#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "plan/evaluation.h"
#include "study/published_results.h"

namespace nest {

/// What the study assumes about the machines and programs of the published runs; the same for every row.
struct ValidationAssumptions {
  /// Devices that replace the catalog's, by id: to try other constants.
  std::vector<DeviceSpec> devices;
  AnalyticConstants constants = {};
  Seconds hostLatency{10e-6};  ///< between hosts
  /// ZeRO-3 without model parallelism, as DeepSpeed ran it in 2021: its gathers of single layers do not use
  /// the host's own links, and this share of the host link is sustained; that share of the traffic hides
  /// behind compute.
  Sourced<double> zeroGatherEfficiency{0.63, Origin::Estimated,
                                       "fitted on ptd-vs-zero3, 174.6 B on 768 devices"};
  Sourced<double> zeroOverlap{0.62, Origin::Estimated, "fitted on ptd-vs-zero3, 174.6 B on 384 devices"};
  /// Since 2022 Megatron-LM sums input gradients over the tensor group beside the product of the weight
  /// gradients, and gathers what that product reads beside the product of the input gradients. Of those
  /// exchanges this share is hidden.
  Sourced<double> backwardTensorOverlap{
      0.8, Origin::Estimated,
      "Korthikanti 2022 table 4: backward takes 1.55 times the forward, though it multiplies twice as much"};
  /// Programs since 2023 exchange gradients beside the last backward and parameters beside the next forward
  /// pass, all but one part of as many as there are blocks in a chunk.
  Sourced<double> syncOverlap{
      0.8, Origin::Estimated,
      "NVIDIA NeMo user guide, communication overlap: one part stays exposed; Llama-3 405B on 8,192 and "
      "16,384 H100 (arXiv 2407.21783) in view"};
  /// Programs since 2023 pass keys and values on beside the attention to those that came before.
  Sourced<double> contextOverlap{
      0.9, Origin::Estimated,
      "NVIDIA NeMo user guide, communication overlap; its table of long sequences (Llama-2 7B, 4k to 1M "
      "tokens on H100) in view"};
  /// Rate of fused attention before 2024 ÷ that of the kernels that attentionEfficiency stands for.
  Sourced<double> earlyAttention{
      0.6, Origin::Estimated,
      "Dao 2023 (arXiv 2307.08691): FlashAttention and Triton's at 1/2 to 2/3 of FlashAttention-2"};
  /// Sharded data parallelism that is not from then (FSDP, later DeepSpeed) fetches the next layer's
  /// parameters while one computes.
  Sourced<double> shardedOverlap{
      0.6, Origin::Estimated,
      "between all (prefetch both ways, arXiv 2304.11277) and half (Llama-3 70B on 64 H100, NVIDIA NeMo "
      "AutoModel): exchanges and products share memory and multiprocessors"};
};

/// One published figure beside ours.
struct ValidationRow {
  PublishedRun run;
  Plan plan;
  Evaluation evaluation;
  double predicted = 0;   ///< same unit as run.published
  bool isFitted = false;  ///< the device's constants were chosen with this row in view

  double error() const { return predicted / run.published - 1; }
  /// Error as throughput: for times the inverse ratio.
  double throughputError() const {
    return run.quantity == PublishedQuantity::BatchSeconds ? run.published / predicted - 1 : error();
  }
};

struct ValidationReport {
  std::vector<ValidationRow> rows;

  double meanThroughputError() const;  ///< mean of |throughputError|, all throughput rows
  double meanThroughputError(bool fitted) const;
  double largestMemoryError() const;  ///< largest |error| of activation rows
  double calibration() const;         ///< geometric mean of measured ÷ predicted time, throughput rows
};

/// Evaluates each published run at its published configuration: hosts of the stated or the device's usual
/// size (a TPU slice is one), Megatron's rank order (d_in = d), equal blocks a stage (where they do not
/// divide one less, in the last and the first, which have head and embedding, before others); where
/// microbatch or chunk count is not stated, the best that fits. A row whose configuration cannot be formed
/// (layers or devices do not divide) becomes a warning.
Reading<ValidationReport> runValidation(std::string_view trainingResults, const std::string& file,
                                        const ValidationAssumptions& = {});

/// A table: set, run, plan, predicted, published, error; then the means and which rows were fitted on.
std::string toText(const ValidationReport&);

}  // namespace nest
