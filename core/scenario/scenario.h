#pragma once

#include <memory>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "fields/setting.h"
#include "plan/plan.h"
#include "problem/problem.h"
#include "scenario/saved_slide.h"
#include "scenario/unstated_value.h"

namespace nest {

/// A plan, or a what-if, that the user has kept: under its own figures, which need not be the scenario's.
struct KeptPlan {
  std::string name;                        ///< not empty; no two of one scenario are the same
  std::shared_ptr<const Setting> setting;  ///< never null
  std::shared_ptr<const Plan> plan;        ///< never null

  friend bool operator==(const KeptPlan&, const KeptPlan&);
};

/// An offer or a job of a purchase: what it changes of the scenario.
struct PurchaseVariant {
  std::string name;     ///< not empty; no two of one list are the same
  std::string changes;  ///< a JSON object with sections of a scenario, a merge patch (RFC 7396)

  friend bool operator==(const PurchaseVariant&, const PurchaseVariant&) = default;
};
/// Clusters that are offered, and jobs that they are bought for (study/purchase.h).
struct Purchase {
  std::vector<PurchaseVariant> clusters, jobs;

  bool empty() const { return clusters.empty() && jobs.empty(); }
  friend bool operator==(const Purchase&, const Purchase&) = default;
};

/// The document a user saves as *.nest.json.
struct Scenario : Setting {
  std::string name, description;
  std::vector<UnstatedValue> unstated;  ///< each field once
  std::vector<KeptPlan> keptPlans;
  std::vector<SavedSlide> slides;  ///< in the order in which they are shown
  Purchase purchase;

  const Setting& setting() const { return *this; }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// nullptr: none has this name.
const KeptPlan* keptPlanNamed(const Scenario&, const std::string& name);

/// Setting → Problem: derives the hierarchy, the strategies on offer under the preset, and the profile. All
/// errors at once.
Reading<Problem> buildProblem(const Setting&);

}  // namespace nest
