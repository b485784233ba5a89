#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_forest.h"
#include "cluster/graph/implied_hosts.h"
#include "units/at.h"

// Layout of a network: a forest of blocks; the children of a row of switches stand in a grid under it, and
// the row in the order of the middles of what its switches join there. Switches that form a mesh stand in two
// rows that face each other, with what they join behind them: their links have the room between to
// themselves.

namespace nest::graph {
namespace {

constexpr double kSwitchRow = 70;
constexpr double kSwitchWidth = 2 * kDeviceWidth, kSwitchPitch = kSwitchWidth + 2 * kGap;
constexpr std::size_t kMostInRow = 24;
constexpr std::size_t kMostAbreast = 8;  ///< in one row, where no line is to pass one
constexpr double kSlope = 6;             ///< width of a bundle of crossing lines by its least height
constexpr double kMostBundle = 5 * kSwitchRow;
constexpr double kBrokenRow = 3;  ///< what a link from row to row of the roots weighs against their shape
constexpr double kAspect = 1.6;   ///< of a block: width by height
constexpr double kBetweenRows = 0.35;  ///< of a mesh, by the width of a row

class Layout {
public:
  explicit Layout(NetworkGraph& g) : m_g(g), m_blocks(blocksOf(g)), m_below(g.nodes.size()) {
    for (const auto& l : g.links)
      for (const auto& [a, b] : {std::pair(l.from, l.to), std::pair(l.to, l.from)})
        if (g.nodes[at(a)].kind == NodeKind::Switch) m_below[at(a)].push_back(b);
  }

  /// The node is a block of this size, whatever is inside.
  void setSize(int n, double width, double height) {
    m_size.resize(m_g.nodes.size());
    m_size[at(n)] = {width, height};
  }

  void run() {
    m_size.resize(m_g.nodes.size()), m_columns.assign(m_g.nodes.size(), 0),
        m_placed.assign(m_g.nodes.size(), 0);
    std::vector<int> roots, spare;
    for (int r : m_blocks.roots()) {
      const auto i = static_cast<std::size_t>(r);
      const bool childless = m_blocks.children[i].empty() && m_g.nodes[i].kind == NodeKind::Switch;
      (childless ? spare : roots).push_back(r);
    }
    if (orderAsRing(roots))
      placeGrid(roots, static_cast<int>(roots.size() + 1) / 2, 0, 0);
    else if (const int columns = columnsFor(roots, true); isMesh(roots, columns))
      placeMesh(roots);
    else
      placeGrid(roots, columns, 0, 0);
    // What joins nothing stands above everything.
    for (std::size_t k = 0; k < spare.size(); ++k)
      set(spare[k], kSwitchWidth / 2 + static_cast<double>(k % kMostInRow) * kSwitchPitch,
          -kSwitchRow * static_cast<double>(1 + k / kMostInRow));
  }

private:
  struct Size {
    double width = 0, height = 0;
  };

  void set(int n, double x, double y) { m_g.nodes[at(n)].x = x, m_g.nodes[at(n)].y = y, m_placed[at(n)] = 1; }

  static int hostColumns(int devices) {
    if (devices <= 4) return std::min(2, std::max(1, devices));
    return devices <= 8 ? 4 : static_cast<int>(std::ceil(std::sqrt(devices * 1.5)));
  }

  const Size& measure(int n) {
    Size& size = m_size[at(n)];
    if (size.width > 0) return size;
    const auto& children = m_blocks.children[at(n)];
    if (m_g.nodes[at(n)].kind == NodeKind::Host) {
      const int count = std::max<int>(1, static_cast<int>(m_blocks.inside[at(n)].size()));
      const int columns = hostColumns(count), rows = (count + columns - 1) / columns;
      size = {2 * kHostPadding + columns * (kDeviceWidth + kGap) - kGap,
              kHostHeader + 2 * kHostPadding + rows * (kDeviceHeight + kGap) - kGap};
    } else if (m_g.nodes[at(n)].kind == NodeKind::Device) {
      size = {kDeviceWidth, kDeviceHeight};
    } else if (children.empty()) {
      size = {rowWidth(n), headOf(n)};
    } else {
      const Size below = gridSize(children, columnsBelow(n));
      size = {std::max(below.width, rowWidth(n)), below.height + headOf(n)};
    }
    return size;
  }

  std::size_t switchesIn(int first) const { return m_blocks.row[at(first)].size() + 1; }
  double rowWidth(int first) const {
    return static_cast<double>(std::min(switchesIn(first), kMostInRow)) * kSwitchPitch - 2 * kGap;
  }
  int columnsBelow(int first) {
    const auto& children = m_blocks.children[at(first)];
    int& known = m_columns[at(first)];
    const bool abreast =
        children.size() <= kMostAbreast && (switchesIn(first) > 1 || joinsInsides({first}) ||
                                            std::all_of(children.begin(), children.end(), [this](int child) {
                                              return m_g.nodes[at(child)].kind == NodeKind::Device;
                                            }));
    if (known == 0) known = abreast ? static_cast<int>(children.size()) : columnsFor(children);
    return known;
  }
  /// Height of a row of switches with the lines below it: the more cross, the higher.
  double headOf(int first) {
    const auto& children = m_blocks.children[at(first)];
    const std::size_t count = switchesIn(first);
    if (count == 1) return children.empty() ? kDeviceHeight : kSwitchRow;
    const auto lines = static_cast<double>((count - 1) / kMostInRow);
    const double width =
        std::max(rowWidth(first), children.empty() ? 0 : gridSize(children, columnsBelow(first)).width);
    return lines * (kDeviceHeight + 2 * kGap) +
           (children.empty() ? kDeviceHeight : std::clamp(width / kSlope, kSwitchRow, kMostBundle));
  }

  /// In the order of the middles of what hangs below each, so that few lines cross; as numbered where that is
  /// the same.
  void placeRow(int first, double x, double y) {
    std::vector<std::pair<double, int>> order;
    for (int s : rowOf(first)) {
      double sum = 0;
      int count = 0;
      for (int b : m_below[at(s)])
        if (m_placed[at(b)] && m_blocks.first[at(b)] != first) sum += middleOf(b, first), ++count;
      order.emplace_back(count > 0 ? std::round(sum / count) : 0, s);
    }
    std::sort(order.begin(), order.end());
    const double width = measure(first).width;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const std::size_t line = k / kMostInRow, begin = line * kMostInRow;
      const auto inLine = static_cast<double>(std::min(kMostInRow, order.size() - begin));
      set(order[k].second, x + width / 2 + (static_cast<double>(k - begin) - (inLine - 1) / 2) * kSwitchPitch,
          y + kDeviceHeight / 2 + static_cast<double>(line) * (kDeviceHeight + 2 * kGap));
    }
  }
  std::vector<int> rowOf(int first) const {
    std::vector<int> row = m_blocks.row[at(first)];
    row.insert(std::lower_bound(row.begin(), row.end(), first), first);
    return row;
  }
  /// Of a device what it hangs below: which slot it has there says nothing of where its lines lead.
  double middleOf(int n, int row) const {
    const int above = m_blocks.parent[at(n)];
    const bool inBlock = m_g.nodes[at(n)].kind == NodeKind::Device && above >= 0 && above != row;
    return m_g.nodes[at(inBlock ? above : n)].x;
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

  /// Between roots, or switches in a row with them, by their places in the list.
  std::vector<std::pair<int, int>> linksAmong(const std::vector<int>& roots) const {
    std::vector<int> place(m_g.nodes.size(), -1);
    for (std::size_t k = 0; k < roots.size(); ++k) {
      place[at(roots[k])] = static_cast<int>(k);
      for (int beside : m_blocks.row[at(roots[k])]) place[at(beside)] = static_cast<int>(k);
    }
    std::vector<std::pair<int, int>> out;
    for (const auto& l : m_g.links)
      if (const int a = place[at(l.from)], b = place[at(l.to)]; a >= 0 && b >= 0 && a != b)
        out.emplace_back(std::minmax(a, b));
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  /// Roots that form one ring go there and back in two rows.
  bool orderAsRing(std::vector<int>& roots) const {
    const auto links = linksAmong(roots);
    if (roots.size() < 4 || links.size() != roots.size()) return false;
    std::vector<std::vector<int>> next(roots.size());
    for (const auto& [a, b] : links) next[at(a)].push_back(b), next[at(b)].push_back(a);
    std::vector<int> order;
    for (int last = -1, here = 0; order.empty() || here != 0;) {
      if (next[at(here)].size() != 2 || order.size() >= roots.size()) return false;
      order.push_back(roots[at(here)]);
      const int on = next[at(here)][0] == last ? next[at(here)][1] : next[at(here)][0];
      last = std::exchange(here, on);
    }
    if (order.size() != roots.size()) return false;
    std::reverse(order.begin() + static_cast<std::ptrdiff_t>((order.size() + 1) / 2), order.end());
    roots = std::move(order);
    return true;
  }

  /// The column count whose block comes nearest to the shape of a screen.
  int columnsFor(const std::vector<int>& nodes, bool linked = false) {
    const auto links = linked ? linksAmong(nodes) : std::vector<std::pair<int, int>>();
    int best = 1;
    double worst = 1e300;
    for (int c = 1; c <= static_cast<int>(nodes.size()); c += 1 + c / 8) {
      const Size s = gridSize(nodes, c);
      const auto broken = std::count_if(links.begin(), links.end(),
                                        [c](const auto& l) { return l.first / c != l.second / c; });
      const double off =
          std::abs(std::log(s.width / s.height / kAspect)) +
          (links.empty() ? 0 : kBrokenRow * static_cast<double>(broken) / static_cast<double>(links.size()));
      if (off < worst) worst = off, best = c;
    }
    return best;
  }

  /// Switches of whose links more than a third lead past others in a grid of so many columns.
  bool isMesh(const std::vector<int>& roots, int columns) const {
    const auto isSwitch = [this](int r) { return m_g.nodes[at(r)].kind == NodeKind::Switch; };
    if (roots.size() < 4 || !std::all_of(roots.begin(), roots.end(), isSwitch)) return false;
    const auto links = linksAmong(roots);
    const auto past = std::count_if(links.begin(), links.end(), [columns](const auto& l) {
      return std::abs(l.first / columns - l.second / columns) +
                 std::abs(l.first % columns - l.second % columns) >
             1;
    });
    return 3 * past > static_cast<std::ptrdiff_t>(links.size());
  }

  /// Next always the one with most links to those before: groups stay together.
  std::vector<int> inGroups(const std::vector<int>& roots) const {
    std::vector<std::vector<int>> next(roots.size());
    for (const auto& [a, b] : linksAmong(roots)) next[at(a)].push_back(b), next[at(b)].push_back(a);
    std::vector<int> order, known(roots.size(), 0);
    while (order.size() < roots.size()) {
      const auto most = std::max_element(known.begin(), known.end());
      const auto k = static_cast<std::size_t>(most - known.begin());
      order.push_back(roots[k]);
      known[k] = std::numeric_limits<int>::min() / 2;
      for (int other : next[k]) ++known[at(other)];
    }
    return order;
  }

  /// To devices in hosts, where a line would lead through the host before them.
  bool joinsInsides(const std::vector<int>& roots) const {
    return std::any_of(roots.begin(), roots.end(), [this](int r) {
      return std::any_of(m_below[at(r)].begin(), m_below[at(r)].end(), [this](int b) { return isInside(b); });
    });
  }
  bool isInside(int n) const {
    const int above = m_blocks.parent[at(n)];
    return above >= 0 && m_g.nodes[at(above)].kind == NodeKind::Host;
  }

  Size rowSize(const std::vector<int>& row) { return gridSize(row, static_cast<int>(row.size())); }

  void placeMesh(const std::vector<int>& roots) {
    std::vector<int> upper = inGroups(roots);
    const auto half = upper.begin() + static_cast<std::ptrdiff_t>((upper.size() + 1) / 2);
    std::vector<int> lower(std::make_reverse_iterator(upper.end()), std::make_reverse_iterator(half));
    upper.erase(half, upper.end());
    // What a switch joins stands as many abreast as gives the whole the shape of a screen.
    std::size_t most = 1;
    for (int r : roots) most = std::max(most, m_blocks.children[at(r)].size());
    const auto standAbreast = [&](int count) {
      for (int r : roots)
        m_size[at(r)] = {},
        m_columns[at(r)] = std::min(count, static_cast<int>(m_blocks.children[at(r)].size()));
      const Size above = rowSize(upper), below = rowSize(lower);
      const double width = std::max(above.width, below.width);
      return std::pair(width, above.height + below.height + kBetweenRows * width);
    };
    int best = static_cast<int>(most);
    double worst = std::numeric_limits<double>::infinity();
    for (int count = 1; !joinsInsides(roots) && count <= static_cast<int>(most); count += 1 + count / 8) {
      const auto [width, height] = standAbreast(count);
      if (const double off = std::abs(std::log(width / height / kAspect)); off < worst)
        worst = off, best = count;
    }
    const double width = standAbreast(best).first, facing = rowSize(upper).height;
    const auto placeRow = [&](const std::vector<int>& row, bool flipped) {
      double left = (width - rowSize(row).width) / 2;
      for (int r : row) {
        const Size size = measure(r);
        const double top = flipped ? facing - size.height : facing + kBetweenRows * width;
        place(r, left, top);
        if (flipped) flip(r, top + size.height / 2);
        left += size.width + 2 * kGap;
      }
    };
    placeRow(upper, true), placeRow(lower, false);
  }

  /// What hangs below stands above; hosts stay upright.
  void flip(int n, double axis) {
    const double by = 2 * (axis - m_g.nodes[at(n)].y);
    m_g.nodes[at(n)].y += by;
    for (int d : m_blocks.inside[at(n)]) m_g.nodes[at(d)].y += by;
    for (int s : m_blocks.row[at(n)]) m_g.nodes[at(s)].y = 2 * axis - m_g.nodes[at(s)].y;
    for (int child : m_blocks.children[at(n)]) flip(child, axis);
  }

  void place(int n, double x, double y) {
    const Size size = measure(n);
    if (m_g.nodes[at(n)].kind == NodeKind::Host) {
      const auto& devices = m_blocks.inside[at(n)];
      const int columns = hostColumns(static_cast<int>(devices.size()));
      for (int k = 0; k < static_cast<int>(devices.size()); ++k)
        set(devices[at(k)], x + kHostPadding + kDeviceWidth / 2 + (k % columns) * (kDeviceWidth + kGap),
            y + kHostHeader + kHostPadding + kDeviceHeight / 2 + k / columns * (kDeviceHeight + kGap));
      return set(n, x + size.width / 2, y + size.height / 2);
    }
    const auto& children = m_blocks.children[at(n)];
    if (!children.empty()) {
      const int columns = columnsBelow(n);
      placeGrid(children, columns, x + (size.width - gridSize(children, columns).width) / 2, y + headOf(n));
    }
    m_g.nodes[at(n)].kind == NodeKind::Switch ? placeRow(n, x, y)
                                              : set(n, x + size.width / 2, y + kDeviceHeight / 2);
  }

  void placeGrid(const std::vector<int>& nodes, int columns, double x, double y) {
    double top = y, left = x, rowHeight = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (k > 0 && k % static_cast<std::size_t>(columns) == 0)
        top += rowHeight + 3 * kGap, left = x, rowHeight = 0;
      place(nodes[k], left, top);
      const Size& s = measure(nodes[k]);
      left += s.width + 2 * kGap;
      rowHeight = std::max(rowHeight, s.height);
    }
  }

  NetworkGraph& m_g;
  Blocks m_blocks;
  std::vector<std::vector<int>> m_below;  ///< all that a switch joins
  std::vector<char> m_placed;
  std::vector<int> m_columns;  ///< below a row of switches; 0: not known yet
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

}  // namespace nest::graph
