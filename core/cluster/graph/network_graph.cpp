#include "cluster/graph/network_graph.h"

#include <algorithm>

namespace nest {

int NetworkGraph::deviceCount() const {
  return static_cast<int>(std::count_if(nodes.begin(), nodes.end(), [](const NetworkNode& n) {
    return n.kind == NodeKind::Device && !n.failed;
  }));
}

}  // namespace nest
