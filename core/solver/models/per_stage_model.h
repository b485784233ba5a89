#pragma once

#include "solver/bounds/per_stage_bounds.h"
#include "solver/common.h"
#include "solver/label_setting.h"
#include "solver/models/predecessors.h"
#include "solver/proof/incumbents.h"
#include "solver/stage/chosen_stages.h"

namespace nest::solver {

/// A Model of LabelSetting in which each stage chooses its strategy, on `units` units in total. Cuts,
/// strategies, policies and, unless fixed, the number of stages are open.
class PerStageModel {
public:
  /// The next stage towards the front ends at `cut` and sends at `level` to the stage behind it, which is
  /// placed already: both widths determine the level. The strategy represents all that are alike().
  struct State {
    CutIndex cut;
    UnitCount behind;  ///< units of the stages behind
    StrategyId strategy;
    Level level = kNoLevel;
    bool shards = false;   ///< some stage behind has d·c > 1
    double tiedSync = -1;  ///< seconds exchanging shared parameters, once the stage behind is placed
    friend bool operator==(const State&, const State&) = default;
    struct Hash {
      std::size_t operator()(const State&) const;
    };
  };
  using Index = HashedIndex<State>;
  /// The assumed place of the earlier of the two layers with shared parameters: its stage's first unit and
  /// strategy.
  struct TiedGuess {
    bool relaxed = false;  ///< some stage in front, without exchange: a bound on all guesses with two stages
    bool same = true;      ///< both layers are in one stage
    int front = -1, behind = -1;  ///< layers; −1 if nothing is shared
    int begin = 0;                ///< first unit of the stage with `front`
    StrategyId strategy;          ///< any one with this width and share
  };
  /// The pipelines that count: those faster than `time`, and those with at most `mostEqual` stages that take
  /// as long.
  struct Goal {
    double time = 0;
    int mostEqual = 0;
  };

  /// The number of stages may be open (`fixedStages` = 0) only under 1F1B: under other schedules the stashes
  /// in flight depend on it.
  PerStageModel(const SearchSpace&, const LayerOrder&, const CutRules&, const PipelineSchedule&,
                ChosenStages&, int fixedStages, PerStageBounds&, Watch&);

  /// Returns false if no pipeline reaches the goal.
  bool limitTo(const Goal&);
  void assume(const TiedGuess& guess) { m_guess = guess; }
  std::vector<TiedGuess> guesses() const;
  const Goal& goal() const { return m_goal; }
  void restore(const Goal& goal) { m_goal = goal; }  ///< to a goal that limitTo() has had before
  void keepAll() { m_keepAll = true; }               ///< a pipeline that is found does not tighten the goal

  bool holdsCopy(const Part&) const;  ///< whether it has the copy of the shared parameters, as assumed

  int mostStages() const;
  template <class Visit>
  void ends(Visit visit) const {
    for (const StrategyId k : m_chosen.senders())
      visit(State{CutIndex(m_order.last()), UnitCount(0), k, kNoLevel, false, -1});
  }
  template <class Visit>
  void stages(int behind, const State&, const LeastCosts&, Visit visit);
  template <class Visit>
  void fronts(int behind, const State&, const Step&, Visit visit);
  bool hopeless(int stages, const Step& step, const Label& l) {
    const double tail = std::max(l.relative - step.mostBackward, l.step);
    return hopeless(l.sum, l.max, tail, step.from, step.begin, stages);
  }
  double estimate(int behind, const State& state, const Label& l) {
    const double tail = std::max(l.relative - m_mostBackward[state.cut], l.step);
    return m_bounds.time(behind, state.cut.value, units() - state.behind.value, l.max, l.sum, tail);
  }
  bool accept(int stages, double time);
  bool between(int behind, const State* before, const State&, int from, Step&, Transfers& transfers);
  ObjectiveWeights weights(int stages) const {
    return targetOf(m_problem.search.objective, m_schedule, microbatchCount(), stages, 1).weights;
  }
  /// `behind`: number of stages behind the stage.
  InFlight inFlight(int behind) const {
    const int stages = m_fixedStages > 0 ? m_fixedStages : behind + 1;
    return inFlightOf(m_schedule, stages - 1 - behind, stages, microbatchCount(), 1);
  }
  double limit() const { return m_goal.time; }
  int microbatchCount() const { return m_chosen.configuration().microbatchCount; }
  int rank(int strategy) const { return m_chosen.rank(StrategyId(strategy)); }
  const std::vector<int>& strategiesOf(const State& s) const { return m_chosen.alike(s.strategy); }
  static int endOf(const State& s) { return s.cut.value; }

private:
  int units() const { return m_chosen.configuration().units.value; }
  /// The most time that a pipeline with this many stages may take.
  double bar(int stages) const {
    return m_goal.time * (stages <= m_goal.mostEqual ? 1 + kEqualTimes : 1 - kEqualTimes);
  }
  bool hopeless(double sum, double max, double tail, int cut, int units, int stages);
  bool sharesAs(const State&, StrategyId, int begin, int from, StageCosts::Surroundings&,
                double& tiedSync) const;
  bool prepare(int behind, const State&, int begin, int from, Step&);  ///< for the step's strategy
  bool mayStand(int behind, const State&, int begin, int from) const;
  int stageNumber(int behind) const { return m_fixedStages > 0 ? m_fixedStages - 1 - behind : -1; }
  Policies policies(int behind) const {
    const int stage = stageNumber(behind);
    return m_space.policies(stage);
  }

  const Problem& m_problem;
  const SearchSpace& m_space;
  const LayerOrder& m_order;
  const CutRules& m_rules;
  const PipelineSchedule& m_schedule;
  ChosenStages& m_chosen;
  const Target m_target;
  int m_fixedStages;  ///< 0 if the number is open
  PerStageBounds& m_bounds;
  Watch& m_watch;
  Predecessors m_predecessors;
  IndexedVector<CutIndex, double> m_leastBackward;  ///< each layer under its fastest strategy
  IndexedVector<CutIndex, double> m_mostBackward;   ///< under any strategy on the slowest device
  Goal m_goal;
  double m_mostLoad = 0, m_leastTail = 0;
  bool m_keepAll = false;
  TiedGuess m_guess;
  double m_tiedSync = -1;   ///< of the stage being formed
  double m_gradientIn = 0;  ///< seconds of receiving gradients from behind
};

template <class Visit>
void PerStageModel::stages(int behind, const State& state, const LeastCosts& least, Visit visit) {
  const int begin = units() - state.behind.value - m_chosen.width(state.strategy);
  if (begin < 0) return;
  const int stage = stageNumber(behind);
  m_gradientIn = m_chosen.transfer(state.level, m_chosen.sums(state.strategy).boundary[state.cut.at()]);
  for (const int strategy : m_chosen.alike(state.strategy)) {
    const StrategyId k(strategy);
    if (stage >= 0 && !m_space.strategyAllowed(stage, m_chosen.strategy(k))) continue;
    const auto& work = m_chosen.sums(k).leastAny;
    const auto own = [&](int from) { return work[state.cut.at()] - work[from]; };
    m_predecessors.visit(
        state.cut.value, [&](int from) { return own(from) <= m_mostLoad; },
        [&](int from) {
          if (m_watch.shouldStop() || m_watch.shouldStopAfter(1000)) return false;
          if (!mayStand(behind, state, begin, from) ||
              hopeless(least.sum + (m_target.byLoad() ? own(from) : 0),
                       std::max(least.max, own(from) * m_target.share), 0, from, begin, behind + 1))
            return true;
          Step step;
          step.strategy = strategy;
          if (!prepare(behind, state, begin, from, step)) return true;
          // If layers do not fit, more layers do not fit either.
          if (step.prepared.count == 0) return false;
          if (step.leastMax > m_mostLoad) return true;
          if (step.first && m_chosen.configuration().zero > 0 && !state.shards && !m_chosen.shards(k))
            return true;
          visit(step);
          return true;
        });
  }
}

template <class Visit>
void PerStageModel::fronts(int, const State& state, const Step& step, Visit visit) {
  if (step.first) return visit(State{}, m_gradientIn);
  const int width = m_chosen.width(state.strategy);
  const bool shards = state.shards || m_chosen.shards(StrategyId(step.strategy));
  for (const StrategyId k : m_chosen.senders()) {
    const int a = m_chosen.width(k);
    if (a > step.begin) continue;
    const Level level = m_chosen.levelBetween(step.begin - a, a, step.begin, width);
    visit(State{CutIndex(step.from), UnitCount(units() - step.begin), k, level, shards, m_tiedSync},
          m_gradientIn + m_chosen.transfer(level, m_chosen.sums(k).boundary[step.from]));
  }
}

/// Finds the best pipelines of one configuration with a strategy for each stage, exactly over cuts,
/// strategies, policies and, unless fixed, the number of stages.
class PerStageSolver {
public:
  /// `sums`: one per strategy that may be used (e divides d_in).
  PerStageSolver(const SearchSpace&, const LayerOrder&, const CutRules&, const PipelineSchedule&,
                 const std::vector<LayerSums*>& sums, const ChosenStages::Configuration&, int microbatchIndex,
                 int fixedStages, PerStageBounds&, Watch&);

  struct Effort {
    long long states = std::numeric_limits<long long>::max();  ///< stop when the watch has counted this many
    long long labels = std::numeric_limits<long long>::max();  ///< most stored
  };
  /// Fills `found` and returns true if some pipeline reaches the goal; among equally fast ones it is one with
  /// the fewest stages. If the effort did not suffice (see complete()), there may be better ones.
  bool solve(const PerStageModel::Goal&, CandidatePlan& found, const Effort&);
  bool complete() const { return m_complete; }  ///< whether the last solve() was exhaustive
  /// Searches by a beam of `width` labels: the result need not be the best, and there may be none.
  bool guess(const PerStageModel::Goal&, std::size_t width, CandidatePlan& found);
  /// Lists the best pipelines that differ in the strategies of their stages and take no longer than `time`:
  /// at least the first `count` of them, in no particular order. Returns false if more than `mostStates`
  /// states were needed.
  bool solveMany(double time, int count, long long mostStates, std::vector<CandidatePlan>& found);
  /// Among the pipelines with the fixed number of stages that take no longer than `time`, finds the one with
  /// the least recompute, then left-most cuts, then smaller strategies from the first stage on. Returns false
  /// if there is none, or if there are too many to compare.
  bool settle(double time, long long mostLabels, CandidatePlan& found);

private:
  using Labels = LabelSetting<PerStageModel>;
  CandidatePlan describe(const Labels&, const Labels::Finished&);
  CandidatePlan blank() const;

  ChosenStages m_chosen;
  PerStageModel m_model;
  Watch& m_watch;
  int m_layers, m_microbatchIndex, m_fixedStages;
  ScheduleKind m_schedule;
  bool m_complete = true;
};

}  // namespace nest::solver
