#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "evaluation/ranked_plan.h"
#include "run/restart.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// What can be done when parts of the cluster fail.
enum class FailureAnswer {
  Swap,    ///< spare hosts take their place: the same plan
  Shrink,  ///< the same plan with fewer replicas
  Replan,  ///< the best plan on what is left
};
inline constexpr int kFailureAnswerCount = 3;
const char* nameOf(FailureAnswer);  ///< "swap", "shrink", "re-plan", in files and for people

/// Weights and optimizer state that devices do not hold yet under a new plan, by the level of the network
/// over which the nearest device that holds them sends them.
struct MovedState {
  std::vector<Bytes> overLevel;  ///< of all devices together; level 0 is the innermost
  Bytes fromStore;               ///< nobody who is left holds it
  Bytes all() const;
};

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

/// The positions of what is lost, in locality order.
struct LostDevices {
  std::string what;  ///< "host3", "one device of host0", "host3 and rack 2"
  std::vector<int> positions;
};
/// Reads "host3", "leaf 2", "device 17" (input number), "host3/0" (a device of a host), several apart by
/// commas. Errors say what there is.
Reading<LostDevices> readLost(const Problem&, std::string_view text);

/// The plan, same cuts and degrees, with fewer replicas, on the devices of those that are left: which ones go
/// is searched, one by one and by whole hosts and groups of hosts around what failed, and so is the batch
/// within its tolerance. Cost: some hundred evaluations at most.
FailureResponse shrunk(const Problem&, const RankedPlan& present, const std::vector<int>& lost,
                       const Control& = {});
/// The same plan with other devices in place of the lost ones: idle ones of the cluster if they are enough,
/// else spare hosts in the same place.
FailureResponse swapped(const Problem&, const RankedPlan& present, const std::vector<int>& lost);
/// `outcome`: of the problem without the lost devices. The present plan on idle devices, or shrunk, takes its
/// place where it is as fast and moves less.
FailureResponse replanned(const Problem&, const RankedPlan& present, const std::vector<int>& lost,
                          const Problem& left, const Outcome& outcome, const FailureResponse* shrunk);

/// All three, in their order.
std::vector<FailureResponse> answersTo(const Problem&, const RankedPlan& present,
                                       const std::vector<int>& lost, const Control& = {});
/// The one with most tokens/s that does without spares, and the first of equals; nullptr: there is none.
const FailureResponse* bestWithoutSpares(const std::vector<FailureResponse>&);

/// From a plan to another one on the positions of one cluster. Shards are compared by the shares of tensors,
/// experts and ZeRO shards that they hold. Cost: devices × stages × shards that overlap.
MovedState movedBetween(const Problem&, const Plan& before, const Plan& after, const std::vector<int>& lost);

/// What a spare host is worth where it stands under another leaf than the host that fails.
struct SpareElsewhere {
  double change = 0;  ///< of tokens/s, at worst over the leaves
  int leaves = 0;     ///< groups of hosts of level 1 that the plan uses
};
/// nullopt: the cluster has one leaf, or its hosts differ.
std::optional<SpareElsewhere> spareElsewhere(const Problem&, const RankedPlan& present);

/// How many spare hosts, and where.
struct SpareAdvice {
  double confidence = 0.999;
  int hosts = 0;              ///< that the plan uses
  SpareHosts pooled, ofLeaf;  ///< wherever they stand; for each leaf by itself
  std::optional<SpareElsewhere> elsewhere;
  std::string leafLevel;  ///< "leaf", "pod": what the network calls level 1
};
SpareAdvice spareAdvice(const Problem&, const RankedPlan& present, double confidence);

}  // namespace nest
