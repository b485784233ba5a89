#include "cluster/graph/fabric.h"

#include <cmath>
#include <string>
#include <unordered_map>

namespace nest {
namespace {

constexpr std::size_t kMostNodes = 1u << 21, kMostLinks = 1u << 22;
constexpr std::size_t kMostReports = 20;  ///< of one kind; a broken generator must not fill the window

Place linkPlace(std::size_t l, const char* field) {
  return {"", 0, 0, "/cluster/network/links/" + std::to_string(l) + '/' + field};
}

bool isLive(const NetworkGraph& g, const NetworkLink& l) {
  return !l.failed && !g.nodes[l.from].failed && !g.nodes[l.to].failed;
}

void checkLinks(const NetworkGraph& g, Diagnostics& out) {
  const int n = static_cast<int>(g.nodes.size());
  std::size_t reports = 0;
  const auto report = [&](Diagnostic d) {
    if (++reports <= kMostReports) out.push_back(std::move(d));
  };
  for (std::size_t i = 0; i < g.links.size(); ++i) {
    const NetworkLink& l = g.links[i];
    if (l.from < 0 || l.from >= n || l.to < 0 || l.to >= n) {
      report(error("link-end", linkPlace(i, "from"), "a link ends at a node that does not exist"));
      continue;
    }
    const std::string ends = g.nodes[l.from].name + " – " + g.nodes[l.to].name;
    const double b = l.bandwidth.value(), a = l.latency.value();
    if (!l.failed && (!(b > 0) || !std::isfinite(b)))
      report(error("link-bandwidth", linkPlace(i, "bandwidth_bytes_per_s"),
                   "the link " + ends + " needs a positive bandwidth", "give its one-way bandwidth"));
    if (!(a >= 0) || !std::isfinite(a))
      report(error("link-latency", linkPlace(i, "latency_s"),
                   "the latency of the link " + ends + " must be zero or more"));
    if (l.count < 1)
      report(error("link-count", linkPlace(i, "count"), "the link " + ends + " needs a count of 1 or more"));
  }
  if (reports > kMostReports)
    out.push_back(error("more-link-errors", {"", 0, 0, "/cluster/network/links"},
                        std::to_string(reports - kMostReports) + " further links have errors"));
}

void checkNodes(const NetworkGraph& g, Diagnostics& out) {
  std::unordered_map<std::string, int> seen;
  std::size_t reports = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& n = g.nodes[i];
    const Place at{"", 0, 0, "/cluster/network/nodes/" + std::to_string(i)};
    if (!seen.emplace(n.id, 0).second && ++reports <= kMostReports)
      out.push_back(error("node-id-twice", at, "two nodes have the id \"" + n.id + "\"",
                          "give each node an id of its own"));
    if (n.kind == NodeKind::Device &&
        (!(n.speed > 0 && n.speed <= 1) || !(n.memory.value() >= 0) || !std::isfinite(n.memory.value())) &&
        ++reports <= kMostReports)
      out.push_back(
          error("device-factor", at,
                "device " + n.name + " needs a speed factor in (0, 1] and a memory that is not negative"));
  }
}

/// Links that a host box stands for: devices drawn inside it without a link of their own.
void linkBoxedDevices(const NetworkGraph& g, const DeviceSpec& device, std::vector<NetworkLink>& links,
                      Diagnostics& out) {
  std::vector<char> linked(g.nodes.size(), 0);
  for (const NetworkLink& l : links) linked[l.from] = linked[l.to] = 1;
  std::unordered_map<std::string, int> hosts;
  for (std::size_t i = g.nodes.size(); i-- > 0;)
    if (g.nodes[i].kind == NodeKind::Host && !g.nodes[i].failed) hosts[g.nodes[i].name] = static_cast<int>(i);
  for (std::size_t i = g.nodes.size(); i-- > 0;)
    if (g.nodes[i].kind == NodeKind::Host && !g.nodes[i].failed) hosts[g.nodes[i].id] = static_cast<int>(i);
  const bool canJoin = device.linkBandwidth.value.value() > 0;
  int joined = 0, left = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& n = g.nodes[i];
    if (n.kind != NodeKind::Device || n.failed || linked[i] || n.host.empty()) continue;
    const auto host = hosts.find(n.host);
    if (host == hosts.end()) continue;
    if (!canJoin) {
      ++left;
      continue;
    }
    links.push_back({static_cast<int>(i), host->second, device.linkBandwidth.value, device.linkLatency.value,
                     1, false, false, Origin::Catalog});
    ++joined;
  }
  if (left > 0)
    out.push_back(error("device-link", {"", 0, 0, "/cluster/device/link_bandwidth_bytes_per_s"},
                        std::to_string(left) +
                            " devices stand in a host without a link, and the device says no link bandwidth",
                        "give link_bandwidth_bytes_per_s, or draw the links"));
  if (joined > 0)
    out.push_back(
        note("host-links-assumed", {"", 0, 0, "/cluster/network"},
             std::to_string(joined) +
                 " devices without links count as joined to their host at the device's own link bandwidth"));
}

void bundle(const std::vector<NetworkLink>& links, Fabric& f) {
  std::unordered_map<std::uint64_t, int> known;
  known.reserve(links.size());
  for (const NetworkLink& l : links) {
    if (l.from == l.to) continue;
    const int a = std::min(l.from, l.to), b = std::max(l.from, l.to);
    const auto key = (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint32_t>(b);
    const auto [at, fresh] = known.emplace(key, static_cast<int>(f.edges.size()));
    if (fresh) f.edges.push_back({a, b, 0, 0, l.latency.value()});
    Fabric::Edge& e = f.edges[at->second];
    const double rate = l.bandwidth.value() * l.count;
    if (!l.directed || l.from == a) e.forward += rate;
    if (!l.directed || l.from == b) e.backward += rate;
    e.latency = std::min(e.latency, l.latency.value());
  }
}

void index(Fabric& f) {
  f.firstArc.assign(static_cast<std::size_t>(f.nodeCount) + 1, 0);
  for (const Fabric::Edge& e : f.edges)
    ++f.firstArc[static_cast<std::size_t>(e.a) + 1], ++f.firstArc[static_cast<std::size_t>(e.b) + 1];
  for (std::size_t i = 1; i < f.firstArc.size(); ++i) f.firstArc[i] += f.firstArc[i - 1];
  f.arcs.resize(f.edges.size() * 2);
  std::vector<int> next(f.firstArc.begin(), f.firstArc.end() - 1);
  for (std::size_t i = 0; i < f.edges.size(); ++i) {
    const Fabric::Edge& e = f.edges[i];
    f.arcs[next[e.a]++] = {e.b, static_cast<int>(i)};
    f.arcs[next[e.b]++] = {e.a, static_cast<int>(i)};
  }
}

}  // namespace

Reading<Fabric> prepareFabric(const NetworkGraph& graph, const DeviceSpec& device) {
  Reading<Fabric> result;
  if (graph.nodes.size() > kMostNodes || graph.links.size() > kMostLinks) {
    result.diagnostics.push_back(error("network-too-large", {"", 0, 0, "/cluster/network"},
                                       "at most 2,097,152 nodes and 4,194,304 links are supported",
                                       "describe a network of this size by levels"));
    return result;
  }
  checkNodes(graph, result.diagnostics);
  checkLinks(graph, result.diagnostics);
  if (hasErrors(result.diagnostics)) return result;

  Fabric f;
  f.nodeCount = static_cast<int>(graph.nodes.size());
  f.deviceOf.assign(graph.nodes.size(), -1);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != NodeKind::Device || graph.nodes[i].failed) continue;
    f.deviceOf[i] = static_cast<int>(f.devices.size());
    f.devices.push_back(static_cast<int>(i));
  }
  if (f.devices.empty()) {
    result.diagnostics.push_back(error("no-devices", {"", 0, 0, "/cluster/network"},
                                       "the network has no working device", "add a device"));
    return result;
  }
  std::vector<NetworkLink> links;
  links.reserve(graph.links.size());
  for (const NetworkLink& l : graph.links)
    if (isLive(graph, l)) links.push_back(l);
  linkBoxedDevices(graph, device, links, result.diagnostics);
  bundle(links, f);
  index(f);
  result.value = std::move(f);
  return result;
}

}  // namespace nest
