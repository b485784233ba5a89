#include "cluster/levels/dendrogram.h"

#include <numeric>
#include <tuple>

#include "cluster/levels/lattice.h"
#include "units/at.h"

namespace nest {
namespace {

/// Widths closer than this are one; in a network of very many widths, what is no gap between levels either.
constexpr double kSameWidth = 0.999, kSameOfMany = 1 / 1.05;
constexpr int kManyWidths = 256;

/// Kruskal's algorithm from the widest link down. Components that hold devices carry the dendrogram node of
/// theirs; switches on their own carry none. Components that meet at one width are told apart by hops
/// (Mehlhorn 1988: the edges between the Voronoi cells of the parts contain a minimum spanning tree of their
/// distances).
class Builder {
public:
  explicit Builder(const Fabric& f) : m_f(f) {
    const auto n = static_cast<std::size_t>(f.nodeCount);
    m_parent.resize(n);
    std::iota(m_parent.begin(), m_parent.end(), 0);
    m_next = m_parent;
    m_cluster.assign(n, -1);
    m_label.assign(n, -1);
    m_distance.assign(n, 0);
    for (int d = 0; d < f.deviceCount(); ++d) {
      m_out.nodes.emplace_back();
      m_out.nodes.back().device = d;
      m_cluster[at(f.devices[at(d)])] = d;
    }
  }

  Dendrogram run() {
    std::vector<int> edges;
    for (std::size_t e = 0; e < m_f.edges.size(); ++e)
      if (m_f.edges[e].width() > 0) edges.push_back(static_cast<int>(e));
    std::stable_sort(edges.begin(), edges.end(),
                     [&](int a, int b) { return m_f.edges[at(a)].width() > m_f.edges[at(b)].width(); });
    if (countWidths(edges) > kManyWidths) m_same = kSameOfMany;
    for (std::size_t i = 0; i < edges.size();) {
      std::size_t j = i;
      const double widest = m_f.edges[at(edges[i])].width();
      while (j < edges.size() && m_f.edges[at(edges[j])].width() >= m_same * widest) ++j;
      joinAt(edges, i, j);
      i = j;
    }
    closeRoot();
    return std::move(m_out);
  }

private:
  int find(int x) {
    while (m_parent[at(x)] != x) {
      m_parent[at(x)] = m_parent[at(m_parent[at(x)])];
      x = m_parent[at(x)];
    }
    return x;
  }

  int countWidths(const std::vector<int>& edges) const {
    int widths = 0;
    double first = 0;
    for (int e : edges) {
      const double w = m_f.edges[at(e)].width();
      if (widths == 0 || w < kSameWidth * first) ++widths, first = w;
    }
    return widths;
  }

  void joinAt(const std::vector<int>& edges, std::size_t begin, std::size_t end) {
    const double width = m_f.edges[at(edges[end - 1])].width();
    m_widest = m_f.edges[at(edges[begin])].width();
    std::vector<int> touched;
    for (std::size_t k = begin; k < end; ++k) {
      const Fabric::Edge& e = m_f.edges[at(edges[k])];
      touched.push_back(find(e.a));
      touched.push_back(find(e.b));
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (std::size_t k = begin; k < end; ++k) {
      const int a = find(m_f.edges[at(edges[k])].a), b = find(m_f.edges[at(edges[k])].b);
      if (a == b) continue;
      m_parent[at(a)] = b;
      std::swap(m_next[at(a)], m_next[at(b)]);  // the circular member lists become one
    }
    std::stable_sort(touched.begin(), touched.end(), [&](int a, int b) { return find(a) < find(b); });
    for (std::size_t i = 0; i < touched.size();) {
      const int root = find(touched[i]);
      std::vector<int> clusters;
      for (; i < touched.size() && find(touched[i]) == root; ++i)
        if (m_cluster[at(touched[i])] >= 0) clusters.push_back(m_cluster[at(touched[i])]);
      if (clusters.empty()) continue;
      std::sort(clusters.begin(), clusters.end());
      m_cluster[at(root)] = clusters.size() == 1   ? clusters.front()
                            : clusters.size() == 2 ? join(clusters, width, DendrogramNode::Tier::Width)
                                                   : joinByHops(root, clusters, width);
    }
  }

  int join(std::vector<int> children, double width, DendrogramNode::Tier tier, int hops = 0) {
    DendrogramNode node;
    node.tier = tier;
    node.width = width;
    node.hops = hops;
    node.devices = 0;
    const int id = static_cast<int>(m_out.nodes.size());
    for (int c : children) {
      node.devices += m_out.nodes[at(c)].devices;
      m_out.nodes[at(c)].parent = id;
    }
    node.children = std::move(children);
    m_out.nodes.push_back(std::move(node));
    return id;
  }

  /// (hops, part, part) between neighbouring Voronoi cells of the parts, each pair once at its shortest.
  std::vector<std::tuple<int, int, int>> neighbouringCells(int root, const std::vector<int>& clusters,
                                                           double width) {
    std::vector<int> front;
    for (int v = m_next[at(root)];; v = m_next[at(v)]) {
      m_label[at(v)] = -1;
      if (v == root) break;
    }
    // A device belongs to the part that its ancestor among `clusters` is; parts were components, so flood
    // from devices.
    std::vector<int> part(m_out.nodes.size(), -1);
    for (std::size_t p = 0; p < clusters.size(); ++p) part[at(clusters[p])] = static_cast<int>(p);
    for (int v = m_next[at(root)];; v = m_next[at(v)]) {
      if (m_f.deviceOf[at(v)] >= 0) {
        int n = m_f.deviceOf[at(v)];
        while (part[at(n)] < 0) n = m_out.nodes[at(n)].parent;
        m_label[at(v)] = part[at(n)];
        m_distance[at(v)] = 0;
        front.push_back(v);
      }
      if (v == root) break;
    }
    const auto wide = [&](const Fabric::Arc& a) { return m_f.edges[at(a.edge)].width() >= width; };
    // Switches that stood in a part already belong to it at no distance; they are reached over wider links.
    std::vector<int> inside = front;
    for (std::size_t k = 0; k < inside.size(); ++k)
      for (int i = m_f.firstArc[at(inside[k])]; i < m_f.firstArc[at(inside[k]) + 1]; ++i) {
        const Fabric::Arc arc = m_f.arcs[at(i)];
        if (m_label[at(arc.to)] >= 0 || m_f.edges[at(arc.edge)].width() <= m_widest) continue;
        m_label[at(arc.to)] = m_label[at(inside[k])];
        m_distance[at(arc.to)] = 0;
        inside.push_back(arc.to);
      }
    front = inside;
    for (std::size_t k = 0; k < front.size(); ++k)
      for (int i = m_f.firstArc[at(front[k])]; i < m_f.firstArc[at(front[k]) + 1]; ++i) {
        const Fabric::Arc arc = m_f.arcs[at(i)];
        if (m_label[at(arc.to)] >= 0 || !wide(arc)) continue;
        m_label[at(arc.to)] = m_label[at(front[k])];
        m_distance[at(arc.to)] = m_distance[at(front[k])] + 1;
        front.push_back(arc.to);
      }
    std::vector<std::tuple<int, int, int>> out;
    for (int v : front)
      for (int i = m_f.firstArc[at(v)]; i < m_f.firstArc[at(v) + 1]; ++i) {
        const Fabric::Arc arc = m_f.arcs[at(i)];
        const int p = m_label[at(v)], q = m_label[at(arc.to)];
        if (p < q && p >= 0 && wide(arc))
          out.emplace_back(m_distance[at(v)] + m_distance[at(arc.to)] + 1, p, q);
      }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  int joinByHops(int root, const std::vector<int>& clusters, double width) {
    const auto cells = neighbouringCells(root, clusters, width);
    std::vector<int> up(clusters.size()),
        node = clusters;  // union over parts; dendrogram node of each representative
    std::iota(up.begin(), up.end(), 0);
    const auto top = [&](int x) {
      while (up[at(x)] != x) x = up[at(x)] = up[at(up[at(x)])];
      return x;
    };
    int result = clusters.front();
    for (std::size_t i = 0; i < cells.size();) {
      const int hops = std::get<0>(cells[i]);
      std::vector<std::pair<int, int>> pairs;
      for (; i < cells.size() && std::get<0>(cells[i]) == hops; ++i) {
        const int a = top(std::get<1>(cells[i])), b = top(std::get<2>(cells[i]));
        if (a != b) pairs.emplace_back(std::min(a, b), std::max(a, b));
      }
      if (pairs.empty()) continue;
      for (const auto& [a, b] : pairs) up[at(std::max(top(a), top(b)))] = std::min(top(a), top(b));
      // Per new component, in order of its first part.
      std::stable_sort(pairs.begin(), pairs.end(), [&](const auto& x, const auto& y) {
        return std::pair(top(x.first), x) < std::pair(top(y.first), y);
      });
      pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
      for (std::size_t b = 0; b < pairs.size();) {
        std::size_t e = b;
        const int component = top(pairs[b].first);
        while (e < pairs.size() && top(pairs[e].first) == component) ++e;
        result = node[at(component)] = joinPairs(
            {pairs.begin() + static_cast<std::ptrdiff_t>(b), pairs.begin() + static_cast<std::ptrdiff_t>(e)},
            node, width, hops);
        b = e;
      }
    }
    return result;
  }

  int joinPairs(std::vector<std::pair<int, int>> pairs, const std::vector<int>& node, double width,
                int hops) {
    std::vector<int> parts;
    for (const auto& [a, b] : pairs) parts.push_back(a), parts.push_back(b);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    const auto index = [&](int p) {
      return static_cast<int>(std::lower_bound(parts.begin(), parts.end(), p) - parts.begin());
    };
    LatticeOrder lattice;
    if (hops == 1) {  // direct links are all seen; through switches only those between neighbouring cells
      for (auto& [a, b] : pairs) a = index(a), b = index(b);
      lattice = latticeOrder(static_cast<int>(parts.size()), pairs);
    }
    if (lattice.kind == LatticeOrder::Kind::Flat) {
      std::vector<int> children;
      for (int p : parts) children.push_back(node[at(p)]);
      return join(std::move(children), width, DendrogramNode::Tier::Hops, hops);
    }
    std::vector<int> leaves;
    m_sharing = 1;
    for (int p : lattice.order) {
      leaves.push_back(node[at(parts[at(p)])]);
      m_sharing = std::max(m_sharing, m_out.nodes[at(leaves.back())].devices);
    }
    return joinLattice(lattice, leaves, 0, static_cast<int>(leaves.size()),
                       static_cast<int>(lattice.tierNames.size()) - 1, width);
  }

  int joinLattice(const LatticeOrder& lattice, const std::vector<int>& leaves, int begin, int end, int tier,
                  double width) {
    if (tier < 0 || end - begin == 1) return leaves[at(begin)];
    std::vector<int> children;
    int from = begin;
    for (int i = begin; i < end; ++i) {
      if (i + 1 < end && lattice.gaps[at(i)] < tier) continue;
      children.push_back(joinLattice(lattice, leaves, from, i + 1, tier - 1, width));
      from = i + 1;
    }
    if (children.size() == 1) return children.front();
    const auto kind = lattice.kind == LatticeOrder::Kind::NestedDimensions ? DendrogramNode::Tier::Lattice
                                                                           : DendrogramNode::Tier::HopRun;
    const int id = join(std::move(children), width, kind, 1);
    m_out.nodes[at(id)].tierName = lattice.tierNames[at(tier)];
    m_out.nodes[at(id)].sharing = m_sharing;
    return id;
  }

  void closeRoot() {
    std::vector<int> tops;
    for (std::size_t n = 0; n < m_out.nodes.size(); ++n)
      if (m_out.nodes[n].parent < 0) tops.push_back(static_cast<int>(n));
    m_out.parts = static_cast<int>(tops.size());
    if (tops.size() > 1) join(tops, 0, DendrogramNode::Tier::Width);
  }

  const Fabric& m_f;
  double m_same = kSameWidth;
  double m_widest = 0;  ///< of the links being joined; wider ones are inside the parts
  Dendrogram m_out;
  std::vector<int> m_parent, m_next;  ///< union-find and circular lists over graph nodes
  std::vector<int> m_cluster;  ///< dendrogram node of a component's representative, −1 without devices
  std::vector<int> m_label, m_distance;
  int m_sharing = 1;  ///< of the lattice being joined
};

/// Children of width and hop tiers in the order of their first device; lattices keep their snake. Fills the
/// order.
void arrange(Dendrogram& d) {
  std::vector<int> first(d.nodes.size());
  for (std::size_t n = 0; n < d.nodes.size(); ++n) {  // children have lower numbers than their parents
    DendrogramNode& x = d.nodes[n];
    if (x.device >= 0) {
      first[n] = x.device;
      continue;
    }
    if (!x.isOrdered())
      std::sort(x.children.begin(), x.children.end(),
                [&](int a, int b) { return first[at(a)] < first[at(b)]; });
    first[n] = first[at(x.children.front())];
    for (int c : x.children) first[n] = std::min(first[n], first[at(c)]);
  }
  std::vector<int> stack{d.root()};
  while (!stack.empty()) {
    const DendrogramNode& x = d.nodes[at(stack.back())];
    stack.pop_back();
    if (x.device >= 0) d.order.push_back(x.device);
    for (std::size_t i = x.children.size(); i-- > 0;) stack.push_back(x.children[i]);
  }
}

/// The group that each node serves: a switch serves the smallest group that holds all devices nearest to it.
std::vector<int> homes(const Fabric& f, const Dendrogram& d, const std::vector<int>& depth) {
  const auto meet = [&](int a, int b) {
    while (a != b)
      (depth[at(a)] >= depth[at(b)] ? a : b) = d.nodes[at(depth[at(a)] >= depth[at(b)] ? a : b)].parent;
    return a;
  };
  std::vector<int> home(f.nodeCount, -1), distance(static_cast<std::size_t>(f.nodeCount), -1), queue;
  for (int k = 0; k < f.deviceCount(); ++k) {
    const int v = f.devices[at(k)];
    home[at(v)] = k;
    distance[at(v)] = 0;
    queue.push_back(v);
  }
  for (std::size_t k = 0; k < queue.size(); ++k) {
    const int v = queue[k];
    for (int i = f.firstArc[at(v)]; i < f.firstArc[at(v) + 1]; ++i) {
      const int u = f.arcs[at(i)].to;
      if (distance[at(u)] < 0) {
        distance[at(u)] = distance[at(v)] + 1;
        home[at(u)] = home[at(v)];
        queue.push_back(u);
      } else if (distance[at(u)] == distance[at(v)] + 1) {
        home[at(u)] = meet(home[at(u)], home[at(v)]);
      }
    }
  }
  return home;
}

void fillCuts(const Fabric& f, Dendrogram& d) {
  std::vector<int> depth(d.nodes.size(), 0);
  for (std::size_t n = d.nodes.size(); n-- > 0;)
    if (d.nodes[n].parent >= 0) depth[n] = depth[at(d.nodes[n].parent)] + 1;
  const auto home = homes(f, d, depth);
  std::vector<double> in(d.nodes.size(), 0), out(d.nodes.size(), 0);
  for (const Fabric::Edge& e : f.edges) {
    int a = home[at(e.a)], b = home[at(e.b)];
    if (a < 0 || b < 0) continue;
    while (a != b) {  // every group left on the way up loses this link's rate
      if (depth[at(a)] >= depth[at(b)]) {
        out[at(a)] += e.forward, in[at(a)] += e.backward;
        a = d.nodes[at(a)].parent;
      } else {
        out[at(b)] += e.backward, in[at(b)] += e.forward;
        b = d.nodes[at(b)].parent;
      }
    }
  }
  for (std::size_t n = 0; n < d.nodes.size(); ++n) d.nodes[n].cut = std::min(in[n], out[n]);
}

void fillBandwidths(Dendrogram& d) {
  for (DendrogramNode& x : d.nodes) {
    if (x.device >= 0) continue;
    x.bandwidth = x.width / x.sharing;
    for (int c : x.children) {
      const DendrogramNode& y = d.nodes[at(c)];
      x.bandwidth = std::min(x.bandwidth, y.cut / y.devices);
      if (y.device < 0) x.bandwidth = std::min(x.bandwidth, y.bandwidth);
    }
  }
}

}  // namespace

Dendrogram buildDendrogram(const Fabric& fabric) {
  Dendrogram d = Builder(fabric).run();
  arrange(d);
  fillCuts(fabric, d);
  fillBandwidths(d);
  return d;
}

}  // namespace nest
