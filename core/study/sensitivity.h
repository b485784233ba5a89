#pragma once

#include <string>
#include <vector>

#include "plan/plan_diff.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "study/lever.h"

namespace nest {

/// What one single improvement would bring; the plan is found anew.
struct Improvement {
  Lever lever;
  double factor = 1;  ///< of the lever's value
  std::string what;   ///< "+25 % bandwidth of level rack"
  OutcomeStatus status = OutcomeStatus::Failed;
  Seconds batchTime;
  double change = 0;  ///< relative to the present best; −0.061 = 6.1 % less time; −1 if nothing fitted before
  PlanDiff plan;      ///< from the present best plan to the new one
  std::string sentence;  ///< "+25 % bandwidth of level rack: −6.1 %"
};

/// Every lever made better by `fraction` (latency divided by 1 + fraction), solved and ranked, the largest
/// gain first. `present`: the problem's own best plan. `typed`: see pulled. Those that a stop left out stand
/// at the end, with OutcomeStatus::Stopped.
std::vector<Improvement> rankImprovements(const Problem&, const RankedPlan& present, double fraction = 0.25,
                                          const Control& = {}, const std::vector<NetworkLevel>& typed = {});

/// Where the optimum becomes another plan when one lever moves.
struct BreakEven {
  Lever lever;
  double factor = 1;     ///< nearest value, as a share of the present one, at which another plan is the best
  double heldAt = 1;     ///< a factor closer to 1, at which the present plan is still the best
  std::string value;     ///< "37 GB/s"
  Plan plan;             ///< best there
  PlanDiff difference;   ///< from the present plan, both judged at that value
  std::string sentence;  ///< "at 37 GB/s of level rack the plan flips: tensor degree 8 → 4"
};

struct BreakEvenRange {
  double least = 1.0 / 16, most = 16;  ///< factors searched
  int steps = 8;                       ///< coarse steps on either side, even in the logarithm
  double precision = 0.01;             ///< relative, of the value found by bisection
  bool anyChange = false;              ///< cuts that merely move count as another plan, too
};

/// Nearest flip below and above the present value, at most one each. A flip and flip back between two coarse
/// steps may go unseen. `typed`: see pulled. `cutShort`: set where a solve was, so that a flip may be
/// missing.
std::vector<BreakEven> breakEvens(const Problem&, const RankedPlan& present, const Lever&,
                                  const BreakEvenRange& = {}, const Control& = {},
                                  const std::vector<NetworkLevel>& typed = {}, bool* cutShort = nullptr);

/// What the loss of one part costs, after planning anew on the rest.
struct Failure {
  std::string what;  ///< "one device of host0", "host0", "rack 0", "half the bandwidth of level rack"
  std::vector<int> positions;  ///< lost, in locality order; empty for a degraded level
  OutcomeStatus status = OutcomeStatus::Failed;
  Seconds batchTime;
  double change = 0;    ///< relative to the present best
  int devicesIdle = 0;  ///< of those left, that the new plan does not use
  PlanDiff plan;
};

/// Single failures, the costliest first; those after which nothing fits lead, those that a stop left out
/// stand at the end, with OutcomeStatus::Stopped. Of alike parts (groups of one level of equal size) one
/// stands for all. Solved on two threads; progress is told one call at a time, from either. `typed`: see
/// pulled.
std::vector<Failure> rankFailures(const Problem&, const RankedPlan& present, const Control& = {},
                                  const std::vector<NetworkLevel>& typed = {});

}  // namespace nest
