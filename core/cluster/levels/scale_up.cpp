#include "cluster/levels/scale_up.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <unordered_map>

namespace nest {
namespace {

bool isNamedHost(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {"host", "hosts", "node", "server"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Devices of the largest host in the first group of level 0.
int hostSize(const Hierarchy& cluster) {
  std::unordered_map<std::string, int> sizes;
  int largest = 0;
  for (int p = 0; p < cluster.groupSpan(0, 0).second; ++p)
    largest = std::max(largest, ++sizes[cluster.identity(DeviceIndex(p)).host]);
  return largest;
}

}  // namespace

bool joinsHosts(const Hierarchy& cluster, int level) {
  const int size = cluster.groupSpan(level, 0).second;
  const std::string host = cluster.identity(DeviceIndex(0)).host;
  for (int p = 1; p < size; ++p)
    if (cluster.identity(DeviceIndex(p)).host != host) return true;
  return false;
}

int scaleUpLevel(const Hierarchy& cluster) {
  for (int l = cluster.levelCount() - 1; l > 0; --l)
    if (isNamedHost(cluster.level(l).name) || cluster.level(l).bandwidth >= kBeyondAdapters ||
        !joinsHosts(cluster, l))
      return l;
  return 0;
}

int scaleUpSize(const Hierarchy& cluster) {
  const int level = scaleUpLevel(cluster);
  const bool isHost = level == 0 && cluster.level(0).bandwidth < kBeyondAdapters;
  return isHost ? hostSize(cluster) : cluster.largestGroupSize(level);
}

std::string scaleUpName(const Hierarchy& cluster) {
  const int level = scaleUpLevel(cluster);
  return level == 0 || !joinsHosts(cluster, level) ? "host" : cluster.level(level).name;
}

int largestPowerOfTwo(int size) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(size)));
}

bool holdsTensorGroups(int scaleUpSize, int tensor) {
  return scaleUpSize % tensor == 0 || largestPowerOfTwo(scaleUpSize) % tensor == 0;
}

}  // namespace nest
