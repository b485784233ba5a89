#include "plan/routed_plan.h"

#include <unordered_map>

#include "plan/traffic.h"

namespace nest {

Reading<RoutedTraffic> routePlan(const GraphSource& source, const Problem& problem, const Plan& plan,
                                 const LevelAbstraction* network) {
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
  std::vector<int> node(static_cast<std::size_t>(problem.cluster->deviceCount()));
  for (std::size_t p = 0; p < node.size(); ++p) {
    const int input = problem.cluster->identity(DeviceIndex(static_cast<int>(p))).source;
    if (input < 0 || static_cast<std::size_t>(input) >= network->deviceNodes.size()) {
      result.diagnostics.push_back(error("network-mismatch", {"", 0, 0, "/cluster/network"},
                                         "the plan's cluster does not come from this network",
                                         "derive the cluster again"));
      return result;
    }
    node[p] = network->deviceNodes[static_cast<std::size_t>(input)];
  }
  std::unordered_map<std::uint64_t, double> sum;
  Traffic(problem, plan).visitFlows([&](const Flow& f) {
    const auto from = static_cast<std::uint64_t>(node[static_cast<std::size_t>(f.source)]),
               to = static_cast<std::uint64_t>(node[static_cast<std::size_t>(f.destination)]);
    sum[from << 32 | to] += f.bytes.value();
  });
  std::vector<NodeFlow> flows;
  flows.reserve(sum.size());
  for (const auto& [pair, bytes] : sum)
    flows.push_back({static_cast<int>(pair >> 32), static_cast<int>(pair & 0xffffffff), Bytes(bytes)});
  // Sums of the same numbers in one order: the same bound with every standard library.
  std::sort(flows.begin(), flows.end(), [](const NodeFlow& a, const NodeFlow& b) {
    return std::pair(a.to, a.from) < std::pair(b.to, b.from);
  });
  return routeTraffic(source.graph, problem.cluster->device(), flows);
}

}  // namespace nest
