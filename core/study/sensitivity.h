#pragma once

#include <string>
#include <vector>

#include "measures/plan_diff.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "study/failure_answers.h"
#include "study/parameter.h"
#include "study/spare_benefit.h"

namespace nest {

/// Where the optimum becomes another plan when one parameter moves.
struct BreakEven {
  Parameter parameter;
  double at = 0;         ///< nearest value at which another plan is the best
  double heldAt = 0;     ///< a value closer to the present one, at which the present plan is still the best
  double factor = 0;     ///< `at` ÷ the present value; 0 where that is 0
  std::string value;     ///< "37 GB/s"; "> 37 GB/s": as soon as it is more
  Plan plan;             ///< best there
  PlanDiff difference;   ///< from the present plan, both judged at that value
  std::string sentence;  ///< "at bandwidth of level rack = 37 GB/s the plan flips: tensor degree 8 → 4"
};

struct BreakEvenRange {
  double least = 1.0 / 16, most = 16;  ///< factors searched; of shares, all from 0 to 1
  int steps = 8;                       ///< coarse steps on either side, even in the logarithm
  double finest = 1e-6;                ///< relative: flips closer to the present value count as beside it
  bool anyChange = false;              ///< cuts that merely move count as another plan, too
};

/// Nearest flip below and above the present value, at most one each, right to the digits that are printed: at
/// `at` and `heldAt` the problem was solved to the optimum, and no more than those digits lie between. A flip
/// and flip back between two coarse steps may go unseen. `cutShort`: set where a solve was, so that a flip
/// may be missing.
std::vector<BreakEven> breakEvens(const Setting&, const Problem&, const RankedPlan& present, const Parameter&,
                                  const BreakEvenRange& = {}, const Control& = {}, bool* cutShort = nullptr);

/// What the failure of one part costs: `batchTime`, `change` and what follows are those of planning again on
/// the rest.
struct Failure {
  std::string what;  ///< "one device of host0", "host0", "rack 0", "half the bandwidth of level rack"
  std::vector<int> positions;  ///< lost, in locality order; empty for a degraded level
  OutcomeStatus status = OutcomeStatus::Failed;
  std::string obstacle;  ///< without a plan: "does not fit", as words::of() the outcome
  Seconds batchTime;
  double change = 0;    ///< of the time for a token, relative to the present best
  int devicesIdle = 0;  ///< of those left, that the new plan does not use
  PlanDiff plan;
  std::vector<FailureResponse> answers;  ///< swap, shrink and re-plan; of a degraded level, re-plan alone
  int degradedLevel = -1;                ///< whose bandwidth is halved; −1: parts are lost
  std::optional<OtherBatch> otherBatch = std::nullopt;
};

/// Single failures, the costliest after planning again first; those after which nothing fits lead, those that
/// a stop left out stand at the end, with OutcomeStatus::Stopped. Of identical parts (groups of one level of
/// equal size) one stands for all. Solved on two threads; progress is reported one call at a time, from
/// either.
std::vector<Failure> rankFailures(const Setting&, const Problem&, const RankedPlan& present,
                                  const Control& = {});

/// Single failures, or those that are given, how many spares to keep, and what they buy.
struct FailureStudy {
  std::vector<Failure> single;     ///< if none is given
  std::vector<LostDevices> given;  ///< each with its answers
  std::vector<std::vector<FailureResponse>> answers;
  std::vector<std::optional<OtherBatch>> otherBatch;  ///< by `given`
  SpareAdvice spares;
  SpareBenefit benefit;

  bool isComplete() const;
};
FailureStudy studyFailures(const Setting&, const Problem&, const RankedPlan& present,
                           std::vector<LostDevices> given, double confidence, const Control& = {});

}  // namespace nest
