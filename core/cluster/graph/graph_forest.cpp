#include "cluster/graph/graph_forest.h"

#include <queue>

#include "cluster/graph/graph_edit.h"
#include "units/at.h"

namespace nest::graph {
namespace {

using Lists = std::vector<std::vector<int>>;

Lists neighboursOf(const NetworkGraph& g) {
  Lists out(g.nodes.size());
  for (const auto& l : g.links) {
    out[at(l.from)].push_back(l.to);
    out[at(l.to)].push_back(l.from);
  }
  return out;
}

/// Steps from the nearest host or device; −1: none can be reached.
std::vector<int> ranksOf(const NetworkGraph& g, const Lists& neighbours) {
  std::vector<int> rank(g.nodes.size(), -1);
  std::queue<int> open;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind != NodeKind::Switch) rank[i] = 0, open.push(static_cast<int>(i));
  while (!open.empty()) {
    const auto a = static_cast<std::size_t>(open.front());
    open.pop();
    for (int b : neighbours[a])
      if (rank[at(b)] < 0) rank[at(b)] = rank[a] + 1, open.push(b);
  }
  return rank;
}

}  // namespace

std::vector<int> Forest::roots() const {
  std::vector<int> out;
  for (std::size_t i = 0; i < parent.size(); ++i)
    if (parent[i] < 0) out.push_back(static_cast<int>(i));
  return out;
}

Forest forestOf(const NetworkGraph& g) {
  const std::size_t n = g.nodes.size();
  const Lists neighbours = neighboursOf(g);
  const std::vector<int> rank = ranksOf(g, neighbours);
  Forest f;
  f.inside = hostContents(g);
  f.parent.assign(n, -1), f.children.resize(n), f.boxed.assign(n, 0);
  for (std::size_t h = 0; h < n; ++h)
    for (int d : f.inside[h]) f.boxed[at(d)] = 1, f.parent[at(d)] = static_cast<int>(h);
  for (std::size_t i = 0; i < n; ++i) {
    if (f.boxed[i]) continue;
    int best = -1;
    const auto consider = [&](int b) {
      if (rank[at(b)] == rank[i] + 1 && (best < 0 || b < best)) best = b;
    };
    for (int b : neighbours[i]) consider(b);
    for (int d : f.inside[i])  // uplinks drawn from the devices of a host (rails)
      for (int b : neighbours[at(d)]) consider(b);
    f.parent[i] = best;
    if (best >= 0) f.children[at(best)].push_back(static_cast<int>(i));
  }
  return f;
}

}  // namespace nest::graph
