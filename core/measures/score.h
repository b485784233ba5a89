#pragma once

#include "evaluation/evaluation.h"

namespace nest {

/// How close a plan drawn by hand comes to the best one, whose time is `best`: 100 where it is as fast (to
/// 1e-9), at most 99 where it is not (the best time as a share of its own, rounded down), 0 where it cannot
/// run.
int scoreOf(const Evaluation& mine, Seconds best);

}  // namespace nest
