#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "solver/models/per_stage_model.h"
#include "solver/search.h"

namespace nest::planner {

/// Whether stages may choose their strategies, and have a choice.
bool choosesStrategies(const Problem&, const SearchSpace&);

/// Sums over the layers, each under the strategy that makes least of it, of those on so many units at most.
class LeastWork {
public:
  LeastWork() = default;
  LeastWork(const LayerOrder&, std::vector<LayerSums*>);
  /// No pipeline on so many units is faster, whatever is shared out how; infinite: no strategy fits on them.
  double time(const ObjectiveWeights&, int units) const;

private:
  struct Sums {
    int width;
    double work = 0, unitWork = 0;  ///< time, and time × units
  };
  std::vector<Sums> m_sums;  ///< by width, ascending
};

/// No plan whose stages choose their strategies is faster, interleaved or not. At once.
double leastTime(const Problem&, const LayerOrder&, const SearchSpace&, Search& uniform);

/// The search over configurations whose stages choose their strategies; begins from the best plan with one
/// strategy. Plans that use one strategy are in its space too: its first plan is the best of all, exactly;
/// the further ones are those met on the way.
class PerStageSearch {
public:
  PerStageSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&, Search& uniform,
                 Incumbents&, Watch&);

  bool run();  ///< true if it ran to its end
  /// After run(): offers the best plans that differ in their degrees, as many as the incumbents keep. False:
  /// not all of them, because that would have cost much more than run().
  bool runMany();
  /// After run(): offers, of the plans as fast as the best one, the one that STATEMENT.md §5 prefers.
  void settleTies();
  double lowerBound() const { return m_lowerBound; }
  long long tuples() const { return m_tuples; }

  /// For searchBestFirst: pipelines of (b, d, z) on so many units, or (b, d) on so many units and all on
  /// fewer.
  struct Item {
    enum class Kind { AllUnits, Relaxed, Sharp };
    double bound;
    int microbatch, dataDegree, zero, units;
    Kind kind;
    const PipelineSchedule* schedule = nullptr;
    bool operator>(const Item& o) const {
      return std::tuple(bound, microbatch, dataDegree, zero, units, schedule->kind()) >
             std::tuple(o.bound, o.microbatch, o.dataDegree, o.zero, o.units, o.schedule->kind());
    }
  };
  double limit() const;  ///< what takes longer is of no interest
  bool open(const Item&) const;
  void drop(const Item&) {}
  template <class Put>
  bool take(Item, Put put);
  void report(double bound, double done);

private:
  static constexpr std::size_t kMostBytes = std::size_t(128) << 20;  ///< of tables of bounds

  /// What all pipelines of one microbatch size have in common.
  struct Microbatch {
    std::vector<LayerSums*> sums;
    LeastWork least;
    double leastBoundary = 0;  ///< bytes
    int narrow = 0, wide = 0;  ///< widths on offer
  };
  struct Leader {
    ChosenStages::Configuration configuration;
    int microbatch;
    const PipelineSchedule* schedule;
    std::vector<LayerSums*> sums;
    Found found;
  };
  bool drain();
  const Microbatch& microbatch(int index);
  int widest(const Microbatch&, int dataDegree) const;
  int microbatchCount(int microbatch, int dataDegree) const;
  Target target(const Item&, int stages) const;
  Item allUnits(Item);  ///< of at most so many
  PerStageBounds& boundsOf(const Item&);
  double relaxed(const Item&);
  bool process(const Item&);
  PerStageModel::Goal goal(const Item&) const;

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  Search& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  bool m_pinned;
  double m_roomiest = 0;
  std::map<int, Microbatch> m_microbatches;
  std::map<std::tuple<int, int, int, ScheduleKind>, std::unique_ptr<PerStageBounds>>
      m_bounds;  ///< by (b, d, z, schedule)
  std::vector<Leader> m_leaders;
  int m_many = 1;
  long long m_mostStates = 0;
  double m_lowerBound = 0;
  long long m_tuples = 0;
};

}  // namespace nest::planner
