#include "study/spare_advice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "evaluation/evaluation.h"
#include "measures/pace.h"
#include "problem/device_count.h"
#include "study/plan_positions.h"
#include "units/at.h"

namespace nest {

std::optional<SpareElsewhere> spareElsewhere(const Problem& problem, const RankedPlan& present) {
  const Hierarchy& h = *problem.cluster;
  if (h.levelCount() < 2 || h.groupCount(1) < 2 || h.uniformGroupSize(0) == 0) return std::nullopt;
  const auto used = usedBy(problem, present.plan);
  std::map<int, int> hostOf;  // of each leaf, the first host that the plan uses
  for (int i = h.deviceCount(); i-- > 0;)
    if (used[at(i)]) hostOf[h.groupOf(1, i)] = h.groupOf(0, i);
  SpareElsewhere out;
  out.leaves = static_cast<int>(hostOf.size());
  const double before = paceOf(problem, present).tokensPerSecond();
  const int with = h.groupCount(1) - 1, size = h.uniformGroupSize(0), spare = h.groupSpan(1, with).second;
  const Problem larger = withExtraHost(problem, with);
  for (const auto& [leaf, host] : hostOf) {
    if (leaf == with) continue;
    const int begin = h.groupSpan(0, host).first;
    Plan plan = present.plan;
    plan.deviceOrder = orderOf(plan, h.deviceCount());
    for (DeviceIndex& d : plan.deviceOrder) {
      if (d.value >= begin && d.value < begin + size)
        d = DeviceIndex(spare + d.value - begin);
      else if (d.value >= spare)
        d = DeviceIndex(d.value + size);
    }
    const Evaluation e = evaluate(larger, plan);
    if (e.feasible() && before > 0)
      out.change = std::min(out.change, paceOf(larger, plan, e).tokensPerSecond() / before - 1);
    if (h.isRegular()) break;  // hosts of the other leaves are identical
  }
  return out;
}

SpareAdvice spareAdvice(const Problem& problem, const RankedPlan& present, double confidence) {
  SpareAdvice out;
  out.confidence = confidence;
  const auto used = usedBy(problem, present.plan);
  std::set<int> hosts;
  for (int i = 0; i < problem.cluster->deviceCount(); ++i)
    if (used[at(i)]) hosts.insert(problem.cluster->groupOf(0, i));
  out.hosts = static_cast<int>(hosts.size());
  const double each = out.hosts > 0 ? double(present.plan.devicesUsed()) / out.hosts : 0;
  out.pooled = spareHostsFor(problem.run, out.hosts, each, confidence);
  if (!out.pooled.missing.empty()) return out;
  out.elsewhere = spareElsewhere(problem, present);
  if (out.elsewhere) out.leafLevel = problem.cluster->level(1).name;
  // All leaves together are to be covered as often.
  if (out.elsewhere && out.elsewhere->leaves > 0)
    out.ofLeaf = spareHostsFor(problem.run, (out.hosts + out.elsewhere->leaves - 1) / out.elsewhere->leaves,
                               each, std::pow(confidence, 1.0 / out.elsewhere->leaves));
  return out;
}

}  // namespace nest
