#pragma once

#include "solver/bounds/chunk_bounds.h"
#include "solver/label_setting.h"
#include "solver/proof/incumbents.h"
#include "solver/stage/chosen_stages.h"
#include "solver/stage/messages.h"

namespace nest::solver {

/// A Model of LabelSetting for an interleaved pipeline on `units` units whose stages choose their strategies.
/// Cuts and the number of stages are given.
class ChunkModel {
public:
  /// A stage that uses the units before `end` and sends at `level` to the stages behind it, which are placed
  /// already. The last stage of the pipeline, with strategy `last`, sends over the wrap edge. A strategy
  /// represents all that are alike() (ChosenStages).
  struct State {
    UnitCount end;
    StrategyId strategy, last;
    Level level = kNoLevel;
    bool shards = false;  ///< some stage behind has d·c > 1
    StrategyId behind;    ///< folded pipelines: strategy of the stage behind, which sends the second chunk
    double tiedSync = 0;  ///< seconds exchanging shared parameters, once the later holder is placed
    friend bool operator==(const State&, const State&) = default;
    struct Hash {
      std::size_t operator()(const State&) const;
    };
  };
  using Index = HashedIndex<State>;
  /// Assumptions about the front of the pipeline; see chunk_model.cpp.
  struct Guess {
    StrategyId first;  ///< of the first stage, or one that is equivalent for the others
    int begin = 0;     ///< first unit of the earlier holder of shared parameters
    StrategyId holder;
  };

  ChunkModel(const SearchSpace&, ChosenStages&, const ChunkConfiguration&, const ChunkBounds::Prefixes&,
             Watch&);

  void limitTo(double limit);
  std::vector<Guess> guesses() const;
  void assume(const Guess& guess) { m_guess = guess; }
  void keepAll() { m_keepAll = true; }  ///< a pipeline that is found does not lower the limit

  int mostStages() const { return m_stages; }
  template <class Visit>
  void ends(Visit visit) const;
  template <class Visit>
  void stages(int behind, const State&, const LeastCosts&, Visit visit);
  template <class Visit>
  void fronts(int behind, const State&, const Step&, Visit visit) const;
  bool hopeless(int stages, const Step&, const Label&) const;
  bool accept(int, double time) {
    if (!(time <= m_limit)) return false;
    if (!m_keepAll) limitTo(time);
    return true;
  }
  bool between(int behind, const State* before, const State&, int from, Step&, Transfers& transfers);
  ObjectiveWeights weights(int) const { return m_config.target.weights; }
  double limit() const { return m_limit; }
  int microbatchCount() const { return m_config.microbatchCount; }
  int rank(int strategy) const { return m_chosen.rank(StrategyId(strategy)); }
  const std::vector<int>& strategiesOf(const State& s) const { return m_chosen.alike(s.strategy); }
  static int endOf(const State&) { return 0; }

  StageCosts::Surroundings surroundings(int stage, double tiedSync) const;
  Parts parts(int stage) const { return m_parts[stage]; }

private:
  int stageOf(int behind) const { return m_stages - 1 - behind; }
  bool asGuessed(StrategyId) const;                             ///< as a first stage
  bool prepare(int stage, int begin, Step&, double& tiedSync);  ///< for the step's strategy
  bool sharesAs(int stage, StrategyId, int begin, double& seconds) const;
  Transfers transfers(int stage, StrategyId, StrategyId before, StrategyId behind, Level in, Level out) const;
  bool folded() const { return m_config.schedule->isFolded(); }
  Level wrapLevel(StrategyId last, int firstWidth) const;  ///< kNoLevel if folded: there is no wrap edge
  StrategyId behindOf(StrategyId k) const { return folded() ? m_chosen.senderOf(k) : StrategyId(0); }
  bool allowed(int stage, StrategyId k) const {
    return m_chosen.forms(k) && m_space.strategyAllowed(stage, m_chosen.strategy(k));
  }
  double backward(int stage, StrategyId) const;  ///< seconds for the first chunk, at full speed

  const SearchSpace& m_space;
  ChosenStages& m_chosen;
  const ChunkConfiguration& m_config;
  const ChunkBounds::Prefixes& m_bounds;
  Watch& m_watch;
  int m_stages, m_units;
  std::vector<StrategyId> m_ofWidth;       ///< one per width
  std::vector<std::vector<Part>> m_parts;  ///< per stage
  struct Boundaries {
    Messages into, outOf;           ///< over the edge to the stage in front, and to the stage behind
    Messages returned, fromBehind;  ///< folded pipelines: what the second chunks add
  };
  /// Per strategy and stage; empty if no stage with the strategy sends.
  IndexedVector<StrategyId, std::vector<Boundaries>> m_boundaries;
  std::vector<double> m_leastBackward, m_mostBackward;  ///< of the stages before each one
  int m_early = -1, m_late = -1;  ///< stages with shared parameters; −1 if none are shared between stages
  int m_copyIn = -1;              ///< the stage with the copy
  double m_limit = 0, m_mostLoad = 0, m_leastTail = 0;
  bool m_keepAll = false;
  Guess m_guess;
  double m_tiedSync = 0;  ///< seconds, of the stage being formed
};

template <class Visit>
void ChunkModel::ends(Visit visit) const {
  for (const StrategyId k : m_chosen.senders())
    if (folded() || m_chosen.width(k) + m_chosen.width(m_guess.first) <= m_units)
      visit(State{UnitCount(m_units), k, folded() ? StrategyId(0) : k, kNoLevel, false, StrategyId(0), 0});
}

template <class Visit>
void ChunkModel::stages(int behind, const State& state, const LeastCosts&, Visit visit) {
  const int stage = stageOf(behind), begin = state.end.value - m_chosen.width(state.strategy);
  if (begin < 0 || (stage == 0) != (begin == 0)) return;
  if (stage == 0 && !asGuessed(state.strategy)) return;
  for (const int strategy : m_chosen.alike(state.strategy)) {
    const StrategyId k(strategy);
    if (!allowed(stage, k)) continue;
    if (stage == 0 && m_config.zero > 0 && !state.shards && !m_chosen.shards(k)) continue;
    Step step;
    step.strategy = strategy;
    m_tiedSync = state.tiedSync;
    if (!prepare(stage, begin, step, m_tiedSync) || step.prepared.count == 0) continue;
    if (stage > 0 && step.leastMax > m_mostLoad) return;
    visit(step);
  }
}

template <class Visit>
void ChunkModel::fronts(int behind, const State& state, const Step& step, Visit visit) const {
  const int stage = stageOf(behind), width = m_chosen.width(state.strategy);
  const StrategyId own(step.strategy);
  if (stage == 0)
    return visit(State{},
                 transfers(0, own, state.last, state.behind, wrapLevel(state.last, width), state.level));
  const bool shards = state.shards || m_chosen.shards(own);
  const Level out = behind == 0 ? wrapLevel(state.last, m_chosen.width(m_guess.first)) : state.level;
  for (const StrategyId k : m_chosen.senders()) {
    const int a = m_chosen.width(k);
    if (a > step.begin) continue;
    const Level in = m_chosen.levelBetween(step.begin - a, a, step.begin, width);
    visit(State{UnitCount(step.begin), k, state.last, in, shards, behindOf(own), m_tiedSync},
          transfers(stage, own, k, state.behind, in, out));
  }
}

/// Finds the best strategies for the stages of one interleaved configuration in one layout, exactly over all
/// sequences of strategies and all policies.
class ChunkSolver {
public:
  ChunkSolver(const Problem&, const SearchSpace&, GroupShapes&, const ChunkConfiguration&,
              const ChunkBounds::Prefixes&, const BlockLayout&, int units, Watch&);

  /// Fills `found` and returns true if some sequence takes no longer than `limit`.
  bool solve(double limit, CandidatePlan& found);
  /// Among the sequences that take no longer than `limit`, finds the one with the least recompute, then with
  /// the smallest strategies from the first stage on. Returns false if there is none, or if there are too
  /// many to compare.
  bool settle(double limit, CandidatePlan& found);
  /// Lists every sequence that takes no longer than `limit`, with its fastest policies and among equals the
  /// least recompute. Returns false if there are more than `most`, or if the watch stopped it.
  bool solveMany(double limit, std::size_t most, std::vector<CandidatePlan>& found);

private:
  using Labels = LabelSetting<ChunkModel>;
  CandidatePlan blank() const;
  CandidatePlan describe(const Labels::Path&, double time) const;

  const ChunkConfiguration& m_config;
  ChosenStages m_chosen;
  ChunkModel m_model;
  Watch& m_watch;
};

}  // namespace nest::solver
