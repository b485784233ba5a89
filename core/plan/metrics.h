#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analytic/transformer.h"
#include "plan/ranked_plan.h"

namespace nest {

/// What a batch's time is spent on. Memory: the time of recomputing, which exists only because memory is
/// short.
enum class Binding { Compute, Tensor, Context, Expert, Pipeline, Data, Memory, Bubble, Step };
inline constexpr int kBindingCount = 9;
const char* nameOf(Binding);  ///< "compute", "tensor exchange", …, "bubble", "optimizer step"

/// The figures that people quote of a plan; the same for the command line, the window and the exported
/// summary.
struct PlanMetrics {
  Seconds batchTime;
  Seconds simulated;  ///< 0 if not simulated
  double samplesPerSecond = 0, tokensPerSecond = 0;
  std::optional<double> mfu;            ///< model FLOPs utilisation; empty without an architecture
  std::string mfuConvention;            ///< one sentence; empty when mfu is
  std::optional<Seconds> trainingTime;  ///< for Job::trainingTokens
  std::optional<double> deviceHours;
  int devicesUsed = 0, deviceCount = 0;
  int fullestStage = -1;       ///< least headroom
  Bytes peakMemory, capacity;  ///< of that stage's device
  /// The batch time split: m times the slowest stage's load by what fills it (an overlapped exchange counts
  /// what is left of it), the exposed sync (Data) and the step of the stage that ends last; Bubble is the
  /// rest. Sums to batchTime.
  std::array<Seconds, kBindingCount> shares{};
  /// Compute if it fills three quarters of the batch; else the largest other share.
  Binding binds = Binding::Compute;

  double share(Binding b) const {
    return batchTime.value() > 0 ? shares[static_cast<std::size_t>(b)] / batchTime : 0;
  }
};

/// `architecture`: for MFU; nullptr where only a measured profile is known.
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const Plan&,
                      const Evaluation&, Seconds simulated = Seconds(0));
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const RankedPlan&);

/// What one stage's load is spent on, by the same rule, per microbatch; Bubble is the wait for the slowest
/// stage.
std::array<Seconds, kBindingCount> stageShares(const StageEvaluation&, Seconds slowestLoad);
Binding bindingOf(
    const StageEvaluation&);  ///< largest share of the stage's own load other than plain compute, or compute

}  // namespace nest
