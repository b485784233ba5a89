#pragma once

#include "scenario/measurement.h"

namespace nest {

/// The scenario's model with measured times of its blocks, for the strategy and microbatch size of the plan
/// that was traced; all else stays as it is, and a calibration factor is taken back. Blocks that share their
/// costs get the mean of those that were measured. Full recompute repeats the measured forward pass,
/// selective recompute keeps its share. `told`: what changed. Errors: more layers than the model has blocks;
/// stages of several strategies; what buildProblem reports.
Reading<ModelSource> withLayerTimes(const Scenario&, const Plan&, const LayerTimes&,
                                    std::vector<std::string>& told);

}  // namespace nest
