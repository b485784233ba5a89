#pragma once

#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// A lower bound on the time of pipelines whose stages choose their strategies (STATEMENT.md (6.4)).
/// Claim: no such pipeline takes less time.
/// Proof: max load ≥ Σ load/S and max load ≥ Σ a·load/U, so for θ + φ = w_max
///   T ≥ Σ_x load(x)·(w_sum + φ/S + θ·a/U), where each layer takes the strategy that minimizes its term.
/// Cost: kSteps values of θ × classes of layers × strategies.
class LeastWork {
public:
  LeastWork() = default;
  LeastWork(const LayerGraph&, const std::vector<const LeastLayers*>&);
  /// A bound for at most `stages` stages on at most `units` units; infinite if no strategy fits on them.
  double time(const ObjectiveWeights&, int units, int stages, BoundLedger&) const;
  int narrow() const { return m_narrow; }  ///< width of the narrowest strategy

private:
  struct Choice {
    int width;
    double load, unitLoad;  ///< time of a layer, and time × units; seconds
  };
  struct Class {
    int layers = 0;
    std::vector<Choice> choices;  ///< ascending width; no narrower one is at least as good in both values
  };
  std::vector<Class> m_classes;
  int m_narrow = 1;
};

}  // namespace nest::solver
