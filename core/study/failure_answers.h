#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/ranked_plan.h"
#include "run/restart.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "study/lost_devices.h"
#include "study/moved_state.h"
#include "study/spare_advice.h"

namespace nest {

/// What can be done when parts of the cluster fail.
enum class FailureAnswer {
  Swap,    ///< spare hosts take their place: the same plan
  Shrink,  ///< the same plan with fewer replicas
  Replan,  ///< the best plan on what is left
};
inline constexpr int kFailureAnswerCount = 3;
const char* nameOf(FailureAnswer);  ///< "swap", "shrink", "re-plan", in files and for people

/// One answer to one failure.
struct FailureResponse {
  FailureAnswer answer{};
  /// On the healthy cluster's positions; absent: see `obstacle`.
  std::optional<RankedPlan> plan;
  OutcomeStatus status = OutcomeStatus::Infeasible;
  std::string obstacle;  ///< "does not fit", "the plan has one replica"
  double tokensPerSecond = 0;
  double change = 0;                ///< of tokens/s: −0.023 is 2.3 % fewer
  int devicesIdle = 0;              ///< healthy ones that the plan does not use
  int replicasDropped = 0;          ///< Shrink
  int sparesNeeded = 0;             ///< Swap: hosts that have to stand by
  bool usesIdle = false;            ///< Swap: devices that the plan leaves idle take the place
  Restart restart;                  ///< until steps run again
  std::optional<MovedState> moved;  ///< Replan and Swap
};

/// As shrunkPlan().
FailureResponse shrunk(const Problem&, const RankedPlan& present, const std::vector<int>& lost,
                       const Control& = {});
/// The same plan with other devices in place of the lost ones, or of all devices of their hosts where that is
/// faster: idle ones of the cluster if they are enough, else spare hosts in the same place.
FailureResponse swapped(const Problem&, const RankedPlan& present, const std::vector<int>& lost);
/// `outcome`: of the problem without the lost devices. The present plan on idle devices, or shrunk, takes its
/// place where it is as fast and moves less.
FailureResponse replanned(const Problem&, const RankedPlan& present, const std::vector<int>& lost,
                          const Problem& left, const Outcome& outcome, const FailureResponse* shrunk);

/// All three, in their order.
std::vector<FailureResponse> answersTo(const Problem&, const RankedPlan& present,
                                       const std::vector<int>& lost, const Control& = {});
/// What a batch that may differ by kOtherBatch leaves after a failure.
struct OtherBatch {
  double change = 0;  ///< of tokens/s, under the best answer that needs no spares
  int batch = 0;      ///< that it takes
};
inline constexpr double kOtherBatch = 0.02;
/// nullopt where the job allows as much already, or where it gains less than 1 % over `answers`, which are
/// those at the batch of the job.
std::optional<OtherBatch> withOtherBatch(const Problem&, const RankedPlan& present,
                                         const std::vector<int>& lost,
                                         const std::vector<FailureResponse>& answers, const Control& = {});

/// The one with most tokens/s that does without spares, and the first of equals; nullptr: there is none.
const FailureResponse* bestWithoutSpares(const std::vector<FailureResponse>&);

}  // namespace nest
