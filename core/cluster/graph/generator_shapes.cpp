#include "cluster/graph/generator_shapes.h"
#include "units/at.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace nest {

int NetworkBuilder::add(const std::string& id, NodeKind kind, const std::string& host, double x, double y) {
  NetworkNode n;
  n.id = n.name = id;
  n.kind = kind;
  n.host = host;
  n.x = x;
  n.y = y;
  m_devices += kind == NodeKind::Device;
  m_graph.nodes.push_back(std::move(n));
  return static_cast<int>(m_graph.nodes.size()) - 1;
}

void NetworkBuilder::link(int a, int b, double gigabytes, double microseconds, int count) {
  m_graph.links.push_back({a, b, BytesPerSecond(gigabytes * 1e9), Seconds(microseconds * 1e-6), count, false,
                           false, Origin::Typed});
}

std::vector<int> NetworkBuilder::addHostWithDevices(const std::string& id, int devices, double gigabytes,
                                                    double microseconds) {
  const int box = addHost(id);
  std::vector<int> out;
  for (int i = 0; i < devices; ++i) {
    out.push_back(addDevice(id + ".gpu" + std::to_string(i), id));
    link(out.back(), box, gigabytes, microseconds);
  }
  return out;
}

GridPlaces::GridPlaces(const std::vector<int>& sides, bool inHosts) : m_sides(sides) {
  // A host's frame and name stand around its devices.
  const double first[] = {inHosts ? 76.0 : 60.0, inHosts ? 90.0 : 60.0};
  for (std::size_t i = 0; i < sides.size(); ++i)
    m_stride.push_back(i < 2 ? first[i] : m_stride[i - 2] * (sides[i - 2] + 1));
}

std::pair<double, double> GridPlaces::of(std::size_t cell) const {
  double x = 0, y = 0;
  for (std::size_t i = 0; i < m_sides.size(); ++i) {
    const auto side = static_cast<std::size_t>(m_sides[i]);
    (i % 2 ? y : x) += static_cast<double>(cell % side) * m_stride[i];
    cell /= side;
  }
  return {x, y};
}

namespace {

/// Clockwise from the top, as far apart as in a grid.
std::pair<double, double> onCircle(std::size_t cell, std::size_t count) {
  const double turn = 2 * std::numbers::pi / static_cast<double>(count), radius = 60 / turn,
               angle = turn * static_cast<double>(cell);
  return {radius * std::sin(angle), -radius * std::cos(angle)};
}

}  // namespace

std::vector<int> addGrid(NetworkBuilder& b, const std::string& prefix, const std::vector<int>& sides,
                         const std::vector<bool>& wraps, double gigabytes, double microseconds,
                         double originX, const std::vector<std::string>& hosts) {
  std::size_t n = 1;
  for (int s : sides) {
    n *= static_cast<std::size_t>(s);
    if (n <= static_cast<std::size_t>(NetworkBuilder::kMostDevices)) continue;
    b.refuse();
    return {};
  }
  std::vector<int> nodes;
  const GridPlaces places(sides, !hosts.empty());
  for (std::size_t k = 0; k < n; ++k) {
    std::string id = prefix;
    std::size_t rest = k;
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const auto c = rest % static_cast<std::size_t>(sides[i]);
      rest /= static_cast<std::size_t>(sides[i]);
      id += (i ? "-" : "") + std::to_string(c);
    }
    const auto [x, y] = sides.size() == 1 && wraps[0] ? onCircle(k, n) : places.of(k);
    nodes.push_back(b.addDevice(id, hosts.empty() ? std::string() : hosts[k], originX + x, y));
  }
  std::size_t stride = 1;
  for (std::size_t i = 0; i < sides.size(); stride *= static_cast<std::size_t>(sides[i]), ++i)
    for (std::size_t k = 0; k < n; ++k) {
      const auto side = static_cast<std::size_t>(sides[i]), c = k / stride % side;
      if (c + 1 < side)
        b.link(nodes[k], nodes[k + stride], gigabytes, microseconds);
      else if (wraps[i] && side > 2)
        b.link(nodes[k], nodes[k - stride * (side - 1)], gigabytes, microseconds);
    }
  return nodes;
}

namespace {

using Values = std::map<std::string, double>;
int whole(const Values& v, const char* name) {
  return static_cast<int>(v.at(name));
}

/// Hosts with the form's host figures, numbered through.
struct HostMaker {
  NetworkBuilder& b;
  const Values& v;
  int next = 0;
  std::vector<int> devices() {
    return b.addHostWithDevices("host" + std::to_string(next++), whole(v, "devices_per_host"),
                                v.at("host_bandwidth"), v.at("host_latency"));
  }
};

void hgxPod(NetworkBuilder& b, const Values& v) {
  HostMaker hosts{b, v};
  const int fabric = b.addSwitch("fabric");
  for (int h = 0; h < whole(v, "hosts") && b.fits(); ++h)
    for (int d : hosts.devices()) b.link(d, fabric, v.at("nic_bandwidth"), v.at("link_latency"));
}

void railOptimised(NetworkBuilder& b, const Values& v) {
  HostMaker hosts{b, v};
  const int perHost = whole(v, "devices_per_host"), perPod = whole(v, "hosts_per_pod"),
            spines = whole(v, "spines"), pods = whole(v, "pods");
  std::vector<int> spine;
  for (int s = 0; s < spines && pods > 1; ++s) spine.push_back(b.addSwitch("spine" + std::to_string(s)));
  const double uplink = perPod * v.at("nic_bandwidth") / v.at("oversubscription") / spines;
  for (int p = 0; p < pods && b.fits(); ++p) {
    std::vector<int> rails;
    for (int r = 0; r < perHost; ++r) {
      rails.push_back(b.addSwitch("pod" + std::to_string(p) + ".rail" + std::to_string(r)));
      for (int s : spine) b.link(rails.back(), s, uplink, v.at("link_latency"));
    }
    for (int h = 0; h < perPod && b.fits(); ++h) {
      const auto devices = hosts.devices();
      for (std::size_t i = 0; i < devices.size(); ++i)
        b.link(devices[i], rails[i], v.at("nic_bandwidth"), v.at("link_latency"));
    }
  }
}

void spineLeaf(NetworkBuilder& b, const Values& v) {
  HostMaker hosts{b, v};
  const int perLeaf = whole(v, "hosts_per_leaf"), spines = whole(v, "spines"), leaves = whole(v, "leaves");
  std::vector<int> spine;
  for (int s = 0; s < spines && leaves > 1; ++s) spine.push_back(b.addSwitch("spine" + std::to_string(s)));
  const double uplink =
      perLeaf * whole(v, "devices_per_host") * v.at("nic_bandwidth") / v.at("oversubscription") / spines;
  for (int l = 0; l < leaves && b.fits(); ++l) {
    const int leaf = b.addSwitch("leaf" + std::to_string(l));
    for (int s : spine) b.link(leaf, s, uplink, v.at("link_latency"));
    for (int h = 0; h < perLeaf && b.fits(); ++h)
      for (int d : hosts.devices()) b.link(d, leaf, v.at("nic_bandwidth"), v.at("link_latency"));
  }
}

/// Al-Fares et al. 2008.
void fatTree(NetworkBuilder& b, const Values& v) {
  HostMaker hosts{b, v};
  const int k = whole(v, "k"), half = k / 2;
  const double host = whole(v, "devices_per_host") * v.at("nic_bandwidth"), latency = v.at("link_latency");
  std::vector<int> cores;
  for (int c = 0; c < half * half; ++c) cores.push_back(b.addSwitch("core" + std::to_string(c)));
  for (int p = 0; p < k && b.fits(); ++p) {
    std::vector<int> upper;
    for (int a = 0; a < half; ++a) {
      upper.push_back(b.addSwitch("pod" + std::to_string(p) + ".agg" + std::to_string(a)));
      for (int c = 0; c < half; ++c) b.link(upper.back(), cores[at(a * half + c)], host, latency);
    }
    for (int e = 0; e < half && b.fits(); ++e) {
      const int edge = b.addSwitch("pod" + std::to_string(p) + ".edge" + std::to_string(e));
      for (int a : upper) b.link(edge, a, host, latency);
      for (int h = 0; h < half && b.fits(); ++h)
        for (int d : hosts.devices()) b.link(d, edge, v.at("nic_bandwidth"), latency);
    }
  }
}

/// Kim et al. 2008; global port q of a group leads to group (g + 1 + q) mod groups while that is not the
/// group itself.
void dragonfly(NetworkBuilder& b, const Values& v) {
  HostMaker hosts{b, v};
  const int groups = whole(v, "groups"), routers = whole(v, "routers"), ports = whole(v, "global_links");
  std::vector<std::vector<int>> router(groups);
  for (int g = 0; g < groups && b.fits(); ++g) {
    auto& mine = router[at(g)];
    for (int r = 0; r < routers && b.fits(); ++r) {
      mine.push_back(b.addSwitch("group" + std::to_string(g) + ".router" + std::to_string(r)));
      for (int q = 0; q < r; ++q)
        b.link(mine[at(q)], mine.back(), v.at("local_bandwidth"), v.at("link_latency"));
      for (int h = 0; h < whole(v, "hosts_per_router") && b.fits(); ++h)
        for (int d : hosts.devices()) b.link(d, mine.back(), v.at("nic_bandwidth"), v.at("link_latency"));
    }
  }
  if (!b.fits() || groups < 2) return;
  std::vector<int> used(groups, 0);
  const auto take = [&](int g) { return router[at(g)][at(used[g]++ / ports % routers)]; };
  const int all = routers * ports;
  for (int step = 1; step < groups * std::max(1, all) && b.fits();
       ++step) {  // distance 1, 2, … round the groups, until the ports are used up
    const int distance = (step - 1) % (groups / 2) + 1;
    bool placed = false;
    for (int g = 0; g < groups; ++g) {
      const int to = (g + distance) % groups;
      if (to == g || (2 * distance == groups && to < g)) continue;
      if (used[at(g)] >= all || used[at(to)] >= all) continue;
      const int from = take(g);
      b.link(from, take(to), v.at("global_bandwidth"), v.at("link_latency"));
      placed = true;
    }
    if (!placed && distance == groups / 2) break;
  }
}

void tpuSlices(NetworkBuilder& b, const Values& v) {
  const std::vector<int> sides{whole(v, "x"), whole(v, "y"), whole(v, "z")};
  const int perHost = whole(v, "chips_per_host"), slices = whole(v, "slices");
  double chips = 1;
  for (int s : sides) chips *= s;
  if (chips * slices > NetworkBuilder::kMostDevices) return b.refuse();
  const double pitch = GridPlaces(sides, true).width() + 76;
  const int network = slices > 1 ? b.addSwitch("network", pitch * slices / 2 - 76, -150) : -1;
  for (int s = 0; s < slices && b.fits(); ++s) {
    const std::string slice = "slice" + std::to_string(s);
    std::vector<std::string> hosts;
    for (int c = 0; c < static_cast<int>(chips); ++c)
      hosts.push_back(slice + ".host" + std::to_string(c / perHost));
    // Wrap-around links exist along sides that are multiples of four (Google Cloud TPU documentation).
    const auto nodes =
        addGrid(b, slice + ".chip", sides, {sides[0] % 4 == 0, sides[1] % 4 == 0, sides[2] % 4 == 0},
                v.at("link_bandwidth"), v.at("link_latency"), pitch * s, hosts);
    for (std::size_t c = 0; c < nodes.size() && network >= 0; c += static_cast<std::size_t>(perHost)) {
      const int host = b.addHost(hosts[c], pitch * s, 0);
      for (std::size_t i = c; i < std::min(nodes.size(), c + static_cast<std::size_t>(perHost)); ++i)
        b.link(nodes[i], host, v.at("host_bandwidth"), v.at("link_latency"));
      b.link(host, network, v.at("nic_bandwidth"), v.at("network_latency"));
    }
  }
}

}  // namespace

std::optional<NetworkGraph> shapeNetwork(std::string_view id, const Values& v) {
  NetworkBuilder b;
  const auto grid = [&](int axes, bool wraps) {
    std::vector<int> sides{whole(v, "x"), whole(v, "y")};
    if (axes == 3) sides.push_back(whole(v, "z"));
    addGrid(b, "d", sides, std::vector<bool>(sides.size(), wraps), v.at("link_bandwidth"),
            v.at("link_latency"), 0);
  };
  if (id == "hgx-pod")
    hgxPod(b, v);
  else if (id == "rail-optimised")
    railOptimised(b, v);
  else if (id == "spine-leaf")
    spineLeaf(b, v);
  else if (id == "fat-tree")
    fatTree(b, v);
  else if (id == "torus-2d")
    grid(2, true);
  else if (id == "torus-3d")
    grid(3, true);
  else if (id == "mesh-2d")
    grid(2, false);
  else if (id == "mesh-3d")
    grid(3, false);
  else if (id == "dragonfly")
    dragonfly(b, v);
  else if (id == "tpu-slice")
    tpuSlices(b, v);
  else
    addGrid(b, "d", {whole(v, "devices")}, {true}, v.at("link_bandwidth"), v.at("link_latency"), 0);
  return b.take();
}

}  // namespace nest
