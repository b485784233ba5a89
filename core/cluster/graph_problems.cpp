// What keeps a drawn network from being planned on, each with its repair.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cluster/graph_edit.h"

namespace nest::graph {
namespace {

/// Joins `n` to `to` with the figures of a link that `to` already has; the usual ones if it has none.
void linkLikeOthers(NetworkGraph& g, int n, int to) {
  NetworkLink like;
  like.bandwidth = BytesPerSecond(50e9), like.latency = Seconds(2e-6);
  for (const NetworkLink& l : g.links)
    if (l.to == to) {
      like = l;
      break;
    }
  like.from = n, like.to = to, like.failed = false, like.directed = false;
  g.links.push_back(like);
}

bool isLive(const NetworkGraph& g, const NetworkLink& l) {
  return !l.failed && !g.nodes[static_cast<std::size_t>(l.from)].failed &&
         !g.nodes[static_cast<std::size_t>(l.to)].failed;
}

int freeSwitch(const NetworkGraph& g) {
  const auto it = std::find_if(g.nodes.begin(), g.nodes.end(),
                               [](const NetworkNode& n) { return n.kind == NodeKind::Switch && !n.failed; });
  return it == g.nodes.end() ? -1 : static_cast<int>(it - g.nodes.begin());
}

/// Links each host, and each device outside hosts, to one switch; a new one stands above everything.
void joinBySwitch(NetworkGraph& g) {
  if (g.nodes.empty()) return;
  std::vector<int> ends;
  double left = 1e300, right = -1e300, top = 1e300;
  const auto inside = hostContents(g);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& n = g.nodes[i];
    const int number = static_cast<int>(i);
    const Box box = boxOf(g, number, inside);
    left = std::min(left, box.x), right = std::max(right, box.x + box.width), top = std::min(top, box.y);
    if (n.kind == NodeKind::Host || (n.kind == NodeKind::Device && n.host.empty())) ends.push_back(number);
  }
  const int free = freeSwitch(g);
  const int to = free >= 0 ? free : addNode(g, NodeKind::Switch, (left + right) / 2, top - 80);
  std::set<std::pair<int, int>> joined;
  for (const NetworkLink& l : g.links) joined.insert({l.from, l.to}), joined.insert({l.to, l.from});
  for (int n : ends)
    if (!joined.contains({n, to})) linkLikeOthers(g, n, to);
}

}  // namespace

std::vector<Problem> problemsOf(const NetworkGraph& g) {
  std::vector<Problem> out;
  const auto atNode = [](int n) { return Place{"", 0, 0, "/cluster/graph/nodes/" + std::to_string(n)}; };
  const auto inside = hostContents(g);
  std::vector<int> degree(g.nodes.size(), 0);
  std::vector<int> component(g.nodes.size());
  for (std::size_t i = 0; i < component.size(); ++i) component[i] = static_cast<int>(i);
  const auto find = [&](int a) {
    while (component[static_cast<std::size_t>(a)] != a)
      a = component[static_cast<std::size_t>(a)] =
          component[static_cast<std::size_t>(component[static_cast<std::size_t>(a)])];
    return a;
  };
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    const NetworkLink& link = g.links[l];
    ++degree[static_cast<std::size_t>(link.from)], ++degree[static_cast<std::size_t>(link.to)];
    if (isLive(g, link)) component[static_cast<std::size_t>(find(link.from))] = find(link.to);
    if (!(link.bandwidth.value() > 0) || !(link.latency.value() >= 0)) {
      const int number = static_cast<int>(l);
      out.push_back({error("link-figures", {"", 0, 0, "/cluster/graph/links/" + std::to_string(l)},
                           "a link needs a positive bandwidth and a latency of zero or more"),
                     -1, number, "Delete the link", [number](NetworkGraph& x) { remove(x, {}, {number}); }});
    }
  }
  for (std::size_t h = 0; h < inside.size(); ++h)
    for (int d : inside[h])  // a device that nobody linked is joined to its host
      if (degree[static_cast<std::size_t>(d)] == 0)
        component[static_cast<std::size_t>(find(d))] = find(static_cast<int>(h)), ++degree[h];
  std::map<int, int> devicesIn;
  int devices = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Device && !g.nodes[i].failed)
      ++devices, ++devicesIn[find(static_cast<int>(i))];
  if (devices == 0)
    out.push_back({error("no-devices", {"", 0, 0, "/cluster/graph"}, "the network has no working device"),
                   -1,
                   -1,
                   {},
                   {}});
  int largest = -1;
  for (const auto& [root, count] : devicesIn)
    if (largest < 0 || count > devicesIn[largest]) largest = root;
  const auto nearest = [&](int n) {
    int best = -1;
    double distance = 1e300;
    for (std::size_t k = 0; k < g.nodes.size(); ++k) {
      if (g.nodes[k].kind != NodeKind::Switch || find(static_cast<int>(k)) != largest) continue;
      const NetworkNode& from = g.nodes[static_cast<std::size_t>(n)];
      const double d = std::hypot(g.nodes[k].x - from.x, g.nodes[k].y - from.y);
      if (d < distance) distance = d, best = static_cast<int>(k);
    }
    return best;
  };
  // What a failure has cut off is left out; only what was never joined is linked.
  const auto cutOff = [&](int n) {
    const auto all = withContents(g, {n});
    return std::any_of(g.links.begin(), g.links.end(), [&](const NetworkLink& l) {
      return !isLive(g, l) && (std::binary_search(all.begin(), all.end(), l.from) ||
                               std::binary_search(all.begin(), all.end(), l.to));
    });
  };
  // What cannot reach the others is named once: a host for its devices, a single device for itself.
  const auto unreachable = [&](int n) {
    const std::string& name = g.nodes[static_cast<std::size_t>(n)].name;
    Problem p{
        error("unreachable", atNode(n), name + " cannot reach the other devices", "link it to a switch"),
        n,
        -1,
        {},
        {}};
    if (const int to = cutOff(n) ? -1 : nearest(n); to >= 0) {
      p.repairVerb = "Link " + name + " to " + g.nodes[static_cast<std::size_t>(to)].name;
      p.repair = [n, to](NetworkGraph& x) { linkLikeOthers(x, n, to); };
    } else if (!cutOff(n)) {
      const int free = freeSwitch(g);
      p.repairVerb =
          "Join all hosts by " + (free < 0 ? "a switch" : g.nodes[static_cast<std::size_t>(free)].name);
      p.repair = joinBySwitch;
    } else {
      p.repairVerb = "Leave " + name + " out";
      p.repair = [n](NetworkGraph& x) {
        for (int d : withContents(x, {n})) x.nodes[static_cast<std::size_t>(d)].failed = true;
      };
    }
    out.push_back(std::move(p));
  };
  std::vector<char> named(g.nodes.size(), 0);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& node = g.nodes[i];
    const int n = static_cast<int>(i);
    if (node.kind != NodeKind::Device && degree[i] == 0 && inside[i].empty()) {
      out.push_back({warning("nothing-joined", atNode(n), node.name + " joins nothing"), n, -1,
                     "Delete " + node.name, [n](NetworkGraph& x) { remove(x, {n}); }});
    } else if (!inside[i].empty() && largest >= 0 && find(n) != largest && !node.failed) {
      const bool alive = std::any_of(inside[i].begin(), inside[i].end(), [&](int d) {
        return !g.nodes[static_cast<std::size_t>(d)].failed && find(d) == find(n);
      });
      for (int d : inside[i])
        if (find(d) == find(n)) named[static_cast<std::size_t>(d)] = 1;
      if (alive) unreachable(n);
    }
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Device && !g.nodes[i].failed && !named[i] &&
        find(static_cast<int>(i)) != largest)
      unreachable(static_cast<int>(i));
  return out;
}

}  // namespace nest::graph
