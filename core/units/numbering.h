#pragma once

#include <string>
#include <vector>

#include "units/index.h"

/// The one place that numbers stages and layers for people: they count from 1 wherever someone reads (text,
/// figures, tables, messages). Indices in code and in files count from 0, as do devices, hosts, ranks and
/// replicas everywhere.
namespace nest::text {

std::string stageNumber(StageIndex);  ///< "3": for table columns and labels that say "stage" elsewhere
std::string stageName(StageIndex);    ///< "stage 3"
std::string stageTitle(StageIndex);   ///< "Stage 3", to begin a sentence or a title
std::string layerNumber(LayerIndex);
std::string layerName(LayerIndex);  ///< "layer 17", for layers without a name of their own
std::string layerNumbers(const std::vector<LayerIndex>&);  ///< ascending: "1–4, 7"; "none" if there are none
std::string layersName(const std::vector<LayerIndex>&);    ///< "layer 7", "layers 1–4, 7", "no layers"

}  // namespace nest::text
