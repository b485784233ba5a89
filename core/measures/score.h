#pragma once

#include "evaluation/evaluation.h"

namespace nest {

/// A score for how close a plan drawn by hand is to the best one, whose time is `best`: 100 if it is as fast
/// (to 1e-9), at most 99 if not (the best time divided by its time, rounded down), 0 if it is infeasible.
int scoreOf(const Evaluation& mine, Seconds best);

}  // namespace nest
