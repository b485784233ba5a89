#include "evaluation/routed_plan.h"
#include "units/at.h"

#include <algorithm>
#include <utility>

namespace nest {
namespace {

/// The stop token is polled once per this number of flows.
constexpr unsigned kFlowsPerLook = 1U << 14;

/// Bytes between network nodes, by destination and sender, each pair once: adding the same numbers in one
/// order gives the same bound with every standard library. Incomplete if stopped.
std::vector<NodeFlow> flowsBetweenNodes(const Traffic& traffic, const std::vector<int>& node, int nodes,
                                        const Until& until, const ExchangeMask& kinds) {
  std::vector<std::vector<std::pair<int, double>>> to(nodes);  ///< sender, bytes
  unsigned looks = 0;
  bool stopped = false;
  const auto look = [&] {
    if (++looks % kFlowsPerLook == 0) stopped = until.shouldStop();
    return stopped;
  };
  traffic.visitFlows([&](const Flow& f) {
    if (!look() && kinds[at(f.kind)])
      to[at(node[f.destination])].emplace_back(node[at(f.source)], f.bytes.value());
  });
  std::vector<NodeFlow> flows;
  for (std::size_t v = 0; v < to.size() && !stopped; ++v) {
    std::stable_sort(to[v].begin(), to[v].end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [from, bytes] : to[v]) {
      if (look()) break;
      if (!flows.empty() && flows.back().to == static_cast<int>(v) && flows.back().from == from)
        flows.back().bytes += Bytes(bytes);
      else
        flows.push_back({from, static_cast<int>(v), Bytes(bytes)});
    }
    to[v] = {};
  }
  return flows;
}

}  // namespace

Reading<RoutedTraffic> routePlan(const GraphSource& source, const Problem& problem, const Plan& plan,
                                 const LevelAbstraction* network, const Until& until,
                                 const ExchangeMask& kinds) {
  Reading<RoutedTraffic> result;
  Reading<LevelAbstraction> derived;
  if (!network) {
    derived = abstractLevels(source, problem.cluster->device());
    if (!derived) {
      result.diagnostics = std::move(derived.diagnostics);
      return result;
    }
    network = &*derived;
  }
  std::vector<int> node(problem.cluster->deviceCount());
  for (std::size_t p = 0; p < node.size(); ++p) {
    const int input = problem.cluster->identity(DeviceIndex(static_cast<int>(p))).source;
    if (input < 0 || static_cast<std::size_t>(input) >= network->deviceNodes.size()) {
      result.diagnostics.push_back(error("network-mismatch", {"", 0, 0, "/cluster/network"},
                                         "the plan's cluster does not come from this network",
                                         "derive the cluster again"));
      return result;
    }
    node[p] = network->deviceNodes[at(input)];
  }
  auto flows = flowsBetweenNodes(Traffic(problem, plan), node, static_cast<int>(source.graph.nodes.size()),
                                 until, kinds);
  if (until.shouldStop()) return result;
  return routeTraffic(source.graph, problem.cluster->device(), flows, until);
}

}  // namespace nest
