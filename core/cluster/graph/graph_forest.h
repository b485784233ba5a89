#pragma once

#include <vector>

#include "cluster/graph/network_graph.h"

namespace nest::graph {

/// A network read as a forest: devices stand in their hosts, every other node hangs below the first neighbour
/// that is one step farther from the devices. Numbers are subscripts of NetworkGraph::nodes.
struct Forest {
  std::vector<int> parent;                 ///< −1: a root. Devices in a host: the host
  std::vector<std::vector<int>> children;  ///< without the devices in hosts
  std::vector<std::vector<int>> inside;    ///< devices of each host
  std::vector<char> boxed;                 ///< stands in a host

  std::vector<int> roots() const;
};

Forest forestOf(const NetworkGraph&);

}  // namespace nest::graph
