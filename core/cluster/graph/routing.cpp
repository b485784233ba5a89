#include "cluster/graph/routing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "cluster/graph/fabric.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr double kReferenceBytes = 1e6;
constexpr double kSameCost = 1e-9;  ///< relative
constexpr long long kMostVisits = 2'000'000'000;
constexpr unsigned kFlowsPerLook = 1U << 12;

/// The network cut at every node whose loss would part it. Between two nodes of a block no shortest path
/// leaves the block, and from block to block there is one way; so searches stay as small as blocks are: a
/// host below its leaf, a single link, the switches above.
class Blocks {
public:
  explicit Blocks(const Fabric& f) : m_fabric(f), m_blockOf(f.edges.size(), -1) {
    const auto nodes = static_cast<std::size_t>(f.nodeCount);
    m_home.assign(nodes, -1), m_depth.assign(nodes, 0);
    findBlocks();
    m_arcs.resize(f.arcs.size());
    m_cost.resize(f.arcs.size());
    for (int v = 0; v < f.nodeCount; ++v) {
      const auto begin = m_arcs.begin() + f.firstArc[at(v)], end = m_arcs.begin() + f.firstArc[at(v) + 1];
      std::copy(f.arcs.begin() + f.firstArc[at(v)], f.arcs.begin() + f.firstArc[at(v) + 1], begin);
      std::stable_sort(begin, end,
                       [&](auto& a, auto& b) { return m_blockOf[at(a.edge)] < m_blockOf[at(b.edge)]; });
      for (int i = f.firstArc[at(v)]; i < f.firstArc[at(v) + 1]; ++i)
        m_cost[at(i)] = cost(f.edges[at(m_arcs[at(i)].edge)], m_arcs[at(i)].to);
    }
  }

  int count() const { return static_cast<int>(m_top.size()); }
  /// The block in which a node is not the top; −1: it is the top of all of its blocks.
  int home(int node) const { return m_home[at(node)]; }
  int depth(int node) const { return m_depth[at(node)]; }
  int top(int block) const { return m_top[at(block)]; }
  const std::vector<int>& members(int block) const { return m_members[at(block)]; }  ///< without the top
  /// Subscripts of a node's arcs inside a block.
  std::pair<int, int> arcs(int node, int block) const {
    const auto first = m_arcs.begin() + m_fabric.firstArc[at(node)],
               last = m_arcs.begin() + m_fabric.firstArc[at(node) + 1];
    const auto less = [&](const Fabric::Arc& a, int b) { return m_blockOf[at(a.edge)] < b; };
    return {static_cast<int>(std::lower_bound(first, last, block, less) - m_arcs.begin()),
            static_cast<int>(std::lower_bound(first, last, block + 1, less) - m_arcs.begin())};
  }
  const Fabric::Arc& arc(int i) const { return m_arcs[at(i)]; }
  double costTowards(int i) const { return m_cost[at(i)]; }  ///< the way that ends where the arc begins

  /// Seconds of the link from `node`; infinite where none leads that way.
  static double cost(const Fabric::Edge& e, int from) {
    const double rate = e.rateFrom(from);
    return rate > 0 ? e.latency + kReferenceBytes / rate : std::numeric_limits<double>::infinity();
  }

private:
  /// Hopcroft and Tarjan, without recursion.
  void findBlocks() {
    struct Visit {
      int node, edge, next;
    };
    const auto& f = m_fabric;
    std::vector<int> order(m_home.size(), -1), low(m_home.size(), 0), edges;
    std::vector<Visit> path;
    int count = 0;
    for (int root = 0; root < f.nodeCount; ++root) {
      if (order[at(root)] >= 0) continue;
      const int firstBlock = this->count();
      order[at(root)] = low[at(root)] = count++;
      path.push_back({root, -1, f.firstArc[at(root)]});
      while (!path.empty()) {
        Visit& here = path.back();
        const int v = here.node;
        if (here.next < f.firstArc[at(v) + 1]) {
          const auto [to, edge] = f.arcs[at(here.next++)];
          if (edge == here.edge) continue;
          if (order[at(to)] < 0) {
            edges.push_back(edge);
            order[at(to)] = low[at(to)] = count++;
            path.push_back({to, edge, f.firstArc[at(to)]});
          } else if (order[at(to)] < order[at(v)]) {
            edges.push_back(edge);
            low[at(v)] = std::min(low[at(v)], order[at(to)]);
          }
          continue;
        }
        const int edge = here.edge;
        path.pop_back();
        if (path.empty()) break;
        const int up = path.back().node;
        low[at(up)] = std::min(low[at(up)], low[at(v)]);
        if (low[at(v)] >= order[at(up)]) close(up, edge, edges);
      }
      // Blocks close from the inside out: depths are known from the last to the first.
      for (int b = this->count(); b-- > firstBlock;)
        for (const int v : m_members[at(b)]) m_depth[at(v)] = m_depth[at(m_top[at(b)])] + 1;
    }
  }

  void close(int top, int first, std::vector<int>& edges) {
    const int block = count();
    m_top.push_back(top);
    m_members.emplace_back();
    for (int edge = -1; edge != first;) {
      edge = edges.back();
      edges.pop_back();
      m_blockOf[at(edge)] = block;
      for (const int v : {m_fabric.edges[at(edge)].a, m_fabric.edges[at(edge)].b})
        if (v != top && m_home[at(v)] != block) {
          m_home[at(v)] = block;
          m_members.back().push_back(v);
        }
    }
    std::sort(m_members.back().begin(), m_members.back().end());
  }

  const Fabric& m_fabric;
  std::vector<int> m_blockOf;  ///< per edge
  std::vector<int> m_home, m_depth, m_top;
  std::vector<std::vector<int>> m_members;
  std::vector<Fabric::Arc> m_arcs;  ///< of each node by block
  std::vector<double> m_cost;
};

/// Bytes between two nodes of one block.
struct Leg {
  int to = 0, from = 0;
  double bytes = 0;
};

/// Searches inside one block at a time.
class Router {
public:
  Router(const Fabric& f, const Blocks& blocks, RoutedTraffic& out)
      : m_f(f),
        m_blocks(blocks),
        m_out(out),
        m_distance(static_cast<std::size_t>(f.nodeCount), std::numeric_limits<double>::infinity()),
        m_amount(m_distance.size(), 0),
        m_pending(m_distance.size(), 0) {}

  /// Legs [begin, end) share one destination. False if some sender cannot reach it.
  bool route(int block, const Leg* begin, const Leg* end) {
    for (const int v : m_reached)
      m_distance[at(v)] = std::numeric_limits<double>::infinity(), m_amount[at(v)] = 0;
    m_reached.clear();
    int open = 0;
    for (const Leg* l = begin; l != end; ++l) m_pending[at(l->from)] = 1, ++open;
    search(block, begin->to, open);
    for (const Leg* l = begin; l != end; ++l) m_pending[at(l->from)] = 0;
    if (open > 0) return false;
    for (const Leg* l = begin; l != end; ++l) m_amount[at(l->from)] += l->bytes;
    // Farthest first: all that reaches a node is known before it is passed on.
    for (std::size_t i = m_settled.size(); i-- > 1;) passOn(block, m_settled[i]);
    return true;
  }

private:
  void search(int block, int destination, int& open) {
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    m_settled.clear();
    m_distance[at(destination)] = 0;
    m_reached.push_back(destination);
    queue.push({0, destination});
    double stop = std::numeric_limits<double>::infinity();
    while (!queue.empty() && queue.top().first <= stop) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > m_distance[at(v)]) continue;
      m_settled.push_back(v);
      if (m_pending[at(v)]) {
        m_pending[at(v)] = 0;
        if (--open == 0) stop = d;
      }
      const auto [first, last] = m_blocks.arcs(v, block);
      m_out.visits += last - first;
      for (int i = first; i < last; ++i) {
        const int to = m_blocks.arc(i).to;
        const double through = d + m_blocks.costTowards(i);  // the way of the bytes: towards v
        if (!(through < m_distance[at(to)]) || through > stop) continue;
        if (std::isinf(m_distance[at(to)])) m_reached.push_back(to);
        m_distance[at(to)] = through;
        queue.push({through, to});
      }
    }
  }

  void passOn(int block, int v) {
    const double amount = m_amount[at(v)];
    if (amount <= 0) return;
    m_next.clear();
    const auto [first, last] = m_blocks.arcs(v, block);
    for (int i = first; i < last; ++i) {
      const Fabric::Arc& arc = m_blocks.arc(i);
      if (!(m_distance[at(arc.to)] < m_distance[at(v)])) continue;
      const double through = m_distance[at(arc.to)] + Blocks::cost(m_f.edges[at(arc.edge)], v);
      if (std::isfinite(through) && through <= m_distance[at(v)] * (1 + kSameCost)) m_next.push_back(arc);
    }
    const double each = amount / static_cast<double>(m_next.size());
    for (const Fabric::Arc& arc : m_next) {
      LinkLoad& l = m_out.links[at(arc.edge)];
      (v == l.a ? l.forward : l.backward) += Bytes(each);
      m_amount[at(arc.to)] += each;
    }
  }

  const Fabric& m_f;
  const Blocks& m_blocks;
  RoutedTraffic& m_out;
  std::vector<double> m_distance, m_amount;
  std::vector<char> m_pending;
  std::vector<int> m_reached, m_settled;  ///< the latter by distance from the destination
  std::vector<Fabric::Arc> m_next;
};

/// All flows as legs, block by block: what goes up to a block's top, comes down from it, or crosses it.
class Legs {
public:
  explicit Legs(const Blocks& blocks, std::size_t nodes)
      : m_blocks(blocks), m_up(nodes, 0), m_down(nodes, 0) {}

  /// Returns how many legs it has; 0: no path joins the two.
  int add(int from, int to, double bytes) {
    int legs = 0;
    for (; from != to; ++legs) {
      const int a = m_blocks.home(from), b = m_blocks.home(to);
      if (a == b && a >= 0) {
        m_across.push_back({a, {to, from, bytes}});
        return legs + 1;
      }
      if (a < 0 && b < 0) return 0;
      if (a >= 0 && m_blocks.depth(from) >= m_blocks.depth(to))
        m_up[at(from)] += bytes, from = m_blocks.top(a);
      else
        m_down[at(to)] += bytes, to = m_blocks.top(b);
    }
    return legs;
  }

  /// Calls `route(block, legs)` for every destination; it ends all by false.
  template <class Route>
  void visit(const Route& route) {
    std::stable_sort(m_across.begin(), m_across.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.first, a.second.to, a.second.from) <
             std::tuple(b.first, b.second.to, b.second.from);
    });
    std::vector<Leg> legs;
    std::size_t next = 0;
    for (int block = 0; block < m_blocks.count(); ++block) {
      const int top = m_blocks.top(block);
      legs.clear();
      for (const int v : m_blocks.members(block))
        if (m_up[at(v)] > 0) legs.push_back({top, v, m_up[at(v)]});
      if (!legs.empty() && !route(block, legs)) return;
      for (const int v : m_blocks.members(block)) {
        legs.clear();
        if (m_down[at(v)] > 0) legs.push_back({v, top, m_down[at(v)]});
        for (; next < m_across.size() && m_across[next].first == block && m_across[next].second.to == v;
             ++next) {
          const Leg& l = m_across[next].second;
          if (!legs.empty() && legs.back().from == l.from)
            legs.back().bytes += l.bytes;
          else
            legs.push_back(l);
        }
        if (!legs.empty() && !route(block, legs)) return;
      }
    }
  }

private:
  const Blocks& m_blocks;
  std::vector<double> m_up, m_down;  ///< per node: to the top of its home, and from there
  std::vector<std::pair<int, Leg>> m_across;
};

}  // namespace

Reading<RoutedTraffic> routeTraffic(const NetworkGraph& graph, const DeviceSpec& device,
                                    const std::vector<NodeFlow>& flows, const Until& until) {
  Reading<RoutedTraffic> result;
  auto fabric = prepareFabric(graph, device);
  result.diagnostics = std::move(fabric.diagnostics);
  const int nodes = static_cast<int>(graph.nodes.size());
  for (const NodeFlow& f : flows)
    if (f.from < 0 || f.from >= nodes || f.to < 0 || f.to >= nodes || !(f.bytes.value() >= 0) ||
        !std::isfinite(f.bytes.value())) {
      result.diagnostics.push_back(
          error("flow", {"", 0, 0, "/traffic"},
                "a flow needs two nodes of the network and a number of bytes, zero or more"));
      break;
    }
  if (hasErrors(result.diagnostics)) return result;

  RoutedTraffic out;
  for (const Fabric::Edge& e : fabric->edges)
    out.links.push_back(
        {e.a, e.b, BytesPerSecond(e.forward), BytesPerSecond(e.backward), Bytes(0), Bytes(0)});
  const auto noRoute = [&](int to) {
    result.diagnostics.push_back(error("no-route", {"", 0, 0, "/cluster/network"},
                                       "not all senders reach " + graph.nodes[at(to)].name));
  };
  const Blocks blocks(*fabric);
  Legs legs(blocks, graph.nodes.size());
  Bytes left;  ///< of legs that were left out
  unsigned looks = 0;
  for (const NodeFlow& f : flows) {
    if (f.from == f.to || !(f.bytes.value() > 0)) continue;
    out.total += f.bytes;
    out.complete =
        out.complete && out.visits < kMostVisits && (looks++ % kFlowsPerLook != 0 || !until.shouldStop());
    if (!out.complete) {
      left += f.bytes;
      continue;
    }
    const int count = legs.add(f.from, f.to, f.bytes.value());
    if (count == 0) return noRoute(f.to), result;
    out.visits += count;
  }
  Router router(*fabric, blocks, out);
  legs.visit([&](int block, const std::vector<Leg>& toOne) {
    out.complete = out.complete && out.visits < kMostVisits && !until.shouldStop();
    if (!out.complete) {
      for (const Leg& l : toOne) left += Bytes(l.bytes);
      return true;
    }
    if (router.route(block, toOne.data(), toOne.data() + toOne.size())) return true;
    noRoute(toOne.front().to);
    return false;
  });
  if (hasErrors(result.diagnostics)) return result;
  out.routed = std::max(Bytes(0), out.total - left);
  for (std::size_t l = 0; l < out.links.size(); ++l)
    if (out.links[l].time() > out.bound) out.bound = out.links[l].time(), out.busiest = static_cast<int>(l);
  result.value = std::move(out);
  return result;
}

std::string nameOfLink(const NetworkGraph& g, const LinkLoad& l) {
  const std::string a = g.nodes[at(l.a)].name, b = g.nodes[at(l.b)].name;
  return l.forwardTime() >= l.backwardTime() ? a + " → " + b : b + " → " + a;
}

}  // namespace nest
