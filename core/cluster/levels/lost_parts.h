#pragma once

#include <string>
#include <vector>

#include "cluster/levels/cluster_source.h"

namespace nest {

/// A host with its devices, a single device or switch, or a link ("leaf 0 – spine 1").
struct LostPart {
  std::string name;
  int devices = 0;  ///< that are lost with it
};

/// What of a cluster no plan may use, the largest parts that are lost as a whole.
struct LostParts {
  std::vector<LostPart> failed;
  std::vector<LostPart> cutOff;  ///< works, but nothing leads there any more

  bool empty() const { return failed.empty() && cutOff.empty(); }
};

/// `left`: the same network with what is cut off marked as failed, too; empty: nothing is.
LostParts failedParts(const NetworkGraph& whole, const NetworkGraph& left);
/// `excluded`: devices that count as failed (see HierarchyInput). Takes time in proportion to the network.
LostParts failedParts(const ClusterSource&, const std::vector<int>& excluded);

/// The source as a drawing, levels by graph::fromLevels, in which the excluded devices have failed, and the
/// hosts of which none is left.
NetworkGraph drawnWithout(const ClusterSource&, const std::vector<int>& excluded);

/// "host0 failed; host2 and host3 are cut off". Empty: nothing is lost. More than `most` parts are counted.
std::string inWords(const LostParts&, std::size_t most = 3);

}  // namespace nest
