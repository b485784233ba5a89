#pragma once

#include <optional>
#include <vector>

#include "support/artifact_cost_model.h"

namespace nest::artifact {

struct Optimum {
  double time = 0;
  int tensor = 1, d = 1;
  std::vector<int> starts;  ///< first node of each stage, then nodeCount

  int stageCount() const { return static_cast<int>(starts.size()) - 1; }
};

/// The best plan without ZeRO under the artifact's cost model, complete over tensor degree, d, number of
/// stages and cuts. nullopt: nothing fits.
///
/// State (stages from the end, first layer) → least largest load of the rest; the levels of a stage's
/// boundaries follow from its place from the end. The first stage is enumerated, because the gradient
/// exchange depends on its parameters.
std::optional<Optimum> exactOptimum(const Instance&);

}  // namespace nest::artifact
