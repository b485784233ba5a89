#pragma once

#include "analytic/transformer.h"

namespace nest {

/// A recipe to begin with: layers of the same kind as the model's, whose sizes are then set.
struct LaunchRecipe {
  const char* family;
  double billions;  ///< of parameters
  int positions;
  const char *bridge, *nemo;  ///< of Megatron-Bridge 067f987df and NeMo 8cfedd720; nullptr: none
  bool experts = false;
};

/// The one of the model's family that is nearest in size; nullptr: none is known.
const LaunchRecipe* recipeOf(const TransformerArchitecture*);

}  // namespace nest
