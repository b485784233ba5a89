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
  int globalBatch = 0;     ///< samples in a batch
  int sequenceLength = 1;  ///< tokens in a sample

  double tokens() const { return static_cast<double>(globalBatch) * sequenceLength; }  ///< in a batch
  double tokensPerSecond() const { return batchTime.value() > 0 ? tokens() / batchTime.value() : 0; }
  Seconds perToken() const { return tokens() > 0 ? batchTime / tokens() : Seconds(0); }
};
/// `problem`: the one in which the plan was evaluated. The batch is that of the plan's own evaluation.
Pace paceOf(const Problem& problem, const Plan&, const Evaluation&);
Pace paceOf(const Problem& problem, const RankedPlan&);

/// What plans are compared by.
enum class PaceMeasure {
  BatchTime,   ///< every step trains the same batch and sequence length: seconds of a step
  Throughput,  ///< steps differ in their work, and their seconds cannot be compared: tokens a second
};
/// The one rule by which every view, figure and sentence chooses.
PaceMeasure measureOf(std::span<const Pace>);
PaceMeasure measureOf(const Pace& first, const Pace& second);
/// The time that bars show: of a step, or of a token.
Seconds comparedTime(const Pace&, PaceMeasure);
/// What differs between the steps: "global batches differ", "sequence lengths differ", both, or empty.
std::string workDifference(std::span<const Pace>);
/// "global batch 1,536 → 3,072, sequence length 4,096 → 8,192"; empty if the work is the same.
std::string workChangeText(const Pace& first, const Pace& second);

std::string samplesRate(double perSecond);       ///< "219 samples/s"
std::string tokensRate(double perSecond);        ///< "897 k tokens/s"
std::string paceText(const Pace&, PaceMeasure);  ///< "16.9 s per step", "897 k tokens/s"
std::string paceUnit(PaceMeasure);               ///< behind a change in percent: " time", " tokens/s"
/// Share by which the second differs in what is measured: +0.02 takes 2 % longer, or trains 2 % more tokens
/// a second.
double paceChange(const Pace& first, const Pace& second, PaceMeasure);
/// "16.9 s → 16.7 s per step (−1.66 %)", "812 k → 897 k tokens/s (+10.4 %)".
std::string paceChangeText(const Pace& first, const Pace& second, PaceMeasure);
bool isFaster(const Pace&, const Pace& than);  ///< in tokens a second, whatever the steps

/// A part of the time that differs between two plans.
struct PartChange {
  TimePart part = TimePart::Compute;
  Seconds before, after;  ///< comparedTime() of an average device that goes to `part`

  Seconds growth() const { return after - before; }
};
/// The parts that grow, the most first; with `shrinking` those that fall, the most first. As many as make
/// nine tenths of all growth (or fall).
std::vector<PartChange> partChanges(const Evaluation& first, const Pace& firstPace, const Evaluation& second,
                                    const Pace& secondPace, bool shrinking = false);

}  // namespace nest
