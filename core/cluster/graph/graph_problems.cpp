// What keeps a drawn network from being planned on, each with its repair.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cluster/graph/graph_edit.h"
#include "units/at.h"

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
  return !l.failed && !g.nodes[at(l.from)].failed && !g.nodes[at(l.to)].failed;
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

/// Which nodes are joined with each other.
class Components {
public:
  explicit Components(std::size_t nodes) : m_parent(nodes) {
    for (std::size_t i = 0; i < nodes; ++i) m_parent[i] = static_cast<int>(i);
  }
  int find(int a) {
    while (parent(a) != a) a = parent(a) = parent(parent(a));
    return a;
  }
  void join(int a, int b) { parent(find(a)) = find(b); }

private:
  int& parent(int a) { return m_parent[at(a)]; }
  std::vector<int> m_parent;
};

class Diagnosis {
public:
  explicit Diagnosis(const NetworkGraph& g)
      : m_g(g),
        m_inside(hostContents(g)),
        m_degree(g.nodes.size(), 0),
        m_live(g.nodes.size()),
        m_whole(g.nodes.size()),
        m_named(g.nodes.size(), 0) {}

  std::vector<Problem> run() {
    checkLinks();
    joinContents();
    findLargest();
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (node(n).kind != NodeKind::Device) checkJoining(n);
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (isWorkingDevice(n) && !m_named[at(n)] && m_live.find(n) != m_largest) reportUnreachable(n);
    return std::move(m_out);
  }

private:
  const NetworkNode& node(int n) const { return m_g.nodes[at(n)]; }
  bool isWorkingDevice(int n) const { return node(n).kind == NodeKind::Device && !node(n).failed; }
  static Place placeOf(int n) { return {"", 0, 0, "/cluster/graph/nodes/" + std::to_string(n)}; }

  void checkLinks() {
    for (std::size_t l = 0; l < m_g.links.size(); ++l) {
      const NetworkLink& link = m_g.links[l];
      ++m_degree[at(link.from)], ++m_degree[at(link.to)];
      m_whole.join(link.from, link.to);
      if (isLive(m_g, link)) m_live.join(link.from, link.to);
      if (link.bandwidth.value() > 0 && link.latency.value() >= 0) continue;
      const int number = static_cast<int>(l);
      m_out.push_back({error("link-figures", {"", 0, 0, "/cluster/graph/links/" + std::to_string(l)},
                             "a link needs a positive bandwidth and a latency of zero or more"),
                       -1, number, "Delete the link",
                       [number](NetworkGraph& x) { remove(x, {}, {number}); }});
    }
  }

  /// A device that nobody linked is joined to its host.
  void joinContents() {
    for (std::size_t h = 0; h < m_inside.size(); ++h)
      for (int d : m_inside[h])
        if (m_degree[at(d)] == 0) {
          m_whole.join(d, static_cast<int>(h));
          if (!m_g.nodes[h].failed) m_live.join(d, static_cast<int>(h));
          ++m_degree[h];
        }
  }

  void findLargest() {
    std::map<int, int> devicesIn;
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (isWorkingDevice(n)) ++devicesIn[m_live.find(n)];
    if (devicesIn.empty())
      m_out.push_back({error("no-devices", {"", 0, 0, "/cluster/graph"}, "the network has no working device"),
                       -1,
                       -1,
                       {},
                       {}});
    for (const auto& [root, count] : devicesIn)
      if (m_largest < 0 || count > devicesIn[m_largest]) m_largest = root;
  }

  /// What cannot reach the others is named once: a host for its devices, a single device for itself.
  void checkJoining(int n) {
    const auto& inside = m_inside[at(n)];
    if (m_degree[at(n)] == 0 && inside.empty()) {
      m_out.push_back({warning("nothing-joined", placeOf(n), node(n).name + " joins nothing"), n, -1,
                       "Delete " + node(n).name, [n](NetworkGraph& x) { remove(x, {n}); }});
      return;
    }
    if (inside.empty() || m_largest < 0 || m_live.find(n) == m_largest) return;
    bool any = false;
    for (int d : inside) {
      const bool hangsOnIt =
          m_live.find(d) == m_live.find(n) || (node(n).failed && m_live.find(d) != m_largest);
      if (!hangsOnIt) continue;
      m_named[at(d)] = 1;
      any = any || isWorkingDevice(d);
    }
    if (any) reportUnreachable(n);
  }

  /// Only failures keep it from the others.
  bool isCutOff(int n) { return m_whole.find(n) == m_whole.find(m_largest); }

  void reportUnreachable(int n) {
    const std::string& name = node(n).name;
    Problem p{isCutOff(n)
                  ? warning("unreachable", placeOf(n),
                            name + " is cut off by a failure and excluded from every plan", "restore it")
                  : error("unreachable", placeOf(n), name + " cannot reach the other devices",
                          "link it to a switch"),
              n,
              -1,
              {},
              {}};
    if (isCutOff(n)) {
      p.repairVerb = "Leave " + name + " out";
      p.repair = [n](NetworkGraph& x) {
        for (int d : withContents(x, {n})) x.nodes[at(d)].failed = true;
      };
    } else if (const int to = nearestSwitch(n); to >= 0) {
      p.repairVerb = "Link " + name + " to " + node(to).name;
      p.repair = [n, to](NetworkGraph& x) { linkLikeOthers(x, n, to); };
    } else {
      const int free = freeSwitch(m_g);
      p.repairVerb = "Join all hosts by " + (free < 0 ? "a switch" : node(free).name);
      p.repair = joinBySwitch;
    }
    m_out.push_back(std::move(p));
  }

  /// Of those that the largest part of the devices can reach; −1: there is none.
  int nearestSwitch(int n) {
    int best = -1;
    double distance = 1e300;
    for (int k = 0; k < static_cast<int>(m_g.nodes.size()); ++k) {
      if (node(k).kind != NodeKind::Switch || m_live.find(k) != m_largest) continue;
      const double d = std::hypot(node(k).x - node(n).x, node(k).y - node(n).y);
      if (d < distance) distance = d, best = k;
    }
    return best;
  }

  const NetworkGraph& m_g;
  std::vector<std::vector<int>> m_inside;
  std::vector<int> m_degree;
  Components m_live, m_whole;  ///< as it is; as it would be if nothing had failed
  std::vector<char> m_named;
  int m_largest = -1;  ///< component with the most working devices
  std::vector<Problem> m_out;
};

}  // namespace

std::vector<Problem> problemsOf(const NetworkGraph& g) {
  return Diagnosis(g).run();
}

}  // namespace nest::graph
