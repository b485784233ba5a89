#include "solver/space/device_subset.h"

#include <algorithm>
#include <optional>
#include <set>

#include "cluster/levels/scale_up.h"
#include "units/text.h"

namespace nest {
namespace {

/// Devices of what a level-l group consists of: one, or those of a group of the level below, which are
/// identical.
int partSize(const Hierarchy& cluster, int l) {
  return l > 0 ? cluster.uniformGroupSize(l - 1) : 1;
}

/// "host", "rack groups"; of the level below all, "device".
std::string nameOfGroups(const Hierarchy& cluster, int l, int count) {
  return (l < 0 ? "device" : l == 0 ? "host" : cluster.level(l).name + " group") + (count == 1 ? "" : "s");
}

/// Of each level-l group `kept` of how many parts it has; `what` that is, empty: all or none.
template <class Kept>
DeviceSubset partOfGroups(const Hierarchy& cluster, int l, const std::string& what, Kept kept) {
  DeviceSubset even;
  const int part = partSize(cluster, l);
  int groups = 0;
  for (int g = 0; g < cluster.groupCount(l); ++g) {
    const auto [begin, end] = cluster.groupSpan(l, g);
    const int taken = kept((end - begin) / part) * part;
    groups += taken > 0;
    even.devices += taken;
    for (int p = begin + taken; p < end; ++p) even.idle.push_back(p);
  }
  const std::string kind = nameOfGroups(cluster, l, groups);
  even.complete = what.empty();
  const std::string number = groups == 1 ? "" : text::count(groups) + ' ';
  even.name = even.complete ? "the " + number + "complete " + kind
                            : what + " of " + (groups == 1 ? "one " : "each of " + number) + kind;
  return even;
}

/// Of a level whose groups differ in size: the complete ones; of each a multiple of a power of two, so that
/// groups of ranks of that size straddle none; and of those that have as many the same number.
std::vector<DeviceSubset> partsOfUnevenGroups(const Hierarchy& cluster, int l) {
  const int part = partSize(cluster, l), most = cluster.largestGroupSize(l) / part;
  std::set<int> sizes;
  for (int g = 0; g < cluster.groupCount(l); ++g)
    sizes.insert((cluster.groupSpan(l, g).second - cluster.groupSpan(l, g).first) / part);
  std::vector<DeviceSubset> all;
  all.push_back(partOfGroups(cluster, l, "", [most](int n) { return n == most ? n : 0; }));
  for (int m = largestPowerOfTwo(most); m > 1; m /= 2)
    all.push_back(partOfGroups(cluster, l,
                               "a multiple of " + text::count(m) + ' ' + nameOfGroups(cluster, l - 1, m),
                               [m](int n) { return n / m * m; }));
  for (auto k = sizes.rbegin(); k != sizes.rend(); ++k)
    all.push_back(partOfGroups(cluster, l, text::count(*k) + ' ' + nameOfGroups(cluster, l - 1, *k),
                               [k = *k](int n) { return n >= k ? k : 0; }));
  return all;
}

/// `kept[l]` of the devices of each host (l = 0), or of the level-(l − 1) groups of each level-l group.
DeviceSubset partOfEach(const Hierarchy& cluster, const std::vector<int>& kept) {
  DeviceSubset even;
  const int n = cluster.deviceCount();
  for (int p = 0; p < n; ++p) {
    bool isKept = true;
    for (int l = 0, inner = 1; l < static_cast<int>(kept.size()); inner = cluster.uniformGroupSize(l), ++l)
      isKept = isKept && p % cluster.uniformGroupSize(l) / inner < kept[l];
    if (!isKept) even.idle.push_back(p);
  }
  even.devices = n - static_cast<int>(even.idle.size());
  for (int l = static_cast<int>(kept.size()) - 1, outer = 0; l >= 0; --l) {
    const int all = cluster.uniformGroupSize(l) / (l > 0 ? cluster.uniformGroupSize(l - 1) : 1);
    if (kept[l] == all) continue;
    even.name += (outer++ > 0 ? ", " : "") + text::count(kept[l]) + " of " + text::count(all) + ' ' +
                 (l > 0 ? cluster.level(l - 1).name + " groups" : "devices") + " of each " +
                 cluster.level(l).name;
  }
  return even;
}

/// Where a level has other than a power of two of groups: the largest power of two of them; at all such
/// levels, and at each alone.
std::vector<DeviceSubset> partsOfOddHosts(const Hierarchy& cluster) {
  std::vector<int> all, most;
  for (int l = 0; l + 1 < cluster.levelCount(); ++l) {
    const int size = cluster.uniformGroupSize(l), inner = l > 0 ? cluster.uniformGroupSize(l - 1) : 1;
    if (size == 0) break;
    all.push_back(size / inner);
    most.push_back(largestPowerOfTwo(size / inner));
  }
  std::set<std::vector<int>> ways = {most};
  for (std::size_t l = 0; l < all.size(); ++l) {
    std::vector<int> one = all;
    one[l] = most[l];
    ways.insert(std::move(one));
  }
  ways.erase(all);
  std::vector<DeviceSubset> out;
  for (const auto& kept : ways) out.push_back(partOfEach(cluster, kept));
  return out;
}

/// Where devices differ: the hosts whose devices are all as fast as any and hold as much, and all such
/// devices. Behind a slower one its whole stage waits.
std::vector<DeviceSubset> partsOfUnlikeDevices(const Hierarchy& cluster) {
  if (cluster.hasUniformDevices()) return {};
  const int n = cluster.deviceCount();
  DeviceFactor full{0, Bytes(0)};
  for (int p = 0; p < n; ++p) {
    const DeviceFactor f = cluster.factor(DeviceIndex(p));
    full = {std::max(full.speed, f.speed), std::max(full.memory, f.memory)};
  }
  DeviceSubset hosts, devices;
  int whole = 0;
  for (int h = 0; h < cluster.groupCount(0); ++h) {
    const auto [begin, end] = cluster.groupSpan(0, h);
    const bool isWhole =
        cluster.slowest(begin, end) == full.speed && cluster.smallestMemory(begin, end) == full.memory;
    whole += isWhole;
    for (int p = begin; p < end; ++p) {
      if (!isWhole) hosts.idle.push_back(p);
      if (cluster.factor(DeviceIndex(p)) != full) devices.idle.push_back(p);
    }
  }
  const auto name = [&](DeviceSubset& of, const std::string& what) {
    of.devices = n - static_cast<int>(of.idle.size());
    of.name = "the " + what + " of full speed and memory";
  };
  hosts.complete = true;
  name(hosts, text::count(whole) + ' ' + nameOfGroups(cluster, 0, whole));
  name(devices, text::count(n - static_cast<int>(devices.idle.size())) + " devices");
  return {hosts, devices};
}

/// The innermost level whose groups differ in size.
std::optional<int> unevenLevel(const Hierarchy& cluster) {
  for (int l = 0; l + 1 < cluster.levelCount(); ++l)
    if (cluster.uniformGroupSize(l) == 0) return l;
  return std::nullopt;
}

}  // namespace

std::vector<DeviceSubset> deviceSubsets(const Hierarchy& cluster) {
  auto all = partsOfUnlikeDevices(cluster);
  for (DeviceSubset& even : partsOfOddHosts(cluster)) all.push_back(std::move(even));
  if (const auto l = unevenLevel(cluster))
    for (DeviceSubset& even : partsOfUnevenGroups(cluster, *l)) all.push_back(std::move(even));
  constexpr std::size_t kMost = 5;
  std::vector<DeviceSubset> kept;
  for (DeviceSubset& even : all) {
    const bool isKnown =
        std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return k.idle == even.idle; });
    if (kept.size() < kMost && !isKnown && !even.idle.empty() && 2 * even.devices >= cluster.deviceCount())
      kept.push_back(std::move(even));
  }
  return kept;
}

}  // namespace nest
