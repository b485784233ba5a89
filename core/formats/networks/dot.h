#pragma once

#include <string>
#include <string_view>

#include "diagnostics/diagnostic.h"
#include "formats/networks/drawn_network.h"

namespace nest {

/// The DOT language (graphviz.org/doc/info/lang.html); see GraphAssembly for the attributes. `--` and the
/// edges of a `graph` are full duplex; the edges of a `digraph` lead one way. Defaults (`node
/// [kind=device]`), subgraphs as edge ends, chains, ports (ignored), quoted and HTML strings, comments. Up to
/// 64 MiB.
///
///   graph fabric { node [kind=device]; d0; d1; s0 [kind=switch]; d0 -- s0 [gbps=450, lat_us=1]; d1 -- s0
///   [gbps=450]; }
///
/// The parser is our own: libcgraph would do, but keeps process-wide state, reports errors without a column
/// through a global handler, and is not made for untrusted text.
Reading<DrawnNetwork> readDot(std::string_view text, const std::string& file = {});

/// Reading it back gives the same graph.
std::string writeDot(const DrawnNetwork&);

}  // namespace nest
