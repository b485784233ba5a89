#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analytic/transformer.h"
#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"
#include "plan/plan.h"
#include "problem/job.h"
#include "problem/problem.h"
#include "scenario/saved_moment.h"

namespace nest {

/// Where a scenario's model comes from.
struct ModelSource {
  std::string reference;  ///< path relative to the scenario file, empty if inline
  /// What it is: an architecture (analytic profile), or a measured or imported profile with its graph.
  std::optional<TransformerArchitecture> architecture;
  std::shared_ptr<const LayerGraph> graph;  ///< set for imported profiles
  std::shared_ptr<const Profile>
      profile;               ///< set for imported profiles; overlays the analytic one if both are set
  AnalyticOptions analytic;  ///< of the analytic profile: attention kernels, constants
  double calibration = 1;    ///< measured ÷ predicted step time; compute seconds are multiplied by it

  friend bool operator==(const ModelSource&, const ModelSource&);
};

/// Everything that a plan follows from.
struct Setting {
  ClusterSource cluster;
  ModelSource model;
  Job job;
  SearchOptions search;
  Constraints constraints;
  Assumptions assumptions;

  friend bool operator==(const Setting&, const Setting&) = default;
};

/// A plan, or a what-if, that the user has kept: under its own figures, which need not be the scenario's.
struct KeptPlan {
  std::string name;                        ///< not empty; no two of one scenario are the same
  std::shared_ptr<const Setting> setting;  ///< never null
  std::shared_ptr<const Plan> plan;        ///< never null

  friend bool operator==(const KeptPlan&, const KeptPlan&);
};

/// The document a user saves as *.nest.json.
struct Scenario : Setting {
  std::string name, description;
  std::vector<KeptPlan> keptPlans;
  std::vector<SavedMoment> moments;  ///< in the order in which they are shown

  const Setting& setting() const { return *this; }
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// nullptr: none has this name.
const KeptPlan* keptPlanNamed(const Scenario&, const std::string& name);

/// Setting → Problem: derives the hierarchy, the strategies on offer under the preset, and the profile. All
/// errors at once.
Reading<Problem> buildProblem(const Setting&);

}  // namespace nest
