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

Problem withExtraHost(const Problem& p, int group) {
  const Hierarchy& h = *p.cluster;
  const int end = h.groupSpan(1, group).second, begin = h.groupSpan(0, h.groupOf(0, end - 1)).first;
  std::vector<int> copied;
  for (int i = 0; i < h.deviceCount(); ++i) {
    copied.push_back(i);
    for (int k = begin; i + 1 == end && k < end; ++k) copied.push_back(k);
  }
  HierarchyInput in = inputOf(h, h.deviceCount());
  in.keepsOrder = true;
  in.gaps.clear(), in.identities.clear(), in.factors.clear();
  for (std::size_t i = 0; i < copied.size(); ++i) {
    const bool begins = i > 0 && copied[i] == begin && copied[i - 1] == end - 1;
    if (i > 0)
      in.gaps.push_back(begins ? std::uint8_t(1)
                               : static_cast<std::uint8_t>(h.levelBetween(copied[i - 1], copied[i])));
    in.identities.push_back(h.identity(DeviceIndex(copied[i])));
    if (i >= static_cast<std::size_t>(end) && i < static_cast<std::size_t>(end + end - begin))
      in.identities.back().host += "+spare", in.identities.back().source += h.deviceCount();
    if (!h.hasUniformDevices()) in.factors.push_back(h.factor(DeviceIndex(copied[i])));
  }
  auto built = Hierarchy::build(in);
  return built ? withCluster(p, std::move(*built)) : p;
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
