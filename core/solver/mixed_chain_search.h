#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <tuple>

#include "solver/bounds/least_work.h"
#include "solver/models/per_stage_model.h"
#include "solver/uniform_search.h"

namespace nest::solver {

/// Searches the configurations whose stages choose their own strategies, beginning from the best plan with
/// one strategy for all. Plans with one strategy are part of its space, so its first plan is the best of all,
/// exactly. The further plans are the ones it encountered on the way.
class MixedChainSearch {
public:
  static constexpr std::string_view kPhase = "strategy per stage";  ///< shown in progress reports

  MixedChainSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&,
                   UniformSearch& uniform, Incumbents&, Watch&);

  /// Called after the search: offers the best plans that differ in their degrees, as many as the incumbents
  /// keep. Returns false if some were not searched for, because that would have cost much more.
  bool runMany();
  /// Called after the search: among the plans as fast as the best one, offers the one that STATEMENT.md §5
  /// prefers.
  void settleTies();
  long long tuples() const { return m_tuples; }
  /// A lower bound on the plans that were skipped because they needed too many labels; infinite if none were.
  double left() const { return m_left; }

  /// An item of searchBestFirst, for one b and schedule. From coarse to fine it stands for all d with the
  /// same microbatch count, the same under one z, one d, one d under one z, the pipelines on at most `units`
  /// units, and those on exactly `units` units, before and after their bound is sharpened. An item is split
  /// into finer ones only where it may matter. If it stands for several d, `dataDegree` is the smallest.
  struct Item {
    enum class Kind { Group, GroupOfZero, Degree, DegreeOfZero, AllUnits, Relaxed, Sharp };
    double bound;
    int microbatch, dataDegree, zero, units;
    Kind kind;
    const PipelineSchedule* schedule = nullptr;
    /// Retries of a Sharp item that needs more labels than may be stored.
    struct Tries {
      double upTo = std::numeric_limits<double>::infinity();    ///< slower pipelines are ignored
      double failed = std::numeric_limits<double>::infinity();  ///< with this limit, too many labels
      int doublings = 0;                                        ///< of the number of labels allowed
    } tries;
    bool operator>(const Item& o) const {
      return std::tuple(bound, microbatch, dataDegree, zero, units, schedule->kind(), kind) >
             std::tuple(o.bound, o.microbatch, o.dataDegree, o.zero, o.units, o.schedule->kind(), o.kind);
    }
  };
  /// The items that the search begins with.
  std::vector<Item> items();
  double limit() const;  ///< slower plans are ignored
  bool open(const Item&) const;
  void drop(const Item&) {}
  using Put = std::function<void(Item)>;
  bool take(Item, const Put& put);
  void report(double bound, double done);

private:
  static constexpr std::size_t kMostBytes = std::size_t(128) << 20;  ///< size limit of the tables of bounds
  static constexpr std::size_t kMostFloors = 600'000;                ///< most relaxed stages in the bounds

  /// What all pipelines of one microbatch size have in common.
  struct Microbatch {
    std::vector<LayerSums*> sums;
    LeastWork least;
    double leastBoundary = 0;  ///< bytes
    int narrow = 0, wide = 0;  ///< least and greatest width of a strategy
  };
  using Key = std::tuple<int, int, int, ScheduleKind>;  ///< (b, d, z, schedule)
  static Key keyOf(const Item& i) { return {i.microbatch, i.dataDegree, i.zero, i.schedule->kind()}; }
  struct Leader {
    ChosenStages::Configuration configuration;
    int microbatch;
    const PipelineSchedule* schedule;
    std::vector<LayerSums*> sums;
    CandidatePlan found;
  };
  bool drain();
  /// With several plans requested, slower ones are ignored.
  double reach() const { return std::min(m_incumbents.limit(), m_reach); }
  const Microbatch& microbatch(int index);
  int leastUnits(const Microbatch& m) const { return m.narrow * m_rules.leastStages(); }
  int widest(const Microbatch&, int dataDegree) const;
  std::vector<LayerSums*> sumsUpTo(const Item&, int dataDegree);  ///< strategies that fit on the devices
  int microbatchCount(int microbatch, int dataDegree) const;
  Target target(const Item&, int stages) const;
  Item allUnits(Item);  ///< all pipelines on at most `units` units
  PerStageBounds& boundsOf(const Item&);
  std::vector<int> groupOf(const Item&) const;
  bool sharesContext(const Item&);
  bool fits(const PerStageBounds&, int units) const;  ///< whether total memory suffices
  Sharding shardingOf(const Item&, int dataDegree);
  void openGroup(const Item&, const Put& put);
  bool price(PerStageBounds&, const Item&);
  PerStageBounds& pricedBoundsOf(const Item&);
  double atLeast(const Item&);
  double relaxed(const Item&);
  void makeRoom(const PerStageBounds&);
  int mostStages(const Item&) const;
  bool knowsSites() const { return m_watch.states() > m_uniform.tuning().statesWithoutSites; }
  void offerPacked(const Item&);
  bool process(Item, const Put& put);
  void tryAgain(Item, const Put& put);
  long long allowance(const Item&) const;  ///< most labels to store
  bool solve(PerStageSolver&, const Item&, const BlockLayout&, CandidatePlan&);
  PerStageModel::Goal goal(const Item&) const;

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  UniformSearch& m_uniform;
  Incumbents& m_incumbents;
  Watch& m_watch;
  CutRules m_rules;
  bool m_pinned;
  double m_roomiest = 0;
  std::map<int, Microbatch> m_microbatches;
  std::map<Key, std::unique_ptr<PerStageBounds>> m_bounds;
  std::set<Key> m_packed;
  std::vector<Leader> m_leaders;
  int m_many = 1;
  double m_reach = 0;  ///< with several plans requested, slower ones are not searched for yet
  long long m_mostStates = 0;
  long long m_guessed = 0;  ///< states expanded in guesses
  long long m_tuples = 0;
  double m_left = std::numeric_limits<double>::infinity();
};

}  // namespace nest::solver
