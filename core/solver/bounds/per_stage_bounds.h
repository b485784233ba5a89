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

/// Bounds on the pipelines whose stages choose their strategies, for one (b, z) and one d, or for any of
/// several d with the same microbatch count. It uses sums over layers and, on request, tables over whole
/// stages and tables with prices.
/// Claim: for 0 ≤ θ ≤ w_max, on U units in all, T ≥ (w_max − θ)·max + Σ_x min_σ load_σ(x)·(w_sum + θ·a_σ/U).
/// Proof: the largest load is at least the mean weighted by units, Σ a_i·load_i/U. A first stage that exposes
/// ρ·load raises θ by min(ρ, θ·a_min/(U − a_min)): this moves weight of the mean from the first stage to the
/// others, and keeps its own coefficient at (θ + ρ)·a/U. Where the schedule does not fill by load, w_sum = 0
/// here, and tables over whole stages count x and y (6.9).
/// Cost: kSteps × (cuts + classes of layers × strategies) for each U on first use, then kSteps per call.
class PerStageBounds {
public:
  /// Keeps references to `rules` and to the watch's ledger. If the watch has stopped, only some of the d are
  /// covered.
  PerStageBounds(const Problem&, const LayerOrder&, const CutRules& rules, GroupShapes&,
                 const std::vector<LayerSums*>& sums, const std::vector<Sharding>&, int zero, const Target&,
                 Watch&);

  /// For chains: from now on upTo(), time() and mostLoad() also use whole stages whose units have a price.
  /// Must be called before any call for a pipeline with more units. `limit`: seconds; slower pipelines do not
  /// count. `mostKept`: if there are more relaxed stages, none are kept. Returns false if nothing changed.
  bool priceUnits(int mostUnits, double limit, double capacity, std::size_t mostKept, Watch&);
  /// Whether priceUnits() has bounded a long chain by DepthPrices, with which it begins.
  bool knowsDepths() const { return m_deep.units > 0; }
  /// For chains: from now on time(), whole() and mostLoad() also use whole stages. `limit`: only plans below
  /// it count. `sites`: the tables depend on where stages stand, which takes longer to compute.
  void sharpen(int mostUnits, double limit, double capacity, bool sites, Watch&);
  std::size_t bytes() const;  ///< of the tables
  void dropTables();          ///< they are computed again when needed
  /// Adds the tables for one layout, which know exactly where stages stand on `units` units, until the next
  /// call.
  void standOn(const BlockLayout&, int units, double limit, double capacity, Watch&);
  void standAnywhere() { m_placed.reset(); }

  /// A bound on the whole time for the layers before `cut` on exactly `units` units, with `behind` stages
  /// behind them that have y of at most `max`, a total x of `sum` (ObjectiveWeights), and a sync term of
  /// `tail`. Computation ends as soon as the bound exceeds `enough`.
  double time(int behind, int cut, int units, double max, double sum, double tail,
              double enough = std::numeric_limits<double>::infinity());
  /// A lower bound on the largest y of the layers before `cut` on exactly `units` units.
  double leastMax(int behind, int cut, int units) const;
  /// A quick bound on the time of every pipeline on at most `units` units that takes no longer than `limit`.
  double upTo(int units, double limit) const;
  /// time() for the whole pipeline, without keeping a table. `hops`: least seconds of the exchanges between
  /// stages.
  double whole(int units, double hops) const;
  /// An upper bound on the load of any stage of a plan on `units` units under the limit.
  double mostLoad(int units, double limit) const;
  /// For chains: a lower bound on the sync and step that the first stage exposes if no stage on `units` units
  /// has a larger load, because it holds what the others cannot. Infinite if there is no such pipeline; 0 for
  /// DAGs.
  double leastTail(int units, double mostLoad) const;
  /// A lower bound on all model state, added up over the devices of a replica.
  double leastBytes() const { return m_leastBytes; }

private:
  static constexpr int kSteps = 5;         ///< θ = k/4 of its maximum
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
  /// Σ over the layers of min_σ load_σ·(perLoad + perUnit·a_σ), for strategies no wider than `units`.
  double total(int units, double perLoad, double perUnit) const;
  double leastOf(std::size_t layerClass, int units, double perLoad, double perUnit) const;
  const std::vector<double>& table(int units);
  /// Whether tables have one value per class instead of one per cut, which would be too large for long
  /// chains.
  bool isLong() const { return m_order->cutCount() > kMostCuts && m_layersOf.size() <= kFewClasses; }
  /// The sum over the layers before `cut`, from the table.
  double before(const std::vector<double>& table, int step, int cut) const;
  double leastMax(int units) const;                    ///< of the whole pipeline
  double mostLoadUpTo(int units, double limit) const;  ///< for every pipeline on at most `units` units
  double theta(int step, int units) const;
  int mostStages(int units) const {
    return std::min({m_order->layerCount(), units / m_leastWidth, m_mostStages});
  }
  /// The least units of the stages in front of a cut.
  int leastUnits(int cut) const { return m_leastWidth * m_rules->leastBefore(cut); }
  bool isClosed(int units) const { return units < leastUnits(m_order->last()) || units <= m_closedUnits; }

  bool uses(SearchBound b) const { return m_ledger->uses(b); }
  /// Whether a bound alone exceeds `enough`; counts the call.
  bool closes(SearchBound b, double bound, double enough) const {
    m_ledger->count(b, bound > enough);
    return bound > enough;
  }

  BoundLedger* m_ledger;
  const Problem* m_problem;
  const LayerOrder* m_order;
  const CutRules* m_rules;
  GroupShapes* m_shapes;
  int m_dataDegree;  ///< 0 if there are several
  std::vector<LayerSums*> m_sums;
  int m_closedUnits = 0;        ///< no pipeline on at most this many units is below the limit
  std::vector<double> m_times;  ///< per units: bounds on whole pipelines, including tables that were dropped
  std::unique_ptr<StagePrefixes> m_prefixes, m_placed;  ///< for stages anywhere, and for one layout
  std::unique_ptr<UnitPrices> m_prices;
  struct {
    int units = 0;
    double time = 0;
  } m_deep;  ///< results of DepthPrices for pipelines on at most this many units
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
  int m_mostStages;  ///< as the user's constraints allow
  double m_leastBytes = 0;
  std::vector<double> m_work, m_unitWork;     ///< per cut: Σ least load, Σ least a·load
  std::vector<std::vector<double>> m_tables;  ///< per units: kSteps × cuts, or classes of layers
  std::size_t m_tableBytes = 0;
  std::vector<int> m_layersBefore;  ///< in long chains: cuts × classes
};

}  // namespace nest::solver
