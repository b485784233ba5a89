#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/graph/network_graph.h"
#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

/// Edits of a drawn network: pure functions on a NetworkGraph, so that every one can be an undo step and be
/// tested without a window. Node and link numbers are subscripts; removing renumbers, everything else
/// appends.
namespace nest::graph {

/// Adds a node under an id and a name that nobody else has ("switch 3"). Returns its number.
int addNode(NetworkGraph&, NodeKind, double x, double y, const std::string& name = {});

/// Joins two nodes by one more link. nullopt: they cannot be joined (the same node, or one that does not
/// exist). A link with the same figures between the same two is made wider (count) instead.
std::optional<int> connect(NetworkGraph&, int a, int b, BytesPerSecond bandwidth, Seconds latency);

/// The nodes and, for hosts among them, the devices inside; ascending, each once.
std::vector<int> withContents(const NetworkGraph&, const std::vector<int>& nodes);

/// Removes nodes (hosts with the devices inside) with their links, and single links.
void remove(NetworkGraph&, const std::vector<int>& nodes, const std::vector<int>& links = {});

void move(NetworkGraph&, const std::vector<int>& nodes, double dx,
          double dy);  ///< hosts take their devices along

/// `copies` more of these nodes, each dx beside the last; the row after `columns` of them (the originals
/// counted) begins dy below. Links among them are copied; links to nodes outside lead from each copy to the
/// same outside node. Returns the new nodes.
std::vector<int> duplicate(NetworkGraph&, const std::vector<int>& nodes, int copies, double dx, double dy,
                           int columns = 8);

/// The nodes (with contents) and the links among them, for the clipboard.
NetworkGraph extract(const NetworkGraph&, const std::vector<int>& nodes);
/// Puts a copied piece in, under new ids and names, its centre at (x, y). Returns the new nodes.
std::vector<int> paste(NetworkGraph&, const NetworkGraph& piece, double x, double y);

/// Puts a host box around devices. Returns its number; nullopt if none of the nodes is a device.
std::optional<int> groupIntoHost(NetworkGraph&, const std::vector<int>& nodes);

enum class Alignment { Left, CentreX, Right, Top, CentreY, Bottom, DistributeX, DistributeY };
void align(NetworkGraph&, const std::vector<int>& nodes, Alignment);

/// Sizes in which a network is drawn and laid out, scene units.
inline constexpr double kDeviceWidth = 44, kDeviceHeight = 30, kGap = 10, kHostPadding = 12, kHostHeader = 20;

/// Nothing but positions differs: levels, plans and problems stay what they are.
bool differOnlyInPlace(const NetworkGraph&, const NetworkGraph&);

/// Places every node: devices in their hosts, hosts in grids under the switch that joins them, switches
/// above.
void layOut(NetworkGraph&);
/// True if nodes have no positions yet (all stand at one point).
bool needsLayout(const NetworkGraph&);

/// The devices inside each node's host box; empty for nodes that are no hosts.
std::vector<std::vector<int>> hostContents(const NetworkGraph&);

/// Box of a node: a host's encloses its devices.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
};
Box boxOf(const NetworkGraph&, int node, const std::vector<std::vector<int>>& contents);

/// A regular hierarchy drawn as hosts and switches, such that deriving levels gives the same figures back.
NetworkGraph fromLevels(const LevelsSource&);

/// Something that keeps the network from being planned on, at the thing itself, with its repair where one is
/// known.
struct Problem {
  Diagnostic diagnostic;
  int node = -1, link = -1;
  std::string repairVerb;  ///< "Delete switch 3"; empty: no repair is offered
  std::function<void(NetworkGraph&)> repair;
};
std::vector<Problem> problemsOf(const NetworkGraph&);

}  // namespace nest::graph
