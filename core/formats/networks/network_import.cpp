#include "formats/networks/network_import.h"

#include <unordered_set>

#include "formats/networks/host_topology.h"
#include "units/text.h"

namespace nest {
namespace {

Reading<NetworkFile> ofHost(Reading<HostTopology> host) {
  Reading<NetworkFile> out;
  if (host) out.value = {clusterOf(*host)};
  out.diagnostics = std::move(host.diagnostics);
  return out;
}

}  // namespace

Reading<ImportedNetwork> importNetwork(const Format& format, std::string_view text, const std::string& file,
                                       const DeviceSpec& device) {
  Reading<NetworkFile> read;
  if (const auto readFile = readerOf<ReadNetwork>(&format))
    read = readFile(text, file);
  else if (const auto readHost = readerOf<ReadHost>(&format))
    read = ofHost(readHost(text, file, device));
  Reading<ImportedNetwork> out;
  out.diagnostics = std::move(read.diagnostics);
  if (!read) return out;
  out.value.emplace();
  if (auto* graph = std::get_if<GraphSource>(&read->network)) {
    if (graph->importedFrom.empty()) graph->importedFrom = format.name;
    if (!read->states.empty()) out->states = statesOfHosts({graph->graph, std::move(read->states)}, device);
  }
  out->network = std::move(read->network);
  return out;
}

void warnOfLostStates(const ClusterSource& cluster, std::string_view format, Diagnostics& out) {
  std::unordered_set<std::string_view> hosts;
  for (const StateOfHost& s : cluster.states)
    if (s.state != HostState::Free) hosts.insert(s.host);
  if (hosts.empty()) return;
  out.push_back(warning("states-lost", {"", 0, 0, "/cluster/states"},
                        std::string(format) + " cannot express states of hosts: " +
                            (hosts.size() == 1 ? "that \"" + std::string(*hosts.begin()) + "\" is not free"
                                               : "that " + text::count(static_cast<long long>(hosts.size())) +
                                                     " hosts are not free") +
                            " is lost",
                        "export it as graphml or dot to keep that"));
}

}  // namespace nest
