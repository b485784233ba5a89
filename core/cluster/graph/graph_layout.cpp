#include <algorithm>
#include <cmath>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_forest.h"
#include "cluster/graph/implied_hosts.h"
#include "units/at.h"

// Layout of a network: a forest of blocks; the children of a node stand in a grid under it. Nodes that
// nothing hangs from (further spines) share the row of their rank.

namespace nest::graph {
namespace {

constexpr double kSwitchRow = 70;
constexpr double kAspect = 1.6;  ///< of a block: width by height

class Layout {
public:
  explicit Layout(NetworkGraph& g) : m_g(g), m_forest(forestOf(g)) {}

  /// The node is a block of this size, whatever is inside.
  void setSize(int n, double width, double height) {
    m_size.resize(m_g.nodes.size());
    m_size[at(n)] = {width, height};
  }

  void run() {
    m_size.resize(m_g.nodes.size());
    std::vector<int> roots, spare;
    for (int r : m_forest.roots()) {
      const auto i = static_cast<std::size_t>(r);
      const bool childless = m_forest.children[i].empty() && m_g.nodes[i].kind == NodeKind::Switch;
      (childless ? spare : roots).push_back(r);
    }
    const Size all = placeGrid(roots, 0, 0);
    // Childless switches join the top row, to the right of its centre and to the left in turn.
    const double y = roots.empty() || spare.empty() ? 0 : m_g.nodes[at(roots.front())].y;
    for (std::size_t k = 0; k < spare.size(); ++k) {
      const double side = static_cast<double>(k / 2 + 1) * (k % 2 == 0 ? 1 : -1);
      set(spare[k], all.width / 2 + side * 2.5 * kDeviceWidth, roots.size() == 1 ? y : -kSwitchRow);
    }
  }

private:
  struct Size {
    double width = 0, height = 0;
  };

  void set(int n, double x, double y) { m_g.nodes[at(n)].x = x, m_g.nodes[at(n)].y = y; }

  static int hostColumns(int devices) {
    if (devices <= 4) return std::min(2, std::max(1, devices));
    return devices <= 8 ? 4 : static_cast<int>(std::ceil(std::sqrt(devices * 1.5)));
  }

  const Size& measure(int n) {
    Size& size = m_size[at(n)];
    if (size.width > 0) return size;
    const auto& children = m_forest.children[at(n)];
    if (m_g.nodes[at(n)].kind == NodeKind::Host) {
      const int count = std::max<int>(1, static_cast<int>(m_forest.inside[at(n)].size()));
      const int columns = hostColumns(count), rows = (count + columns - 1) / columns;
      size = {2 * kHostPadding + columns * (kDeviceWidth + kGap) - kGap,
              kHostHeader + 2 * kHostPadding + rows * (kDeviceHeight + kGap) - kGap};
    } else if (children.empty()) {
      size = {kDeviceWidth, kDeviceHeight};
    } else {
      const Size below = gridSize(children, columnsFor(children));
      size = {std::max(below.width, 2 * kDeviceWidth), below.height + kSwitchRow};
    }
    return size;
  }

  Size gridSize(const std::vector<int>& nodes, int columns) {
    Size all;
    double row = 0, height = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k > 0 && k % static_cast<std::size_t>(columns) == 0)
        all.height += height + 3 * kGap, row = height = 0;
      const Size& s = measure(nodes[k]);
      row += s.width + (row > 0 ? 2 * kGap : 0);
      height = std::max(height, s.height);
      all.width = std::max(all.width, row);
    }
    all.height += height;
    return all;
  }

  /// The column count whose block comes nearest to the shape of a screen.
  int columnsFor(const std::vector<int>& nodes) {
    int best = 1;
    double worst = 1e300;
    for (int c = 1; c <= static_cast<int>(nodes.size()); c += 1 + c / 8) {
      const Size s = gridSize(nodes, c);
      const double off = std::abs(std::log(s.width / s.height / kAspect));
      if (off < worst) worst = off, best = c;
    }
    return best;
  }

  void place(int n, double x, double y) {
    const Size size = measure(n);
    if (m_g.nodes[at(n)].kind == NodeKind::Host) {
      const auto& devices = m_forest.inside[at(n)];
      const int columns = hostColumns(static_cast<int>(devices.size()));
      for (int k = 0; k < static_cast<int>(devices.size()); ++k)
        set(devices[at(k)], x + kHostPadding + kDeviceWidth / 2 + (k % columns) * (kDeviceWidth + kGap),
            y + kHostHeader + kHostPadding + kDeviceHeight / 2 + k / columns * (kDeviceHeight + kGap));
      return set(n, x + size.width / 2, y + size.height / 2);
    }
    const auto& children = m_forest.children[at(n)];
    set(n, x + size.width / 2, y + kDeviceHeight / 2);
    if (!children.empty()) placeGrid(children, x, y + kSwitchRow);
  }

  Size placeGrid(const std::vector<int>& nodes, double x, double y) {
    if (nodes.empty()) return {};
    const int columns = columnsFor(nodes);
    double top = y, left = x, rowHeight = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k > 0 && k % static_cast<std::size_t>(columns) == 0)
        top += rowHeight + 3 * kGap, left = x, rowHeight = 0;
      place(nodes[k], left, top);
      const Size& s = measure(nodes[k]);
      left += s.width + 2 * kGap;
      rowHeight = std::max(rowHeight, s.height);
    }
    return gridSize(nodes, columns);
  }

  NetworkGraph& m_g;
  Forest m_forest;
  std::vector<Size> m_size;
};

}  // namespace

namespace {

/// Hosts without a node of their own are laid out as blocks, then their insides in these.
void layOutJoined(NetworkGraph& g, const ImpliedHosts& hosts) {
  const std::size_t count = hosts.names.size();
  NetworkGraph outer;
  std::vector<int> number(g.nodes.size(), -1);
  for (std::size_t h = 0; h < count; ++h) {
    NetworkNode block;
    block.id = block.name = hosts.names[h];
    block.kind = NodeKind::Host;
    outer.nodes.push_back(std::move(block));
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    number[i] = hosts.hostOf[i] >= 0 ? hosts.hostOf[i] : static_cast<int>(outer.nodes.size());
    if (hosts.hostOf[i] < 0) outer.nodes.push_back(g.nodes[i]);
  }
  std::vector<std::vector<int>> neighbours(g.nodes.size());
  for (NetworkLink l : g.links) {
    neighbours[at(l.from)].push_back(l.to);
    neighbours[at(l.to)].push_back(l.from);
    l.from = number[at(l.from)], l.to = number[at(l.to)];
    if (l.from != l.to) outer.links.push_back(l);
  }
  std::vector<HostInside> insides;
  Layout layout(outer);
  for (std::size_t h = 0; h < count; ++h) {
    insides.push_back(placeInside(g, hosts, static_cast<int>(h), neighbours));
    layout.setSize(static_cast<int>(h), insides[h].width, insides[h].height);
  }
  layout.run();
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const NetworkNode& placed = outer.nodes[at(number[i])];
    g.nodes[i].x = placed.x, g.nodes[i].y = placed.y;
  }
  for (std::size_t h = 0; h < count; ++h)
    for (std::size_t k = 0; k < hosts.members[h].size(); ++k) {
      NetworkNode& n = g.nodes[at(hosts.members[h][k])];
      n.x += insides[h].x[k] - insides[h].width / 2, n.y += insides[h].y[k] - insides[h].height / 2;
    }
}

}  // namespace

void layOut(NetworkGraph& g) {
  const ImpliedHosts hosts = impliedHosts(g);
  if (hosts.names.empty()) return Layout(g).run();
  layOutJoined(g, hosts);
}

bool needsLayout(const NetworkGraph& g) {
  return g.nodes.size() > 1 && std::all_of(g.nodes.begin(), g.nodes.end(), [&](const NetworkNode& n) {
           return n.x == g.nodes.front().x && n.y == g.nodes.front().y;
         });
}

Box boxOf(const NetworkGraph& g, int node, const std::vector<std::vector<int>>& contents) {
  const NetworkNode& n = g.nodes[at(node)];
  const auto& devices = contents[at(node)];
  if (n.kind != NodeKind::Host || devices.empty()) {
    const double w = n.kind == NodeKind::Device ? kDeviceWidth : 2 * kDeviceWidth;
    return {n.x - w / 2, n.y - kDeviceHeight / 2, w, kDeviceHeight};
  }
  double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
  for (int d : devices) {
    const NetworkNode& device = g.nodes[at(d)];
    left = std::min(left, device.x), right = std::max(right, device.x);
    top = std::min(top, device.y), bottom = std::max(bottom, device.y);
  }
  left -= kDeviceWidth / 2 + kHostPadding, right += kDeviceWidth / 2 + kHostPadding;
  top -= kDeviceHeight / 2 + kHostPadding + kHostHeader, bottom += kDeviceHeight / 2 + kHostPadding;
  return {left, top, right - left, bottom - top};
}

NetworkGraph fromLevels(const LevelsSource& source) {
  NetworkGraph g;
  if (source.levels.empty()) return g;
  const int hostFanout = std::max(1, source.levels.front().fanout);
  int hosts = 1;
  for (std::size_t l = 1; l < source.levels.size(); ++l) hosts *= std::max(1, source.levels[l].fanout);
  if (!source.hostSizes.empty()) hosts = static_cast<int>(source.hostSizes.size());

  const auto effective = [](const LevelSpec& s) { return s.bandwidth / s.oversubscription; };
  const auto link = [&](int a, int b, const LevelSpec& level, Seconds latency, int count) {
    NetworkLink x;
    x.from = a, x.to = b, x.bandwidth = effective(level), x.latency = latency, x.count = count;
    x.origin = level.origin;
    g.links.push_back(x);
  };
  struct Group {
    int node, devices;
  };
  std::vector<Group> groups;
  for (int h = 0; h < hosts; ++h) {
    const auto number = static_cast<std::size_t>(h);
    NetworkNode host;
    host.kind = NodeKind::Host;
    host.name = host.id =
        number < source.hostNames.size() ? source.hostNames[number] : "host" + std::to_string(h);
    const int node = static_cast<int>(g.nodes.size());
    g.nodes.push_back(host);
    const int size = source.hostSizes.empty() ? hostFanout : source.hostSizes[number];
    for (int k = 0; k < size; ++k) {
      NetworkNode device;
      device.kind = NodeKind::Device;
      device.host = host.id;
      device.name = device.id = host.name + ':' + std::to_string(k);
      g.nodes.push_back(device);
      link(static_cast<int>(g.nodes.size()) - 1, node, source.levels.front(),
           source.levels.front().latency / 2, 1);
    }
    groups.push_back({node, size});
  }
  for (const auto& e : source.exceptions) {
    int seen = 0;
    for (auto& n : g.nodes)
      if (n.kind == NodeKind::Device && seen++ == e.device)
        n.speed = e.factor.speed, n.memory = e.factor.memory;
  }
  // An uplink carries what all devices below it send: n devices at the level's bandwidth each.
  for (std::size_t l = 1; l < source.levels.size(); ++l) {
    const LevelSpec& level = source.levels[l];
    const Seconds hop =
        (std::max(level.latency, source.levels[l - 1].latency) - source.levels[l - 1].latency) / 2;
    const std::size_t fanout = static_cast<std::size_t>(std::max(1, level.fanout));
    std::vector<Group> above;
    for (std::size_t first = 0; first < groups.size(); first += fanout) {
      const std::size_t last = std::min(groups.size(), first + fanout);
      NetworkNode node;
      node.kind = NodeKind::Switch;
      node.name = node.id = (level.name.empty() ? "switch" : level.name) + ' ' + std::to_string(above.size());
      const int number = static_cast<int>(g.nodes.size());
      g.nodes.push_back(node);
      int devices = 0;
      for (std::size_t k = first; k < last; ++k) {
        link(groups[k].node, number, level, hop, groups[k].devices);
        devices += groups[k].devices;
      }
      above.push_back({number, devices});
    }
    groups = std::move(above);
  }
  layOut(g);
  return g;
}

}  // namespace nest::graph
