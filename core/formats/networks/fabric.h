#pragma once

#include <string>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"
#include "formats/networks/slurm_topology.h"

namespace nest {

/// What a subnet manager sees: switches and hosts with every cable between them. It does not see devices.
struct InfinibandFabric {
  struct Node {
    std::string id, name;
    bool isHost = false;
  };
  struct Link {
    int from = 0, to = 0;
    BytesPerSecond bandwidth;  ///< one way, one cable
    int count = 1;
  };
  std::string from;  ///< "the output of ibnetdiscover"
  std::vector<Node> nodes;
  std::vector<Link> links;
};

/// The cluster: the devices of each host on an inner switch at the device's own link, the cables as they are.
/// `sizes`: hosts and their devices, where another file lists them; hosts that it does not name are left out.
Reading<GraphSource> networkOf(const InfinibandFabric&, const SlurmTopology* sizes, const DeviceSpec&);

}  // namespace nest
