#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/bounds/search_bounds.h"

namespace nest::solver {

class Watch;

/// Bounds the pipelines of a chain whose stages choose their strategies, for one (b, d, z), by the commonest
/// class of identical layers alone (STATEMENT.md (6.11)).
/// Claim: no pipeline within the limits takes less time than bound(), for any prices μ of a unit and ρ of a
/// layer.
/// Proof: the number of stages behind a stage determines what it can hold, and its cost does not depend on
/// where its layers are. Because Σ a_k ≤ U and Σ n_k = L, the terms μ·(Σ a_k − U) ≤ 0 and ρ·(L − Σ n_k) = 0
/// may be added. Then each depth has a separate term, linear in n, whose minimum is at n = 1 or at the most
/// layers that fit. Other layers are ignored.
/// Cost: ranges of the largest load × steps of both prices × depths × kinds of stages, independent of the
/// number of layers.
class DepthPrices {
public:
  struct Limits {
    int units = 0;                      ///< upper bound on the units of a pipeline
    double time = 0;                    ///< and on its time, seconds
    double leastMax = 0, mostLoad = 0;  ///< lower bound on its largest load, upper bound on any load
    double capacity = 0;                ///< of the roomiest device, bytes
    int leastStages = 1, mostStages = std::numeric_limits<int>::max();
  };
  /// `floors`: one per strategy. The schedule must fill by load.
  DepthPrices(const Problem&, const LayerOrder&, const std::vector<StageFloor>& floors, const Target&,
              const Limits&);
  /// A lower bound on the time of every pipeline within the limits. If the watch stops it, the bound is valid
  /// but weaker.
  double bound(Watch&) const;

private:
  /// A stage with one strategy and policy: what each of its layers adds, and the rest of its cost.
  struct Kind {
    int width;
    double load, bytes, stash;  ///< per layer; bytes without stashes
    double room;                ///< bytes for all layers
    double sent, received;      ///< seconds
    double tail, besides;       ///< of a first stage: per layer, and the part of it that is hidden
  };
  struct Depth {
    std::vector<int> most;  ///< layers that fit in a stage, per kind
  };
  struct Sum {
    double value = std::numeric_limits<double>::infinity();
    double layers = 0;
  };
  double least(double mostLoad, Watch&) const;
  Sum leastSum(const std::vector<Depth>&, double perUnit, double perLayer) const;

  ObjectiveWeights m_weights;
  Limits m_limits;
  int m_layers = 0;  ///< number of identical layers
  std::vector<Kind> m_kinds;
  std::vector<double> m_inFlight;  ///< per number of stages behind
};

}  // namespace nest::solver
