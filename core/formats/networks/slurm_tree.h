#pragma once

#include <string>
#include <vector>

#include "formats/networks/slurm_topology.h"

namespace nest {

/// A Slurm tree or block topology as one rooted tree. Nodes stand before their children; hosts have level 0.
struct SlurmTree {
  struct Node {
    std::string name;
    int parent = -1, level = 0;
    std::vector<int> children;
  };
  std::vector<Node> nodes;
  std::vector<int> hosts;
};
SlurmTree treeOf(const SlurmTopology&);

}  // namespace nest
