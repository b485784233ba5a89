#include "study/lever.h"

#include <algorithm>
#include <cmath>

#include "cluster/levels/cluster_source.h"
#include "units/text.h"

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

std::vector<NetworkLevel> levelsOf(const Hierarchy& h) {
  std::vector<NetworkLevel> levels;
  for (int l = 0; l < h.levelCount(); ++l) levels.push_back(h.level(l));
  return levels;
}

/// `typed` may be those of another state of the scenario: then the problem's own count.
std::vector<NetworkLevel> beforeClamping(const Hierarchy& h, const std::vector<NetworkLevel>& typed) {
  std::vector<NetworkLevel> own = levelsOf(h), whole = typed;
  for (NetworkLevel& l : whole) l.efficiency = own.front().efficiency;
  return !whole.empty() && levelsOf(h.withLevels(whole)) == own ? whole : own;
}

Problem withLevel(const Problem& p, const Lever& lever, double factor,
                  const std::vector<NetworkLevel>& typed) {
  return withCluster(p,
                     p.cluster->withLevels(pulledLevels(beforeClamping(*p.cluster, typed), lever, factor)));
}

Problem withMemory(const Problem& p, double factor) {
  if (!p.cluster->hasUniformDevices()) {
    HierarchyInput in = inputOf(*p.cluster, p.cluster->deviceCount());
    in.device.memory.value *= factor;
    for (DeviceFactor& f : in.factors) f.memory *= factor;
    if (auto h = Hierarchy::build(in)) return withCluster(p, std::move(*h));
  }
  DeviceSpec device = p.cluster->device();
  device.memory.value *= factor;
  return withCluster(p, p.cluster->withDevice(std::move(device)));
}

Problem withCompute(const Problem& p, double factor) {
  Profile scaled = *p.profile;
  for (int c = 0; c < p.graph->classCount; ++c)
    for (int s = 0; s < static_cast<int>(scaled.strategies().size()); ++s)
      for (int b = 0; b < static_cast<int>(scaled.microbatches().size()); ++b)
        if (const LayerCost* cost = p.profile->cost(c, s, b)) {
          LayerCost faster = *cost;
          faster.forward /= factor;
          faster.backward /= factor;
          for (RecomputeCost& r : faster.recompute) r.extraBackward /= factor;
          scaled.setCost(c, s, b, std::move(faster));
        }
  Problem out = p;
  out.profile = std::make_shared<const Profile>(std::move(scaled));
  return out;
}

int devicesAt(const Problem& p, double factor) {
  const int n = p.cluster->deviceCount(), host = p.cluster->largestGroupSize(0);
  const auto wanted = static_cast<int>(std::lround(n * factor));
  if (wanted == n) return n;
  const int rounded = wanted / host * host;
  // A pull that is felt: at least one host more, or fewer.
  return factor > 1 ? std::max(rounded, n + host) : std::max(host, std::min(rounded, n - host));
}

}  // namespace

std::vector<Lever> leversOf(const Problem& p) {
  std::vector<Lever> out;
  for (int l = 0; l < p.cluster->levelCount(); ++l) {
    const int inner = l == 0 ? 1 : p.cluster->largestGroupSize(l - 1);
    if (p.cluster->largestGroupSize(l) <= inner) continue;
    out.push_back({Lever::Kind::Bandwidth, l});
    if (p.cluster->level(l).latency.value() > 0) out.push_back({Lever::Kind::Latency, l});
  }
  out.push_back({Lever::Kind::Memory, -1});
  out.push_back({Lever::Kind::Compute, -1});
  out.push_back({Lever::Kind::Devices, -1});
  return out;
}

std::string nameOf(const Problem& p, const Lever& lever) {
  switch (lever.kind) {
    case Lever::Kind::Bandwidth:
      return "bandwidth of level " + p.cluster->level(lever.level).name;
    case Lever::Kind::Latency:
      return "latency of level " + p.cluster->level(lever.level).name;
    case Lever::Kind::Memory:
      return "device memory";
    case Lever::Kind::Compute:
      return "compute speed";
    case Lever::Kind::Devices:
      break;
  }
  return "devices";
}

double valueOf(const Problem& p, const Lever& lever, const std::vector<NetworkLevel>& typed) {
  const auto level = [&] { return beforeClamping(*p.cluster, typed)[static_cast<std::size_t>(lever.level)]; };
  switch (lever.kind) {
    case Lever::Kind::Bandwidth:
      return level().bandwidth.value();
    case Lever::Kind::Latency:
      return level().latency.value();
    case Lever::Kind::Memory:
      return p.cluster->device().memory.value.value();
    case Lever::Kind::Compute:
      return 1;
    case Lever::Kind::Devices:
      break;
  }
  return p.cluster->deviceCount();
}

std::string valueText(const Problem& p, const Lever& lever, double factor,
                      const std::vector<NetworkLevel>& typed) {
  const double v = valueOf(p, lever, typed) * factor;
  switch (lever.kind) {
    case Lever::Kind::Bandwidth:
      return text::bandwidth(BytesPerSecond(v));
    case Lever::Kind::Latency:
      return text::time(Seconds(v));
    case Lever::Kind::Memory:
      return text::memory(Bytes(v));
    case Lever::Kind::Compute:
      return text::number(v) + " ×";
    case Lever::Kind::Devices:
      break;
  }
  return text::count(devicesAt(p, factor)) + " devices";
}

bool isBetterLarger(const Lever& lever) {
  return lever.kind != Lever::Kind::Latency;
}

std::vector<NetworkLevel> levelsAsTyped(const ClusterSource& cluster) {
  std::vector<NetworkLevel> out;
  const auto* source = std::get_if<LevelsSource>(&cluster.network);
  if (!source) return out;
  for (const LevelSpec& s : source->levels)
    out.push_back({s.name, s.bandwidth / s.oversubscription, s.latency, s.oversubscription, s.origin});
  return out;
}

std::vector<NetworkLevel> pulledLevels(std::vector<NetworkLevel> levels, const Lever& lever, double factor) {
  if (lever.level < 0 || static_cast<std::size_t>(lever.level) >= levels.size()) return levels;
  NetworkLevel& one = levels[static_cast<std::size_t>(lever.level)];
  if (lever.kind == Lever::Kind::Bandwidth) one.bandwidth *= factor;
  if (lever.kind == Lever::Kind::Latency) one.latency *= factor;
  return levels;
}

Problem pulled(const Problem& p, const Lever& lever, double factor, const std::vector<NetworkLevel>& typed) {
  switch (lever.kind) {
    case Lever::Kind::Bandwidth:
    case Lever::Kind::Latency:
      return withLevel(p, lever, factor, typed);
    case Lever::Kind::Memory:
      return withMemory(p, factor);
    case Lever::Kind::Compute:
      return withCompute(p, factor);
    case Lever::Kind::Devices:
      break;
  }
  return withDeviceCount(p, devicesAt(p, factor));
}

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

}  // namespace nest
