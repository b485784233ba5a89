#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/devices/device_names.h"
#include "cluster/levels/cluster_source.h"
#include "formats/format.h"
#include "formats/networks/slurm_topology.h"

namespace nest {

/// The devices that are one entry of the catalog, or all that it has not.
struct DeviceKind {
  std::string name;  ///< as the file has it, the first of several
  NamedDevice known;
  long long hosts = 0, devices = 0;
  std::vector<std::string> hostNames;
  int otherNames = 0;  ///< that the file has for them besides
};

/// What deviceCalled() and findInstanceType() know.
NamedDevice deviceOrInstance(const std::string& name);

/// The kinds that a list of hosts names, fastest first, those that the catalog has not last. `usual`: devices
/// of a host where the list does not tell. Hosts without a name are in none.
std::vector<DeviceKind> deviceKindsOf(const SlurmTopology&, int usual);

/// Of several kinds each host gets its share of `device`'s speed and its own memory, links no more than the
/// slowest have. `factors` is filled by host; a note or a warning says what each kind counts as.
Diagnostics weighKinds(const std::vector<DeviceKind>& kinds, const DeviceSpec& device,
                       std::unordered_map<std::string, DeviceFactor>& factors);
/// With the bandwidths of the slowest kind.
DeviceSpec withSlowestLinks(const DeviceSpec& device, const std::vector<DeviceKind>& kinds);
void setFactors(NetworkSource&, const std::unordered_map<std::string, DeviceFactor>& factors);

}  // namespace nest
