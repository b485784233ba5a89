#pragma once

#include <string>
#include <string_view>

#include "cluster/graph/network_graph.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// A network as in a scenario's "cluster.graph": what the editor puts on the clipboard.
std::string writeNetwork(const NetworkGraph&);
/// Errors as for a scenario's graph, with line and column.
Reading<NetworkGraph> readNetwork(std::string_view text, const std::string& file);

}  // namespace nest
