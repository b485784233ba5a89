#include "cluster/levels/device_change.h"

namespace nest {

void changeDevice(ClusterSource& cluster, const DeviceSpec& to) {
  const DeviceSpec from = cluster.device;
  cluster.device = to;
  auto* levels = std::get_if<LevelsSource>(&cluster.network);
  if (!levels) return;
  const auto take = [](LevelSpec& level, const Sourced<BytesPerSecond>& before,
                       const Sourced<BytesPerSecond>& after) {
    const bool follows = level.origin == Origin::Catalog || level.origin == Origin::Estimated ||
                         (level.origin == Origin::Typed && level.bandwidth == before.value);
    if (!follows || !(after.value.value() > 0)) return false;
    level.bandwidth = after.value;
    return true;
  };
  for (std::size_t l = 0; l < levels->levels.size(); ++l) {
    LevelSpec& level = levels->levels[l];
    if (l > 0)
      take(level, from.hostLinkBandwidth, to.hostLinkBandwidth);
    else if (take(level, from.linkBandwidth, to.linkBandwidth) && level.origin != Origin::Typed)
      level.latency = to.linkLatency.value;
  }
}

}  // namespace nest
