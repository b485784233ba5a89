#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/graph/network_graph.h"
#include "formats/networks/slurm_topology.h"
#include "text/source_text.h"

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
  std::string format;      ///< "nvidia-smi topo -m", "NCCL topology"
  int architecture = 0;    ///< of its devices, as NCCL counts it (80: A100, 90: H100); 0: unknown
  std::string deviceName;  ///< of its devices, as their driver calls them; may be empty

  int deviceCount() const { return graph.deviceCount(); }
  /// A node in a row with those before it; devices stand in `host`. Returns its number.
  int add(const std::string& id, NodeKind kind, const std::string& host = "host");
};

/// Fills Adapter::nearest: the devices fewest links away.
void findNearestDevices(HostTopology&);

/// What a reader ends with: the topology, unless the source holds an error, and what there is to say.
Reading<HostTopology> resultOf(SourceText&, HostTopology&&);

/// A host alone, as a cluster.
GraphSource clusterOf(const HostTopology&);

/// Where hosts have devices of different architectures: gives each its share of `device`'s peak rate and its
/// own memory, by the catalog (SM 80: A100 80 GB, 90: H100, 100: B200), and says so. A warning for those that
/// the catalog does not tell or that are faster than `device`; they count as `device`.
Diagnostics weighDevices(std::vector<HostTopology>& kinds, const DeviceSpec& device);

/// A copy of its host for every host that the Slurm topology names; adapters hang on the leaf switches, and
/// the links between switches are sized so that a device's share is the level's bandwidth in `figures` (its
/// devicesPerHost and level 0 are not used: the hosts say both). Where level 1 is faster than any
/// adapters are (150 GB/s per device) its hosts are an NVLink domain: their devices are joined at that rate
/// beside the adapters.
/// `kindOf`: host name → number in `kinds`, for every host. A ring, torus or flat topology is refused.
Reading<GraphSource> joinHosts(const std::vector<HostTopology>& kinds,
                               const std::unordered_map<std::string, std::size_t>& kindOf,
                               const SlurmTopology& topology, const SlurmFigures& figures);
/// All hosts of one kind.
Reading<GraphSource> joinHosts(const HostTopology& host, const SlurmTopology& topology,
                               const SlurmFigures& figures);

}  // namespace nest
