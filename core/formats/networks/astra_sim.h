#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// The network file of ASTRA-sim's analytical backend: dimensions, innermost first.
struct AstraSimNetwork {
  enum class Shape { Ring, FullyConnected, Switch };
  struct Dimension {
    Shape shape = Shape::Switch;
    int npus = 1;
    BytesPerSecond bandwidth;  ///< of one NPU in this dimension, one way
    Seconds latency;           ///< of one link
    friend bool operator==(const Dimension&, const Dimension&) = default;
  };
  std::vector<Dimension> dimensions;
  friend bool operator==(const AstraSimNetwork&, const AstraSimNetwork&) = default;
};

/// topology: [Ring, FullyConnected, Switch], npus_count, bandwidth (GB/s), latency (ns): four lists of one
/// length, single values allowed. Other keys are reported and ignored. Up to 1 MiB, 8 dimensions.
Reading<AstraSimNetwork> readAstraSim(std::string_view text, const std::string& file = {});

/// Reading it back gives the same network.
std::string writeAstraSim(const AstraSimNetwork&);

/// One level per dimension. End-to-end latency: two links through a switch, one when fully connected, half
/// the ring.
LevelsSource levelsOf(const AstraSimNetwork&);

/// A hierarchy as switch dimensions. Errors: irregular groups, which ASTRA-sim cannot say. Warns of devices
/// that differ.
Reading<AstraSimNetwork> astraSimOf(const Hierarchy&);

}  // namespace nest
