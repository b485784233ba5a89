#pragma once

#include <string>
#include <vector>

#include "problem/problem.h"

namespace nest {

struct ClusterSource;

/// One figure of the cluster that somebody could improve. Studies pull levers on a Problem; everything else
/// in it stays.
struct Lever {
  enum class Kind { Bandwidth, Latency, Memory, Compute, Devices };
  Kind kind = Kind::Bandwidth;
  int level = -1;  ///< of Bandwidth and Latency

  friend bool operator==(const Lever&, const Lever&) = default;
};

/// Every lever of a cluster: bandwidth and latency of each level that is wider than one group, memory,
/// compute speed, device count. A latency of 0 is no lever.
std::vector<Lever> leversOf(const Problem&);
/// "bandwidth of level rack", "device memory", "compute speed", "devices".
std::string nameOf(const Problem&, const Lever&);
/// Present value in SI units; 1 for compute speed. `typed`: see pulled.
double valueOf(const Problem&, const Lever&, const std::vector<NetworkLevel>& typed = {});
/// The value times `factor`, with its unit: "62.5 GB/s", "1.25 ×" for compute speed. `typed`: see pulled.
std::string valueText(const Problem&, const Lever&, double factor,
                      const std::vector<NetworkLevel>& typed = {});
/// Whether a larger value is the better one (all but latency).
bool isBetterLarger(const Lever&);

/// The levels of a cluster as they were typed, before any is clamped to the one inside it; empty where they
/// are derived from a graph.
std::vector<NetworkLevel> levelsAsTyped(const ClusterSource&);

/// Levels with the lever's figure times `factor`; as they are where it is none of theirs.
std::vector<NetworkLevel> pulledLevels(std::vector<NetworkLevel>, const Lever&, double factor);

/// The problem with the lever's value times `factor` > 0. Bandwidths and latencies are clamped as everywhere:
/// of `typed`, where these are the figures that the problem's levels come from (else of the clamped ones), so
/// that a level held back by the one inside it rises with it. Compute speed divides the profile's compute
/// seconds; a device count is rounded to whole innermost groups, and changes by at least one.
Problem pulled(const Problem&, const Lever&, double factor, const std::vector<NetworkLevel>& typed = {});

/// The cluster's first `count` devices, or, beyond them, the cluster repeated, joined at the outermost level.
Problem withDeviceCount(const Problem&, int count);
/// The cluster without some positions of its locality order; the rest keeps its names. At least one must
/// stay.
Problem withoutDevices(const Problem&, const std::vector<int>& positions);

}  // namespace nest
