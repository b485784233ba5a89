#pragma once

#include <functional>
#include <vector>

#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

class Watch;

/// A pipeline of relaxed stages, packed from the last one on.
struct PackedStages {
  std::vector<int> cuts, policies;  ///< from the first stage on
  std::vector<std::size_t> floors;  ///< per stage, which relaxed one
  int units = 0;
  double sum = 0, tail = 0;

  bool whole() const { return !cuts.empty() && cuts.front() == 0; }
  int stages() const { return static_cast<int>(floors.size()); }
};

/// How much of a stage counts that holds so many layers on so many units, with so many stages behind it.
using StageWorth = std::function<double(int layers, int width, int behind)>;

/// Layer by layer from the end of a chain: the next stage is the one worth most (each stage in front holds
/// its stashes for longer), of those with no larger load than `most`, and straddle no hosts. 1F1B. Where no
/// stage holds the next layer, it ends there. `capacity`: bytes of a device.
PackedStages packFromBehind(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                            double capacity, const StageWorth&, double most, Watch&);

/// The fastest of such pipelines on so many units whose number of stages is allowed, with several prices of a
/// stage; none where none fits.
PackedStages packedStages(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                          double capacity, int units, double leastMax, double mostLoad, Watch&);

}  // namespace nest::solver
