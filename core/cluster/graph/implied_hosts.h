#pragma once

#include <string>
#include <vector>

#include "cluster/graph/network_graph.h"

namespace nest::graph {

/// Hosts that have no node of their own: devices name them, and their inner switches (NVSwitch, PCIe, NICs)
/// are nodes whose id begins with the host's name and a colon, as networks joined from host files have them.
struct ImpliedHosts {
  std::vector<std::string> names;         ///< in the order of their first device
  std::vector<std::vector<int>> members;  ///< of each, ascending
  std::vector<int> hostOf;                ///< per node; −1: in none of these
};

ImpliedHosts impliedHosts(const NetworkGraph&);

/// Where the members of a host go, each row one step farther from what leads outwards.
struct HostInside {
  double width = 0, height = 0;
  std::vector<double> x, y;  ///< per member, from the upper left corner to the middle of its box
};

HostInside placeInside(const NetworkGraph&, const ImpliedHosts&, int host,
                       const std::vector<std::vector<int>>& neighbours);

}  // namespace nest::graph
