#pragma once

#include <QString>
#include <optional>

#include "cluster/graph/network_graph.h"

namespace nest {

/// Pieces of networks travel as text, so that they can be pasted into another window or a file.
QString networkToClipboard(const NetworkGraph&);
std::optional<NetworkGraph> networkFromClipboard(const QString&);

}  // namespace nest
