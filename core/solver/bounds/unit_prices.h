#pragma once

#include <array>
#include <limits>
#include <vector>

#include "solver/bounds/search_bounds.h"
#include "solver/space/search_space.h"

namespace nest::solver {

class Watch;

/// Bounds on the pipelines of a chain whose stages choose their strategies, for one (b, d, z), from whole
/// relaxed stages whose units have a price (STATEMENT.md (6.5), (6.6)). One table serves every number of
/// units.
/// Claim: no pipeline on at most U units with a largest load of at least λ takes less time than w_max·λ + E_μ
/// − μ·U, less what first stages may hide.
/// Proof: Σ a_i ≤ U, so μ·(Σ a_i − U) ≤ 0 may be added for any μ ≥ 0. A stage's load is a lower bound at any
/// place: the cheapest groups, the nearest neighbours, and the fastest policy that fits with the microbatches
/// in flight that result if the layers behind are in the fewest stages that can hold them.
/// Cost: bands of the largest load × stages × kPrices; dominated stages are left out (6.14).
class UnitPrices {
public:
  struct Limits {
    int units = 0;                      ///< upper bound on the units of a pipeline
    double time = 0;                    ///< and on its time, seconds
    double leastMax = 0, mostLoad = 0;  ///< lower bound on its largest y, upper bound on any load
    double capacity = 0;                ///< of the roomiest device, bytes
    std::size_t mostKept = 500'000;     ///< if there are more, none are kept but listed again each time
  };
  /// `floors`: one per strategy.
  UnitPrices(const Problem&, const LayerOrder&, const CutRules&, const std::vector<StageFloor>& floors,
             int zero, const Target&, const Limits&, Watch&);
  bool complete() const { return m_complete; }  ///< false: stopped by the watch, unusable

  /// A bound on the time of every pipeline on at most `units` units whose largest y (StageFill) is at most
  /// `most`.
  double upTo(int units, double most) const;
  /// An upper bound on the y of any stage of a pipeline on `units` units within the limit; 0 if there is
  /// none.
  double most(int units, double limit) const;
  /// A bound on the whole time for the layers before `cut` on at most `units` units, with stages behind them
  /// that have y of at most `max` and a total x of `sum`.
  double time(int cut, int units, double max, double sum) const;
  int units() const { return m_limits.units; }
  std::size_t bytes() const { return m_before.size() * sizeof(Row); }

private:
  static constexpr int kPrices = 8;
  static constexpr std::array<int, 2> kTails = {1, 6};  ///< numbers of first stages that share the tail
  using Row = std::array<double, kPrices>;
  struct Stage {
    int layers, width;
    StageFill fill;
    double tail;
    LeastPasses passes;  ///< where x depends on the largest y
    bool beats(const Stage& o) const {
      return fill.y <= o.fill.y && fill.x <= o.fill.x && tail <= o.tail &&
             (!passes.open || (passes.forward <= o.passes.forward && passes.input <= o.passes.input));
    }
  };
  /// The pipelines whose largest y is between two values.
  struct Band {
    double least, most;
    std::array<Row, kTails.size()> whole;
  };
  /// One table, for pipelines whose largest y is at most `most`, with the tail shared over `shared` first
  /// stages.
  struct Pass {
    Pass(double most, int shared, int cuts);
    Row& row(int stages, int cut);
    double most;
    int shared;
    int furthest = 0;         ///< cut that fewer stages can reach
    std::vector<Row> after;   ///< at least a given number of stages in front
    std::vector<Row> before;  ///< any number of stages in front
  };
  class Lister;
  /// Returns false if stopped by the watch.
  bool price(Lister&, const std::vector<Pass*>&, Watch&) const;
  bool extend(Pass&, const std::vector<Stage>&, int to, Watch&) const;
  double rest(const Row& row, int units) const;

  const LayerOrder& m_order;
  Target m_target;
  FillWeights m_weights;
  Limits m_limits;
  bool m_complete = false;
  double m_backwardShare = 0;           ///< upper bound on the share of backward work in a stage's load
  bool m_leavesOut = true;              ///< whether dominated stages are left out (6.14)
  std::size_t m_tails = kTails.size();  ///< number of kTails in use
  Row m_price{};
  std::vector<Band> m_bands;
  std::vector<Row> m_before;  ///< per way to share the tail, and per cut
};

}  // namespace nest::solver
