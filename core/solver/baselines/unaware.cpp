#include "solver/baselines/methods.h"
#include "solver/solve.h"

namespace nest::baselines {
namespace {

/// More than any plan needs, so that nothing is ever missing; small enough that sums with it stay finite.
constexpr double kUnlimited = 1e18;

BaselineResult solvedElsewhere(const Problem& real, Problem assumed, const Control& control, const char* note,
                               const char* noneFits) {
  assumed.search.topPlans = 1;
  const Outcome found = solve(assumed, control);
  BaselineResult r;
  r.note = note;
  r.complete = !found.cutShort();
  if (const RankedPlan* best = found.best())
    r.plan = RankedPlan{best->plan, evaluate(real, best->plan), {}};
  else
    r.note = noneFits;
  return r;
}

}  // namespace

BaselineResult networkUnaware(const Problem& problem, const Control& control) {
  std::vector<NetworkLevel> levels;
  for (int l = 0; l < problem.cluster->levelCount(); ++l) {
    levels.push_back(problem.cluster->level(l));
    levels.back().bandwidth = levels.front().bandwidth;
    levels.back().latency = levels.front().latency;
    levels.back().efficiency = levels.front().efficiency;
  }
  Problem flat = problem;
  flat.cluster = std::make_shared<const Hierarchy>(problem.cluster->withLevels(std::move(levels)));
  return solvedElsewhere(problem, std::move(flat), control,
                         "the exact optimum of a cluster where every level is like level 0",
                         "no plan fits, whatever the network");
}

BaselineResult memoryUnaware(const Problem& problem, const Control& control) {
  Problem unlimited = problem;
  // The reserve applies to all devices, whereas their memory may differ.
  unlimited.assumptions.reserve = Bytes(-kUnlimited);
  unlimited.assumptions.headroom = 0;
  unlimited.assumptions.allocatorFactor = 1;
  return solvedElsewhere(problem, std::move(unlimited), control, "the exact optimum without the memory check",
                         "no plan suits the batch, the devices and the constraints, whatever the memory");
}

}  // namespace nest::baselines
