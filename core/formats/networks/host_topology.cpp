#include "formats/networks/host_topology.h"

#include <algorithm>
#include <map>

#include "cluster/devices/device_catalog.h"
#include "cluster/graph/graph_edit.h"
#include "cluster/levels/scale_up.h"
#include "formats/networks/slurm_tree.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostTopologyNodes = 1u << 21;

}  // namespace

int HostTopology::add(const std::string& id, NodeKind kind, const std::string& host) {
  NetworkNode n;
  n.id = n.name = id;
  n.kind = kind;
  if (kind == NodeKind::Device) n.host = host;
  n.x = 60.0 * static_cast<double>(graph.nodes.size());
  graph.nodes.push_back(std::move(n));
  return static_cast<int>(graph.nodes.size()) - 1;
}

Reading<HostTopology> resultOf(SourceText& source, HostTopology&& read) {
  Reading<HostTopology> result;
  if (!source.failed()) result.value = std::move(read);
  result.diagnostics = source.take();
  return result;
}

void findNearestDevices(HostTopology& h) {
  std::vector<std::vector<int>> next(h.graph.nodes.size());
  for (const NetworkLink& l : h.graph.links)
    next[at(l.from)].push_back(l.to), next[at(l.to)].push_back(l.from);
  for (auto& adapter : h.adapters) {
    adapter.nearest.clear();
    std::vector<int> front{adapter.node};
    std::vector<char> seen(h.graph.nodes.size(), 0);
    seen[at(adapter.node)] = 1;
    while (!front.empty() && adapter.nearest.empty()) {
      std::vector<int> further;
      for (int v : front)
        for (int u : next[at(v)]) {
          if (seen[at(u)]) continue;
          seen[at(u)] = 1;
          further.push_back(u);
          if (h.graph.nodes[at(u)].kind == NodeKind::Device) adapter.nearest.push_back(u);
        }
      front = std::move(further);
    }
  }
}

Diagnostics weighDevices(std::vector<HostTopology>& kinds, const DeviceSpec& device) {
  Diagnostics out;
  if (std::all_of(kinds.begin(), kinds.end(),
                  [&](const HostTopology& k) { return k.architecture == kinds.front().architecture; }))
    return out;
  for (HostTopology& k : kinds) {
    const char* id = k.architecture == 80    ? "a100-80"
                     : k.architecture == 90  ? "h100-sxm"
                     : k.architecture == 100 ? "b200"
                                             : nullptr;
    const DeviceSpec* known = id ? findDevice(id) : nullptr;
    const double share = known ? known->peak.value.value() / device.peak.value.value() : 0;
    const std::string who = "the devices of SM " + std::to_string(k.architecture);
    if (!known || !(share <= 1)) {
      out.push_back(warning("join-devices-differ", {},
                            who +
                                (known ? " (" + known->name + ") are faster than " + device.name + ";"
                                       : std::string(" are not in the catalog;")) +
                                " they count as " + device.name,
                            known ? "choose " + known->name + " under Cluster (--device " + id + ')'
                                  : std::string("give them a speed")));
      continue;
    }
    if (known->id == device.id) continue;
    for (NetworkNode& n : k.graph.nodes)
      if (n.kind == NodeKind::Device) n.speed = share, n.memory = known->memory.value;
    out.push_back(note("join-devices-differ", {},
                       who + " count as " + known->name + ": " + text::number(share) + " of the speed of " +
                           device.name + ", " + text::memory(known->memory.value),
                       "change speed and memory of these devices if they are others"));
  }
  return out;
}

GraphSource clusterOf(const HostTopology& h) {
  return {h.graph, {}, h.format};
}

namespace {

/// Everything that keeps hosts and topology from being joined.
Diagnostics checkJoin(const std::vector<HostTopology>& kinds,
                      const std::unordered_map<std::string, std::size_t>& kindOf, const SlurmTopology& t,
                      const SlurmFigures& figures) {
  Diagnostics out;
  const auto refuse = [&](const char* code, std::string message, std::string remedy = {}) {
    out.push_back(error(code, {"", 0, 0, "/cluster"}, std::move(message), std::move(remedy)));
  };
  if (t.kind != SlurmTopology::Kind::Tree && t.kind != SlurmTopology::Kind::Block)
    refuse("join-kind", "only tree and block topologies can be joined with a host");
  else if (static_cast<int>(figures.levels.size()) != 1 + t.levelCount())
    refuse("slurm-figures",
           "the topology needs values for " + std::to_string(1 + t.levelCount()) + " levels");
  if (std::any_of(kinds.begin(), kinds.end(), [](const auto& k) { return k.adapters.empty(); }))
    refuse("join-no-adapter", "a host topology names no network adapter, so that hosts cannot be joined",
           "use a topology that lists the NICs");
  if (t.hostCount() == 0) refuse("slurm-no-hosts", "the topology names no hosts");
  std::size_t nodes = 0;
  for (const auto& g : t.groups)
    for (const std::string& h : g.hosts) {
      const auto kind = kindOf.find(h);
      if (kind == kindOf.end() || kind->second >= kinds.size()) {
        refuse("join-host-missing", "the host \"" + h + "\" has no topology of its own");
        return out;
      }
      nodes += kinds[kind->second].graph.nodes.size();
    }
  if (nodes > kMostTopologyNodes)
    refuse("network-too-large", "the joined network would have more than 2,097,152 nodes",
           "describe the hosts by their levels");
  return out;
}

/// Devices below each node of the tree.
std::vector<double> devicesBelow(const SlurmTree& tree, const std::vector<const HostTopology*>& hostAt) {
  std::vector<double> devices(tree.nodes.size(), 0);
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    if (hostAt[n]) devices[n] = hostAt[n]->deviceCount();
    if (tree.nodes[n].parent >= 0) devices[at(tree.nodes[n].parent)] += devices[n];
  }
  return devices;
}

/// A copy of the host's inside, its adapters joined to the leaf switch; the number of its first node.
int addHost(NetworkGraph& g, const HostTopology& host, const std::string& name, int leaf, Seconds latency) {
  const int base = static_cast<int>(g.nodes.size());
  for (NetworkNode copy : host.graph.nodes) {
    copy.id = name + ":" + copy.id;
    copy.name = name + ":" + copy.name;
    if (copy.kind == NodeKind::Device) copy.host = name;
    g.nodes.push_back(std::move(copy));
  }
  for (NetworkLink copy : host.graph.links) {
    copy.from += base;
    copy.to += base;
    g.links.push_back(copy);
  }
  for (const auto& a : host.adapters)
    if (leaf >= 0)
      g.links.push_back({base + a.node, leaf, a.bandwidth,
                         Seconds(std::max(a.latency.value(), latency.value())), 1, false, false, a.origin});
  return base;
}

/// What the adapters of a host carry for each of its devices.
double adapterShare(const HostTopology& host) {
  double sum = 0;
  for (const auto& a : host.adapters) sum += a.bandwidth.value();
  return sum / std::max(1, host.deviceCount());
}

/// NVLink leaves a host where its devices have it: at the switch that serves them at that rate, else at each
/// device.
void joinDomain(NetworkGraph& g, const HostTopology& host, int base, int hub,
                const SlurmFigures::Level& level) {
  std::unordered_map<int, int> devicesAt;
  for (std::size_t d = 0; d < host.graph.nodes.size(); ++d) {
    if (host.graph.nodes[d].kind != NodeKind::Device) continue;
    int exit = static_cast<int>(d);
    for (const NetworkLink& l : host.graph.links) {
      const int other = l.from == static_cast<int>(d) ? l.to : l.to == static_cast<int>(d) ? l.from : -1;
      if (other >= 0 && host.graph.nodes[at(other)].kind == NodeKind::Switch &&
          l.bandwidth.value() * l.count >= 0.9 * level.bandwidth.value())
        exit = other;
    }
    ++devicesAt[exit];
  }
  for (const auto& [node, devices] : devicesAt)
    g.links.push_back({base + node, hub, BytesPerSecond(level.bandwidth.value() * devices), level.latency / 2,
                       1, false, false, level.origin});
}

}  // namespace

Reading<GraphSource> joinHosts(const std::vector<HostTopology>& kinds,
                               const std::unordered_map<std::string, std::size_t>& kindOf,
                               const SlurmTopology& t, const SlurmFigures& figures) {
  Reading<GraphSource> result{std::nullopt, checkJoin(kinds, kindOf, t, figures)};
  if (hasErrors(result.diagnostics)) return result;
  const SlurmTree tree = treeOf(t);
  std::vector<const HostTopology*> hostAt(tree.nodes.size(), nullptr);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)
    if (tree.nodes[n].level == 0) hostAt[n] = &kinds[kindOf.at(tree.nodes[n].name)];
  const auto devices = devicesBelow(tree, hostAt);
  NetworkGraph& g = result.value.emplace().graph;
  result.value->importedFrom = kinds.front().format + " and Slurm topology";
  std::vector<int> number(tree.nodes.size(), -1);
  std::map<int, int> hubs;  ///< of each group's switch: what joins its NVLink domain
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const auto& x = tree.nodes[n];
    const int parent = x.parent >= 0 ? number[at(x.parent)] : -1;
    number[n] = static_cast<int>(g.nodes.size());
    if (hostAt[n]) {
      const double rate = figures.levels[1].bandwidth.value();
      const bool isDomain = rate >= kBeyondAdapters.value() && rate > adapterShare(*hostAt[n]);
      const int base = addHost(g, *hostAt[n], x.name, parent,
                               isDomain && figures.levels.size() > 2 ? figures.levels[2].latency / 2
                                                                     : figures.levels[1].latency / 2);
      if (isDomain && parent >= 0) {
        const auto [hub, fresh] = hubs.emplace(parent, static_cast<int>(g.nodes.size()));
        if (fresh) {
          NetworkNode s;
          s.id = "nvlink:" + g.nodes[at(parent)].name;
          s.name = "NVLink of " + g.nodes[at(parent)].name;
          g.nodes.push_back(std::move(s));
        }
        joinDomain(g, *hostAt[n], base, hub->second, figures.levels[1]);
      }
      continue;
    }
    NetworkNode s;
    s.id = "switch:" + x.name;
    s.name = x.name;
    g.nodes.push_back(s);
    if (parent < 0) continue;
    const auto& level = figures.levels[at(tree.nodes[at(x.parent)].level)];
    const double inner = figures.levels[at(x.level)].latency.value();
    g.links.push_back({parent, number[n], BytesPerSecond(level.bandwidth.value() * devices[n]),
                       Seconds(std::max(0.0, level.latency.value() - inner) / 2), 1, false, false,
                       level.origin});
  }
  graph::layOut(g);
  if (!hubs.empty())
    result.diagnostics.push_back(note("join-nvlink-domain", {"", 0, 0, "/cluster"},
                                      "level 1 (" + figures.levels[1].name +
                                          ") is faster than the hosts' network adapters: its hosts are "
                                          "joined by NVLink at " +
                                          text::bandwidth(figures.levels[1].bandwidth) + " per device",
                                      "set its bandwidth under Cluster (--level 1=…), if that is not so"));
  return result;
}

Reading<GraphSource> joinHosts(const HostTopology& host, const SlurmTopology& t,
                               const SlurmFigures& figures) {
  std::unordered_map<std::string, std::size_t> all;
  for (const auto& g : t.groups)
    for (const std::string& h : g.hosts) all.emplace(h, 0);
  return joinHosts(std::vector{host}, all, t, figures);
}

}  // namespace nest
