#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "units/enum_array.h"

namespace nest {

struct ClusterSource;
struct HierarchyInput;

/// Whether a host can be used now.
enum class HostState {
  Free,
  Busy,      ///< runs something else
  Down,      ///< does not work, or nobody knows
  Drained,   ///< works, and takes no new jobs
  Reserved,  ///< kept for others, or for maintenance
  Spare,     ///< kept to replace a host that fails
};
inline constexpr int kHostStateCount = 6;

std::string_view nameOf(HostState);  ///< "free", as files and people call it

/// The state of a host, or of some of its devices.
struct StateOfHost {
  std::string host;
  std::vector<int> devices = {};  ///< numbers of devices inside the host, ascending; empty: all of them
  HostState state = HostState::Free;
  std::string word = {};  ///< what the source calls it: "alloc"; may be empty

  friend bool operator==(const StateOfHost&, const StateOfHost&) = default;
};

/// Which states plans may use; each includes those before it.
enum class PlannedOn {
  Free,
  Spare,    ///< free hosts and spares
  Working,  ///< all that are not down or drained
  All,
};
bool isPlannedOn(HostState, PlannedOn);

/// The hosts that plans may not use because of their state.
struct UnplannedHosts {
  int allHosts = 0, hosts = 0;                              ///< of the cluster; none of whose devices is used
  EnumArray<HostState, int, kHostStateCount> byState = {};  ///< of `hosts`
  int partlyHosts = 0, devicesOfThese = 0, usedOfThese = 0;  ///< hosts of which some devices are used

  bool any() const { return hosts > 0 || partlyHosts > 0; }
  friend bool operator==(const UnplannedHosts&, const UnplannedHosts&) = default;
};

/// "12 busy, 2 down and 2 drained"; empty: none.
std::string countsInWords(const EnumArray<HostState, int, kHostStateCount>&);
/// "16 of 32 hosts are not planned on: 12 busy, 2 down and 2 drained". Empty: all are.
std::string inWords(const UnplannedHosts&);

/// The names of the hosts in input order, each once. Takes time in proportion to the network.
std::vector<std::string> hostNames(const ClusterSource&);

/// Gives hosts a state in place of what they had, with all of their devices.
void setHostState(ClusterSource&, const std::vector<std::string>& hosts, HostState,
                  const std::string& word = {});
/// nullptr: the host is free. Of a host with several entries, the first.
const StateOfHost* stateOf(const ClusterSource&, std::string_view host);

/// States keep with hosts that an edit has renamed, and those of hosts that it removed are dropped.
void carryHostStates(const ClusterSource& before, ClusterSource& after);

/// Leaves out the devices of `in` whose state keeps plans from them: they join `in.excluded`, and
/// `in.unplanned` counts their hosts. Errors: a host or a device that the cluster does not have, two states
/// of one device, no host left to plan on.
void leaveOutUnplanned(const ClusterSource&, HierarchyInput& in, Diagnostics& out);

}  // namespace nest
