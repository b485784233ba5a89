#pragma once

#include <string>
#include <vector>

#include "units/quantity.h"

namespace nest {

enum class NodeKind { Device, Host, Switch };

/// A node of a drawn or imported network. A host is a box around devices and also their inner switch.
struct NetworkNode {
  std::string id;    ///< stable, unique
  std::string name;  ///< shown; survives to placement table and hostfile
  NodeKind kind = NodeKind::Switch;
  std::string host;  ///< devices: id or name of their host; may be empty
  double x = 0, y = 0;
  double speed = 1;  ///< devices: factor ≤ 1
  Bytes memory;      ///< devices: 0 = the cluster's DeviceSpec
  bool failed = false;

  friend bool operator==(const NetworkNode&, const NetworkNode&) = default;
};

struct NetworkLink {
  int from = 0, to = 0;      ///< node numbers
  BytesPerSecond bandwidth;  ///< one way, one link
  Seconds latency;
  int count = 1;          ///< parallel links
  bool directed = false;  ///< false: full duplex, the same both ways
  bool failed = false;
  Origin origin = Origin::Typed;

  friend bool operator==(const NetworkLink&, const NetworkLink&) = default;
};

struct NetworkGraph {
  std::vector<NetworkNode> nodes;
  std::vector<NetworkLink> links;

  int deviceCount() const;
  friend bool operator==(const NetworkGraph&, const NetworkGraph&) = default;
};

}  // namespace nest
