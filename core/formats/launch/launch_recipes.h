#pragma once

#include <string_view>

#include "analytic/transformer.h"

namespace nest {

/// A recipe to begin with: layers of the same kind as the model's, whose sizes are then set.
struct LaunchRecipe {
  const char* family;
  double billions;  ///< of parameters
  int positions;
  const char *bridge, *nemo;  ///< of Megatron-Bridge 067f987df and NeMo 8cfedd720; nullptr: none
  bool experts = false;

  bool isOf(const TransformerArchitecture&) const;  ///< the very model, as far as size and positions tell
  /// NeMo's configurations of Llama 3.1 and later always scale rotary positions.
  bool scalesInNemo() const {
    return nemo &&
           (std::string_view(nemo).starts_with("llama31") || std::string_view(nemo).starts_with("llama32"));
  }
};

/// The one of the model's family that is nearest in size; nullptr: none is known.
const LaunchRecipe* recipeOf(const TransformerArchitecture*);

}  // namespace nest
