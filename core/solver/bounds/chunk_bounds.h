#pragma once

#include <optional>
#include <vector>

#include "solver/bounds/bound_ledger.h"
#include "solver/bounds/prefix_table.h"
#include "solver/common.h"

namespace nest::solver {

/// What all interleaved pipelines of one (b, d, z, s, v) have in common when their stages choose their
/// strategies.
struct ChunkConfiguration {
  int microbatchIndex = 0, dataDegree = 1, stages = 2, chunks = 2, zero = 0, microbatchCount = 1;
  std::vector<int> cuts;         ///< of all s·v parts: s·v + 1 cuts
  std::vector<LayerSums*> sums;  ///< one per strategy that may be used
  const PipelineSchedule* schedule = nullptr;
  Target target;
  double limit = std::numeric_limits<double>::infinity();  ///< seconds; slower pipelines do not count
};

/// A lower bound on the time of these pipelines.
/// Claim: with U units (devices per inner replica), of which stage i uses a_i, and 0 ≤ λ ≤ w_max/U,
///   T ≥ w_sum·sum + (w_max − λ·U)·max + Σ (w_sum·x_i + λ·a_i·y_i) + tail.
/// Proof: the cuts are given, so the least load of stage i under strategy σ is known except for its place; it
/// assumes the fastest policy that fits the roomiest device, the cheapest groups and the nearest neighbours.
/// On U units Σ a_i·y_i ≤ U·max y. The claim follows with (6.9).
/// Cost: stages × strategies to build, where identical stages count once; quick() stages × strategies; upTo()
/// that × bands of the largest load × prices; Prefixes stages × U × strategies × kRates.
class ChunkBounds {
public:
  /// `capacity`: bytes of the roomiest device. If the watch has stopped, the bounds are those of no
  /// pipelines.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const GroupShapes&,
              const ChunkConfiguration&, double capacity, Watch&);
  /// Bounds the pipelines of any of several d and h.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const GroupShapes&,
              const ChunkConfiguration&, const std::vector<Sharding>&, double capacity, Watch&);
  /// `floors`: one per strategy.
  ChunkBounds(const Problem&, const SearchSpace&, const LayerOrder&, const ChunkConfiguration&,
              const std::vector<StageFloor>& floors, double capacity, Watch&);

  int leastUnits() const { return m_leastUnits; }  ///< least units of any pipeline
  int mostUnits() const { return m_mostUnits; }    ///< most units of any pipeline
  /// A bound on all pipelines on at most `units` units, without the tables.
  double quick(int units) const;
  /// A sharper bound on those that take no longer than `limit`; it puts a price on units (STATEMENT.md
  /// (6.5)).
  double upTo(int units, double limit) const;

  /// A PrefixTable over (stages in front, units), for pipelines on `all` units.
  class Prefixes {
  public:
    Prefixes(const ChunkBounds&, int all);
    /// A bound on the time of the whole pipeline if the stages from `stage` on have y of at most `max`, a
    /// total x of `sum` (ObjectiveWeights), and a sync term of `tail`. Infinite if there is no such pipeline.
    double time(int stage, int units, double max, double sum, double tail) const {
      const std::size_t k = row(stage, units);
      if (m_knows) return m_table.time(k, units, max, sum, tail) * kRoundDown;
      return m_table.reached(k) ? m_bounds->m_weights.time(sum, max, tail) * kRoundDown : kInfinity;
    }
    /// A bound on the largest y of the stages in front.
    double leastMax(int stage, int units) const {
      return m_knows ? m_table.leastMax(row(stage, units)) * m_bounds->m_toY : 0;
    }
    /// An upper bound on the load of any stage of a pipeline within the limit.
    double mostLoad(double limit) const;
    /// A lower bound on the sync and step that the first stage exposes if no stage has a larger load.
    double leastTail(double mostLoad) const;

  private:
    std::size_t row(int stage, int units) const {
      return static_cast<std::size_t>(stage) * static_cast<std::size_t>(m_all + 1) +
             static_cast<std::size_t>(units);
    }
    const ChunkBounds* m_bounds;
    int m_stages, m_all;
    bool m_knows;  ///< false: only which rows can be reached
    PrefixTable<double> m_table;
  };

private:
  struct Choice {
    int width;
    StageFill fill;
    double tail;
  };
  /// The strategies of identical stages, by width: those that no other one dominates in width, load and tail,
  /// and those that none of the same width dominates.
  struct Choices {
    std::vector<Choice> any, ofWidth;
  };
  /// A lower bound for a first stage under one strategy. `tail`: its sync and step.
  struct First {
    double load, tail;
  };
  struct Least {
    double load = std::numeric_limits<double>::infinity();
    StageFill fill;
    friend bool operator==(const Least&, const Least&) = default;
  };
  /// A stage under one strategy, without what depends on the number in flight: seconds and bytes.
  struct Candidate {
    PerRecompute<double> work = {kInfinity, kInfinity, kInfinity}, stash{}, workspace{};
    double fixed = 0, data = 0, transfers = 0, tail = 0;
    LeastPasses passes;  ///< without the work
  };
  static std::vector<StageFloor> floorsOf(const Problem&, const GroupShapes&, const ChunkConfiguration&,
                                          const std::vector<Sharding>&, Watch&);
  static bool turns(Parts, int cut);
  /// Whether two neighbouring stages differ only in what is in flight.
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
  double m_toY;                         ///< a largest StageFill y implies a largest y of this × it
  std::vector<int> m_width;             ///< per strategy
  std::vector<double> m_leastBoundary;  ///< per cut: bytes, least over strategies
  std::vector<Choices> m_choices;
  std::vector<std::size_t> m_choicesOf;  ///< per stage: index in m_choices
  double m_backwardShare = 0;            ///< upper bound on the share of backward work in a stage's load
  std::vector<First> m_first;
  std::optional<int> m_copyIn;  ///< the stage with the copy of shared parameters
};

}  // namespace nest::solver
