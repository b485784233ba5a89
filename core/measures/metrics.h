#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analytic/transformer.h"
#include "evaluation/ranked_plan.h"
#include "measures/bubble.h"
#include "run/run_forecast.h"
#include "units/enum_array.h"

namespace nest {

/// What devices spend their time on. The kinds of communication count the part that compute does not hide;
/// Recompute is needed only because memory is short; Idle is the bubble.
enum class TimePart { Compute, Tensor, Context, Expert, Pipeline, Data, Recompute, Idle, Step };
inline constexpr int kTimePartCount = 9;
template <class T>
using PerTimePart = EnumArray<TimePart, T, kTimePartCount>;
using TimeSplit = PerTimePart<Seconds>;
/// The part's name in files: "compute", "tensor exchange", …, "recompute", "idle", "optimizer step". For the
/// names shown to people, see words/metric_words.h.
const char* nameOf(TimePart);

/// A part of a time, and its share of the whole.
struct TimeShare {
  TimePart part = TimePart::Compute;
  double share = 0;
};
/// Every part that takes time, the largest first; equal parts in the order of TimePart.
std::vector<TimeShare> sharesOf(const TimeSplit&, Seconds whole);
/// The largest part other than compute; nullptr if all the time is compute.
const TimeShare* largestOverhead(const std::vector<TimeShare>&);

/// The matrix rate that utilisation is relative to.
struct UtilisationPeak {
  FlopsPerSecond rate;                       ///< of one device
  NumberFormat of = NumberFormat::Bf16;      ///< format of that dense rate: bf16, fp16 or fp8
  NumberFormat format = NumberFormat::Bf16;  ///< of the job; differs if it is fp32 or the device lacks it
};

/// The values that people quote about a plan. Command line, window and exported summary share them.
struct PlanMetrics {
  Seconds batchTime;
  Seconds simulated;  ///< 0 if not simulated
  double samplesPerSecond = 0, tokensPerSecond = 0;
  std::optional<double> mfu;  ///< model FLOPs utilisation; empty without an architecture
  UtilisationPeak peak;       ///< the divisor of mfu
  /// For Job::trainingTokens, including checkpoints and failures as far as they are known; also empty if
  /// failures keep the run from finishing.
  std::optional<Seconds> trainingTime;
  std::optional<double> deviceHours;  ///< of all reserved devices
  std::optional<RunForecast> run;     ///< empty if the scenario does not describe the run
  int devicesUsed = 0, deviceCount = 0;
  int fullestStage = -1;   ///< stage with the least headroom
  Bytes peakMemory;        ///< predicted for that stage's device
  Bytes headroom;          ///< left free on that device, because predictions err
  Bytes capacity;          ///< of that device
  TimeSplit split{};       ///< splitOf(Evaluation)
  bool mayNotFit = false;  ///< whether memory, without headroom, is within Problem::memoryError of capacity
  ProgramUse program;      ///< Problem::program
  PredictionError error;   ///< Problem::error
  Bubble bubble;           ///< bubble.idle() is the share of Idle

  double share(TimePart p) const { return batchTime.value() > 0 ? split[p] / batchTime : 0; }
  std::vector<TimeShare> shares() const { return sharesOf(split, batchTime); }
};

/// `architecture`: for MFU; nullptr if only a measured profile is known.
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const Plan&,
                      const Evaluation&, Seconds simulated = Seconds(0));
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const RankedPlan&);

/// The largest predicted peak memory of any stage's device: everything that counts against its capacity
/// except headroom.
Bytes predictedPeak(const Evaluation&);

/// How one stage's load is spent, per microbatch; adds up to the load.
TimeSplit splitOf(const StageEvaluation&);
std::vector<TimeShare> sharesOf(const StageEvaluation&);  ///< as shares of its load
/// How an average device in use spends the step: m times its stage's load by part, its stage's exposed sync
/// (Data) and optimizer step, and the rest as Idle. Adds up to batchTime.
TimeSplit splitOf(const Evaluation&);

}  // namespace nest
