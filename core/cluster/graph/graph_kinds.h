#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/graph/network_graph.h"

namespace nest::graph {

/// Nodes or links of a drawn network that have the same figures.
struct Kind {
  enum class Of { Device, Host, Switch, Link };
  Of of = Of::Device;
  std::vector<int> members;  ///< nodes, or links if of == Link
  bool failed = false;
  double speed = 1;          ///< devices
  Bytes memory;              ///< devices; 0 = the cluster's
  int size = 0;              ///< hosts: devices inside; switches: links that end there, parallel ones counted
  BytesPerSecond bandwidth;  ///< links: of one, one way
  Seconds latency;           ///< links
  int parallel = 1;          ///< links
  std::string between;       ///< links: "host – switch"
};

/// Devices, hosts, switches, links; within each the most frequent first.
std::vector<Kind> kindsOf(const NetworkGraph&);

}  // namespace nest::graph
