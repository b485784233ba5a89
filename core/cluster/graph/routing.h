#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/graph/network_graph.h"
#include "diagnostics/diagnostic.h"
#include "units/until.h"

namespace nest {

/// Bytes that one device sends to another; numbers of NetworkGraph nodes.
struct NodeFlow {
  int from = 0, to = 0;
  Bytes bytes;
};

/// All live links between two nodes, and what crosses them each way.
struct LinkLoad {
  int a = 0, b = 0;
  BytesPerSecond forwardRate, backwardRate;  ///< a → b, b → a; 0: no link that way
  Bytes forward, backward;

  Seconds forwardTime() const { return forward.value() > 0 ? forward / forwardRate : Seconds(0); }
  Seconds backwardTime() const { return backward.value() > 0 ? backward / backwardRate : Seconds(0); }
  Seconds time() const { return std::max(forwardTime(), backwardTime()); }
};

struct RoutedTraffic {
  std::vector<LinkLoad> links;
  int busiest = -1;     ///< into `links`; −1: nothing is sent
  Seconds bound;        ///< time of the busiest link: no schedule is faster while the routes stay
  Bytes routed, total;  ///< equal when `complete`, else at least so many
  bool complete = true;
  long long visits = 0;  ///< of links: what it took
};

/// Sends every flow over the shortest paths, at each node in equal parts over the next hops of equal cost. A
/// link costs its latency plus 1 MB over its bandwidth. One search per destination, in each part of the
/// network that hangs on the rest by one node on its own: a host below its leaf takes time in proportion to
/// its own size. At about two thousand million link visits the rest is left out, which keeps the bound a
/// bound. Errors: see prepareFabric; a flow between nodes that no path joins. `until` ends it within some 50
/// ms, what was not routed left out in the same way.
Reading<RoutedTraffic> routeTraffic(const NetworkGraph&, const DeviceSpec&, const std::vector<NodeFlow>&,
                                    const Until& until = {});

/// "leaf2 → spine0"; the direction that takes longer.
std::string nameOfLink(const NetworkGraph&, const LinkLoad&);

}  // namespace nest
