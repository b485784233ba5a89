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

/// What the time of devices goes to. The kinds of communication count what compute leaves exposed of them;
/// Recompute exists only because memory is short; Idle is the bubble.
enum class TimePart { Compute, Tensor, Context, Expert, Pipeline, Data, Recompute, Idle, Step };
inline constexpr int kTimePartCount = 9;
template <class T>
using PerTimePart = EnumArray<TimePart, T, kTimePartCount>;
using TimeSplit = PerTimePart<Seconds>;
/// The part's name in files: "compute", "tensor exchange", …, "recompute", "idle", "optimizer step". Words
/// for people: words/metric_words.h.
const char* nameOf(TimePart);

/// One part of a time, and the share of the whole that it takes.
struct TimeShare {
  TimePart part = TimePart::Compute;
  double share = 0;
};
/// Every part that takes time, the largest first; of equal ones, the first of TimePart.
std::vector<TimeShare> sharesOf(const TimeSplit&, Seconds whole);
/// The largest of them that is not compute; nullptr if all the time is compute.
const TimeShare* largestOverhead(const std::vector<TimeShare>&);

/// The matrix rate that utilisation is measured against.
struct UtilisationPeak {
  FlopsPerSecond rate;                       ///< of one device
  NumberFormat of = NumberFormat::Bf16;      ///< whose dense rate it is: bf16, fp16 or fp8
  NumberFormat format = NumberFormat::Bf16;  ///< of the job; fp32, and what the device lacks, differ
};

/// The values that people quote of a plan; the same for the command line, the window and the exported
/// summary.
struct PlanMetrics {
  Seconds batchTime;
  Seconds simulated;  ///< 0 if not simulated
  double samplesPerSecond = 0, tokensPerSecond = 0;
  std::optional<double> mfu;  ///< model FLOPs utilisation; empty without an architecture
  UtilisationPeak peak;       ///< what mfu divides by
  /// For Job::trainingTokens, with checkpoints and failures as far as they are known; empty also where the
  /// run does not get through its failures.
  std::optional<Seconds> trainingTime;
  std::optional<double> deviceHours;  ///< of all devices that are reserved
  std::optional<RunForecast> run;     ///< empty: the scenario says nothing of the run
  int devicesUsed = 0, deviceCount = 0;
  int fullestStage = -1;   ///< least headroom
  Bytes peakMemory;        ///< predicted for that stage's device
  Bytes headroom;          ///< that stays free on it beside that, as predictions err
  Bytes capacity;          ///< of that device
  TimeSplit split{};       ///< splitOf(Evaluation)
  bool mayNotFit = false;  ///< within Problem::memoryError of a device's capacity, what is to stay free aside
  ProgramUse program;      ///< Problem::program
  PredictionError error;   ///< Problem::error
  Bubble bubble;           ///< bubble.idle() is the share of Idle

  double share(TimePart p) const { return batchTime.value() > 0 ? split[p] / batchTime : 0; }
  std::vector<TimeShare> shares() const { return sharesOf(split, batchTime); }
};

/// `architecture`: for MFU; nullptr where only a measured profile is known.
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const Plan&,
                      const Evaluation&, Seconds simulated = Seconds(0));
PlanMetrics metricsOf(const Problem&, const TransformerArchitecture* architecture, const RankedPlan&);

/// The most that a device of any stage is predicted to hold at its peak: all that counts against its capacity
/// but the headroom.
Bytes predictedPeak(const Evaluation&);

/// What one stage's load is spent on, per microbatch; sums to the load.
TimeSplit splitOf(const StageEvaluation&);
std::vector<TimeShare> sharesOf(const StageEvaluation&);  ///< of its own load
/// The step of an average device in use: m times its stage's load by what fills it, its stage's exposed sync
/// (Data) and optimizer step, and Idle for the rest. Sums to batchTime.
TimeSplit splitOf(const Evaluation&);

}  // namespace nest
