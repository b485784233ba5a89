#pragma once

#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "formats/networks/drawn_network.h"

namespace nest {

/// GraphML (graphml.graphdrawing.org), one flat graph; keys are matched by attr.name, see GraphAssembly for
/// the names. An undirected edge is full duplex, a directed one leads one way. Nested graphs are read as if
/// flat; ports and hyperedges are refused. Up to 32 MiB; entities are not expanded.
///
///   <graphml><key id="k" for="node" attr.name="kind" attr.type="string"/>
///     <key id="b" for="edge" attr.name="gbps" attr.type="double"/>
///     <graph edgedefault="undirected"><node id="d0"><data key="k">device</data></node>
///       <edge source="d0" target="s0"><data key="b">450</data></edge> … </graph></graphml>
Reading<DrawnNetwork> readGraphMl(std::string_view text, const std::string& file = {});

/// Reading it back gives the same graph.
std::string writeGraphMl(const DrawnNetwork&);

}  // namespace nest
