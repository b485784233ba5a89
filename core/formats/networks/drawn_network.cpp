#include "formats/networks/drawn_network.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "cluster/graph/graph_edit.h"
#include "cluster/levels/cluster_source.h"
#include "cluster/levels/irregularities.h"
#include "cluster/levels/level_abstraction.h"
#include "formats/networks/state_words.h"
#include "units/at.h"

namespace nest {
namespace {

/// The host of each device of a drawing, by its name, and the device's number inside it. Devices without a
/// drawn host belong to the group that the levels make their host.
struct PlacedDevices {
  std::vector<std::string> host;  ///< by node; empty: the node is not a device of a known host
  std::vector<int> slot;
  std::unordered_map<std::string, std::vector<int>> hostNodes, devices;  ///< by name of the host

  PlacedDevices(const NetworkGraph& g, const DeviceSpec& device)
      : host(hostIds(g)), slot(g.nodes.size(), -1) {
    std::unordered_map<std::string, std::string> nameOf;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const NetworkNode& n = g.nodes[i];
      if (n.kind != NodeKind::Host) continue;
      const std::string& name = nameOf[n.id] = n.name.empty() ? n.id : n.name;
      hostNodes[name].push_back(static_cast<int>(i));
    }
    bool isOpen = false;
    std::unordered_map<std::string, int> slots;  // by id: several hosts may have one name
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      if (g.nodes[i].kind != NodeKind::Device) continue;
      isOpen = isOpen || host[i].empty();
      if (host[i].empty()) continue;
      slot[i] = slots[host[i]]++;
      if (const auto named = nameOf.find(host[i]); named != nameOf.end()) host[i] = named->second;
    }
    if (isOpen) placeByLevels(g, device);
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (slot[i] >= 0) devices[host[i]].push_back(static_cast<int>(i));
  }

private:
  void placeByLevels(const NetworkGraph& g, const DeviceSpec& device) {
    const auto levels = abstractLevels({g, {}, {}}, device);
    if (!levels) return;
    for (std::size_t k = 0; k < levels->deviceNodes.size(); ++k) {
      const auto node = at(levels->deviceNodes[k]);
      if (slot[node] >= 0) continue;
      host[node] = levels->input.identities[k].host;
      slot[node] = levels->input.identities[k].slot;
    }
  }
};

bool isMixedWord(const std::string& word) {
  const auto read = slurmState(word);
  return read && read->isMixed;
}

}  // namespace

DrawnNetwork drawnNetwork(const ClusterSource& cluster) {
  const auto* drawn = std::get_if<GraphSource>(&cluster.network);
  DrawnNetwork out{drawn ? drawn->graph : graph::fromLevels(std::get<LevelsSource>(cluster.network))};
  if (cluster.states.empty()) return out;
  const PlacedDevices placed(out.graph, cluster.device);
  std::map<int, StateOfNode> stated;
  for (const StateOfHost& s : cluster.states) {
    const auto put = [&](int node) { stated.emplace(node, StateOfNode{node, s.state, s.word}); };
    const auto nodes = placed.hostNodes.find(s.host);
    if (s.devices.empty() && nodes != placed.hostNodes.end()) {
      for (const int node : nodes->second) put(node);
    } else if (const auto devices = placed.devices.find(s.host); devices != placed.devices.end()) {
      for (const int node : devices->second)
        if (s.devices.empty() ||
            std::binary_search(s.devices.begin(), s.devices.end(), placed.slot[at(node)]))
          put(node);
    }
  }
  for (auto& [node, state] : stated) out.states.push_back(std::move(state));
  return out;
}

std::vector<StateOfHost> statesOfHosts(const DrawnNetwork& drawn, const DeviceSpec& device) {
  std::vector<StateOfHost> out;
  if (drawn.states.empty()) return out;
  const PlacedDevices placed(drawn.graph, device);
  using Said = std::pair<HostState, std::string>;
  struct Host {
    const StateOfNode* whole = nullptr;
    std::map<Said, std::set<int>> parts;
    int stated = 0;
  };
  std::vector<std::string> order;
  std::unordered_map<std::string, Host> hosts;
  const auto hostCalled = [&](const std::string& name) -> Host& {
    const auto [known, fresh] = hosts.try_emplace(name);
    if (fresh) order.push_back(name);
    return known->second;
  };
  for (const StateOfNode& s : drawn.states) {
    const NetworkNode& n = drawn.graph.nodes[at(s.node)];
    if (n.kind == NodeKind::Host) {
      hostCalled(n.name.empty() ? n.id : n.name).whole = &s;
    } else if (placed.slot[at(s.node)] >= 0) {
      Host& host = hostCalled(placed.host[at(s.node)]);
      host.parts[{s.state, s.word}].insert(placed.slot[at(s.node)]);
      ++host.stated;
    }
  }
  for (const std::string& name : order) {
    const Host& host = hosts[name];
    const bool isPart = host.whole && !host.parts.empty() && isMixedWord(host.whole->word);
    if (host.whole && !isPart) {
      out.push_back({name, {}, host.whole->state, host.whole->word});
      continue;
    }
    const bool areAll =
        host.parts.size() == 1 && host.stated == static_cast<int>(placed.devices.find(name)->second.size());
    for (const auto& [said, slots] : host.parts)
      out.push_back({name, areAll ? std::vector<int>() : std::vector<int>(slots.begin(), slots.end()),
                     said.first, said.second});
  }
  return out;
}

}  // namespace nest
