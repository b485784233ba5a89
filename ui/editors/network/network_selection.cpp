#include "editors/network/network_selection.h"

#include <algorithm>

#include "cluster/graph/graph_forest.h"
#include "cluster/levels/level_abstraction.h"
#include "figures/plan/focus.h"

namespace nest {

NetworkSelection::NetworkSelection(const NetworkGraph& g, const PlanContext& c) {
  if (!c.problem || !c.current) return;
  m_cluster = c.problem->cluster;
  const GraphSource network{g, {}, {}};  // cuts change no order
  const std::vector<int> inputs = devicesInOrder(network, m_cluster->device());
  m_positionOf.assign(g.nodes.size(), -1);
  m_isWorking.assign(g.nodes.size(), 0);
  for (std::size_t n = 0; n < g.nodes.size(); ++n)
    m_isWorking[n] = g.nodes[n].kind == NodeKind::Device && !g.nodes[n].failed;
  m_nodeOf.assign(m_cluster->deviceCount(), -1);
  for (int p = 0; p < m_cluster->deviceCount(); ++p) {
    const int source = m_cluster->identity(DeviceIndex(p)).source;
    if (source < 0 || static_cast<std::size_t>(source) >= inputs.size()) continue;
    const int node = inputs[source];
    m_nodeOf[p] = node;
    m_positionOf[node] = p;
  }
  if (const Plan* plan = c.shownPlan()) m_seats = SeatMap(*plan, m_cluster->deviceCount());
  const graph::Forest forest = graph::forestOf(g);
  m_span.assign(g.nodes.size(), {m_cluster->deviceCount(), -1});
  m_hostOf.assign(g.nodes.size(), -1);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    if (forest.boxed[n]) m_hostOf[n] = forest.parent[n];
    const int p = m_positionOf[n];
    for (int up = static_cast<int>(n); p >= 0 && up >= 0; up = forest.parent[up]) {
      auto& [first, last] = m_span[up];
      first = std::min(first, p), last = std::max(last, p);
    }
  }
}

std::optional<SelectionItem> NetworkSelection::itemOf(int node) const {
  if (!m_cluster || node < 0 || static_cast<std::size_t>(node) >= m_positionOf.size()) return std::nullopt;
  if (const int p = m_positionOf[node]; p >= 0) return SelectionItem{ItemKind::Device, p};
  const auto [first, last] = m_span[node];
  if (last < first) return std::nullopt;
  const int level = m_cluster->levelBetween(first, last);
  return SelectionItem{ItemKind::Group, m_cluster->groupOf(level, first), level};
}

std::vector<int> NetworkSelection::devicesOf(const SelectionItem& item, const PlanContext& c) const {
  std::vector<int> out;
  if (!m_cluster) return out;
  const auto add = [&](int begin, int end) {
    for (int p = begin; p < end; ++p)
      if (const int n = m_nodeOf[p]; n >= 0) out.push_back(n);
  };
  if (item.kind == ItemKind::Device && item.index >= 0 && item.index < m_cluster->deviceCount()) {
    // As in every other view a device stands for its stage, if it has one.
    if (const auto stage = stageOf(item, c)) return devicesOf({ItemKind::Stage, *stage}, c);
    add(item.index, item.index + 1);
  } else if (item.kind == ItemKind::Group && item.level >= 0 && item.level < m_cluster->levelCount() &&
             item.index >= 0 && item.index < m_cluster->groupCount(item.level)) {
    const auto [begin, end] = m_cluster->groupSpan(item.level, item.index);
    add(begin, end);
  } else if (const auto ends = endsOf(item, *m_cluster)) {
    for (const SelectionItem& end : {ends->first, ends->second}) {
      const auto span = end.kind == ItemKind::Device ? std::pair(end.index, end.index + 1)
                                                     : m_cluster->groupSpan(end.level, end.index);
      add(span.first, span.second);
    }
  } else if (const auto stage = stageOf(item, c)) {
    for (int p = 0; p < m_cluster->deviceCount(); ++p)
      if (m_seats.at(p).stage == *stage) add(p, p + 1);
  }
  return out;
}

std::vector<int> NetworkSelection::nodesOf(const SelectionItem& item, const PlanContext& c) const {
  if (!m_cluster || (item.kind != ItemKind::Device && item.kind != ItemKind::Group)) return {};
  if (item.kind == ItemKind::Device) {
    if (item.index < 0 || item.index >= m_cluster->deviceCount()) return {};
    const int n = m_nodeOf[item.index];
    return n >= 0 ? std::vector<int>{n} : std::vector<int>{};
  }
  std::vector<int> out;
  for (int device : devicesOf(item, c)) {
    const int host = m_hostOf[device];
    out.push_back(host >= 0 ? host : device);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<Seat> NetworkSelection::seats() const {
  std::vector<Seat> out(m_positionOf.size());
  for (std::size_t n = 0; n < out.size(); ++n)
    if (m_positionOf[n] < 0)
      out[n].stage = m_isWorking[n] ? Seat::kCutOff : -1;
    else if (m_seats.deviceCount() > 0)
      out[n] = m_seats.at(m_positionOf[n]);
  return out;
}

}  // namespace nest
