#include "formats/host_topology.h"

#include "formats/slurm_tree.h"

namespace nest {
namespace {

constexpr std::size_t kMostNodes = 1u << 21;
std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

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

GraphSource clusterOf(const HostTopology& h) {
  return {h.graph, {}, h.format};
}

Reading<GraphSource> joinHosts(const HostTopology& host, const SlurmTopology& t,
                               const SlurmFigures& figures) {
  Reading<GraphSource> result;
  const auto refuse = [&](const char* code, std::string message, std::string remedy = {}) {
    result.diagnostics.push_back(error(code, {"", 0, 0, "/cluster"}, std::move(message), std::move(remedy)));
    return result;
  };
  if (t.kind != SlurmTopology::Kind::Tree && t.kind != SlurmTopology::Kind::Block)
    return refuse("join-kind", "only tree and block topologies can be joined with a host");
  if (host.adapters.empty())
    return refuse("join-no-adapter",
                  "the host topology names no network adapter, so that hosts cannot be joined",
                  "use a topology that lists the NICs");
  if (static_cast<int>(figures.levels.size()) != 1 + t.levelCount())
    return refuse("slurm-figures",
                  "the topology needs figures for " + std::to_string(1 + t.levelCount()) + " levels");
  if (t.hostCount() == 0) return refuse("slurm-no-hosts", "the topology names no hosts");
  if (t.hostCount() * host.graph.nodes.size() > kMostNodes)
    return refuse("network-too-large", "the joined network would have more than 2,097,152 nodes",
                  "describe the host by its levels");

  const SlurmTree tree = treeOf(t);
  std::vector<double> devices(tree.nodes.size(), 0);
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    if (tree.nodes[n].level == 0) devices[n] = host.deviceCount();
    if (tree.nodes[n].parent >= 0) devices[at(tree.nodes[n].parent)] += devices[n];
  }
  NetworkGraph& g = result.value.emplace().graph;
  result.value->importedFrom = host.format + " and Slurm topology";
  std::vector<int> number(tree.nodes.size(), -1);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const auto& x = tree.nodes[n];
    const int parent = x.parent >= 0 ? number[at(x.parent)] : -1;
    number[n] = static_cast<int>(g.nodes.size());
    if (x.level > 0) {
      NetworkNode s;
      s.id = "switch:" + x.name;
      s.name = x.name;
      s.y = -150.0 * x.level;
      g.nodes.push_back(s);
      if (parent < 0) continue;
      const auto& level = figures.levels[at(tree.nodes[at(x.parent)].level)];
      const double inner = figures.levels[at(x.level)].latency.value();
      g.links.push_back({parent, number[n], BytesPerSecond(level.bandwidth.value() * devices[n]),
                         Seconds(std::max(0.0, level.latency.value() - inner) / 2), 1, false, false,
                         level.origin});
      continue;
    }
    const int base = number[n];
    for (NetworkNode copy : host.graph.nodes) {
      copy.id = x.name + ":" + copy.id;
      copy.name = x.name + ":" + copy.name;
      if (copy.kind == NodeKind::Device) copy.host = x.name;
      copy.x += 400.0 * static_cast<double>(n);
      g.nodes.push_back(std::move(copy));
    }
    for (NetworkLink copy : host.graph.links) {
      copy.from += base;
      copy.to += base;
      g.links.push_back(copy);
    }
    for (const auto& a : host.adapters)
      if (parent >= 0)
        g.links.push_back({base + a.node, parent, a.bandwidth,
                           Seconds(std::max(a.latency.value(), figures.levels[1].latency.value() / 2)), 1,
                           false, false, a.origin});
  }
  return result;
}

}  // namespace nest
