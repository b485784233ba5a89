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

/// PrefixTable over (stages behind, cut, units) of a chain, for one (b, d, z). Unlike the sums over layers of
/// PerStageBounds it knows that layers are not divisible, what does not fit, and the transfers between
/// neighbours. Claim: Q_λ(k, x, u) is the least Σ (w_sum·x_i + λ·a_i·y_i) of the stages that hold the layers
/// before cut x on u
///   units with k stages behind them, at least.
/// Proof: the last of them is some y…x of some strategy, and the stages before it are Q_λ(k + 1, y, u − a);
/// its load
///   is its least one anywhere: best groups, nearest neighbours, the fastest policy that fits with k + 1
///   microbatches in flight. Single precision, with rounding allowed for.
/// Cost: k × cuts × stages under the load limit × strategies × units × kRates, the last two in straight
/// loops.
class StagePrefixes {
public:
  struct Limits {
    int units = 0;        ///< of the widest pipeline that will be asked about
    double load = 0;      ///< no stage of interest has a larger one
    double capacity = 0;  ///< of the roomiest device, bytes
    double leastMax = 0;  ///< no pipeline has a smaller largest y; 0: the largest y is not looked at closely
  };
  /// `floors`: one per strategy. `sites`: likewise, for as many units; none: stages are relaxed wherever they
  /// stand. Ended early by the watch, or where the table would be too large, it bounds nothing: see
  /// complete().
  StagePrefixes(const Problem&, const LayerOrder&, const CutRules&, const std::vector<StageFloor>& floors,
                int zero, const Target&, const Limits&, std::vector<StageSites> sites, Watch&);
  bool complete() const { return m_complete; }

  /// The layers before `cut` on exactly `units` units behind which `behind` stages with y of at most `max`, x
  /// of `sum` in all (StageFill), stand: a bound on the whole time.
  /// Above `enough` any bound will do.
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
  double whole(int units, BoundLedger& ledger) const {  ///< time() of all layers
    return time(0, m_order.last(), units, 0, 0, std::numeric_limits<double>::infinity(), ledger);
  }
  double leastMax(int behind, int cut, int units) const { return m_table.leastMax(row(behind, cut, units)); }
  /// No stage of a plan of `units` units under the limit has a larger y.
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
  static constexpr std::size_t kTooManyBytes = std::size_t(96) << 20;  ///< without stages behind, too
  struct Added {
    PrefixTable<float>::Added table;
    LoadBands::Added bands;
  };
  /// Of the rows of a cut those that are reached.
  struct Span {
    int least = 1 << 30, most = -1;  ///< units
  };
  /// A relaxed stage that ends at some cut, and where in m_added it says what it adds.
  struct Stage {
    int layers, width;
    std::size_t floor, added;
  };
  /// `data`: seconds that are neither of the passes of the relaxed stage.
  StageFill fillOf(const StageFloor&, const Part&, double work, double data, double received) const;
  /// Those alone that some row of `fronts` leads to `mostUnits` or fewer; all where the next cut has the
  /// same.
  void list(int to, InFlight, const std::vector<Span>& fronts, int mostUnits, const std::vector<StageFloor>&,
            Watch&);
  void fill(int behind, const std::vector<StageFloor>&, Watch&);
  /// Makes room for the rows up to this one; whole tables take longer than one who stops should wait.
  void growTo(std::size_t row);
  bool looksClosely() const {
    return m_limits.leastMax > 0 && m_limits.load > 0 && m_limits.load < kInfinity;
  }
  std::size_t rows() const {
    return static_cast<std::size_t>(m_mostBehind + 1) * static_cast<std::size_t>(m_order.cutCount()) *
           static_cast<std::size_t>(m_limits.units + 1);
  }
  /// In the order in which they are filled: most stages behind first.
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
  int m_mostBehind = 12;  ///< more stages behind count as so many; fewer where the table would be too large
  bool m_complete = false;
  std::vector<StageSites> m_sites;
  std::vector<int> m_fewest;  ///< stages that hold the layers from each cut on
  std::vector<int> m_alike;
  std::vector<std::vector<Span>> m_spans;     ///< by stages behind and cut
  std::vector<std::size_t> m_byWidth;         ///< floors, the fastest of a width first
  std::vector<Stage> m_stages;                ///< that end at the cut looked at
  std::vector<std::optional<Added>> m_added;  ///< by the class of a site; none: too slow there
  std::vector<char> m_ends;                   ///< per floor: nor does a longer stage count
  int m_reach = 0;                            ///< layers in front of it that were looked at
  std::vector<std::vector<double>> m_sent;    ///< per strategy and cut, seconds of the transfer behind
  std::vector<std::vector<double>> m_received;
  PrefixTable<float> m_table;
  LoadBands m_bands;
};

}  // namespace nest::solver
