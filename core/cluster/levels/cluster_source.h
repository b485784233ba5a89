#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "cluster/graph/network_graph.h"
#include "cluster/levels/hierarchy.h"
#include "units/text.h"

namespace nest {

/// One level as the user types it.
struct LevelSpec {
  std::string name;
  int fanout = 1;  ///< how many groups of the level inside (devices, for level 0)
  BytesPerSecond bandwidth;
  text::BandwidthUnit shownAs = text::BandwidthUnit::GigabytesPerSecond;
  Seconds latency;
  double oversubscription = 1;  ///< bandwidth counts ÷ this
  Origin origin = Origin::Typed;

  friend bool operator==(const LevelSpec&, const LevelSpec&) = default;
};

/// A regular hierarchy with exceptions, as typed.
struct LevelsSource {
  std::vector<LevelSpec> levels;
  /// Irregular clusters: devices per host in order, overriding level 0's fanout; empty if all are alike.
  std::vector<int> hostSizes;
  struct Exception {
    int device = 0;
    DeviceFactor factor;
    friend bool operator==(const Exception&, const Exception&) = default;
  };
  std::vector<Exception> exceptions;
  std::vector<std::string> hostNames;  ///< empty: generated

  friend bool operator==(const LevelsSource&, const LevelsSource&) = default;
};

/// A drawn or imported network, with the user's choice of how it becomes levels.
struct GraphSource {
  NetworkGraph graph;
  std::vector<double> cuts;  ///< bandwidths (bytes/s) that separate levels; empty: the largest gaps
  std::string importedFrom;  ///< "topology.conf", …

  friend bool operator==(const GraphSource&, const GraphSource&) = default;
};

/// What the user edits; everything the solver sees is derived from it.
struct ClusterSource {
  DeviceSpec device;
  std::variant<LevelsSource, GraphSource> network;
  std::vector<StateOfHost> states = {};  ///< hosts that are not named are free
  PlannedOn plannedOn = PlannedOn::Free;

  friend bool operator==(const ClusterSource&, const ClusterSource&) = default;
};

/// What the solver sees: without the devices that are `excluded` (see HierarchyInput), and without those of
/// hosts whose state keeps plans from them. This is the one place that decides which devices are planned on.
Reading<Hierarchy> deriveHierarchy(const ClusterSource& source, const std::vector<int>& excluded = {});

}  // namespace nest
