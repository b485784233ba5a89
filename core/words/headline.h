#pragma once

#include <string>
#include <vector>

#include "measures/metrics.h"
#include "solver/outcome.h"

namespace nest {

/// A part of the line that everyone reads first.
struct HeadlinePart {
  enum class Kind {
    StepTime,
    Pace,
    Utilisation,
    Plan,
    Memory,
    Limit,
    Verdict,
    Program,
    Training,
    DeviceHours
  };
  Kind kind;
  std::string text;
};

/// The parts in order: "8.4 s per step", "1.04 M tokens/s", "41 % MFU", "TP8 · PP4 · DP32 · MBS1", "71 of 80
/// GiB", "compute 82 %, idle 18 % of the step", "Optimal in 12 ms", "ideal program" or "nanotron", and with
/// training tokens "31 d to train", "1.2 M device-hours". If runs of the program have been predicted, "8.4 s
/// ± 8 % per step" and "nanotron, ± holds 80 % of 19 runs".
std::vector<HeadlinePart> headlineParts(const PlanMetrics&, const Plan&, const Outcome&);
std::string headlineOf(const PlanMetrics&, const Plan&, const Outcome&);  ///< the parts, joined by " · "

}  // namespace nest
