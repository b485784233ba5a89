#include "cluster/graph/routing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "cluster/graph/fabric.h"

namespace nest {
namespace {

constexpr double kReferenceBytes = 1e6;
constexpr double kSameCost = 1e-9;  ///< relative
constexpr long long kMostVisits = 2'000'000'000;

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

class Router {
public:
  Router(const Fabric& f, RoutedTraffic& out)
      : m_f(f),
        m_out(out),
        m_distance(static_cast<std::size_t>(f.nodeCount)),
        m_amount(m_distance.size()),
        m_pending(m_distance.size(), 0) {}

  /// Flows [begin, end) share one destination. False if some sender cannot reach it.
  bool route(const NodeFlow* begin, const NodeFlow* end) {
    std::fill(m_distance.begin(), m_distance.end(), std::numeric_limits<double>::infinity());
    std::fill(m_amount.begin(), m_amount.end(), 0.0);
    int open = 0;
    for (const NodeFlow* f = begin; f != end; ++f) {
      m_amount[at(f->from)] += f->bytes.value();
      if (!m_pending[at(f->from)]) m_pending[at(f->from)] = 1, ++open;
    }
    search(begin->to, open);
    for (const NodeFlow* f = begin; f != end; ++f) m_pending[at(f->from)] = 0;
    if (open > 0) return false;
    // Farthest first: all that reaches a node is known before it is passed on.
    for (std::size_t i = m_settled.size(); i-- > 1;) passOn(m_settled[i]);
    return true;
  }
  long long visits() const { return m_visits; }

private:
  /// Seconds of the link from `node`; infinite where none leads that way.
  static double cost(const Fabric::Edge& e, int from) {
    const double rate = e.rateFrom(from);
    return rate > 0 ? e.latency + kReferenceBytes / rate : std::numeric_limits<double>::infinity();
  }

  void search(int destination, int& open) {
    using Entry = std::pair<double, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    m_settled.clear();
    m_distance[at(destination)] = 0;
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
      m_visits += m_f.firstArc[at(v) + 1] - m_f.firstArc[at(v)];
      for (int i = m_f.firstArc[at(v)]; i < m_f.firstArc[at(v) + 1]; ++i) {
        const Fabric::Arc arc = m_f.arcs[at(i)];
        const double through = d + cost(m_f.edges[at(arc.edge)], arc.to);  // the way of the bytes: towards v
        if (through < m_distance[at(arc.to)]) {
          m_distance[at(arc.to)] = through;
          queue.push({through, arc.to});
        }
      }
    }
  }

  void passOn(int v) {
    const double amount = m_amount[at(v)];
    if (amount <= 0) return;
    const auto leads = [&](const Fabric::Arc& arc) {
      const double through = m_distance[at(arc.to)] + cost(m_f.edges[at(arc.edge)], v);
      return std::isfinite(through) && through <= m_distance[at(v)] * (1 + kSameCost) &&
             m_distance[at(arc.to)] < m_distance[at(v)];
    };
    int ways = 0;
    for (int i = m_f.firstArc[at(v)]; i < m_f.firstArc[at(v) + 1]; ++i) ways += leads(m_f.arcs[at(i)]);
    for (int i = m_f.firstArc[at(v)]; i < m_f.firstArc[at(v) + 1]; ++i) {
      const Fabric::Arc arc = m_f.arcs[at(i)];
      if (!leads(arc)) continue;
      LinkLoad& l = m_out.links[at(arc.edge)];
      (v == l.a ? l.forward : l.backward) += Bytes(amount / ways);
      m_amount[at(arc.to)] += amount / ways;
    }
  }

  const Fabric& m_f;
  RoutedTraffic& m_out;
  std::vector<double> m_distance, m_amount;
  std::vector<char> m_pending;
  std::vector<int> m_settled;  ///< by distance from the destination
  long long m_visits = 0;
};

}  // namespace

Reading<RoutedTraffic> routeTraffic(const NetworkGraph& graph, const DeviceSpec& device,
                                    const std::vector<NodeFlow>& flows, std::stop_token stop) {
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
  std::vector<NodeFlow> sorted;
  for (const NodeFlow& f : flows)
    if (f.from != f.to && f.bytes.value() > 0) sorted.push_back(f), out.total += f.bytes;
  const auto byDestination = [](const NodeFlow& a, const NodeFlow& b) { return a.to < b.to; };
  if (!std::is_sorted(sorted.begin(), sorted.end(), byDestination))
    std::stable_sort(sorted.begin(), sorted.end(), byDestination);
  Router router(*fabric, out);
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t j = i;
    while (j < sorted.size() && sorted[j].to == sorted[i].to) ++j;
    if (router.visits() > kMostVisits || stop.stop_requested()) {
      out.complete = false;
      break;
    }
    if (!router.route(sorted.data() + i, sorted.data() + j)) {
      result.diagnostics.push_back(error("no-route", {"", 0, 0, "/cluster/network"},
                                         "not all senders reach " + graph.nodes[at(sorted[i].to)].name));
      return result;
    }
    for (; i < j; ++i) out.routed += sorted[i].bytes;
  }
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
