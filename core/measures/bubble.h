#pragma once

#include "evaluation/schedule.h"

namespace nest {

/// The bubble: what the devices in use wait, as shares of the step, averaged over them. All show that of the
/// formula but the timeline, which has that of its simulation, and the formula's where the two differ.
///
/// Of equal stages (and no time at the end of the batch) fillAndDrain is (p − 1)/(v·m + p − 1) of the step,
/// which is (p − 1)/(v·m) of the time worked: the textbook's bubble fraction [Narayanan 2021, §2.2].
struct Bubble {
  double fillAndDrain =
      0;                 ///< what even the busiest stage waits: for the first microbatch, the last gradient
  double imbalance = 0;  ///< what the others wait beyond that: for the busiest stage

  double idle() const { return fillAndDrain + imbalance; }
};

/// What the devices of one stage wait in a step. With m times its load, its exposed sync and its optimizer
/// step this is the step, whatever the stage.
struct StageWait {
  Seconds imbalance;     ///< for the busiest stage
  Seconds fillAndDrain;  ///< what even the busiest stage waits; the same for all
};
std::vector<StageWait> waitsOf(const Evaluation&);  ///< of each stage

/// By the formula of the batch time (STATEMENT.md (4.15) to (4.17)); 0 for a plan that cannot be costed.
Bubble bubbleOf(const Evaluation&);
/// The same of a simulated run, whatever its schedule.
Bubble bubbleOf(const Evaluation&, const Schedule&);

}  // namespace nest
