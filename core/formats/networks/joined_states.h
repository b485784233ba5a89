#pragma once

#include <string>
#include <unordered_map>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"
#include "formats/networks/slurm_topology.h"

namespace nest {

/// States of hosts from several files that describe one tree of hosts.
class JoinedStates {
public:
  /// Adds the states that the list at `listPath` gives for hosts of the tree; its other hosts are reported
  /// with their devices. One file may know which devices of a host are in use where the other knows only that
  /// some are; any other difference is an error.
  void join(const SlurmTopology& list, const std::string& listPath, SlurmTopology& tree,
            const std::string& treePath, Diagnostics&);

private:
  std::unordered_map<std::string, std::string> m_from;  ///< the file of each state that `join` added
};

/// Gives the cluster the states of the tree's hosts. A host that the network does not have is an error: the
/// file may describe another cluster.
void putStates(const SlurmTopology& tree, const std::string& treePath, ClusterSource&, Diagnostics&);

}  // namespace nest
