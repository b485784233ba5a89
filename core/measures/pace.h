#pragma once

#include <span>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/ranked_plan.h"
#include "measures/metrics.h"

namespace nest {

/// How fast a plan trains.
struct Pace {
  Seconds batchTime;
  int globalBatch = 0;     ///< samples per batch
  int sequenceLength = 1;  ///< tokens per sample

  double tokens() const { return static_cast<double>(globalBatch) * sequenceLength; }  ///< per batch
  double tokensPerSecond() const { return batchTime.value() > 0 ? tokens() / batchTime.value() : 0; }
  Seconds perToken() const { return tokens() > 0 ? batchTime / tokens() : Seconds(0); }
};
/// `problem`: the problem in which the plan was evaluated. The batch is that of the plan's own evaluation.
Pace paceOf(const Problem& problem, const Plan&, const Evaluation&);
Pace paceOf(const Problem& problem, const RankedPlan&);

/// The measure by which plans are compared.
enum class PaceMeasure {
  BatchTime,   ///< every step trains the same batch and sequence length: seconds per step
  Throughput,  ///< steps differ in their work, so their times cannot be compared: tokens per second
};
/// The one rule by which every view, picture and sentence chooses the measure.
PaceMeasure measureOf(std::span<const Pace>);
PaceMeasure measureOf(const Pace& first, const Pace& second);
/// The time that bars show: per step, or per token.
Seconds comparedTime(const Pace&, PaceMeasure);
/// How the steps differ: "global batches differ", "sequence lengths differ", both, or empty.
std::string workDifference(std::span<const Pace>);
/// "global batch 1,536 → 3,072, sequence length 4,096 → 8,192"; empty if the work is the same.
std::string workChangeText(const Pace& first, const Pace& second);

std::string samplesRate(double perSecond);       ///< "219 samples/s"
std::string tokensRate(double perSecond);        ///< "897 k tokens/s"
std::string paceText(const Pace&, PaceMeasure);  ///< "16.9 s per step", "897 k tokens/s"
std::string paceUnit(PaceMeasure);               ///< appended to a change in percent: " time", " tokens/s"
/// The relative change from first to second in the measure: +0.02 is 2 % more time, or 2 % more tokens per
/// second.
double paceChange(const Pace& first, const Pace& second, PaceMeasure);
/// "16.9 s → 16.7 s per step (−1.66 %)", "812 k → 897 k tokens/s (+10.4 %)".
std::string paceChangeText(const Pace& first, const Pace& second, PaceMeasure);
bool isFaster(const Pace&, const Pace& than);  ///< in tokens per second, even if the steps differ

/// A part of the time that differs between two plans.
struct PartChange {
  TimePart part = TimePart::Compute;
  Seconds before, after;  ///< part of comparedTime() of an average device

  Seconds growth() const { return after - before; }
};
}  // namespace nest
