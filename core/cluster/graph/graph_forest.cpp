#include "cluster/graph/graph_forest.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <set>

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

namespace {

std::vector<int> rootsOf(const std::vector<int>& parent) {
  std::vector<int> out;
  for (std::size_t i = 0; i < parent.size(); ++i)
    if (parent[i] < 0) out.push_back(static_cast<int>(i));
  return out;
}

/// A tree of which only the devices in hosts have their place; the lists that a tree starts from.
template <class Tree>
Tree withDevicesInHosts(const NetworkGraph& g) {
  Tree t;
  t.inside = hostContents(g);
  t.parent.assign(g.nodes.size(), -1), t.children.resize(g.nodes.size());
  for (std::size_t h = 0; h < g.nodes.size(); ++h)
    for (int d : t.inside[h]) t.parent[at(d)] = static_cast<int>(h);
  return t;
}

}  // namespace

std::vector<int> Forest::roots() const {
  return rootsOf(parent);
}

std::vector<int> Blocks::roots() const {
  std::vector<int> out;
  for (const int r : rootsOf(parent))
    if (first[at(r)] == r) out.push_back(r);
  return out;
}

Blocks blocksOf(const NetworkGraph& g) {
  const std::size_t n = g.nodes.size();
  const Lists neighbours = neighboursOf(g);
  const std::vector<int> rank = ranksOf(g, neighbours);
  auto b = withDevicesInHosts<Blocks>(g);
  b.row.resize(n), b.first.resize(n);
  std::iota(b.first.begin(), b.first.end(), 0);
  // From the devices outwards; of switches equally far the fastest first, which are those inside hosts.
  std::vector<double> fastest(n, 0);
  for (const auto& l : g.links)
    for (const auto& [low, high] : {std::pair(l.from, l.to), std::pair(l.to, l.from)})
      if (rank[at(high)] == rank[at(low)] + 1)
        fastest[at(high)] = std::max(fastest[at(high)], l.bandwidth.value());
  std::vector<int> switches;
  for (std::size_t i = 0; i < n; ++i)
    if (rank[i] > 0) switches.push_back(static_cast<int>(i));
  std::stable_sort(switches.begin(), switches.end(), [&](int x, int y) {
    return std::pair(rank[at(x)], -fastest[at(x)]) < std::pair(rank[at(y)], -fastest[at(y)]);
  });
  const auto blockOf = [&](int i) {
    while (g.nodes[at(i)].kind == NodeKind::Device && b.parent[at(i)] >= 0 && rank[at(b.parent[at(i)])] == 0)
      i = b.parent[at(i)];
    return b.first[at(i)];
  };
  const auto topOf = [&](int i) {
    while (b.parent[at(i)] >= 0) i = b.first[at(b.parent[at(i)])];
    return i;
  };
  for (const int s : switches) {
    std::set<int> below, tops;
    std::map<int, std::size_t> owners;
    for (int l : neighbours[at(s)])
      if (rank[at(l)] == rank[at(s)] - 1) below.insert(blockOf(l));
    for (int l : below) {
      tops.insert(topOf(l));
      if (b.parent[at(l)] >= 0) ++owners[b.parent[at(l)]];
    }
    const auto most = std::max_element(owners.begin(), owners.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    // Beside the one that joins most of the same things, else above all that stands above them.
    int beside = most != owners.end() && 2 * most->second >= below.size() ? most->first : -1;
    if (beside < 0 && tops.size() == 1 && !below.contains(*tops.begin())) beside = *tops.begin();
    if (beside >= 0) b.first[at(s)] = beside, b.row[at(beside)].push_back(s);
    const int above = beside >= 0 ? beside : s;
    for (int t : beside >= 0 ? below : tops)
      if (b.parent[at(t)] < 0 && t != above && topOf(above) != t)
        b.parent[at(t)] = above, b.children[at(above)].push_back(t);
  }
  for (auto& list : b.children) std::sort(list.begin(), list.end());
  for (auto& list : b.row) std::sort(list.begin(), list.end());
  return b;
}

Forest forestOf(const NetworkGraph& g) {
  const std::size_t n = g.nodes.size();
  const Lists neighbours = neighboursOf(g);
  const std::vector<int> rank = ranksOf(g, neighbours);
  auto f = withDevicesInHosts<Forest>(g);
  for (const int host : f.parent) f.boxed.push_back(host >= 0);
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
