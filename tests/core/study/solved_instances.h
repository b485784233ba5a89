#pragma once

#include <vector>

#include "solver/solve.h"
#include "support/random_instance.h"

namespace nest::test {

struct Solved {
  Problem problem;
  RankedPlan best;
};

/// The first `count` random instances that have a plan, of at least so many stages.
inline std::vector<Solved> solvedInstances(int count, int leastStages = 1) {
  InstanceFeatures f = uniformStrategyChain();
  f.mostPlans = 1500;
  std::vector<Solved> out;
  for (std::uint64_t seed = 500; static_cast<int>(out.size()) < count && seed < 1500; ++seed) {
    Problem p = randomInstance(seed, f);
    const Outcome o = solve(p);
    if (o.best() && o.best()->plan.stageCount() >= leastStages) out.push_back({std::move(p), *o.best()});
  }
  return out;
}

}  // namespace nest::test
