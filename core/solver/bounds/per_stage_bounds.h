#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/bounds/depth_prices.h"
#include "solver/bounds/stage_prefixes.h"
#include "solver/bounds/unit_prices.h"

namespace nest::solver {

/// Pipelines whose stages choose their strategies, for one (b, z) and d, or any of several d of as many
/// microbatches: sums over layers, and the tables over whole stages and with prices that are asked for.
/// Claim: for 0 ≤ θ ≤ w_max, on U units in all, T ≥ (w_max − θ)·max + Σ_x min_σ load_σ(x)·(w_sum + θ·a_σ/U).
/// Proof: the largest load is at least the mean weighted by units, Σ a_i·load_i/U. A first stage that exposes
/// ρ·load
///   raises θ by min(ρ, θ·a_min/(U − a_min)): shifting weight from the first stage to the others in the mean
///   keeps its own coefficient at (θ + ρ)·a/U. Where the schedule does not fill by load, w_sum = 0 here, and
///   tables over whole stages count x and y (6.9).
/// Cost: kSteps × (cuts + classes of layers × strategies) for each U, when first asked for; then kSteps a
/// question.
class PerStageBounds {
public:
  /// `rules`, the watch's ledger: kept by reference. Once the watch is over, of some of the d alone.
  PerStageBounds(const Problem&, const LayerOrder&, const CutRules& rules, GroupShapes&,
                 const std::vector<LayerSums*>& sums, const std::vector<Sharding>&, int zero, const Target&,
                 Watch&);

  /// Chains: from here on upTo(), time() and mostLoad() know whole stages, whose units have a price. To be
  /// asked before anything is asked about a pipeline of more units. `limit`: what takes longer does not
  /// count. `mostKept`: of more relaxed stages none is kept. False: nothing changed.
  bool priceUnits(int mostUnits, double limit, double capacity, std::size_t mostKept, Watch&);
  bool knowsDepths() const { return m_deep.units > 0; }  ///< of long chains priceUnits() begins with them
  /// Chains: from here on time(), whole() and mostLoad() look at whole stages too. `limit`: only plans below
  /// it count. `sites`: they know where stages stand, which takes longer.
  void sharpen(int mostUnits, double limit, double capacity, bool sites, Watch&);
  std::size_t bytes() const;  ///< of the tables
  void dropTables();          ///< until they are asked for again
  /// The same of one layout alone, until the next one: exactly where stages stand on so many units.
  void standOn(const BlockLayout&, int units, double limit, double capacity, Watch&);
  void standAnywhere() { m_placed.reset(); }

  /// The layers before `cut` on exactly `units` units behind which `behind` stages stand with y of at most
  /// `max` and x of `sum` in all (ObjectiveWeights), and a sync term of `tail`: a bound on the whole time.
  /// Above `enough` any bound will do.
  double time(int behind, int cut, int units, double max, double sum, double tail,
              double enough = std::numeric_limits<double>::infinity());
  /// The largest y of the layers before `cut` on exactly `units` units is not below this.
  double leastMax(int behind, int cut, int units) const;
  /// On the whole time of every pipeline on so many units or fewer that takes no longer than `limit`. At
  /// once.
  double upTo(int units, double limit) const;
  /// time() of the whole pipeline, without keeping a table; its layers' exchanges take `hops` at least.
  double whole(int units, double hops) const;
  /// No stage of a plan of `units` units under the limit has a larger load.
  double mostLoad(int units, double limit) const;
  /// Chains: if no stage of `units` has a larger load, the first one exposes at least this much sync and
  /// step: it holds what the others cannot. Infinite: there is no such pipeline. 0 for DAGs.
  double leastTail(int units, double mostLoad) const;
  double leastBytes() const {
    return m_leastBytes;
  }  ///< all model state, over all devices of a replica, at least

private:
  static constexpr int kSteps = 5;         ///< θ = k/4 of the largest
  static constexpr int kMostUnits = 4096;  ///< tables for more would be too large
  static constexpr int kMostCuts = 1000;
  static constexpr std::size_t kFewClasses = 16;
  static constexpr std::size_t kMostTableBytes = std::size_t(128) << 20;
  bool priceDepths(int mostUnits, double limit, double capacity, Watch&);  ///< false: nothing changed
  std::vector<StageSites> sitesOf(std::span<const BlockLayout>, int units) const;
  bool isPriced(int units) const { return m_prices && units <= m_prices->units(); }
  bool knows(int units) const { return m_prefixes && units <= m_prefixes->units(); }
  template <class Visit>
  void visitTables(int units, Visit visit) const {
    if (knows(units)) visit(*m_prefixes);
    if (m_placed) visit(*m_placed);
  }
  /// Σ over the layers of min_σ load_σ·(perLoad + perUnit·a_σ), of strategies on so many units at most.
  double total(int units, double perLoad, double perUnit) const;
  double leastOf(std::size_t layerClass, int units, double perLoad, double perUnit) const;
  const std::vector<double>& table(int units);
  /// Whether tables hold a figure per class instead of one per cut: of long chains they would be too large.
  bool isLong() const { return m_order->cutCount() > kMostCuts && m_layersOf.size() <= kFewClasses; }
  /// Of the layers before `cut`, from the table.
  double before(const std::vector<double>& table, int step, int cut) const;
  double leastMax(int units) const;                    ///< of the whole pipeline
  double mostLoadUpTo(int units, double limit) const;  ///< of every pipeline on so many units or fewer
  double theta(int step, int units) const;
  int mostStages(int units) const {
    return std::min({m_order->layerCount(), units / m_leastWidth, m_mostStages});
  }
  /// The stages in front of a cut take so many, at least.
  int leastUnits(int cut) const { return m_leastWidth * m_rules->leastBefore(cut); }
  bool isClosed(int units) const { return units < leastUnits(m_order->last()) || units <= m_closedUnits; }

  bool uses(SearchBound b) const { return m_ledger->uses(b); }
  /// Whether a bound alone is above `enough`; counts that.
  bool closes(SearchBound b, double bound, double enough) const {
    m_ledger->count(b, bound > enough);
    return bound > enough;
  }

  BoundLedger* m_ledger;
  const Problem* m_problem;
  const LayerOrder* m_order;
  const CutRules* m_rules;
  GroupShapes* m_shapes;
  int m_dataDegree;  ///< 0: several
  std::vector<LayerSums*> m_sums;
  int m_closedUnits = 0;        ///< no pipeline of so many units or fewer stays below the limit
  std::vector<double> m_times;  ///< by units: what tables told of whole pipelines, also those given up
  std::unique_ptr<StagePrefixes> m_prefixes, m_placed;  ///< wherever stages stand, in one layout
  std::unique_ptr<UnitPrices> m_prices;
  struct {
    int units = 0;
    double time = 0;
  } m_deep;  ///< what DepthPrices tell of pipelines on so many units or fewer
  int m_zero;
  Target m_target;
  ObjectiveWeights m_weights;                   ///< of loads
  FillWeights m_whole;                          ///< of whole stages
  std::vector<std::size_t> m_classOf;           ///< per layer
  std::vector<int> m_layersOf;                  ///< per class of layers
  std::vector<std::vector<double>> m_perClass;  ///< [class][strategy], seconds of one layer
  std::vector<int> m_width;                     ///< per strategy, ascending
  std::vector<StageFloor> m_floors;             ///< per strategy
  double m_tailPerLoad = 0;
  int m_leastWidth = 1;
  int m_mostStages;  ///< as the user allows
  double m_leastBytes = 0;
  std::vector<double> m_work, m_unitWork;     ///< per cut: Σ min load, Σ min a·load
  std::vector<std::vector<double>> m_tables;  ///< per units: kSteps × cuts, or classes of layers
  std::size_t m_tableBytes = 0;
  std::vector<int> m_layersBefore;  ///< of a long chain: cuts × classes
};

}  // namespace nest::solver
