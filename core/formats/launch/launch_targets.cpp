#include <algorithm>
#include <array>

#include "formats/launch/launch_target.h"

namespace nest {

// Each is defined next to its writer.
const LaunchTarget& megatronTarget();
const LaunchTarget& megatronBridgeTarget();
const LaunchTarget& nemoTarget();
const LaunchTarget& deepSpeedTarget();
const LaunchTarget& torchTitanTarget();
const LaunchTarget& torchTitanPythonTarget();
const LaunchTarget& nanotronTarget();
const LaunchTarget& hostFileTarget();
const LaunchTarget& slurmHostFileTarget();
const LaunchTarget& rankFileTarget();
const LaunchTarget& visibleDevicesTarget();
const LaunchTarget& sbatchTarget();
const LaunchTarget& jobSetTarget();
const LaunchTarget& kueueTarget();
const LaunchTarget& volcanoTarget();
const LaunchTarget& rayTarget();
const LaunchTarget& chromeTraceTarget();

std::span<const LaunchTarget* const> launchTargets() {
  static const std::array all = {&megatronTarget(),  &megatronBridgeTarget(), &nemoTarget(),
                                 &deepSpeedTarget(), &torchTitanTarget(),     &torchTitanPythonTarget(),
                                 &nanotronTarget(),  &hostFileTarget(),       &slurmHostFileTarget(),
                                 &rankFileTarget(),  &visibleDevicesTarget(), &sbatchTarget(),
                                 &jobSetTarget(),    &kueueTarget(),          &volcanoTarget(),
                                 &rayTarget(),       &chromeTraceTarget()};
  return all;
}

const LaunchTarget* findLaunchTarget(std::string_view id) {
  const auto all = launchTargets();
  const auto it = std::find_if(all.begin(), all.end(), [&](const LaunchTarget* t) { return t->id == id; });
  return it == all.end() ? nullptr : *it;
}

}  // namespace nest
