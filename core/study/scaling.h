#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "measures/plan_diff.h"
#include "scenario/scenario.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// One point of a scaling curve.
struct ScalingPoint {
  int devices = 0;
  Outcome outcome;
  double samplesPerSecond = 0;  ///< 0 without a plan
  double efficiency = 0;  ///< throughput per device, relative to the first point at which something fits
  std::optional<PlanDiff> change;  ///< from the previous feasible point's plan
};

/// The same job on ever more devices: the cluster cut short or repeated (see withDeviceCount). A point for
/// each of `counts`, in their order; those that a stop left out are OutcomeStatus::Stopped.
std::vector<ScalingPoint> scalingCurve(const Problem&, const std::vector<int>& counts, const Control& = {});

/// One point alone, without what it is relative to, and all that is: efficiency and change of each, in order.
ScalingPoint scalingPoint(const Problem&, int devices, const Control& = {});
void compareScalingPoints(const Problem&, std::vector<ScalingPoint>&);

/// Powers of two from `least` to `most`, both included where they are such.
std::vector<int> powersOfTwo(int least, int most);

/// Fewest devices whose best plan meets a batch time.
struct FewestDevices {
  enum class Answer {
    Suffice,     ///< see `devices`
    TooSlow,     ///< proven: the best plan on all devices takes `fastest`
    DoesNotFit,  ///< proven: not even on all devices
    Open,        ///< stopped before it was known whether all devices suffice
  };
  Answer answer = Answer::Open;
  bool complete = true;  ///< false: stopped, or a solve was; fewer than `devices` may suffice then
  int devices = 0;       ///< that the plan uses
  std::optional<RankedPlan> plan;
  Seconds fastest;  ///< best batch time met on `most` devices, if they do not suffice
  std::vector<std::pair<int, Seconds>> tried;  ///< device bound and best batch time met (0: none)
  std::string sentence;
};

const char* nameOf(FewestDevices::Answer);  ///< "suffice", "too-slow", "does-not-fit", "stopped"

/// Bisects over "at most n devices", n ≤ `most` (0: the cluster's own count; more repeats the cluster).
FewestDevices fewestDevices(const Problem&, Seconds target, int most = 0, const Control& = {});

/// The same scenario with another kind of device.
struct DeviceAnswer {
  DeviceSpec device;
  Outcome outcome;
  Diagnostics diagnostics;  ///< why the scenario cannot be built with it
  bool meets = false;
  Seconds batchTime;                       ///< 0 without a plan
  std::vector<BytesPerSecond> bandwidths;  ///< of the levels that it was planned on, the innermost first

  /// Whether more time could not change `meets`.
  bool decided() const { return meets || !outcome.cutShort(); }
};

/// Each device in place of the scenario's own, in hosts of the same size; its links as changeDevice() says.
/// Fastest first, then those that were stopped, those on which nothing fits or the program does not run last.
/// Needs an architecture: a measured profile is of its own device.
std::vector<DeviceAnswer> compareDevices(const Scenario&, const std::vector<DeviceSpec>& devices,
                                         std::optional<Seconds> target, const Control& = {});

}  // namespace nest
