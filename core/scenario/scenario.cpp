#include "scenario/scenario.h"

#include <algorithm>

namespace nest {
namespace {
template <class T>
bool sameTarget(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a && b && *a == *b);
}
}  // namespace

bool operator==(const KeptPlan& a, const KeptPlan& b) {
  return a.name == b.name && sameTarget(a.plan, b.plan) && sameTarget(a.setting, b.setting);
}

const KeptPlan* keptPlanNamed(const Scenario& s, const std::string& name) {
  const auto it =
      std::find_if(s.keptPlans.begin(), s.keptPlans.end(), [&](const KeptPlan& k) { return k.name == name; });
  return it == s.keptPlans.end() ? nullptr : &*it;
}

}  // namespace nest
