#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/bounds/search_bounds.h"

namespace nest::solver {

class Watch;

/// Pipelines of a chain whose stages choose their strategies, for one (b, d, z), from the layers that are
/// alike: the commonest class (STATEMENT.md (6.11)). Claim: none within the limits takes less time than
/// bound(), whatever the prices μ of a unit and ρ of a layer. Proof: how many stages stand behind a stage
/// decides what it holds, and what it costs does not depend on where its
///   layers stand. Σ a_k ≤ U and Σ n_k = L, so that μ·(Σ a_k − U) ≤ 0 and ρ·(L − Σ n_k) = 0 may be added;
///   then each depth is a term of its own, linear in n, and least at n = 1 or at the most that fits. Other
///   layers are left out.
/// Cost: ranges of the largest load × steps of both prices × depths × kinds of stages, whatever the number of
/// layers.
class DepthPrices {
public:
  struct Limits {
    int units = 0;                      ///< no pipeline of interest has more
    double time = 0;                    ///< nor takes longer
    double leastMax = 0, mostLoad = 0;  ///< nor has a smaller largest load, or any larger one
    double capacity = 0;                ///< of the roomiest device, bytes
    int leastStages = 1, mostStages = std::numeric_limits<int>::max();
  };
  /// `floors`: one per strategy. The schedule fills by load.
  DepthPrices(const Problem&, const LayerOrder&, const std::vector<StageFloor>& floors, const Target&,
              const Limits&);
  /// On the time of every pipeline within the limits. At any moment true; ended early by the watch, less.
  double bound(Watch&) const;

private:
  /// A stage of one strategy and policy: what each of its layers adds, and what it costs besides.
  struct Kind {
    int width;
    double load, bytes, stash;  ///< per layer; bytes without stashes
    double room;                ///< for all of them
    double sent, received;      ///< seconds
    double tail, besides;       ///< of a first stage: per layer, and what is hidden of it
  };
  struct Depth {
    std::vector<int> most;  ///< layers of a stage, per kind
  };
  struct Sum {
    double value = std::numeric_limits<double>::infinity();
    double layers = 0;
  };
  double least(double mostLoad, Watch&) const;
  Sum leastSum(const std::vector<Depth>&, double perUnit, double perLayer) const;

  ObjectiveWeights m_weights;
  Limits m_limits;
  int m_layers = 0;  ///< alike
  std::vector<Kind> m_kinds;
  std::vector<double> m_inFlight;  ///< by stages behind
};

}  // namespace nest::solver
