#pragma once

#include <string>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "cluster/levels/dendrogram.h"
#include "cluster/levels/hierarchy.h"

namespace nest {

/// How far the levels are from the network they stand for: the largest ratio of the modelled time of a
/// transfer (α + D/B of its level) to the time over the best path, over device pairs, either way round (≥ 1).
struct Distortion {
  double atMegabyte = 1, atGigabyte = 1;
  /// The same where each path is as wide as the share that its ends have of it when all devices send, which
  /// is what a level counts: how unlike the groups of a level are.
  double whenAllSend = 1;
  int worstFrom = 0, worstTo = 0;  ///< input numbers of a pair with the largest ratio
  long long pairs = 0;             ///< pairs compared
  bool sampled = false;            ///< not all pairs were compared
};

/// A network turned into levels (STATEMENT.md §1), with all that a picture of it needs.
struct LevelAbstraction {
  HierarchyInput input;          ///< devices in locality order: input number k is the k-th of `deviceNodes`
  std::vector<int> deviceNodes;  ///< graph node of each input number
  Dendrogram dendrogram;
  std::vector<double> cuts;  ///< bytes/s that separate the levels, widest first; as asked for, or chosen
  std::vector<std::string> irregularities;  ///< "host7 has 6 of 8 devices"; sentences without final stop
  Distortion distortion;
};

/// At most five levels, cut at the largest gaps of log bandwidth between the groups of the dendrogram; what
/// room is left tells tiers of equal bandwidth apart by latency. With `source.cuts` the levels are exactly
/// what lies between those bandwidths. A level counts with the least bandwidth of its groups, and the largest
/// latency seen. What only failures have cut off from the largest part is left out, as if it had failed
/// itself. Errors: see prepareFabric; a device that others could never reach. Notes: irregularities,
/// distortion above 2 when all devices send.
Reading<LevelAbstraction> abstractLevels(const GraphSource& source, const DeviceSpec& device);

/// The deviceNodes of abstractLevels, sooner; empty where it gives nothing.
std::vector<int> devicesInOrder(const GraphSource& source, const DeviceSpec& device);

/// The same, only what Hierarchy::build needs.
Reading<HierarchyInput> hierarchyFromGraph(const GraphSource& source, const DeviceSpec& device);

}  // namespace nest
