#pragma once

#include "cluster/levels/dendrogram.h"

namespace nest {

/// A network as far as its devices reach each other.
struct ConnectedNetwork {
  NetworkGraph left;  ///< empty: all of it; else the same with what is cut off failed, too
  Fabric fabric;
  Dendrogram dendrogram;
};

/// What only failures have cut off from the largest part is left out (note). Errors: see prepareFabric;
/// devices that could not reach each other with everything whole.
Reading<ConnectedNetwork> connectedNetwork(const NetworkGraph&, const DeviceSpec&);

}  // namespace nest
