#pragma once

#include <string>

#include "evaluation/schedule.h"

namespace nest {

/// Why a simulated batch takes longer or shorter than the formula of STATEMENT.md §4 (1F1B and interleaved;
/// the objective `pipeline`).
///
/// The formula adds max_i (exposed_i + step_i) after the whole batch, and only the backward compute of
/// earlier stages hides a sync. In the simulation each stage begins its sync as soon as its own last backward
/// pass ends, in parallel with everything that earlier stages still do, including recompute, exchanges and
/// transfers. So `tail` is never positive, and if a batch is short and a sync long, the simulation may be
/// below 0.75 times the formula. Neither of them is wrong; the formula is conservative.
///
/// `passes` can have either sign. The formula charges every stage's whole load to fill and drain, which the
/// slowest stage's steady work partly hides (negative). It also ignores that 1F1B alternates strictly between
/// forward and backward passes, and how stages split their load between the two, so that a stage may wait
/// (positive). For random 1F1B plans the passes alone stay within [0.75, 1.25] of the formula.
struct ScheduleDifference {
  Seconds formula, simulated;
  Seconds passes;  ///< simulated − formula for the passes alone, without sync and step
  Seconds tail;    ///< the same for sync and step, ≤ 0; passes + tail = simulated − formula

  double relative() const { return formula > Seconds() ? simulated / formula - 1 : 0; }
};

/// `simulated`: simulate(…).total of the same plan and evaluation.
ScheduleDifference scheduleDifference(const Problem&, const Plan&, const Evaluation&, Seconds simulated);

/// "the simulation is 12 % shorter: …"; empty within 2 %.
std::string sentenceOn(const ScheduleDifference&, const Plan&);
/// The same, but simulates the passes only if there is something to report.
std::string differenceInWords(const Problem&, const Plan&, const Evaluation&, Seconds simulated);

}  // namespace nest
