// What keeps a drawn network from being planned on, each with its repair.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cluster/graph/graph_edit.h"
#include "units/at.h"

namespace nest::graph {
namespace {

/// Joins two nodes with the figures of the first link for which `isLike` holds; the usual ones if there is
/// none.
template <class IsLike>
void addLinkLike(NetworkGraph& g, int from, int to, IsLike isLike) {
  NetworkLink link;
  link.bandwidth = BytesPerSecond(50e9), link.latency = Seconds(2e-6);
  if (const auto like = std::find_if(g.links.begin(), g.links.end(), isLike); like != g.links.end())
    link = *like;
  link.from = from, link.to = to, link.failed = false, link.directed = false;
  g.links.push_back(link);
}

/// Joins `n` to `to` with the figures of a link that `to` already has.
void linkLikeOthers(NetworkGraph& g, int n, int to) {
  addLinkLike(g, n, to, [to](const NetworkLink& l) { return l.to == to; });
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

/// Hops from each node to the nearest device or host, over working links; −1: there is none. Of the switches
/// of a tree it is their level.
std::vector<int> levelsOf(const NetworkGraph& g) {
  std::vector<std::vector<int>> next(g.nodes.size());
  for (const NetworkLink& l : g.links)
    if (isLive(g, l)) next[at(l.from)].push_back(l.to), next[at(l.to)].push_back(l.from);
  std::vector<int> level(g.nodes.size(), -1), queue;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind != NodeKind::Switch) level[i] = 0, queue.push_back(static_cast<int>(i));
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (int n : next[at(queue[k])])
      if (level[at(n)] < 0) level[at(n)] = level[at(queue[k])] + 1, queue.push_back(n);
  return level;
}

/// Joins switches that have none above them by a new one, with the figures of a link that one of them has.
void joinFromAbove(NetworkGraph& g, const std::vector<int>& switches) {
  double x = 0, top = 1e300;
  for (int n : switches) x += g.nodes[at(n)].x, top = std::min(top, g.nodes[at(n)].y);
  const int above = addNode(g, NodeKind::Switch, x / static_cast<double>(switches.size()), top - 80);
  const int first = switches.front();
  for (int n : switches)
    addLinkLike(g, n, above, [first](const NetworkLink& l) { return l.from == first || l.to == first; });
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
    if (m_parts > 1) checkIslands();
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (node(n).kind != NodeKind::Device) checkJoining(n);
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (isWorkingDevice(n) && !m_named[at(n)] && m_live.find(n) != m_largest &&
          !m_islands.contains(m_live.find(n)))
        reportUnreachable(n);
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
    m_parts = devicesIn.size();
  }

  /// Devices behind a switch that leads nowhere else are not named one by one: the switch lacks an uplink.
  void checkIslands() {
    m_level = levelsOf(m_g);
    std::map<int, int> topOf;  ///< by part of the network, its highest switch
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n) {
      if (node(n).kind != NodeKind::Switch || node(n).failed || m_level[at(n)] < 1) continue;
      const auto [known, isFirst] = topOf.emplace(m_live.find(n), n);
      if (!isFirst && m_level[at(n)] > m_level[at(known->second)]) known->second = n;
    }
    struct Behind {
      int devices = 0, one = -1;
      bool isOneHost = true;
    };
    std::map<int, Behind> behind;  ///< by part
    for (int n = 0; n < static_cast<int>(m_g.nodes.size()); ++n)
      if (isWorkingDevice(n)) {
        Behind& b = behind[m_live.find(n)];
        if (b.one >= 0 && (node(n).host.empty() || node(n).host != node(b.one).host)) b.isOneHost = false;
        ++b.devices, b.one = n;
      }
    const auto largest = topOf.find(m_largest);
    for (const auto& [part, top] : topOf) {
      const auto devices = behind.find(part);
      if (part == m_largest || devices == behind.end()) continue;
      if (devices->second.isOneHost && !node(devices->second.one).host.empty())
        continue;                                                  // switches inside it
      if (m_whole.find(top) == m_whole.find(m_largest)) continue;  // only failures cut it off
      m_islands[part] = top;
      const std::string& name = node(top).name;
      const int count = devices->second.devices;
      Problem p{error("unreachable", placeOf(top),
                      name + " and the " + std::to_string(count) + (count == 1 ? " device" : " devices") +
                          " behind it cannot reach the other devices",
                      "give it an uplink"),
                top,
                -1,
                {},
                {}};
      if (const int to = nearestSwitch(top, m_level[at(top)] + 1); to >= 0) {
        p.repairVerb = "Link " + name + " to " + node(to).name;
        p.repair = [top = top, to](NetworkGraph& x) { linkLikeOthers(x, top, to); };
      } else if (largest != topOf.end()) {
        std::vector<int> all{largest->second};
        for (const auto& [other, its] : topOf)
          if (other != m_largest && m_whole.find(its) != m_whole.find(m_largest) && behind.contains(other))
            all.push_back(its);
        std::sort(all.begin(), all.end());
        p.repairVerb = all.size() == 2
                           ? "Join " + node(all[0]).name + " and " + node(all[1]).name + " by a switch"
                           : "Join " + std::to_string(all.size()) + " switches by one above them";
        p.repair = [all](NetworkGraph& x) { joinFromAbove(x, all); };
      } else {
        p.repairVerb = "Join all hosts by " + name;
        p.repair = joinBySwitch;
      }
      m_out.push_back(std::move(p));
    }
  }

  /// What cannot reach the others is named once: a host for its devices, a single device for itself.
  void checkJoining(int n) {
    const auto& inside = m_inside[at(n)];
    if (m_degree[at(n)] == 0 && inside.empty()) {
      m_out.push_back({warning("nothing-joined", placeOf(n), node(n).name + " joins nothing"), n, -1,
                       "Delete " + node(n).name, [n](NetworkGraph& x) { remove(x, {n}); }});
      return;
    }
    if (inside.empty() || m_largest < 0 || m_live.find(n) == m_largest || m_islands.contains(m_live.find(n)))
      return;
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

  /// Of those that the largest part of the devices can reach, at this level or above; −1: there is none.
  int nearestSwitch(int n, int leastLevel = 0) {
    int best = -1;
    double distance = 1e300;
    for (int k = 0; k < static_cast<int>(m_g.nodes.size()); ++k) {
      if (node(k).kind != NodeKind::Switch || m_live.find(k) != m_largest) continue;
      if (leastLevel > 0 && m_level[at(k)] < leastLevel) continue;
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
  int m_largest = -1;            ///< component with the most working devices
  std::size_t m_parts = 0;       ///< components with working devices
  std::vector<int> m_level;      ///< see levelsOf; only where there are several
  std::map<int, int> m_islands;  ///< components that are named by a switch
  std::vector<Problem> m_out;
};

}  // namespace

std::vector<Problem> problemsOf(const NetworkGraph& g) {
  return Diagnosis(g).run();
}

}  // namespace nest::graph
