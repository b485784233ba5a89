#include "cluster/graph/graph_kinds.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "cluster/graph/graph_edit.h"

namespace nest::graph {
namespace {

std::string wordFor(NodeKind k) {
  return k == NodeKind::Device ? "device" : k == NodeKind::Host ? "host" : "switch";
}

}  // namespace

std::vector<Kind> kindsOf(const NetworkGraph& g) {
  const auto inside = hostContents(g);
  std::vector<int> degree(g.nodes.size(), 0);
  for (const auto& l : g.links) degree[l.from] += l.count, degree[l.to] += l.count;
  using Key = std::tuple<Kind::Of, bool, double, double, int, double, double, std::string>;
  std::map<Key, Kind> kinds;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& n = g.nodes[i];
    Kind k;
    k.failed = n.failed;
    if (n.kind == NodeKind::Device) {
      k.speed = n.speed, k.memory = n.memory;
    } else {
      const bool host = n.kind == NodeKind::Host;
      k.of = host ? Kind::Of::Host : Kind::Of::Switch;
      k.size = host ? static_cast<int>(inside[i].size()) : degree[i];
    }
    auto& all = kinds.try_emplace(Key{k.of, k.failed, k.speed, k.memory.value(), k.size, 0, 0, ""}, k)
                    .first->second.members;
    all.push_back(static_cast<int>(i));
  }
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    const NetworkLink& link = g.links[l];
    Kind k;
    k.of = Kind::Of::Link;
    k.failed = link.failed, k.bandwidth = link.bandwidth, k.latency = link.latency, k.parallel = link.count;
    const auto ends = std::minmax(g.nodes[link.from].kind, g.nodes[link.to].kind);
    k.between = wordFor(ends.first) + " – " + wordFor(ends.second);
    auto& all =
        kinds
            .try_emplace(
                Key{k.of, k.failed, 1, 0, k.parallel, k.bandwidth.value(), k.latency.value(), k.between}, k)
            .first->second.members;
    all.push_back(static_cast<int>(l));
  }
  std::vector<Kind> out;
  for (auto& [key, kind] : kinds) out.push_back(std::move(kind));
  std::stable_sort(out.begin(), out.end(), [](const Kind& a, const Kind& b) {
    return std::pair(a.of, b.members.size()) < std::pair(b.of, a.members.size());
  });
  return out;
}

}  // namespace nest::graph
