#pragma once

#include "scenario/scenario.h"

namespace nest {

/// Everything about a setting that no plan could satisfy or no cost could be computed from: every field
/// outside its range, and what fields together exclude. Pointers are those of the scenario file
/// ("/job/global_batch").
Diagnostics checkSetting(const Setting&);
/// Layers that the model does not have, and demands on layers that contradict each other. `layerCount`: 0 if
/// not known yet.
Diagnostics checkLayers(const Constraints&, int layerCount);

}  // namespace nest
