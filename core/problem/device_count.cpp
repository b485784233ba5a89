#include "problem/device_count.h"

#include <algorithm>

namespace nest {
namespace {

/// What would build the hierarchy again.
HierarchyInput inputOf(const Hierarchy& h, int count) {
  HierarchyInput in;
  in.device = h.device();
  for (int l = 0; l < h.levelCount(); ++l) in.levels.push_back(h.level(l));
  const int n = h.deviceCount();
  const auto outermost = static_cast<std::uint8_t>(h.levelCount() - 1);
  for (int i = 0; i + 1 < count; ++i)
    in.gaps.push_back((i + 1) % n == 0 ? outermost
                                       : static_cast<std::uint8_t>(h.levelBetween(i % n, (i + 1) % n)));
  for (int i = 0; i < count; ++i) {
    DeviceIdentity id = h.identity(DeviceIndex(i % n));
    if (i >= n) id.host += "+" + std::to_string(i / n);
    in.identities.push_back(std::move(id));
    if (!h.hasUniformDevices()) in.factors.push_back(h.factor(DeviceIndex(i % n)));
  }
  return in;
}

Problem withCluster(const Problem& p, Hierarchy h) {
  Problem out = p;
  out.cluster = std::make_shared<const Hierarchy>(std::move(h));
  return out;
}

}  // namespace

Problem withDeviceCount(const Problem& p, int count) {
  auto h = Hierarchy::build(inputOf(*p.cluster, std::max(1, count)));
  return h ? withCluster(p, std::move(*h)) : p;
}

Problem withoutDevices(const Problem& p, const std::vector<int>& positions) {
  HierarchyInput in = inputOf(*p.cluster, p.cluster->deviceCount());
  in.excluded = positions;
  auto h = Hierarchy::build(in);
  return h ? withCluster(p, std::move(*h)) : p;
}

Problem onLine(const Problem& p, const std::vector<int>& positions) {
  const Hierarchy& h = *p.cluster;
  HierarchyInput in;
  in.device = h.device();
  for (int l = 0; l < h.levelCount(); ++l) in.levels.push_back(h.level(l));
  in.keepsOrder = true;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const DeviceIndex device(positions[i]);
    if (i > 0) in.gaps.push_back(static_cast<std::uint8_t>(h.levelBetween(positions[i - 1], positions[i])));
    in.identities.push_back(h.identity(device));
    if (!h.hasUniformDevices()) in.factors.push_back(h.factor(device));
  }
  auto line = Hierarchy::build(in);
  return line ? withCluster(p, std::move(*line)) : p;
}

Problem withBestDevices(const Problem& p) {
  const Hierarchy& h = *p.cluster;
  if (h.hasUniformDevices()) return p;
  DeviceFactor best{0, Bytes(0)};
  for (int i = 0; i < h.deviceCount(); ++i) {
    const DeviceFactor f = h.factor(DeviceIndex(i));
    best = {std::max(best.speed, f.speed), std::max(best.memory, f.memory)};
  }
  HierarchyInput in = inputOf(h, h.deviceCount());
  in.factors.assign(static_cast<std::size_t>(h.deviceCount()), best);
  auto equal = Hierarchy::build(in);
  return equal ? withCluster(p, std::move(*equal)) : p;
}

}  // namespace nest
