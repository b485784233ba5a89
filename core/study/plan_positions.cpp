#include "study/plan_positions.h"

#include <algorithm>

#include "units/at.h"

namespace nest {

std::vector<char> marked(int count, const std::vector<int>& positions) {
  std::vector<char> out(at(count), 0);
  for (const int p : positions) out[at(p)] = 1;
  return out;
}

std::vector<char> usedBy(const Problem& problem, const Plan& plan) {
  std::vector<char> used(at(problem.cluster->deviceCount()), 0);
  const Placement placement(plan);
  for (int i = 0; i < plan.stageCount(); ++i)
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(i); ++k) used[placement.device(i, r, k).at()] = 1;
  return used;
}

std::vector<DeviceIndex> orderOf(const Plan& plan, int devices) {
  if (!plan.deviceOrder.empty()) return plan.deviceOrder;
  std::vector<DeviceIndex> order;
  const long long end = (plan.dataOuter - 1LL) * plan.blockStride + plan.pipelineWidth();
  for (int p = 0; p < std::min<long long>(end, devices); ++p) order.emplace_back(p);
  return order;
}

}  // namespace nest
