#include "cluster/graph/graph_edit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace nest::graph {
namespace {

std::string_view baseName(NodeKind k) {
  return k == NodeKind::Device ? "device" : k == NodeKind::Host ? "host" : "switch";
}

/// Names and ids that are taken; hands out new ones with the next free number.
class Names {
public:
  explicit Names(const NetworkGraph& g) {
    for (const auto& n : g.nodes) m_taken.insert(n.id), m_taken.insert(n.name);
  }
  /// "leaf" stays if it is free; otherwise its trailing number is raised: "leaf7" → "leaf8".
  std::string fresh(const std::string& wanted) {
    if (m_taken.insert(wanted).second) return wanted;
    std::size_t digits = wanted.size();
    while (digits > 0 && wanted[digits - 1] >= '0' && wanted[digits - 1] <= '9') --digits;
    const std::string stem = digits == wanted.size() ? wanted + ' ' : wanted.substr(0, digits);
    int& next = m_next[stem];
    for (;;) {
      std::string name = stem + std::to_string(++next);
      if (m_taken.insert(name).second) return name;
    }
  }

private:
  std::unordered_set<std::string> m_taken;
  std::unordered_map<std::string, int> m_next;
};

/// What a copy would be called if nobody else was: a device that bears the name of its host ("host1:3")
/// bears that of the copied host.
std::string nameInside(const std::unordered_map<std::string, std::string>& hostId, const NetworkNode& node) {
  const std::string& name = node.name.empty() ? node.id : node.name;
  const auto host = hostId.find(node.host);
  const std::size_t length = node.host.size();
  const bool bears =
      host != hostId.end() && name.size() > length + 1 && name[length] == ':' && name.starts_with(node.host);
  return bears ? host->second + name.substr(length) : name;
}

/// Appends copies of `nodes`, and of the links that `keepLink` accepts; the map leads from old to new
/// numbers.
std::vector<int> append(NetworkGraph& g, const NetworkGraph& from, const std::vector<int>& nodes, double dx,
                        double dy, bool outsideLinks, Names& names) {
  std::map<int, int> copyOf;
  std::unordered_map<std::string, std::string> hostId;
  std::vector<int> out;
  for (int n : nodes) {
    const NetworkNode& host = from.nodes[n];
    if (host.kind == NodeKind::Host)
      hostId[host.id] = hostId[host.name] = names.fresh(host.name.empty() ? host.id : host.name);
  }
  for (int n : nodes) {
    NetworkNode node = from.nodes[n];
    if (node.kind == NodeKind::Host) {
      node.name = hostId[node.id];
    } else {
      node.name = names.fresh(nameInside(hostId, node));
      if (const auto host = hostId.find(node.host); host != hostId.end()) node.host = host->second;
    }
    node.id = node.name;
    node.x += dx, node.y += dy;
    copyOf[n] = static_cast<int>(g.nodes.size());
    out.push_back(copyOf[n]);
    g.nodes.push_back(std::move(node));
  }
  const std::size_t linkCount = from.links.size();
  for (std::size_t l = 0; l < linkCount; ++l) {
    NetworkLink link = from.links[l];
    const auto a = copyOf.find(link.from), b = copyOf.find(link.to);
    if (a == copyOf.end() && b == copyOf.end()) continue;
    if ((a == copyOf.end() || b == copyOf.end()) && !outsideLinks) continue;
    if (a != copyOf.end()) link.from = a->second;
    if (b != copyOf.end()) link.to = b->second;
    g.links.push_back(link);
  }
  return out;
}

}  // namespace

int addNode(NetworkGraph& g, NodeKind kind, double x, double y, const std::string& name) {
  NetworkNode node;
  node.kind = kind;
  node.x = x, node.y = y;
  // Host files can hold the name of a host: no blank.
  const std::string first = std::string(baseName(kind)) + (kind == NodeKind::Host ? "1" : " 1");
  node.name = Names(g).fresh(name.empty() ? first : name);
  node.id = node.name;
  g.nodes.push_back(std::move(node));
  return static_cast<int>(g.nodes.size()) - 1;
}

std::optional<int> connect(NetworkGraph& g, int a, int b, BytesPerSecond bandwidth, Seconds latency) {
  const int n = static_cast<int>(g.nodes.size());
  if (a == b || a < 0 || b < 0 || a >= n || b >= n) return std::nullopt;
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    NetworkLink& link = g.links[l];
    const bool same = (link.from == a && link.to == b) || (!link.directed && link.from == b && link.to == a);
    if (same && !link.directed && link.bandwidth == bandwidth && link.latency == latency && !link.failed) {
      ++link.count;
      return static_cast<int>(l);
    }
  }
  NetworkLink link;
  link.from = a, link.to = b, link.bandwidth = bandwidth, link.latency = latency;
  g.links.push_back(link);
  return static_cast<int>(g.links.size()) - 1;
}

std::vector<std::vector<int>> hostContents(const NetworkGraph& g) {
  std::unordered_map<std::string, int> hosts;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Host) hosts.emplace(g.nodes[i].name, static_cast<int>(i));
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Host) hosts.insert_or_assign(g.nodes[i].id, static_cast<int>(i));
  std::vector<std::vector<int>> inside(g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Device && !g.nodes[i].host.empty())
      if (const auto it = hosts.find(g.nodes[i].host); it != hosts.end())
        inside[it->second].push_back(static_cast<int>(i));
  return inside;
}

std::vector<int> withContents(const NetworkGraph& g, const std::vector<int>& nodes) {
  std::set<int> all(nodes.begin(), nodes.end());
  const bool anyHost =
      std::any_of(nodes.begin(), nodes.end(), [&](int n) { return g.nodes[n].kind == NodeKind::Host; });
  if (anyHost) {
    const auto inside = hostContents(g);
    for (int n : nodes) all.insert(inside[n].begin(), inside[n].end());
  }
  return {all.begin(), all.end()};
}

void remove(NetworkGraph& g, const std::vector<int>& nodes, const std::vector<int>& links) {
  std::vector<char> goneNode(g.nodes.size(), 0), goneLink(g.links.size(), 0);
  for (int n : withContents(g, nodes)) goneNode[n] = 1;
  for (int l : links) goneLink[l] = 1;
  std::vector<int> number(g.nodes.size(), -1);
  NetworkGraph kept;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (!goneNode[i]) {
      number[i] = static_cast<int>(kept.nodes.size());
      kept.nodes.push_back(std::move(g.nodes[i]));
    }
  for (std::size_t l = 0; l < g.links.size(); ++l) {
    NetworkLink link = g.links[l];
    link.from = number[link.from], link.to = number[link.to];
    if (!goneLink[l] && link.from >= 0 && link.to >= 0) kept.links.push_back(link);
  }
  g = std::move(kept);
}

void move(NetworkGraph& g, const std::vector<int>& nodes, double dx, double dy) {
  for (int n : withContents(g, nodes)) g.nodes[n].x += dx, g.nodes[n].y += dy;
}

std::vector<int> duplicate(NetworkGraph& g, const std::vector<int>& nodes, int copies, double dx, double dy,
                           int columns) {
  const auto all = withContents(g, nodes);
  const NetworkGraph before = g;
  Names names(g);
  std::vector<int> made;
  for (int c = 1; c <= copies; ++c) {
    const auto one = append(g, before, all, dx * (c % columns), dy * (c / columns), true, names);
    made.insert(made.end(), one.begin(), one.end());
  }
  return made;
}

NetworkGraph extract(const NetworkGraph& g, const std::vector<int>& nodes) {
  NetworkGraph empty;
  Names names(empty);
  append(empty, g, withContents(g, nodes), 0, 0, false, names);
  return empty;
}

std::vector<int> paste(NetworkGraph& g, const NetworkGraph& piece, double x, double y) {
  if (piece.nodes.empty()) return {};
  const auto [left, right] =
      std::minmax_element(piece.nodes.begin(), piece.nodes.end(), [](auto& a, auto& b) { return a.x < b.x; });
  const auto [top, bottom] =
      std::minmax_element(piece.nodes.begin(), piece.nodes.end(), [](auto& a, auto& b) { return a.y < b.y; });
  std::vector<int> all(piece.nodes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  Names names(g);
  return append(g, piece, all, x - (left->x + right->x) / 2, y - (top->y + bottom->y) / 2, false, names);
}

std::optional<int> groupIntoHost(NetworkGraph& g, const std::vector<int>& nodes) {
  double x = 0, y = 0;
  int devices = 0;
  for (int n : nodes)
    if (const auto& node = g.nodes[n]; node.kind == NodeKind::Device) x += node.x, y += node.y, ++devices;
  if (devices == 0) return std::nullopt;
  const int host = addNode(g, NodeKind::Host, x / devices, y / devices);
  for (int n : nodes)
    if (auto& node = g.nodes[n]; node.kind == NodeKind::Device) node.host = g.nodes[host].id;
  return host;
}

void align(NetworkGraph& g, const std::vector<int>& nodes, Alignment how) {
  if (nodes.size() < 2) return;
  const bool horizontal = how == Alignment::Left || how == Alignment::CentreX || how == Alignment::Right ||
                          how == Alignment::DistributeX;
  const auto at = [&](int n) -> double {
    const auto& node = g.nodes[n];
    return horizontal ? node.x : node.y;
  };
  std::vector<int> order = nodes;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return at(a) < at(b); });
  const double low = at(order.front()), high = at(order.back());
  for (std::size_t i = 0; i < order.size(); ++i) {
    double target = low;
    switch (how) {
      case Alignment::Left:
      case Alignment::Top:
        break;
      case Alignment::Right:
      case Alignment::Bottom:
        target = high;
        break;
      case Alignment::CentreX:
      case Alignment::CentreY:
        target = (low + high) / 2;
        break;
      case Alignment::DistributeX:
      case Alignment::DistributeY:
        target = low + (high - low) * static_cast<double>(i) / static_cast<double>(order.size() - 1);
        break;
    }
    const double d = target - at(order[i]);
    move(g, {order[i]}, horizontal ? d : 0, horizontal ? 0 : d);
  }
}

bool differOnlyInPlace(const NetworkGraph& a, const NetworkGraph& b) {
  return a.links == b.links && std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                                          [](const NetworkNode& x, const NetworkNode& y) {
                                            return x.id == y.id && x.name == y.name && x.kind == y.kind &&
                                                   x.host == y.host && x.speed == y.speed &&
                                                   x.memory == y.memory && x.failed == y.failed;
                                          });
}

}  // namespace nest::graph
