#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/bounds/load_bands.h"
#include "solver/bounds/prefix_table.h"
#include "solver/bounds/search_bounds.h"
#include "solver/bounds/stage_sites.h"
#include "solver/space/search_space.h"

namespace nest::solver {

class Watch;

/// A PrefixTable over (stages behind, cut, units) of a chain, for one (b, d, z). Unlike the sums over layers
/// of PerStageBounds, it accounts for layers being indivisible, for memory, and for transfers between
/// neighbours.
/// Claim: Q_λ(k, x, u) is at most the Σ (w_sum·x_i + λ·a_i·y_i) of any stages that hold the layers before cut
/// x on u units with k stages behind them.
/// Proof: the last of these stages is some y…x under some strategy, and the stages before it sum to at least
/// Q_λ(k + 1, y, u − a). Its load is a lower bound at any place: best groups, nearest neighbours, and the
/// fastest policy that fits with k + 1 microbatches in flight. Values have single precision, with an
/// allowance for rounding.
/// Cost: k × cuts × stages under the load limit × strategies × units × kRates, the last two in plain loops.
class StagePrefixes {
public:
  struct Limits {
    int units = 0;        ///< of the widest pipeline that will be asked about
    double load = 0;      ///< upper bound on the load of a stage
    double capacity = 0;  ///< of the roomiest device, bytes
    double leastMax = 0;  ///< lower bound on the largest y of a pipeline; 0: do not use LoadBands
  };
  /// `floors`: one per strategy. `sites`: one per strategy, for `limits.units` units; if empty, stages are
  /// relaxed at every place. If the watch stops it, or if the table would be too large, the object bounds
  /// nothing; see complete().
  StagePrefixes(const Problem&, const LayerOrder&, const CutRules&, const std::vector<StageFloor>& floors,
                int zero, const Target&, const Limits&, std::vector<StageSites> sites, Watch&);
  bool complete() const { return m_complete; }

  /// A bound on the whole time for the layers before `cut` on exactly `units` units, with `behind` stages
  /// behind them that have y of at most `max` and a total x of `sum` (StageFill). Computation ends as soon as
  /// the bound exceeds `enough`.
  double time(int behind, int cut, int units, double max, double sum, double enough,
              BoundLedger& ledger) const {
    const std::size_t k = row(behind, cut, units);
    const double bound = m_table.time(k, units, max, sum, 0);
    ledger.count(SearchBound::WholeStages, bound > enough);
    if (m_bands.empty() || bound > enough) return bound;
    const double banded = m_bands.time(k, std::max(max, m_table.leastMax(k)), sum);
    ledger.count(SearchBound::LoadBands, banded > enough);
    return std::max(bound, banded);
  }
  /// time() for all layers.
  double whole(int units, BoundLedger& ledger) const {
    return time(0, m_order.last(), units, 0, 0, std::numeric_limits<double>::infinity(), ledger);
  }
  double leastMax(int behind, int cut, int units) const { return m_table.leastMax(row(behind, cut, units)); }
  /// An upper bound on the y of any stage of a plan on `units` units under the limit.
  double most(int units, double limit) const {
    const std::size_t k = row(0, m_order.last(), units);
    const double most = m_table.most(k, units, limit, m_limits.load);
    return m_bands.empty() ? most : std::min(most, m_bands.most(k, limit));
  }
  std::size_t bytes() const {
    return PrefixTable<float>::bytes(rows()) + (looksClosely() ? LoadBands::bytes(rows()) : 0);
  }
  int units() const { return m_limits.units; }

private:
  static constexpr std::size_t kMostBytes = std::size_t(48) << 20;
  static constexpr std::size_t kTooManyBytes = std::size_t(96) << 20;  ///< even without `behind`
  struct Added {
    PrefixTable<float>::Added table;
    LoadBands::Added bands;
  };
  /// The range of reached rows of a cut.
  struct Span {
    int least = 1 << 30, most = -1;  ///< units
  };
  /// A relaxed stage that ends at a given cut. `added`: index in m_added of what it adds.
  struct Stage {
    int layers, width;
    std::size_t floor, added;
  };
  /// `data`: seconds that belong to neither pass of the relaxed stage.
  StageFill fillOf(const StageFloor&, const Part&, double work, double data, double received) const;
  /// Lists the stages that lead from some row of `fronts` to at most `mostUnits` units, or all if the next
  /// cut has the same stages.
  void list(int to, InFlight, const std::vector<Span>& fronts, int mostUnits, const std::vector<StageFloor>&,
            Watch&);
  void fill(int behind, const std::vector<StageFloor>&, Watch&);
  /// Allocates the rows up to this one. Allocating whole tables would delay a requested stop.
  void growTo(std::size_t row);
  bool looksClosely() const {
    return m_limits.leastMax > 0 && m_limits.load > 0 && m_limits.load < kInfinity;
  }
  std::size_t rows() const {
    return static_cast<std::size_t>(m_mostBehind + 1) * static_cast<std::size_t>(m_order.cutCount()) *
           static_cast<std::size_t>(m_limits.units + 1);
  }
  /// Index of a row. Rows are in the order in which they are filled: most stages behind first.
  std::size_t row(int behind, int cut, int units) const {
    const auto cuts = static_cast<std::size_t>(m_order.cutCount());
    return (static_cast<std::size_t>(m_mostBehind - std::min(behind, m_mostBehind)) * cuts +
            static_cast<std::size_t>(cut)) *
               static_cast<std::size_t>(m_limits.units + 1) +
           static_cast<std::size_t>(units);
  }

  const Problem& m_problem;
  const LayerOrder& m_order;
  const CutRules& m_rules;
  int m_zero;
  BoundLedger& m_ledger;
  Target m_target;
  FillWeights m_weights;
  Limits m_limits;
  int m_narrow = std::numeric_limits<int>::max();  ///< least width
  int m_mostBehind = 12;  ///< upper limit of the index; rows with more stages behind share the last one
  bool m_complete = false;
  std::vector<StageSites> m_sites;
  std::vector<int> m_fewest;  ///< per cut: least stages that hold the layers from it on
  std::vector<int> m_alike;
  std::vector<std::vector<Span>> m_spans;     ///< per number of stages behind, and cut
  std::vector<std::size_t> m_byWidth;         ///< indices of floors; the fastest of each width first
  std::vector<Stage> m_stages;                ///< stages that end at the current cut
  std::vector<std::optional<Added>> m_added;  ///< per class of site; empty if too slow there
  std::vector<char> m_ends;                   ///< per floor: longer stages do not count either
  int m_reach = 0;                            ///< layers in front of the current cut that list() considered
  std::vector<std::vector<double>> m_sent;    ///< per strategy and cut: seconds of the transfer behind
  std::vector<std::vector<double>> m_received;
  PrefixTable<float> m_table;
  LoadBands m_bands;
};

}  // namespace nest::solver
