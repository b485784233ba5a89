#pragma once

#include "cluster/graph/network_graph.h"
#include "formats/format.h"

namespace nest {

/// Reads a format that describes a whole network, or a host alone as a cluster of its own. What the file
/// leaves open is filled from `device` and said in a note.
Reading<NetworkSource> importNetwork(const Format&, std::string_view text, const std::string& file,
                                     const DeviceSpec& device);

/// What a reader gave, as any network.
template <class T>
Reading<NetworkSource> asNetwork(Reading<T> from) {
  Reading<NetworkSource> out;
  if (from) {
    if constexpr (std::is_same_v<T, NetworkGraph>)
      out.value = GraphSource{std::move(*from), {}, {}};
    else
      out.value = std::move(*from);
  }
  out.diagnostics = std::move(from.diagnostics);
  return out;
}

/// As it was drawn, or as the levels make it.
NetworkGraph graphOf(const ClusterSource&);

}  // namespace nest
