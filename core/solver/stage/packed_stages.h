#pragma once

#include <functional>
#include <vector>

#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

class Watch;

/// A pipeline of relaxed stages, packed from the last one on.
struct PackedStages {
  std::vector<int> cuts, policies;  ///< of stages, from the first on
  std::vector<std::size_t> floors;  ///< per stage: index of its floor
  int units = 0;
  double sum = 0, tail = 0;

  bool whole() const { return !cuts.empty() && cuts.front() == 0; }
  int stages() const { return static_cast<int>(floors.size()); }
};

/// The value of a stage with `layers` layers on `width` units and `behind` stages behind it.
using StageWorth = std::function<double(int layers, int width, int behind)>;

/// Packs a chain from its end: the next stage is the one of greatest worth among those with a load of at most
/// `most` that straddle no hosts. (Stages further in front store their stashes for longer.) The schedule is
/// 1F1B. Packing ends where no stage can hold the next layer. `capacity`: bytes of a device.
PackedStages packFromBehind(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                            double capacity, const StageWorth&, double most, Watch&);

/// The fastest such pipeline on at most `units` units with an allowed number of stages, over several prices
/// of a stage; not whole() if none fits.
PackedStages packedStages(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                          double capacity, int units, double leastMax, double mostLoad, Watch&);

}  // namespace nest::solver
