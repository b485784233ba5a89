#pragma once

#include "calibration/measurement.h"

namespace nest {

/// The scenario's model with measured times of its blocks, for the strategy and microbatch size of the plan
/// that was traced; all else stays as it is, and a calibration factor is taken back. Blocks that share their
/// costs get the mean of those that were measured. Full recompute repeats the measured forward pass,
/// selective recompute keeps its share. `notes`: what changed. Errors: more layers than the model has blocks;
/// stages of several strategies; what buildProblem reports.
Reading<ModelSource> withLayerTimes(const Scenario&, const Plan&, const LayerTimes&,
                                    std::vector<std::string>& notes);

/// By a table of blocks. Forward times without tensor parallelism: laid over where the plan has none and its
/// microbatch size is in the table; else one factor on all compute. Activations: laid over those of the
/// plan's strategy. Errors: the table is of other sequence lengths, or has no row of the strategy.
Reading<ModelSource> withBlockTable(const Scenario&, const Plan&, const BlockTable&,
                                    std::vector<std::string>& notes);

}  // namespace nest
