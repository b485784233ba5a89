#include "formats/networks/network_import.h"

#include "cluster/graph/graph_edit.h"
#include "formats/networks/host_topology.h"

namespace nest {
namespace {

Reading<NetworkSource> ofHost(Reading<HostTopology> host) {
  Reading<NetworkSource> out;
  if (host) out.value = clusterOf(*host);
  out.diagnostics = std::move(host.diagnostics);
  return out;
}

}  // namespace

Reading<NetworkSource> importNetwork(const Format& format, std::string_view text, const std::string& file,
                                     const DeviceSpec& device) {
  Reading<NetworkSource> out;
  if (const auto read = readerOf<ReadNetwork>(&format))
    out = read(text, file);
  else if (const auto readHost = readerOf<ReadHost>(&format))
    out = ofHost(readHost(text, file, device));
  if (out)
    if (auto* graph = std::get_if<GraphSource>(&*out); graph && graph->importedFrom.empty())
      graph->importedFrom = format.name;
  return out;
}

NetworkGraph graphOf(const ClusterSource& cluster) {
  const auto* drawn = std::get_if<GraphSource>(&cluster.network);
  return drawn ? drawn->graph : graph::fromLevels(std::get<LevelsSource>(cluster.network));
}

}  // namespace nest
