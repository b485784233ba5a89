#include <algorithm>
#include <numeric>

#include "cluster/devices/device_facts.h"
#include "cluster/graph/generator_shapes.h"
#include "formats/networks/slurm_topology.h"
#include "formats/networks/slurm_tree.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kMostSlurmDevices = 1u << 20;

/// How many switches stand above and including each group; parents may stand behind their children in the
/// file.
std::vector<int> depths(const std::vector<SlurmTopology::Group>& groups) {
  std::vector<int> depth(groups.size(), 0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<int> way;
    int x = static_cast<int>(g);
    for (; x >= 0 && depth[at(x)] == 0; x = groups[at(x)].parent) way.push_back(x);
    int d = x < 0 ? 0 : depth[at(x)];
    for (std::size_t i = way.size(); i-- > 0;) depth[at(way[i])] = ++d;
  }
  return depth;
}

bool hasManyTops(const std::vector<SlurmTopology::Group>& groups) {
  return std::count_if(groups.begin(), groups.end(), [](const auto& g) { return g.parent < 0; }) > 1;
}

/// Sizes of the joins of blocks: how many blocks each level joins, outermost the whole.
std::vector<int> blockJoins(const SlurmTopology& t) {
  std::vector<int> joins;
  const int blocks = static_cast<int>(t.groups.size());
  for (std::size_t i = 1; i < t.blockSizes.size(); ++i) {
    const int join = t.blockSizes[i] / t.blockSizes[0];
    if (join < blocks) joins.push_back(join);
  }
  if (blocks > 1) joins.push_back(blocks);
  return joins;
}

}  // namespace

int SlurmTopology::levelCount() const {
  switch (kind) {
    case Kind::Tree: {
      const auto depth = depths(groups);
      return (depth.empty() ? 0 : *std::max_element(depth.begin(), depth.end())) +
             (hasManyTops(groups) ? 1 : 0);
    }
    case Kind::Block:
      return 1 + static_cast<int>(blockJoins(*this).size());
    default:
      return 1;
  }
}

std::size_t SlurmTopology::hostCount() const {
  return std::accumulate(groups.begin(), groups.end(), std::size_t(0),
                         [](std::size_t n, const Group& g) { return n + g.hosts.size(); });
}

int SlurmTopology::devicesOf(const std::string& host, int usual) const {
  const auto own = devices.find(host);
  return own != devices.end() ? own->second : devicesOfOthers.value_or(usual);
}

bool SlurmTopology::tellsDevices() const {
  return devicesOfOthers ||
         (!groups.empty() && std::all_of(groups.begin(), groups.end(), [&](const Group& g) {
           return std::all_of(g.hosts.begin(), g.hosts.end(),
                              [&](const std::string& h) { return devices.count(h) > 0; });
         }));
}

bool hasNvlinkDomains(const SlurmTopology& t, const DeviceSpec& device) {
  return t.areNvlinkDomains || (t.kind == SlurmTopology::Kind::Block && factsOf(device.id).domainSize > 0);
}

SlurmTree treeOf(const SlurmTopology& t) {
  SlurmTree tree;
  const int levels = t.levelCount();
  const auto add = [&](const std::string& name, int parent, int level) {
    tree.nodes.push_back({name, parent, level, {}});
    if (parent >= 0) tree.nodes[at(parent)].children.push_back(static_cast<int>(tree.nodes.size()) - 1);
    return static_cast<int>(tree.nodes.size()) - 1;
  };
  const auto addHosts = [&](const SlurmTopology::Group& g, int parent) {
    for (const std::string& h : g.hosts) tree.hosts.push_back(add(h, parent, 0));
  };
  if (t.kind == SlurmTopology::Kind::Block) {
    const auto joins = blockJoins(t);
    std::vector<int> above(joins.size(), -1);
    for (std::size_t b = 0; b < t.groups.size(); ++b) {
      for (std::size_t j = joins.size(); j-- > 0;)
        if (static_cast<int>(b) % joins[j] == 0)
          above[j] = add("blocks" + std::to_string(b) + "+" + std::to_string(joins[j]),
                         j + 1 < joins.size() ? above[j + 1] : -1, static_cast<int>(j) + 2);
      addHosts(t.groups[b], add(t.groups[b].name, joins.empty() ? -1 : above[0], 1));
    }
    return tree;
  }
  // Switches keep the depth they have from the top, so that a shallow leaf beside deep ones stays near the
  // top.
  const auto depth = depths(t.groups);
  const int top = hasManyTops(t.groups) ? add("cluster", -1, levels) : -1;
  std::vector<int> order(t.groups.size()), node(t.groups.size(), -1);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return depth[at(a)] < depth[at(b)]; });
  for (int g : order) {
    const auto& group = t.groups[at(g)];
    const int parent = group.parent >= 0 ? node[at(group.parent)] : top;
    const int level = parent >= 0 ? tree.nodes[at(parent)].level - 1 : levels;
    node[at(g)] = add(group.name, parent, level);
    addHosts(group, node[at(g)]);
  }
  return tree;
}

SlurmFigures defaultFigures(const SlurmTopology& t, const DeviceSpec& device) {
  SlurmFigures f;
  f.devicesPerHost = std::max(1, device.usualHostSize);
  const auto rate = [](BytesPerSecond b, double fallback) {
    return b.value() > 0 ? b : BytesPerSecond(fallback);
  };
  f.levels.push_back({"host", rate(device.linkBandwidth.value, 300e9), device.linkLatency.value,
                      device.linkBandwidth.value.value() > 0 ? Origin::Catalog : Origin::Estimated});
  static const char* const tree[] = {"leaf", "spine", "core"};
  for (int l = 0; l < t.levelCount(); ++l) {
    std::string name = t.kind == SlurmTopology::Kind::Block
                           ? (l == 0 ? "block" : "blocks " + std::to_string(l))
                       : l < 3 ? tree[l]
                               : "switch level " + std::to_string(l + 1);
    if (t.kind == SlurmTopology::Kind::Ring) name = "ring";
    if (t.kind == SlurmTopology::Kind::Torus) name = "torus";
    f.levels.push_back({std::move(name), rate(device.hostLinkBandwidth.value, 25e9), Seconds(5e-6 + 2e-6 * l),
                        Origin::Estimated});
  }
  if (hasNvlinkDomains(t, device) && f.levels.size() > 1)
    f.levels[1] = {"NVLink domain", f.levels[0].bandwidth, f.levels[0].latency, f.levels[0].origin};
  return f;
}

namespace {

Diagnostics check(const SlurmTopology& t, const SlurmFigures& f) {
  Diagnostics out;
  const auto at = [](std::string field) { return Place{"", 0, 0, "/cluster/" + std::move(field)}; };
  if (static_cast<int>(f.levels.size()) != 1 + t.levelCount())
    out.push_back(error("slurm-figures", at("levels"),
                        "the topology needs values for " + std::to_string(1 + t.levelCount()) + " levels"));
  for (std::size_t l = 0; l < f.levels.size(); ++l)
    if (!(f.levels[l].bandwidth.value() > 0) || !(f.levels[l].latency.value() >= 0))
      out.push_back(error(
          "slurm-figures", at("levels/" + std::to_string(l)),
          "level \"" + f.levels[l].name + "\" needs a positive bandwidth and a latency of zero or more"));
  double devices = 0;
  for (const auto& g : t.groups)
    for (const std::string& h : g.hosts) devices += t.devicesOf(h, std::max(1, f.devicesPerHost));
  if (f.devicesPerHost < 1)
    out.push_back(error("slurm-devices", at("devices_per_host"), "devices per host must be 1 or more"));
  else if (devices > kMostSlurmDevices)
    out.push_back(error("slurm-devices", at("devices_per_host"),
                        "the hosts have " + text::count(static_cast<long long>(devices)) +
                            " devices in all; at most " + text::count(kMostSlurmDevices) + " are supported"));
  if (t.hostCount() == 0)
    out.push_back(error("slurm-no-hosts", at("hosts"), "the topology names no hosts",
                        "a flat topology lists none; describe the cluster by levels"));
  return out;
}

/// The typed levels of a tree whose groups have at most so many members, missing ones counted; nothing if it
/// would take more than four times the hosts there are.
std::optional<LevelsSource> levelsOf(const SlurmTopology& t, const SlurmTree& tree, const SlurmFigures& f) {
  LevelsSource s;
  double slots = 1;
  int mostDevices = 1;
  for (int h : tree.hosts)
    mostDevices = std::max(mostDevices, t.devicesOf(tree.nodes[at(h)].name, f.devicesPerHost));
  for (std::size_t l = 0; l < f.levels.size(); ++l) {
    LevelSpec spec;
    spec.name = f.levels[l].name;
    spec.bandwidth = f.levels[l].bandwidth;
    spec.latency = f.levels[l].latency;
    spec.origin = f.levels[l].origin;
    spec.fanout = l == 0 ? mostDevices : 1;
    s.levels.push_back(spec);
  }
  for (const auto& n : tree.nodes)
    if (n.level > 0) {
      for (int c : n.children)
        if (tree.nodes[at(c)].level != n.level - 1) return std::nullopt;
      auto& fanout = s.levels[at(n.level)].fanout;
      fanout = std::max(fanout, static_cast<int>(n.children.size()));
    }
  for (std::size_t l = 1; l < s.levels.size(); ++l) slots *= s.levels[l].fanout;
  if (slots > 4.0 * static_cast<double>(tree.hosts.size())) return std::nullopt;
  const auto count = static_cast<std::size_t>(slots);
  s.hostSizes.assign(count, 0);
  s.hostNames.assign(count, "");
  // Number every node inside its parent; a host's slot is the mixed-radix number of its way down.
  std::vector<std::size_t> slot(tree.nodes.size(), 0);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n)  // parents stand before their children
    for (std::size_t k = 0; k < tree.nodes[n].children.size(); ++k) {
      const int c = tree.nodes[n].children[k];
      slot[at(c)] = slot[n] * at(s.levels[at(tree.nodes[n].level)].fanout) + k;
      if (tree.nodes[at(c)].level == 0) {
        s.hostSizes[slot[at(c)]] = t.devicesOf(tree.nodes[at(c)].name, f.devicesPerHost);
        s.hostNames[slot[at(c)]] = tree.nodes[at(c)].name;
      }
    }
  if (std::all_of(s.hostSizes.begin(), s.hostSizes.end(), [&](int size) { return size == mostDevices; }))
    s.hostSizes.clear();
  return s;
}

/// Links sized so that every group's share of its uplink is the level's bandwidth.
NetworkGraph graphOf(const SlurmTopology& t, const SlurmTree& tree, const SlurmFigures& f) {
  NetworkGraph g;
  std::vector<double> devices(tree.nodes.size(), 0);
  for (std::size_t n = tree.nodes.size(); n-- > 0;) {
    if (tree.nodes[n].level == 0) devices[n] = t.devicesOf(tree.nodes[n].name, f.devicesPerHost);
    if (tree.nodes[n].parent >= 0) devices[at(tree.nodes[n].parent)] += devices[n];
  }
  const auto link = [&](int a, int b, double rate, double latency, Origin origin) {
    g.links.push_back({a, b, BytesPerSecond(rate), Seconds(latency), 1, false, false, origin});
  };
  std::vector<int> number(tree.nodes.size());
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const auto& x = tree.nodes[n];
    NetworkNode node;
    // Switches and hosts may share names; ids may not.
    node.id = (x.level == 0 ? "host:" : "switch:") + x.name;
    node.name = x.name;
    node.kind = x.level == 0 ? NodeKind::Host : NodeKind::Switch;
    number[n] = static_cast<int>(g.nodes.size());
    g.nodes.push_back(node);
    if (x.parent >= 0) {
      const int parentLevel = tree.nodes[at(x.parent)].level;
      const auto& level = f.levels[at(parentLevel)];
      // Half of what the level adds end to end, once on the way up and once on the way down.
      const double inner = x.level == 0 ? f.levels[0].latency.value() : f.levels[at(x.level)].latency.value();
      link(number[at(x.parent)], number[n], level.bandwidth.value() * devices[n],
           std::max(0.0, level.latency.value() - inner) / 2, level.origin);
    }
    if (x.level != 0) continue;
    for (int d = 0; d < static_cast<int>(devices[n]); ++d) {
      NetworkNode device;
      device.id = x.name + ":" + std::to_string(d);
      device.name = device.id;
      device.kind = NodeKind::Device;
      device.host = node.id;
      g.nodes.push_back(device);
      link(static_cast<int>(g.nodes.size()) - 1, number[n], f.levels[0].bandwidth.value(),
           f.levels[0].latency.value() / 2, f.levels[0].origin);
    }
  }
  return g;
}

/// Hosts in a ring or torus, x fastest; the file's order is the order of the cells.
NetworkGraph latticeOf(const SlurmTopology& t, const SlurmFigures& f) {
  std::vector<int> hosts;
  NetworkBuilder b;
  const double perHost = f.levels[1].bandwidth.value() / 1e9 * f.devicesPerHost;
  for (const auto& group : t.groups) {
    hosts.clear();
    for (const std::string& name : group.hosts)
      hosts.push_back(b.addHostWithDevices(name, t.devicesOf(name, f.devicesPerHost),
                                           f.levels[0].bandwidth.value() / 1e9,
                                           f.levels[0].latency.value() * 1e6 / 2)
                          .front() -
                      1);
    const std::vector<int> sides = t.kind == SlurmTopology::Kind::Torus
                                       ? std::vector<int>(t.sides.begin(), t.sides.end())
                                       : std::vector<int>{static_cast<int>(hosts.size())};
    std::size_t stride = 1;
    for (int side : sides) {
      const auto s = static_cast<std::size_t>(side);
      for (std::size_t k = 0; k < hosts.size(); ++k) {
        const std::size_t c = k / stride % s;
        if (c + 1 < s)
          b.link(hosts[k], hosts[k + stride], perHost, f.levels[1].latency.value() * 1e6);
        else if (s > 2)
          b.link(hosts[k], hosts[k - stride * (s - 1)], perHost, f.levels[1].latency.value() * 1e6);
      }
      stride *= s;
    }
  }
  return b.take().value_or(NetworkGraph{});
}

}  // namespace

Reading<std::variant<LevelsSource, GraphSource>> networkOf(const SlurmTopology& t, const SlurmFigures& f) {
  Reading<std::variant<LevelsSource, GraphSource>> result;
  result.diagnostics = check(t, f);
  if (hasErrors(result.diagnostics)) return result;
  std::string assumed;
  for (const auto& l : f.levels)
    if (l.origin != Origin::Typed && l.origin != Origin::Measured)
      assumed += (assumed.empty() ? "" : ", ") + l.name + ' ' + text::bandwidth(l.bandwidth) + ' ' +
                 text::time(l.latency);
  if (!assumed.empty())
    result.diagnostics.push_back(note("slurm-no-bandwidth", {"", 0, 0, "/cluster/levels"},
                                      t.from + " carries no bandwidth; assumed per device: " + assumed,
                                      "give the bandwidth and latency of each level"));
  const bool lattice = t.kind == SlurmTopology::Kind::Ring || t.kind == SlurmTopology::Kind::Torus;
  if (!lattice) {
    const SlurmTree tree = treeOf(t);
    if (auto levels = levelsOf(t, tree, f))
      result.value = std::move(*levels);
    else
      result.value = GraphSource{graphOf(t, tree, f), {}, t.from.substr(t.from.starts_with("a ") ? 2 : 0)};
    return result;
  }
  if (t.kind == SlurmTopology::Kind::Ring && t.groups.size() > 1) {
    result.diagnostics.push_back(error("slurm-rings", {"", 0, 0, "/cluster"},
                                       "several rings without a joining network cannot form one cluster",
                                       "keep one ring"));
    return result;
  }
  result.value = GraphSource{latticeOf(t, f), {}, "Slurm topology"};
  return result;
}

}  // namespace nest
