#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/format.h"
#include "formats/networks/drawn_network.h"

namespace nest {

/// A network and the states of its hosts.
struct ImportedNetwork {
  NetworkSource network;
  std::vector<StateOfHost> states = {};
};

/// Reads a format that describes a whole network, or a host alone as a cluster of its own. What the file
/// leaves open is filled from `device` and said in a note.
Reading<ImportedNetwork> importNetwork(const Format&, std::string_view text, const std::string& file,
                                       const DeviceSpec& device);

/// What a reader gave, as any network.
template <class T>
Reading<NetworkFile> asNetwork(Reading<T> from) {
  Reading<NetworkFile> out;
  if (from) {
    if constexpr (std::is_same_v<T, DrawnNetwork>)
      out.value = {GraphSource{std::move(from->graph), {}, {}}, std::move(from->states)};
    else if constexpr (std::is_same_v<T, NetworkGraph>)
      out.value = {GraphSource{std::move(*from), {}, {}}};
    else
      out.value = {std::move(*from)};
  }
  out.diagnostics = std::move(from.diagnostics);
  return out;
}

/// Appends a warning if hosts have states, for formats that cannot hold them.
void warnOfLostStates(const ClusterSource&, std::string_view format, Diagnostics&);

}  // namespace nest
