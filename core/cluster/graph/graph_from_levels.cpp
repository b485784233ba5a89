// A drawing of levels: hosts of devices, and a switch for each group of every level above them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cluster/graph/graph_edit.h"
#include "cluster/levels/stand_in_host.h"

namespace nest::graph {

NetworkGraph fromLevels(const LevelsSource& source) {
  NetworkGraph g;
  if (source.levels.empty()) return g;
  const int hostFanout = std::max(1, source.levels.front().fanout);
  int hosts = 1;
  for (std::size_t l = 1; l < source.levels.size(); ++l) hosts *= std::max(1, source.levels[l].fanout);
  if (!source.hostSizes.empty()) hosts = static_cast<int>(source.hostSizes.size());

  const auto effective = [](const LevelSpec& s) { return s.bandwidth / s.oversubscription; };
  const auto link = [&](int a, int b, const LevelSpec& level, Seconds latency, int count) {
    NetworkLink x;
    x.from = a, x.to = b, x.bandwidth = effective(level), x.latency = latency, x.count = count;
    x.origin = level.origin;
    g.links.push_back(x);
  };
  struct Group {
    int node = -1, devices = 0;  ///< without devices it is a place where nothing stands
  };
  std::vector<Group> groups;
  for (int h = 0; h < hosts; ++h) {
    const auto number = static_cast<std::size_t>(h);
    const int size = source.hostSizes.empty() ? hostFanout : source.hostSizes[number];
    if (size == 0) {
      groups.push_back({});
      continue;
    }
    NetworkNode host;
    host.kind = NodeKind::Host;
    host.name = host.id = number < source.hostNames.size() ? source.hostNames[number]
                                                           : standInHost(source.levels.front().name, h);
    const int node = static_cast<int>(g.nodes.size());
    g.nodes.push_back(host);
    for (int k = 0; k < size; ++k) {
      NetworkNode device;
      device.kind = NodeKind::Device;
      device.host = host.id;
      device.name = device.id = host.name + ':' + std::to_string(k);
      g.nodes.push_back(device);
      link(static_cast<int>(g.nodes.size()) - 1, node, source.levels.front(),
           source.levels.front().latency / 2, 1);
    }
    groups.push_back({node, size});
  }
  for (const auto& e : source.exceptions) {
    int seen = 0;
    for (auto& n : g.nodes)
      if (n.kind == NodeKind::Device && seen++ == e.device)
        n.speed = e.factor.speed, n.memory = e.factor.memory;
  }
  // An uplink carries what all devices below it send: n devices at the level's bandwidth each.
  for (std::size_t l = 1; l < source.levels.size(); ++l) {
    const LevelSpec& level = source.levels[l];
    const Seconds hop =
        (std::max(level.latency, source.levels[l - 1].latency) - source.levels[l - 1].latency) / 2;
    const std::size_t fanout = static_cast<std::size_t>(std::max(1, level.fanout));
    std::vector<Group> above;
    for (std::size_t first = 0; first < groups.size(); first += fanout) {
      const std::size_t last = std::min(groups.size(), first + fanout);
      const auto isEmpty = [](const Group& below) { return below.devices == 0; };
      if (std::all_of(groups.data() + first, groups.data() + last, isEmpty)) {
        above.push_back({});
        continue;
      }
      NetworkNode node;
      node.kind = NodeKind::Switch;
      node.name = node.id = (level.name.empty() ? "switch" : level.name) + ' ' + std::to_string(above.size());
      const int number = static_cast<int>(g.nodes.size());
      g.nodes.push_back(node);
      int devices = 0;
      for (std::size_t k = first; k < last; ++k) {
        if (isEmpty(groups[k])) continue;
        link(groups[k].node, number, level, hop, groups[k].devices);
        devices += groups[k].devices;
      }
      above.push_back({number, devices});
    }
    groups = std::move(above);
  }
  layOut(g);
  return g;
}

}  // namespace nest::graph
