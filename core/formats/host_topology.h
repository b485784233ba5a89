#pragma once

#include <string>
#include <vector>

#include "cluster/network_graph.h"
#include "formats/slurm_topology.h"

namespace nest {

/// One host as its own tools describe it: devices, inner switches (NVSwitch, PCIe, sockets) and network
/// adapters.
struct HostTopology {
  struct Adapter {
    std::string name;          ///< "mlx5_0"
    int node = 0;              ///< of `graph`; a switch
    BytesPerSecond bandwidth;  ///< one way, towards the network
    Seconds latency;
    Origin origin = Origin::Estimated;
    std::vector<int> nearest;  ///< device nodes closest to it (rail affinity)
  };
  NetworkGraph graph;
  std::vector<Adapter> adapters;
  std::string format;  ///< "nvidia-smi topo -m", "NCCL topology"

  int deviceCount() const { return graph.deviceCount(); }
};

/// Fills Adapter::nearest: the devices fewest links away.
void findNearestDevices(HostTopology&);

/// A host alone, as a cluster.
GraphSource clusterOf(const HostTopology&);

/// A copy of the host for every host that the Slurm topology names; adapters hang on the leaf switches, and
/// the links between switches are sized so that a group's share is the level's bandwidth in `figures` (its
/// devicesPerHost and level 0 are not used: the host says both). A ring, torus or flat topology is refused.
Reading<GraphSource> joinHosts(const HostTopology& host, const SlurmTopology& topology,
                               const SlurmFigures& figures);

}  // namespace nest
