#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/levels/host_state.h"
#include "diagnostics/diagnostic.h"
#include "units/index.h"

namespace nest {

/// One network level. Level 0 joins the devices of a host; higher levels are slower.
struct NetworkLevel {
  std::string name;  ///< "host", "rack", …
  BytesPerSecond
      bandwidth;    ///< one way, what a device sustains to a partner there while its neighbours send too
  Seconds latency;  ///< end to end
  double oversubscription = 1;  ///< for display: injected ÷ uplink bandwidth of one group
  Origin origin = Origin::Typed;
  double efficiency = 1;  ///< Assumptions::linkEfficiency; 1 where the bandwidth was measured
  double crowding = 0;    ///< Assumptions::crowding beyond level 0

  /// What exchanges count with.
  BytesPerSecond sustained() const { return bandwidth * efficiency; }
  /// The same of a reduce-scatter or all-gather among so many ranks, STATEMENT.md (10.7).
  BytesPerSecond sustained(int ranks) const {
    if (!(crowding > 0)) return sustained();
    return BytesPerSecond(1 / (1 / sustained().value() + crowding * (ranks - 1)));
  }

  friend bool operator==(const NetworkLevel&, const NetworkLevel&) = default;
};

/// Who a device is outside this program; survives from input to placement table and hostfile.
struct DeviceIdentity {
  std::string host;
  int slot = 0;    ///< number of the device inside its host
  int source = 0;  ///< its number in the input's order, before canonical ordering and exclusions

  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// What makes a single device differ from the cluster's DeviceSpec.
struct DeviceFactor {
  double speed = 1;  ///< in (0, 1]: share of the nominal compute rate
  Bytes memory;      ///< 0 = the DeviceSpec's

  friend bool operator==(const DeviceFactor&, const DeviceFactor&) = default;
};

/// What a hierarchy is made from; see Hierarchy::build.
struct HierarchyInput {
  DeviceSpec device;
  std::vector<NetworkLevel> levels;  ///< innermost first, at least one
  /// Either `fanouts` (regular: one per level, their product is the device count) …
  std::vector<int> fanouts;
  /// … or, irregular, the level at which device i meets device i+1 (device count − 1 entries).
  std::vector<std::uint8_t> gaps;
  bool keepsOrder = false;  ///< groups stay where they stand: a line of another cluster (STATEMENT.md §3)
  /// Optional; one entry per device in input order. Empty: hosts are named after level 0 (stand_in_host.h),
  /// and all devices are alike.
  std::vector<DeviceIdentity> identities;
  std::vector<DeviceFactor> factors;
  /// Optional, by level: the name of each group in input order; empty names, and levels without any, are made
  /// from the level's name and the group's number. Those of level 0 are the hosts'.
  std::vector<std::vector<std::string>> groupNames;
  std::vector<int> excluded;  ///< input numbers of devices that must not be used; they leave the order
  UnplannedHosts unplanned;   ///< why some of them must not
};

/// The only cluster the solver sees: N devices in locality order, and the level that joins any two.
///
/// STATEMENT.md §1. A level-ℓ group is a maximal run of positions joined at levels ≤ ℓ. Groups stand largest
/// first at each level (then by inner shape, then by device factors), so the order in which hosts were listed
/// does not matter. Bandwidths are clamped so as not to grow, latencies so as not to shrink, with the level.
/// Immutable; safe to share between threads.
class Hierarchy {
public:
  /// Reports every problem of the input at once. Notes: clamped levels, reordered devices.
  static Reading<Hierarchy> build(const HierarchyInput& input);

  int deviceCount() const { return m_deviceCount; }
  int levelCount() const { return static_cast<int>(m_levels.size()); }
  const NetworkLevel& level(int l) const { return m_levels[l]; }
  const DeviceSpec& device() const { return m_device; }

  /// Number of the level-l group that holds `position`; groups count from 0 in locality order. O(1).
  int groupOf(int l, int position) const {
    const auto& g = m_groups[l];
    return g.uniformSize > 0 ? position / g.uniformSize : g.of[position];
  }
  int groupCount(int l) const { return static_cast<int>(m_groups[l].starts.size()) - 1; }
  /// Positions [first, second) of a level-l group.
  std::pair<int, int> groupSpan(int l, int group) const {
    const auto& s = m_groups[l].starts;
    return {s[group], s[static_cast<std::size_t>(group) + 1]};
  }
  /// What a group is called outside this program, "host12" or "leaf 3": its name in the input, or a number
  /// counted there, so that it stays the same when others are lost. The one group of the outermost level is
  /// called as that level is.
  std::string groupName(int l, int group) const;
  /// Size of every level-l group if all are equal (a shorter last group of the whole cluster does not count
  /// as equal), else 0.
  int uniformGroupSize(int l) const { return m_groups[l].uniformSize; }
  int largestGroupSize(int l) const { return m_groups[l].largest; }
  bool isRegular() const;

  /// Innermost level that joins two positions; 0 for a position and itself. O(levels).
  int levelBetween(int i, int j) const {
    int l = 0;
    while (groupOf(l, i) != groupOf(l, j)) ++l;
    return l;
  }

  const DeviceIdentity identity(DeviceIndex) const;
  const UnplannedHosts& unplanned() const { return m_unplanned; }  ///< hosts that their state keeps out
  bool hasUniformDevices() const { return m_factors.empty(); }
  /// Slowest speed factor and smallest memory among positions [begin, end).
  double slowest(int begin, int end) const;
  Bytes smallestMemory(int begin, int end) const;
  DeviceFactor factor(DeviceIndex) const;  ///< memory filled in

  /// Same devices under other level figures or another device; used by baselines and what-ifs. Clamps again.
  Hierarchy withLevels(std::vector<NetworkLevel> levels) const;
  Hierarchy withDevice(DeviceSpec device) const;

private:
  struct Groups {
    std::vector<std::int32_t> of;      ///< group of each position; empty if uniform
    std::vector<std::int32_t> starts;  ///< group boundaries, groupCount + 1 entries
    int uniformSize = 0;
    int largest = 0;
  };

  int m_deviceCount = 0;
  DeviceSpec m_device;
  std::vector<NetworkLevel> m_levels;
  std::vector<Groups> m_groups;
  std::vector<DeviceIdentity> m_identities;            ///< by position; empty: generated names
  std::vector<std::vector<std::string>> m_groupNames;  ///< by level and group; empty: numbered from 0
  std::vector<DeviceFactor> m_factors;                 ///< by position; empty: all alike
  UnplannedHosts m_unplanned;
  int m_generatedHostSize = 1;
};

}  // namespace nest
