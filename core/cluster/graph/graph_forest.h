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

/// The same as blocks for a drawing: switches that join the same things (rails, spines, pairs of leaves)
/// stand in one row above these, and a switch that joins blocks already above its neighbours stands above
/// them.
struct Blocks {
  std::vector<int> parent;                 ///< of the first of a row, and of hosts and devices; −1: a root
  std::vector<std::vector<int>> children;  ///< below the row that begins with this node
  std::vector<std::vector<int>> row;       ///< the other switches of that row, ascending
  std::vector<std::vector<int>> inside;    ///< devices of each host
  std::vector<int> first;                  ///< of the row that the node stands in; else the node

  std::vector<int> roots() const;
};

Blocks blocksOf(const NetworkGraph&);

}  // namespace nest::graph
