#pragma once

#include <map>
#include <memory>
#include <vector>

#include "solver/bounds/interleaved_bounds.h"
#include "solver/proof/incumbents.h"
#include "solver/watch.h"

namespace nest::planner {

/// The best strategies for the stages of one interleaved configuration on exactly `units` units (devices per
/// inner replica) in one layout; exact over all sequences of strategies and all policies.
class InterleavedDp {
public:
  InterleavedDp(const Problem&, const SearchSpace&, const LayerOrder&, GroupShapes&,
                const InterleavedConfiguration&, const InterleavedBounds::Prefixes&, const BlockLayout&,
                int units, Watch&);

  /// Fills `found` and returns true if some sequence takes no longer than `limit`.
  bool solve(double limit, Found& found);
  /// Of the sequences that take no longer than `limit`, the one with the least recompute, then with the
  /// smallest strategies from the first stage on. False: there is none, or there are too many to tell.
  bool settle(double limit, Found& found);
  /// Every sequence that takes no longer than `limit`, at its fastest and then with the least recompute.
  /// False: there are more than `most`, or as many steps would not do.
  bool solveMany(double limit, std::size_t most, std::vector<Found>& found);

private:
  static constexpr std::size_t kMostPaths = 20000;

  /// A stage that takes the units before `end` and sends at `level` to the stages behind it, which are
  /// placed. The last stage of all, of strategy `last`, sends over the wrap edge.
  struct Key {
    int end, strategy, level, last;
    bool shards;      ///< some stage behind has d·c > 1
    double tiedSync;  ///< of the exchange between shared parameters, once the later holder is placed
    auto operator<=>(const Key&) const = default;
  };
  /// The stages behind, or a whole pipeline.
  struct Point {
    double max = 0, sum = 0;
    double relative = 0;  ///< largest sync + step, less the backward work from here to there
    double step = 0;      ///< largest step
    double memory = 0;
    int strategy = 0, policy = 0;                ///< of the foremost of them
    const std::vector<Point>* behind = nullptr;  ///< nullptr: none stands behind
    int next = 0;                                ///< of `behind`
  };
  using Front = std::vector<Point>;
  using Layer = std::map<Key, Front>;
  /// What is guessed of the pipeline's front; see interleaved_dp.cpp.
  struct Guess {
    int first = 0;                 ///< strategy of the first stage, or one that others cannot tell from it
    int begin = 0, strategy = -1;  ///< of the earlier holder of shared parameters; −1: nothing is shared
  };
  /// The first stages of a pipeline; what follows starts from `key`.
  struct Path {
    Key key{};
    double max = 0, sum = 0, tail = 0, covered = 0, memory = 0;
    bool shards = false;
    int recompute = 0;
    std::vector<int> policies, strategies;
  };
  struct Messages {
    int count = 0;
    double bytes = 0;
  };

  void limitTo(double limit);
  std::vector<Guess> guesses() const;
  bool asGuessed(int strategy, const Guess&) const;  ///< as a first stage
  bool fill(const Guess&);                           ///< false: ended early
  void expand(int stage, const Key&, const Front& behind, const Guess&);
  StageCosts::Prepared prepare(int stage, int strategy, int begin, double tiedSync);
  /// Sets the exchange's seconds where the later holder is placed; false: the place contradicts the guess.
  bool tiedSyncOf(int stage, int strategy, int begin, const Guess&, double& seconds) const;
  double rounding() const;  ///< sums of the same loads in another order differ by no more
  void insert(Front&, const Point&) const;
  double timeOf(const Point&) const;

  /// All paths to the end within the limit; of two that nothing can part later the preferred one, or with
  /// `each` that of every sequence. False: more than `most`.
  bool grow(const Guess&, bool each, std::size_t most, std::vector<Path>& paths);
  void extend(int stage, const Path&, const Key&, const Front& behind, const Guess&,
              std::vector<Path>& grown);
  bool canFinish(Path&, int stage, const Front& behind) const;
  int compareTies(const Path&, const Path&) const;  ///< < 0: the first is preferred of two as fast
  bool covers(const Path&, const Path&, bool each) const;
  void follow(const Path&, double time, Found&) const;
  void describe(Found&) const;

  void fillTransfers();
  double transfers(int stage, int strategy, int before, int levelIn, int levelOut) const;
  int levelBetween(int begin, int width, int other, int otherWidth) const;
  int wrapLevel(int last, int firstWidth) const;
  double backward(int stage, int strategy) const;            ///< of the first chunk, at full speed
  double covered(int stage, int strategy, int begin) const;  ///< the same where it stands
  double share(int strategy) const;                          ///< shared parameters on one device
  bool sameHolder(int a, int b) const { return width(a) == width(b) && share(a) == share(b); }
  int width(int strategy) const { return m_config.sums[at(strategy)]->strategy().width(); }
  bool forms(int strategy) const {
    return m_layout.inner % m_config.sums[at(strategy)]->strategy().expert == 0;
  }
  bool shardsAlone(int strategy) const {
    return m_config.dataDegree * m_config.sums[at(strategy)]->strategy().context > 1;
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Problem& m_problem;
  const SearchSpace& m_space;
  GroupShapes& m_shapes;
  const InterleavedConfiguration& m_config;
  const InterleavedBounds::Prefixes& m_bounds;
  BlockLayout m_layout;
  int m_units;
  Watch& m_watch;
  std::vector<std::unique_ptr<StageCosts>> m_costs;     ///< per strategy
  std::vector<std::vector<int>> m_slots;                ///< per strategy and unit, −1 = not yet placed
  std::vector<Messages> m_into, m_outOf;                ///< [strategy][stage]
  std::vector<double> m_leastBackward, m_mostBackward;  ///< of the stages before each
  int m_early = -1, m_late = -1;  ///< stages with shared parameters; −1: nothing is shared between stages
  int m_copyIn = -1;              ///< the one that holds the copy
  double m_limit = 0, m_mostLoad = 0, m_leastTail = 0;
  std::vector<Layer> m_layers;  ///< per stage
  Front m_finished;
};

}  // namespace nest::planner
