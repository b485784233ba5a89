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

/// The search over configurations whose stages choose their strategies; begins from the best plan with one
/// strategy. Plans that use one strategy are in its space too: its first plan is the best of all, exactly;
/// the further ones are those met on the way.
class MixedChainSearch {
public:
  static constexpr std::string_view kPhase = "strategy per stage";  ///< in reports of progress

  MixedChainSearch(const Problem&, const LayerOrder&, GroupShapes&, const SearchSpace&,
                   UniformSearch& uniform, Incumbents&, Watch&);

  /// After the search: offers the best plans that differ in their degrees, as many as the incumbents keep.
  /// False: not all of them, because that would have cost much more.
  bool runMany();
  /// After the search: offers, of the plans as fast as the best one, the one that STATEMENT.md §5 prefers.
  void settleTies();
  long long tuples() const { return m_tuples; }
  /// A bound on what took more labels than may be held; infinite: there was none.
  double left() const { return m_left; }

  /// For searchBestFirst, under one b and schedule: all d of as many microbatches, then under one z; all of
  /// one d, then under one z; of them those on at most so many units per pipeline; or on exactly so many,
  /// with the bound to be sharpened or not. Each opens into later ones where it may matter. `dataDegree` of
  /// several: the least.
  struct Item {
    enum class Kind { Group, GroupOfZero, Degree, DegreeOfZero, AllUnits, Relaxed, Sharp };
    double bound;
    int microbatch, dataDegree, zero, units;
    Kind kind;
    const PipelineSchedule* schedule = nullptr;
    /// Sharp, of more labels than may be held.
    struct Tries {
      double upTo = std::numeric_limits<double>::infinity();    ///< slower pipelines are not looked for
      double failed = std::numeric_limits<double>::infinity();  ///< pipelines up to here were too many
      int doublings = 0;                                        ///< of the labels
    } tries;
    bool operator>(const Item& o) const {
      return std::tuple(bound, microbatch, dataDegree, zero, units, schedule->kind(), kind) >
             std::tuple(o.bound, o.microbatch, o.dataDegree, o.zero, o.units, o.schedule->kind(), o.kind);
    }
  };
  /// What to begin with.
  std::vector<Item> items();
  double limit() const;  ///< what takes longer is of no interest
  bool open(const Item&) const;
  void drop(const Item&) {}
  using Put = std::function<void(Item)>;
  bool take(Item, const Put& put);
  void report(double bound, double done);

private:
  static constexpr std::size_t kMostBytes = std::size_t(128) << 20;  ///< of tables of bounds
  static constexpr std::size_t kMostFloors = 600'000;                ///< relaxed stages in the bounds

  /// What all pipelines of one microbatch size have in common.
  struct Microbatch {
    std::vector<LayerSums*> sums;
    LeastWork least;
    double leastBoundary = 0;  ///< bytes
    int narrow = 0, wide = 0;  ///< widths on offer
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
  /// Of many plans, what takes longer is of no interest.
  double reach() const { return std::min(m_incumbents.limit(), m_reach); }
  const Microbatch& microbatch(int index);
  int leastUnits(const Microbatch& m) const { return m.narrow * m_rules.leastStages(); }
  int widest(const Microbatch&, int dataDegree) const;
  std::vector<LayerSums*> sumsUpTo(const Item&, int dataDegree);  ///< of strategies that fit on the devices
  int microbatchCount(int microbatch, int dataDegree) const;
  Target target(const Item&, int stages) const;
  Item allUnits(Item);  ///< of at most so many
  PerStageBounds& boundsOf(const Item&);
  std::vector<int> groupOf(const Item&) const;
  bool sharesContext(const Item&);
  bool fits(const PerStageBounds&, int units) const;  ///< as far as all of them together tell
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
  long long allowance(const Item&) const;  ///< labels
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
  double m_reach = 0;  ///< of many, slower ones are not looked for yet
  long long m_mostStates = 0;
  long long m_guessed = 0;  ///< states looked at in guesses
  long long m_tuples = 0;
  double m_left = std::numeric_limits<double>::infinity();
};

}  // namespace nest::solver
