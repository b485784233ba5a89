#pragma once

#include <algorithm>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/graph/network_graph.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// A NetworkGraph made ready for computation: what failed is gone, parallel links are bundled, neighbours are
/// indexed. Node numbers are those of the NetworkGraph; devices are also numbered 0… in the order in which
/// they stand there.
struct Fabric {
  /// All live links between two nodes. Rates are bytes/s in each direction, 0 = no link that way.
  struct Edge {
    int a = 0, b = 0;
    double forward = 0, backward = 0;
    double latency = 0;  ///< seconds; the shortest of the bundle

    double width() const { return std::min(forward, backward); }
    double rateFrom(int node) const { return node == a ? forward : backward; }
  };
  struct Arc {
    int to = 0, edge = 0;
  };

  int nodeCount = 0;
  std::vector<Edge> edges;
  std::vector<int> devices;   ///< node of each device
  std::vector<int> deviceOf;  ///< device at a node, −1 if none
  std::vector<int> firstArc;  ///< nodeCount + 1 entries into arcs
  std::vector<Arc> arcs;

  int deviceCount() const { return static_cast<int>(devices.size()); }
};

/// Checks the graph and prepares it. Errors: links to nowhere, figures that are no positive numbers, no
/// device, too large. A device inside a host box that nobody linked is joined to that host at the
/// DeviceSpec's link figures (note). Not checked here: that all devices can reach each other.
Reading<Fabric> prepareFabric(const NetworkGraph& graph, const DeviceSpec& device);

}  // namespace nest
