#pragma once

#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "solver/bounds/free_bounds.h"
#include "solver/proof/incumbents.h"
#include "solver/watch.h"

namespace nest::planner {

/// What all stages of a free-strategy configuration share. A unit is one device per inner replica: a stage of
/// strategy (t, c) takes c·t units, which are d_in devices each.
struct FreeConfiguration {
  int dataDegree = 1, zero = 0, microbatchCount = 1, microbatchIndex = 0;
  int units = 1;        ///< of the whole pipeline
  int fixedStages = 0;  ///< 0: any number
  BlockLayout layout;
};

/// The best pipeline with a strategy of its own for each stage, exact over cuts, strategies, policies and the
/// number of stages.
class FreeDp {
public:
  /// `sums`: one per strategy that may be used (e divides d_in).
  FreeDp(const Problem&, const SearchSpace&, const LayerOrder&, GroupShapes&, const CutRules&,
         std::vector<LayerSums*> sums, const FreeConfiguration&, FreeBounds&, Watch&);
  /// What is of interest: pipelines faster than `time`, and those of at most `mostEqual` stages that take as
  /// long.
  struct Goal {
    double time = 0;
    int mostEqual = 0;
  };
  /// Fills `found` and returns true if some pipeline reaches the goal; of equally fast ones, one with the
  /// fewest stages.
  bool solve(const Goal&, Found& found);
  /// The best pipelines that differ in the strategies of their stages and take no longer than `time`: at
  /// least the first `count` of them, in no order. False: more than `mostStates` states were to be looked at.
  bool solveMany(double time, int count, long long mostStates, std::vector<Found>& found);
  /// Of the pipelines of configuration.fixedStages stages that take no longer than `time`: least recompute,
  /// then cuts left-most, then smaller strategies from the first stage on. False: there is none, or there are
  /// too many to tell.
  bool settle(double time, Found& found);

private:
  static constexpr std::size_t kMostPaths = 20000, kMostLabels = 300000;

  struct Label {
    double max = 0, sum = 0, relative = 0, step = 0;
    int from = 0, to = 0, strategy = 0, policy = 0, next = -1;
    double memory = 0;
    double time = 0;   ///< of a finished pipeline
    int sequence = 0;  ///< the strategies from here on, if many pipelines are wanted
  };
  /// Where the next stage (towards the front) ends, and how.
  struct Key {
    int cut, unitsBehind, strategy, level;
    bool shards;  ///< some stage behind has d·c > 1
    double
        tiedSync;  ///< of the exchange between shared parameters, once the stage behind is placed; −1 before
    auto operator<=>(const Key&) const = default;
  };
  /// Where the earlier of the two layers with shared parameters stands: its stage's first unit and strategy.
  struct TiedGuess {
    bool relaxed = false;  ///< any stage in front, at no exchange: a bound on all guesses that are apart
    bool same = true;      ///< both layers stand in one stage
    int front = -1, behind = -1;  ///< layers; −1: nothing is shared
    int begin = 0,
        strategy = 0;  ///< of the stage that holds `front`; any strategy of equal width and share will do
  };
  struct Point {
    double max, sum, relative, step;
    int label, sequence;
  };
  using Front = std::vector<Point>;
  using Layer = std::map<Key, Front>;

  std::vector<TiedGuess> guesses() const;
  void run(const TiedGuess&);
  void expand(int behind, const Key&, const Front& labels, const TiedGuess&, Layer& next);
  void startsOf(const Key&);
  void extend(int behind, const Key&, int from, double tiedSync, const StageCosts::Prepared&,
              const Front& labels, Layer& next);
  bool settleTied(const Key&, int begin, int from, const TiedGuess&, StageCosts::Surroundings&,
                  double& tiedSync);
  int slotOf(int strategy, int begin);
  void insert(Front& front, const Label&);
  bool accept(const Label&, int stages);
  void follow(const Label&, Found&) const;
  bool coveredByMany(const Front&, const Point&, double little, double less) const;
  /// The first stages of a pipeline that can still be among the fastest; what follows starts from `key`.
  struct Path {
    Key key;
    double max = 0, sum = 0, tail = 0, covered = 0, memory = 0;
    bool shards = false;
    int recompute = 0;
    std::vector<int> cuts = {0}, policies, strategies;
  };
  std::optional<Path> preferred(const TiedGuess&);
  void growPath(const Path&, const Key& key, const Front& behind, int stagesBehind, const TiedGuess&,
                std::vector<Path>& grown);
  bool canFinish(Path&, const Key&, const Front& behind) const;
  int compareTies(const Path&, const Path&) const;  ///< < 0: the first is preferred of two as fast
  bool limitLoads();                                ///< false: no pipeline stays within the limit
  double bar(int stages) const {                    ///< a pipeline of so many stages must not take longer
    return m_limit * (stages <= m_mostEqual ? 1 + kEqualTimes : 1 - kEqualTimes);
  }
  bool hopeless(double sum, double max, double tail, int cut, int units, int stages) const;
  ObjectiveWeights weightsFor(int stages) const;
  int width(int strategy) const { return m_sums[static_cast<std::size_t>(strategy)]->strategy().width(); }

  const Problem& m_problem;
  const SearchSpace& m_space;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const CutRules& m_rules;
  std::vector<LayerSums*> m_sums;
  FreeConfiguration m_config;
  FreeBounds& m_bounds;
  Watch& m_watch;
  std::vector<std::unique_ptr<StageCosts>> m_costs;  ///< per strategy
  std::vector<std::vector<int>> m_slots;             ///< per strategy and unit, −1 = not yet placed
  std::vector<double> m_leastBackward;               ///< per cut, each layer under its fastest strategy
  std::vector<double> m_mostBackward;                ///< per cut, under any strategy on the slowest device
  std::vector<Label> m_labels;
  std::vector<int> m_starts, m_stamp;
  bool m_apartChecked = false;
  int m_stampNow = 0;
  double m_limit = 0, m_mostLoad = 0, m_leastTail = 0;
  int m_mostEqual = 0;
  bool m_improved = false, m_keeping = false;
  int m_many = 1;  ///< pipelines wanted that differ in their strategies
  long long m_mostStates = 0;
  bool m_tired = false;
  std::map<std::pair<int, int>, int> m_sequences;  ///< (strategy, sequence behind) → sequence
  std::map<int, Label> m_finished;                 ///< per sequence, the best
  std::vector<Layer> m_kept;                       ///< by stages behind, while ties are settled
  std::vector<std::vector<int>> m_previous;        ///< DAG: cuts with one layer less
  std::optional<Label> m_best;
};

}  // namespace nest::planner
