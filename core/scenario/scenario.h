#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/cluster_source.h"
#include "diagnostics/diagnostic.h"
#include "model/transformer.h"
#include "scenario/job.h"
#include "solver/problem.h"

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

/// The document a user saves as *.nest.json.
struct Scenario {
  std::string name, description;
  ClusterSource cluster;
  ModelSource model;
  Job job;
  SearchOptions search;
  Constraints constraints;
  Assumptions assumptions;

  friend bool operator==(const Scenario&, const Scenario&) = default;
};

/// Scenario → Problem: derives the hierarchy, the strategies on offer under the preset, and the profile. All
/// errors at once.
Reading<Problem> buildProblem(const Scenario& scenario);

}  // namespace nest
