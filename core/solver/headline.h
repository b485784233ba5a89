#pragma once

#include <string>
#include <vector>

#include "plan/metrics.h"
#include "solver/outcome.h"

namespace nest {

/// The parts of the line that everyone reads first, in order:
/// "8.4 s a batch", "41 % MFU", "t8 · p4 · d32 · b1", "71 of 80 GiB", "bound by bubble", "Optimal in 12 ms",
/// and with training tokens "31 d to train", "1.2 M device-hours".
std::vector<std::string> headlineParts(const PlanMetrics&, const Plan&, const Outcome&);
std::string headlineOf(const PlanMetrics&, const Plan&, const Outcome&);  ///< the parts, joined by " · "

}  // namespace nest
