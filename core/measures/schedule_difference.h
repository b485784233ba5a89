#pragma once

#include <string>

#include "evaluation/schedule.h"

namespace nest {

/// Why a simulated batch takes longer or shorter than the formula of STATEMENT.md §4 says (1F1B and
/// interleaved; the objective `pipeline`).
///
/// The formula puts max_i (exposed_i + step_i) behind the whole batch, and lets only the backward compute of
/// earlier stages cover a sync. In the simulation each stage begins its sync as soon as its own last backward
/// pass ends, beside everything that earlier stages still do: recompute, exchanges and transfers as well. So
/// `tail` is never above zero, and where a batch is short and a sync long the simulation may fall below 0.75
/// times the formula. That is no fault of either: the formula stays the safe side.
///
/// `passes` goes both ways. The formula charges every stage's whole load to fill and drain, which the slowest
/// stage's steady work partly covers (below zero); and it knows neither that 1F1B takes forward and backward
/// passes strictly in turn nor how stages split their load between the two, so that a stage may wait (above
/// zero). Of random 1F1B plans the passes alone stay within [0.75, 1.25] of the formula.
struct ScheduleDifference {
  Seconds formula, simulated;
  Seconds passes;  ///< simulated − formula, of the passes alone, without sync and step
  Seconds tail;    ///< the same of sync and step, ≤ 0; passes + tail = simulated − formula

  double relative() const { return formula > Seconds() ? simulated / formula - 1 : 0; }
};

/// `simulated`: simulate(…).total of the same plan and evaluation.
ScheduleDifference scheduleDifference(const Problem&, const Plan&, const Evaluation&, Seconds simulated);

/// "the simulation is 12 % shorter: …"; empty within 2 %.
std::string sentenceOn(const ScheduleDifference&, const Plan&);
/// The same, simulating the passes alone only where there is something to say.
std::string differenceInWords(const Problem&, const Plan&, const Evaluation&, Seconds simulated);

}  // namespace nest
