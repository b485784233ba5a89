#pragma once

#include <string>
#include <vector>

#include "cluster/graph/network_graph.h"
#include "cluster/levels/host_state.h"

namespace nest {

struct DeviceSpec;

/// What a file states of a host node, or of one device.
struct StateOfNode {
  int node = 0;
  HostState state = HostState::Free;
  std::string word = {};  ///< what the source calls it; may be empty
  friend bool operator==(const StateOfNode&, const StateOfNode&) = default;
};

/// A graph with the states of its nodes, as graph formats hold it.
struct DrawnNetwork {
  NetworkGraph graph;
  std::vector<StateOfNode> states = {};  ///< ascending by node
  friend bool operator==(const DrawnNetwork&, const DrawnNetwork&) = default;
};

/// The network as it was drawn, or as the levels make it. A state stands at the host's node; at its devices
/// where no node is drawn for the host, or where only some devices have the state.
DrawnNetwork drawnNetwork(const ClusterSource&);

/// The same states by host. The devices of a host that is in use in part ("mixed") may state which are.
std::vector<StateOfHost> statesOfHosts(const DrawnNetwork&, const DeviceSpec&);

}  // namespace nest
