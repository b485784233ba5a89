#pragma once

#include <array>
#include <limits>
#include <vector>

#include "solver/bounds/search_bounds.h"
#include "solver/space/search_space.h"

namespace nest::solver {

class Watch;

/// Pipelines of a chain whose stages choose their strategies, for one (b, d, z), from whole relaxed stages
/// whose units have a price (STATEMENT.md (6.5), (6.6)). One table holds for every number of units. Claim:
/// none on at most U units takes less time than w_max·λ + E_μ − μ·U, less what first stages may hide, where
///   the largest load is at least λ.
/// Proof: Σ a_i ≤ U, so that μ·(Σ a_i − U) ≤ 0 may be added for any μ ≥ 0. A stage's load is its least one
/// anywhere:
///   the cheapest groups, the nearest neighbours, the fastest policy that fits with as many microbatches in
///   flight as the fewest stages that hold what is behind ask for.
/// Cost: bands of the largest load × stages × kPrices; stages that another one beats are left out (6.14).
class UnitPrices {
public:
  struct Limits {
    int units = 0;                      ///< no pipeline of interest has more
    double time = 0;                    ///< nor takes longer
    double leastMax = 0, mostLoad = 0;  ///< nor has a smaller largest y, or any larger load
    double capacity = 0;                ///< of the roomiest device, bytes
    std::size_t mostKept = 500'000;     ///< of more relaxed stages none is kept: they are listed anew
  };
  /// `floors`: one per strategy.
  UnitPrices(const Problem&, const LayerOrder&, const CutRules&, const std::vector<StageFloor>& floors,
             int zero, const Target&, const Limits&, Watch&);
  bool complete() const { return m_complete; }  ///< false: ended by the watch, nothing else may be asked

  /// On the time of every pipeline on so many units or fewer, without larger y (StageFill) than `most`.
  double upTo(int units, double most) const;
  /// No stage of a pipeline on so many units within the limit has a larger y; 0: there is none.
  double most(int units, double limit) const;
  /// The layers before `cut` on at most `units` units behind which stages with y of at most `max`, x of `sum`
  /// in all, stand: a bound on the whole time.
  double time(int cut, int units, double max, double sum) const;
  int units() const { return m_limits.units; }
  std::size_t bytes() const { return m_before.size() * sizeof(Row); }

private:
  static constexpr int kPrices = 8;
  static constexpr std::array<int, 2> kTails = {1, 6};  ///< over so many first stages the tail is shared
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
  /// Pipelines whose largest y lies between two figures.
  struct Band {
    double least, most;
    std::array<Row, kTails.size()> whole;
  };
  /// One table: of pipelines without larger y, with the tail shared over so many first stages.
  struct Pass {
    Pass(double most, int shared, int cuts);
    Row& row(int stages, int cut);
    double most;
    int shared;
    int furthest = 0;         ///< cut that fewer stages lead to
    std::vector<Row> after;   ///< so many stages in front, or more
    std::vector<Row> before;  ///< whatever stands in front
  };
  class Lister;
  /// False: ended by the watch.
  bool price(Lister&, const std::vector<Pass*>&, Watch&) const;
  bool extend(Pass&, const std::vector<Stage>&, int to, Watch&) const;
  double rest(const Row& row, int units) const;

  const LayerOrder& m_order;
  Target m_target;
  FillWeights m_weights;
  Limits m_limits;
  bool m_complete = false;
  double m_backwardShare = 0;           ///< of its load a stage computes backward, at most
  bool m_leavesOut = true;              ///< stages that another one beats (6.14)
  std::size_t m_tails = kTails.size();  ///< the first so many of kTails
  Row m_price{};
  std::vector<Band> m_bands;
  std::vector<Row> m_before;  ///< per way to share the tail and cut
};

}  // namespace nest::solver
