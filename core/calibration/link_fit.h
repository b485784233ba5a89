#pragma once

#include "calibration/measurement.h"

namespace nest {

/// Bandwidth and latency of one level with which the cost model (STATEMENT.md §4) gives the measured times of
/// the largest and of the smallest size; at least one of them.
struct LinkFit {
  static constexpr Bytes kSmall{64.0 * 1024};    ///< up to this size times show the latency
  static constexpr Bytes kLarge{1024.0 * 1024};  ///< from this size on they show the bandwidth

  int level = 0;
  std::string name;                         ///< of the level
  std::optional<BytesPerSecond> bandwidth;  ///< unset: no size is large enough to show it, or `isRefused`
  std::optional<Seconds> latency;           ///< unset: no size is small enough to show it
  bool isRefused = false;  ///< the times do not show what the level carries, as a warning says
  Bytes largest, smallest;
  /// Model ÷ measured − 1 at the size between where it is farthest from 0.
  double worst = 0;
  Bytes worstAt;
};

/// The ranks are placed on the cluster's hosts of these names, or else as packed as they can be. `level`: the
/// outermost that they span; unset: the only one that they can. Errors: it may be one of several; ranks and
/// hosts fit nowhere; times that contradict the levels inside. A level gets no more than its line carries (as
/// typed, or of the data sheet): NCCL runs levels side by side, the cost model one after another, so that
/// fast collectives would need more. Then the bandwidth is the share of each adapter of a ring, where there
/// is one, or stays as it was, with a warning. Of the assumptions the link efficiency counts, on the levels
/// that were not measured.
Reading<LinkFit> fitLink(const Hierarchy&, const Assumptions&, const CollectiveTimes&,
                         std::optional<int> level);

/// Fits and sets the levels that these tell, in order, each inside before what is around it; times of ranks
/// that were already fitted are compared. `notes`: what changed. Errors: those of fitLink and setLink; they
/// are of devices of another family.
Diagnostics setLinks(ClusterSource&, const std::vector<int>& excluded, const Assumptions&,
                     const std::vector<CollectiveTimes>&, std::optional<int> level,
                     std::vector<std::string>& notes);

/// Puts it into the cluster, with origin measured. Errors: the network is a graph, whose links have their
/// own.
Diagnostics setLink(ClusterSource&, const LinkFit&);

/// "level rack: 41.2 GB/s, 14 µs".
std::string toText(const LinkFit&);
/// What it changes of the level as it was, and how far the fit is from the sizes between; sentences.
std::vector<std::string> toldOf(const LinkFit&, const NetworkLevel& before, const Assumptions&);

}  // namespace nest
