#pragma once

#include <optional>
#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/bounds/prefix_table.h"
#include "solver/common.h"

namespace nest::solver {

/// What all interleaved pipelines of one (b, d, z, s, v) share when their stages choose their strategies.
struct ChunkConfiguration {
  int microbatchIndex = 0, dataDegree = 1, stages = 2, chunks = 2, zero = 0, microbatchCount = 1;
  std::vector<int> cuts;         ///< of all s·v parts
  std::vector<LayerSums*> sums;  ///< per strategy that may be used
  const PipelineSchedule* schedule = nullptr;
  Target target;
  double limit = std::numeric_limits<double>::infinity();  ///< pipelines that take longer do not count
};

/// Claim: none of these pipelines takes less time.
/// Proof: the cuts are given, so that the least load of stage i under strategy σ is known but for its place:
/// the
///   fastest policy that fits the roomiest device, the cheapest groups, the nearest neighbours. On U units
///   (devices per inner replica) Σ a_i·y_i ≤ U·max y, where stage i takes a_i units. So with (6.9)
///     T ≥ w_sum·sum + (w_max − λ·U)·max + Σ (w_sum·x_i + λ·a_i·y_i) + tail   for 0 ≤ λ ≤ w_max/U.
/// Cost: stages × strategies to build, where stages that are alike count once; quick() stages × strategies,
///   upTo() that × bands of the largest load × prices, Prefixes stages × U × strategies × kRates.
class ChunkBounds {
public:
  /// `capacity`: bytes of the roomiest device. Once the watch is over, there seem to be no pipelines.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const GroupShapes&,
              const ChunkConfiguration&, double capacity, Watch&);
  /// Of any of these d and h.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const GroupShapes&,
              const ChunkConfiguration&, const std::vector<Sharding>&, double capacity, Watch&);
  /// `floors`: one per strategy.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const ChunkConfiguration&,
              const std::vector<StageFloor>& floors, double capacity, Watch&);

  int leastUnits() const { return m_leastUnits; }  ///< no pipeline takes fewer
  int mostUnits() const { return m_mostUnits; }    ///< nor more
  /// Of all pipelines on at most `units`, at once.
  double quick(int units) const;
  /// The same, sharper, of those that take no longer than `limit`: units have a price (STATEMENT.md (6.5)).
  double upTo(int units, double limit) const;

  /// PrefixTable over (stages in front, units), for pipelines of `all` units.
  class Prefixes {
  public:
    Prefixes(const ChunkBounds&, int all);
    /// Of the whole pipeline, if the stages from `stage` on have y of at most `max`, x of `sum` in all
    /// (ObjectiveWeights), and a sync term of `tail`; infinite: there is none.
    double time(int stage, int units, double max, double sum, double tail) const {
      const std::size_t k = row(stage, units);
      if (m_knows) return m_table.time(k, units, max, sum, tail) * kRoundDown;
      return m_table.reached(k) ? m_bounds->m_weights.time(sum, max, tail) * kRoundDown : kInfinity;
    }
    /// Of the largest y of the stages in front.
    double leastMax(int stage, int units) const {
      return m_knows ? m_table.leastMax(row(stage, units)) * m_bounds->m_toY : 0;
    }
    /// No stage of a pipeline within the limit has a larger load.
    double mostLoad(double limit) const;
    /// The first stage exposes at least this much sync and step, if no stage has a larger load.
    double leastTail(double mostLoad) const;

  private:
    std::size_t row(int stage, int units) const {
      return static_cast<std::size_t>(stage) * static_cast<std::size_t>(m_all + 1) +
             static_cast<std::size_t>(units);
    }
    const ChunkBounds* m_bounds;
    int m_stages, m_all;
    bool m_knows;  ///< more than what can be reached
    PrefixTable<double> m_table;
  };

private:
  struct Choice {
    int width;
    StageFill fill;
    double tail;
  };
  /// Strategies of stages that are alike, by width: those that no other one beats in width, load and tail,
  /// and those that none of the same width does.
  struct Choices {
    std::vector<Choice> any, ofWidth;
  };
  /// A first stage under one strategy, at least; `tail`: its sync and step.
  struct First {
    double load, tail;
  };
  struct Least {
    double load = std::numeric_limits<double>::infinity();
    StageFill fill;
    friend bool operator==(const Least&, const Least&) = default;
  };
  /// A stage under one strategy, whatever is in flight: seconds and bytes.
  struct Candidate {
    PerRecompute<double> work = {kInfinity, kInfinity, kInfinity}, stash{}, workspace{};
    double fixed = 0, data = 0, transfers = 0, tail = 0;
    LeastPasses passes;  ///< without the work
  };
  static std::vector<StageFloor> floorsOf(const Problem&, const GroupShapes&, const ChunkConfiguration&,
                                          const std::vector<Sharding>&, Watch&);
  static bool turns(Parts, int cut);
  /// Nothing but what is in flight tells a stage from the one in front of it.
  bool areAlike(const Problem&, const ChunkConfiguration&, int stage, Parts inFront, Parts own) const;
  void addChoices(const std::vector<Candidate>&, const std::vector<Least>&);
  double priced(int units, double most, double price, int shared) const;
  Candidate candidateOf(const Problem&, const SearchSpace&, const LayerOrder&, const ChunkConfiguration&,
                        int stage, const StageFloor&, Parts) const;
  Least leastOf(const Candidate&, const ChunkConfiguration&, InFlight, const Policies&,
                double capacity) const;
  double leastTransfers(const Problem&, const LayerSums&, Parts) const;

  const Choices& choices(int stage) const { return m_choices[m_choicesOf[static_cast<std::size_t>(stage)]]; }

  BoundLedger* m_ledger;
  int m_stages, m_leastUnits = 0, m_mostUnits = 0, m_narrow = std::numeric_limits<int>::max();
  ObjectiveWeights m_bound;  ///< of loads
  FillWeights m_weights;
  double m_toY;                         ///< a largest StageFill y means a largest y of this × it
  std::vector<int> m_width;             ///< per strategy
  std::vector<double> m_leastBoundary;  ///< per cut, under any strategy
  std::vector<Choices> m_choices;
  std::vector<std::size_t> m_choicesOf;  ///< by stage: which of them
  double m_backwardShare = 0;            ///< of its load a stage computes backward, at most
  std::vector<First> m_first;
  std::optional<int> m_copyIn;  ///< the stage that holds the copy of shared parameters
};

}  // namespace nest::solver
