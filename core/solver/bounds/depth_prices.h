#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/bounds/search_bounds.h"

namespace nest::planner {

class Watch;

/// A lower bound on pipelines of a chain whose stages choose their strategies, for one (b, d, z), from the
/// layers that are alike: the commonest class (STATEMENT.md (6.11)). How many stages stand behind a stage
/// decides what it holds, and what it costs does not depend on where its layers stand: with a price for units
/// and one for layers, depth by depth, all stages are independent.
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

}  // namespace nest::planner
