#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/graph/routing.h"
#include "cluster/levels/level_abstraction.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// A plan that was chosen on levels, seen on the graph that the levels stand for.
struct NetworkCheck {
  std::string from;  ///< the file the graph came from, may be empty
  RoutedTraffic traffic;
  std::string busiest;  ///< name of the link that takes longest, empty if nothing is sent
  BytesPerSecond busiestRate;
  Bytes busiestBytes;
  std::optional<Distortion> distortion;  ///< with irregularities; nothing where time did not suffice
  std::string distorted;                 ///< the pair where the levels are furthest off
  std::vector<std::string> irregularities;
};

/// Routes the plan's traffic of one batch over the links. Nothing where the cluster is not a graph, or the
/// plan cannot be placed on it. `until`: see routePlan.
std::optional<NetworkCheck> checkOnNetwork(const ClusterSource* cluster, const Problem&, const Plan&,
                                           const Until& until = {});

/// Titles and lines for people; `batchTime` is the evaluator's, which the busiest link's time stands beside.
std::vector<std::pair<const char*, std::string>> networkCheckLines(const NetworkCheck&, Seconds batchTime);

/// {"lower_bound_s", "busiest_link": {…}, "routed_bytes", "complete", "distortion": {…}, "irregularities"};
/// the last two where they are known.
nlohmann::ordered_json networkCheckJson(const NetworkCheck&, Seconds batchTime);

}  // namespace nest
