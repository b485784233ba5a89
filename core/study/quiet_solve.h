#pragma once

#include <string_view>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// A study's solve: the best plan only, steered by the study's stop and deadline, silent.
Outcome quietSolve(Problem problem, const Control& control, const Plan* start = nullptr);

inline bool studyStopped(const Control& c) {
  return c.shouldStop();
}

/// Of a study that was stopped before it came to this solve.
Outcome notSolved(const Control& control);

/// `done` of `all` solves of a study.
void reportStudy(const Control& control, std::string_view phase, std::size_t done, std::size_t all);

}  // namespace nest
