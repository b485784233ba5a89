#pragma once

#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// Claim: no pipeline whose stages choose their strategies takes less time (STATEMENT.md (6.4)).
/// Proof: max load ≥ Σ load/S and max load ≥ Σ a·load/U, so that for θ + φ = w_max
///   T ≥ Σ_x load(x)·(w_sum + φ/S + θ·a/U); each layer then takes the strategy that makes this least.
/// Cost: kSteps values of θ × classes of layers × strategies.
class LeastWork {
public:
  LeastWork() = default;
  LeastWork(const LayerGraph&, const std::vector<const LeastLayers*>&);
  /// Of at most so many stages on at most so many units; infinite: no strategy fits on them.
  double time(const ObjectiveWeights&, int units, int stages, BoundLedger&) const;
  int narrow() const { return m_narrow; }  ///< the narrowest strategy

private:
  struct Choice {
    int width;
    double load, unitLoad;  ///< time of a layer, and time × units
  };
  struct Class {
    int layers = 0;
    std::vector<Choice> choices;  ///< by width, none beaten in both figures by a narrower one
  };
  std::vector<Class> m_classes;
  int m_narrow = 1;
};

}  // namespace nest::solver
