#pragma once

#include <memory>
#include <vector>

#include "solver/bounds/stage_prefixes.h"

namespace nest::planner {

/// Lower bounds on pipelines whose stages choose their strategies, for one (b, d, z), from additive
/// relaxations.
///
/// With U units in all, the largest load is at least the mean weighted by units, Σ a_i·load_i / U. So for 0 ≤
/// θ ≤ w_max
///   T ≥ (w_max − θ)·max + Σ_x min_σ load_σ(x)·(w_sum + θ·a_σ/U).
/// A first stage that exposes ρ·load raises θ by min(ρ, θ·a_min/(U − a_min)): shifting weight from the first
/// stage to the others in the mean keeps its own coefficient at (θ + ρ)·a/U.
class PerStageBounds {
public:
  PerStageBounds(const Problem&, const LayerOrder&, const GroupShapes&, const std::vector<LayerSums*>& sums,
                 int dataDegree, const std::vector<int>& shardDegrees, int zero, ObjectiveWeights weights);

  /// Chains: from here on time() and mostLoad() look at whole stages too. `limit`: only plans below it count.
  void sharpen(int microbatchCount, int mostUnits, double limit, double capacity, Watch&);
  std::size_t bytes() const;  ///< of the tables

  /// The layers before `cut` on exactly `units` units behind which `behind` stages with loads of at most
  /// `max`, `sum` in all, and a sync term of `tail` stand: a bound on the whole time.
  double time(int behind, int cut, int units, double max, double sum, double tail);
  /// The largest load of the layers before `cut` on exactly `units` units is not below this.
  double leastMax(int behind, int cut, int units) const;
  double quick(int units) const;  ///< a weaker bound on the whole time, at once
  double whole(int units);        ///< time() of the whole pipeline, without keeping a table
  /// No stage of a plan of `units` units under the limit has a larger load.
  double mostLoad(int units, double limit);
  /// Chains: if no stage of `units` has a larger load, the first one exposes at least this much sync and
  /// step: it holds what the others cannot. Infinite: there is no such pipeline. 0 for DAGs.
  double leastTail(int units, double mostLoad) const;
  double leastBytes() const {
    return m_leastBytes;
  }  ///< all model state, over all devices of a replica, at least

private:
  static constexpr int kSteps = 5;         ///< θ = k/4 of the largest
  static constexpr int kMostUnits = 4096;  ///< tables for more would be too large
  bool knows(int units) const { return m_prefixes && units <= m_prefixes->units(); }
  void fillTable(int units, int step, double* row) const;
  const std::vector<double>& table(int units);
  double theta(int step, int units) const;

  const Problem* m_problem;
  const LayerOrder* m_order;
  int m_closedUnits = 0;  ///< no pipeline of so many units or fewer stays below the limit
  std::unique_ptr<StagePrefixes> m_prefixes;
  ObjectiveWeights m_weights;
  std::vector<std::vector<double>> m_perLayer;  ///< [strategy][layer], seconds
  std::vector<int> m_width;
  std::vector<StageFloor> m_floors;  ///< per strategy
  double m_tailPerLoad = 0;
  int m_leastWidth = 1;
  double m_leastBytes = 0;
  std::vector<double> m_work, m_unitWork;     ///< per cut: Σ min load, Σ min a·load
  std::vector<std::vector<double>> m_tables;  ///< per units: kSteps × cuts
};

}  // namespace nest::planner
