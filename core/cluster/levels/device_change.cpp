#include "cluster/levels/device_change.h"

#include "units/text.h"

namespace nest {

std::vector<KeptLink> changeDevice(ClusterSource& cluster, const DeviceSpec& to) {
  std::vector<KeptLink> kept;
  const DeviceSpec from = cluster.device;
  cluster.device = to;
  auto* levels = std::get_if<LevelsSource>(&cluster.network);
  if (!levels) return kept;
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
    const Sourced<BytesPerSecond>& own = l > 0 ? to.hostLinkBandwidth : to.linkBandwidth;
    const bool follows = take(level, l > 0 ? from.hostLinkBandwidth : from.linkBandwidth, own);
    if (follows && l == 0 && level.origin != Origin::Typed) level.latency = to.linkLatency.value;
    // What the device does not decide, such as a switch that is shared, is not expected to follow.
    if (!follows && l == 0 && own.value.value() > 0 && level.bandwidth != own.value)
      kept.push_back({level.name, level.bandwidth, level.origin, own.value});
  }
  return kept;
}

Diagnostic noteOn(const KeptLink& kept, const DeviceSpec& of) {
  return note("link-kept", {"", 0, 0, "/cluster/levels/0/bandwidth_bytes_per_s"},
              "level " + kept.level + " keeps " + text::bandwidth(kept.bandwidth) + ", which was " +
                  (kept.origin == Origin::Measured ? "measured" : "typed") + "; " + of.name + " itself has " +
                  text::bandwidth(kept.own),
              "set the level's bandwidth if its links are new as well");
}

}  // namespace nest
