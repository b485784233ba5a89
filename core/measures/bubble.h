#pragma once

#include "evaluation/schedule.h"

namespace nest {

/// The bubble: the time that the devices in use wait, as shares of the step, averaged over the devices. Every
/// view shows the value of the formula, except the timeline, which shows the value of its simulation, and
/// also the formula's where the two differ.
///
/// With equal stages (and no time at the end of the batch) fillAndDrain is (p − 1)/(v·m + p − 1) of the step,
/// which is (p − 1)/(v·m) of the time worked: the textbook's bubble fraction [Narayanan 2021, §2.2].
struct Bubble {
  /// Share that even the busiest stage waits, for the first microbatch and the last gradient.
  double fillAndDrain = 0;
  double imbalance = 0;  ///< share that the others wait beyond that, for the busiest stage

  double idle() const { return fillAndDrain + imbalance; }
};

/// The time that the devices of one stage wait in a step. Together with m times its load, its exposed sync
/// and its optimizer step, this adds up to the step for every stage.
struct StageWait {
  Seconds imbalance;     ///< for the busiest stage
  Seconds fillAndDrain;  ///< the same for all stages
};
std::vector<StageWait> waitsOf(const Evaluation&);  ///< one per stage

/// By the formula of the batch time (STATEMENT.md (4.15) to (4.17)); 0 for a plan that cannot be costed.
Bubble bubbleOf(const Evaluation&);
/// For a simulated run under any schedule.
Bubble bubbleOf(const Evaluation&, const Schedule&);

}  // namespace nest
