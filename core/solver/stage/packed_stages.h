#pragma once

#include <vector>

#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::planner {

class Watch;

/// A pipeline of relaxed stages, packed from the last one on.
struct PackedStages {
  std::vector<int> cuts, policies;  ///< from the first stage on
  std::vector<std::size_t> floors;  ///< per stage, which relaxed one
  int units = 0;
  double sum = 0, tail = 0;
};

/// Layer by layer from the end of a chain: the next stage is the one that holds most layers for its units and
/// `perStage` more (each stage in front holds its stashes for longer), of those with no larger load than
/// `most`, and straddle no hosts. 1F1B. Where no stage holds the next layer, none of it is told. `capacity`:
/// bytes of a device.
PackedStages packFromBehind(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                            double capacity, double perStage, double most, Watch&);

/// The fastest of such pipelines on so many units, with several prices of a stage; none where none fits.
PackedStages packedStages(const Problem&, const LayerOrder&, const std::vector<StageFloor>&, const Target&,
                          double capacity, int units, double leastMax, double mostLoad, Watch&);

}  // namespace nest::planner
