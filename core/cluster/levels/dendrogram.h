#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/graph/fabric.h"

namespace nest {

/// A group of devices that a network joins at one width, or a single device.
struct DendrogramNode {
  /// What sets its children apart from each other.
  enum class Tier : std::uint8_t { Device, Width, Hops, Lattice, HopRun };

  Tier tier = Tier::Device;
  int parent = -1;            ///< −1 for the root
  std::vector<int> children;  ///< in locality order; empty for a device
  int device = -1;            ///< number of the device (Fabric::devices), −1 for a group
  int devices = 1;            ///< how many stand below
  int hops = 0;               ///< links between neighbouring children, 0 if not told apart by hops
  int height = 0;             ///< groups of the same bandwidth stacked below, for telling tiers apart
  double width = 0;           ///< bytes/s of the widest path between the children
  int sharing = 1;       ///< devices behind one link of a lattice: hosts whose devices share the host's links
  double cut = 0;        ///< bytes/s that leave the group one way, all links together
  double bandwidth = 0;  ///< bytes/s that a device sustains to a partner in another child while all send
  std::string tierName;  ///< "plane", "2 hops"; empty if it has no name of its own
  int level = -1;        ///< of the abstraction; −1 for a device

  bool isOrdered() const {
    return tier == Tier::Lattice || tier == Tier::HopRun;
  }  ///< children keep their place
  double oversubscription() const { return bandwidth > 0 ? width / bandwidth : 1; }
};

/// Single-linkage tree of the devices under the widest path (the maximum spanning tree's merges; Gower & Ross
/// 1969), children that meet at one width told apart further: by hop distance (racks, pods), or as a lattice.
///
/// Nodes 0…devices − 1 are the devices, the last node is the root. A group's `bandwidth` is the smaller of
/// its width and of every child's share of the links that leave it: cut ÷ devices; it never exceeds that of a
/// group inside.
struct Dendrogram {
  std::vector<DendrogramNode> nodes;
  std::vector<int> order;  ///< device numbers in locality order
  int parts = 1;           ///< 1: connected. Otherwise the root joins parts that no path joins; do not use.

  int root() const { return static_cast<int>(nodes.size()) - 1; }
};

Dendrogram buildDendrogram(const Fabric& fabric);

}  // namespace nest
