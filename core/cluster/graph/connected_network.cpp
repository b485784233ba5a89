#include "cluster/graph/connected_network.h"

#include <algorithm>
#include <string>
#include <vector>

#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

int firstDevice(const Dendrogram& d, int group) {
  while (d.nodes[at(group)].device < 0) group = d.nodes[at(group)].children.front();
  return d.nodes[at(group)].device;
}

bool wouldConnect(NetworkGraph g, const DeviceSpec& device) {
  for (NetworkNode& n : g.nodes) n.failed = false;
  for (NetworkLink& l : g.links) l.failed = false;
  const auto whole = prepareFabric(g, device);
  return whole && buildDendrogram(*whole).parts == 1;
}

/// Fails the devices outside the largest part. Returns how many.
int leaveOut(NetworkGraph& g, const Fabric& f, const Dendrogram& d) {
  const auto& parts = d.nodes[at(d.root())].children;
  const int largest = *std::max_element(parts.begin(), parts.end(), [&](int a, int b) {
    return d.nodes[at(a)].devices < d.nodes[at(b)].devices;
  });
  std::vector<char> stays(g.nodes.size(), 0);
  std::vector<int> open = {largest};
  while (!open.empty()) {
    const DendrogramNode& n = d.nodes[at(open.back())];
    open.pop_back();
    if (n.device >= 0) stays[at(f.devices[at(n.device)])] = 1;
    open.insert(open.end(), n.children.begin(), n.children.end());
  }
  int out = 0;
  for (int v : f.devices)
    if (!stays[at(v)]) g.nodes[at(v)].failed = true, ++out;
  return out;
}

}  // namespace

Reading<ConnectedNetwork> connectedNetwork(const NetworkGraph& graph, const DeviceSpec& device) {
  Reading<ConnectedNetwork> result;
  auto fabric = prepareFabric(graph, device);
  result.diagnostics = std::move(fabric.diagnostics);
  if (hasErrors(result.diagnostics)) return result;
  ConnectedNetwork c{{}, std::move(*fabric), {}};
  c.dendrogram = buildDendrogram(c.fabric);
  if (c.dendrogram.parts > 1 && wouldConnect(graph, device)) {
    c.left = graph;
    const int lost = leaveOut(c.left, c.fabric, c.dendrogram);
    c.fabric = std::move(*prepareFabric(c.left, device));
    c.dendrogram = buildDendrogram(c.fabric);
    result.diagnostics.push_back(note("cut-off", {"", 0, 0, "/cluster/network"},
                                      text::count(lost) + (lost == 1 ? " device is" : " devices are") +
                                          " cut off by a failure and excluded from every plan"));
  }
  if (c.dendrogram.parts > 1) {
    const auto nameOf = [&](int group) {
      return graph.nodes[at(c.fabric.devices[at(firstDevice(c.dendrogram, group))])].name;
    };
    const auto& parts = c.dendrogram.nodes[at(c.dendrogram.root())].children;
    result.diagnostics.push_back(error("network-disconnected", {"", 0, 0, "/cluster/network/links"},
                                       "the network falls into " + std::to_string(c.dendrogram.parts) +
                                           " parts: no path leads from " + nameOf(parts[0]) + " to " +
                                           nameOf(parts[1]) + " and back",
                                       "link the parts, or remove the devices that stand apart"));
    return result;
  }
  result.value = std::move(c);
  return result;
}

}  // namespace nest
