#pragma once

#include <span>
#include <string>

#include "plan/evaluation.h"
#include "plan/ranked_plan.h"

namespace nest {

/// How fast a plan trains.
struct Pace {
  Seconds batchTime;
  int globalBatch = 0;  ///< samples in a batch

  double samplesPerSecond() const { return batchTime.value() > 0 ? globalBatch / batchTime.value() : 0; }
  Seconds perSample() const {
    return globalBatch > 0 ? batchTime / static_cast<double>(globalBatch) : Seconds(0);
  }
};
/// Of a plan that runs in `problem`, or in one that differs from it (a what-if): the batch is that of the
/// plan's own evaluation.
Pace paceOf(const Problem& problem, const Plan&, const Evaluation&);
Pace paceOf(const Problem& problem, const RankedPlan&);

/// By what plans are told beside each other.
enum class PaceMeasure {
  BatchTime,   ///< all train batches of one size: the seconds of a batch
  Throughput,  ///< they do not, and seconds of different batches say nothing: samples a second
};
/// The one rule by which every view, figure and sentence chooses.
PaceMeasure measureOf(std::span<const Pace>);
PaceMeasure measureOf(const Pace& first, const Pace& second);

std::string paceText(const Pace&, PaceMeasure);  ///< "16.9 s per step", "219 samples/s"
/// Share by which the second differs in what is measured: +0.02 takes 2 % longer, or trains 2 % more samples
/// a second.
double paceChange(const Pace& first, const Pace& second, PaceMeasure);
/// "16.9 s → 16.7 s per step (−1.66 %)", "198 → 219 samples/s (+10.3 %)".
std::string paceChangeText(const Pace& first, const Pace& second, PaceMeasure);
bool isFaster(const Pace&, const Pace& than);  ///< in samples a second, whatever the batches

}  // namespace nest
