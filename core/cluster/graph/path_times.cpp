#include "cluster/graph/path_times.h"
#include "units/at.h"

#include <limits>
#include <queue>

namespace nest {
namespace {
constexpr double kSameWidth = 0.999;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
}  // namespace

PathTimes::PathTimes(const Fabric& fabric, std::size_t mostWidths) : m_fabric(fabric) {
  std::vector<double> all;
  for (const Fabric::Edge& e : fabric.edges)
    for (double w : {e.forward, e.backward})
      if (w > 0) all.push_back(w);
  std::sort(all.rbegin(), all.rend());
  std::vector<double> distinct;  // the narrowest of each run of equals, so that all of the run pass it
  double first = kInfinite;
  for (double w : all) {
    if (w < kSameWidth * first) {
      distinct.push_back(w);
      first = w;
    }
    distinct.back() = w;
  }
  m_complete = distinct.size() <= mostWidths;
  for (std::size_t i = 0; i < std::min(mostWidths, distinct.size()); ++i)
    m_widths.push_back(m_complete ? distinct[i] : distinct[(i + 1) * distinct.size() / mostWidths - 1]);
}

void PathTimes::startAt(int node) {
  m_latency.assign(m_widths.size(),
                   std::vector<double>(static_cast<std::size_t>(m_fabric.nodeCount), kInfinite));
  using Entry = std::pair<double, int>;
  for (std::size_t k = 0; k < m_widths.size(); ++k) {
    auto& latency = m_latency[k];
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    latency[at(node)] = 0;
    open.push({0, node});
    while (!open.empty()) {
      const auto [t, v] = open.top();
      open.pop();
      if (t > latency[at(v)]) continue;
      for (int i = m_fabric.firstArc[at(v)]; i < m_fabric.firstArc[static_cast<std::size_t>(v) + 1]; ++i) {
        const Fabric::Arc arc = m_fabric.arcs[at(i)];
        const Fabric::Edge& e = m_fabric.edges[at(arc.edge)];
        double& best = latency[at(arc.to)];
        if (e.rateFrom(v) < m_widths[k] || t + e.latency >= best) continue;
        best = t + e.latency;
        open.push({best, arc.to});
      }
    }
  }
}

double PathTimes::transferSeconds(int to, double bytes) const {
  double best = kInfinite;
  for (std::size_t k = 0; k < m_widths.size(); ++k)
    best = std::min(best, m_latency[k][at(to)] + bytes / m_widths[k]);
  return best;
}

double PathTimes::latency(int to, double width) const {
  double best = kInfinite;
  for (std::size_t k = 0; k < m_widths.size(); ++k)
    if (m_widths[k] >= kSameWidth * width) best = std::min(best, m_latency[k][at(to)]);
  return best;
}

}  // namespace nest
