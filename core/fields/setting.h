#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analytic/transformer.h"
#include "cluster/levels/cluster_source.h"
#include "model/layer_graph.h"
#include "model/profile.h"
#include "problem/job.h"
#include "problem/run_options.h"

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
  std::string program =
      "ideal";  ///< what runs the plan, by id (program/program.h); its values stand in the fields
  SearchOptions search;
  Constraints constraints;
  Assumptions assumptions;
  RunOptions run;

  friend bool operator==(const Setting&, const Setting&) = default;
};

}  // namespace nest
