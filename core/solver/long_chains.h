#pragma once

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// From which sizes on the search bounds ranges of a chain's largest load one by one (STATEMENT.md (6.7)),
/// and how fine: a matter of speed, the optimum is the same.
struct LongChains {
  int layers = 2000;            ///< chains of no more are solved at once
  long long pairs = 1'000'000;  ///< so are those with fewer stages in the windows
  double narrow = 5e-3,
         wide = 3e-2;  ///< (high − low)/low of a range that is looked into, and of one that waits
};

/// As the one of solve.h.
Outcome solve(const Problem&, const Control&, const Plan* start, const LongChains&);

}  // namespace nest
