#include "formats/networks/fabric.h"

#include <algorithm>

#include "cluster/graph/graph_edit.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kSwitchCableHop = 0.3e-6;  ///< of a switch of InfiniBand, with its cable
constexpr double kMostFabricDevices = 1u << 20;

}  // namespace

Reading<GraphSource> networkOf(const InfinibandFabric& fabric, const SlurmTopology* sizes,
                               const DeviceSpec& device) {
  Reading<GraphSource> result;
  NetworkGraph g;
  std::vector<int> number(fabric.nodes.size(), -1);
  std::vector<std::string> unlisted;
  double devices = 0;
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    const InfinibandFabric::Node& from = fabric.nodes[i];
    int count = from.isHost ? device.usualHostSize : 0;
    if (from.isHost && sizes) {
      const bool isListed = std::any_of(sizes->groups.begin(), sizes->groups.end(), [&](const auto& group) {
        return std::find(group.hosts.begin(), group.hosts.end(), from.name) != group.hosts.end();
      });
      if (!isListed) {
        unlisted.push_back(from.name);
        continue;
      }
      count = sizes->devicesOf(from.name, count);
    }
    if ((devices += count) > kMostFabricDevices) {
      result.diagnostics.push_back(
          error("network-too-large", {}, "the network would have more than 1,048,576 devices"));
      return result;
    }
    NetworkNode n;
    n.id = (from.isHost ? "host:" : "switch:") + from.id;
    n.name = from.name;
    n.kind = from.isHost ? NodeKind::Host : NodeKind::Switch;
    number[i] = static_cast<int>(g.nodes.size());
    g.nodes.push_back(n);
    for (int d = 0; d < count; ++d) {
      NetworkNode one;
      one.id = one.name = from.name + ":" + std::to_string(d);
      one.kind = NodeKind::Device;
      one.host = n.id;
      g.nodes.push_back(std::move(one));
      g.links.push_back({static_cast<int>(g.nodes.size()) - 1, number[i], device.linkBandwidth.value,
                         device.linkLatency.value * 0.5, 1, false, false, device.linkBandwidth.origin});
    }
  }
  for (const InfinibandFabric::Link& l : fabric.links)
    if (const int a = number[l.from], b = number[l.to]; a >= 0 && b >= 0)
      g.links.push_back(
          {a, b, l.bandwidth, Seconds(kSwitchCableHop), l.count, false, false, Origin::Catalog});
  if (!unlisted.empty())
    result.diagnostics.push_back(
        note("fabric-host-unlisted", {},
             text::count(static_cast<long long>(unlisted.size())) +
                 " hosts of the fabric are not in the list of hosts and are left out, the first of them " +
                 unlisted.front()));
  if (devices == 0) {
    result.diagnostics.push_back(error("no-devices", {},
                                       "none of the hosts on the fabric is in the list of hosts",
                                       "name them as the fabric does: its first is " +
                                           (unlisted.empty() ? std::string("missing") : unlisted.front())));
    return result;
  }
  graph::layOut(g);
  result.value = GraphSource{std::move(g), {}, fabric.from};
  return result;
}

}  // namespace nest
