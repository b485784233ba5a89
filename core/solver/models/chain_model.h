#pragma once

#include "solver/bounds/windows.h"
#include "solver/common.h"
#include "solver/label_setting.h"
#include "solver/models/predecessors.h"
#include "solver/stage/chain_costs.h"

namespace nest::solver {

/// The cuts and policies of a pipeline, and its time as computed from the sums.
struct PipelineCut {
  double time = 0, memory = 0;  ///< seconds; bytes on the fullest device
  std::vector<int> cuts;        ///< s + 1 cuts, from the empty to the whole one; s·v + 1 with chunks
  std::vector<int> policies;    ///< per stage
};

/// A Model of LabelSetting in which the stages' strategies and places are given; s is their number. A state
/// is the cut at which the stages that are already formed begin.
class ChainModel {
public:
  struct State {
    int cut = 0;
    std::size_t number() const { return static_cast<std::size_t>(cut); }
  };
  using Index = DenseIndex;
  /// Lower bounds on the largest load and the tail of every plan within the limit. They need not be sharp.
  struct Floor {
    double max = 0, tail = 0;
  };

  /// `windows`: null if every cut is considered.
  ChainModel(const ChainCosts&, const StageWindows* windows, const CutRules&, const Target&, Watch&);
  void limitTo(double limit, const Floor&);

  int mostStages() const { return m_stages; }
  template <class Visit>
  void ends(Visit visit) const {
    visit(State{m_order.last()});
  }
  template <class Visit>
  void stages(int behind, const State&, const LeastCosts&, Visit visit);
  template <class Visit>
  void fronts(int, const State&, const Step& step, Visit visit) const {
    visit(State{step.from}, m_transfers);
  }
  bool hopeless(int stages, const Step&, const Label&) const;
  bool accept(int, double time) {
    if (!(time <= m_limit * kRoundUp) || time >= m_best) return false;
    m_best = time;
    return true;
  }
  bool between(int behind, const State* before, const State&, int from, Step&, Transfers& transfers);
  ObjectiveWeights weights(int) const { return m_target.weights; }
  double limit() const { return m_limit; }
  int microbatchCount() const { return m_costs.configuration().microbatchCount; }
  static int rank(int) { return 0; }
  static std::array<int, 1> strategiesOf(const State&) { return {0}; }
  static int endOf(const State& s) { return s.cut; }

protected:
  /// What must stand in front of a stage.
  struct Before {
    int stage = -1;    ///< the stage they apply to
    double work = 0;   ///< least seconds; infinite if no stages can hold these layers
    double even = 0;   ///< bound on the largest load from dividing the work evenly
    double least = 0;  ///< lower bound on the largest load of any pipeline through here
    double leastBackward = 0, mostBackward = 0;
  };
  const Before& before(int stage, int from);
  bool mayStand(int stage, int from, int to) const;
  bool worthTrying(int stage, int from, int to, const LeastCosts&) const;
  void prepare(int stage, int from, int to, Step&);
  bool hopeless(double max, double sum, double relative, double step, double mostBackward) const;

  const ChainCosts& m_costs;
  const StageWindows* m_windows;
  const CutRules& m_rules;
  const LayerOrder& m_order;
  Target m_target;
  Watch& m_watch;
  Predecessors m_predecessors;
  int m_stages;
  double m_slowest = 1, m_fastest = 0;  ///< speeds of the stages
  double m_limit = std::numeric_limits<double>::infinity(), m_best = m_limit;
  Floor m_floor;
  std::vector<Before> m_befores;  ///< per cut
  Before m_before;
  Transfers m_transfers;
};

inline bool ChainModel::mayStand(int stage, int from, int to) const {
  if (m_order.size(from) < stage || m_order.layerCount() - m_order.size(from) < m_stages - stage)
    return false;
  if ((from == 0) != (stage == 0)) return false;
  if (m_windows && !m_order.isChain() && !m_windows->mayBegin(stage, from)) return false;
  return m_rules.empty() || (m_rules.mayBegin(stage, from) && m_rules.mayForm(from, to));
}

template <class Visit>
void ChainModel::stages(int behind, const State& state, const LeastCosts& least, Visit visit) {
  const int stage = m_stages - 1 - behind, to = state.cut;
  const auto stays = [&](int from) { return !m_windows || m_windows->staysBelow(stage, from, to); };
  const auto take = [&](int from) {
    if (!mayStand(stage, from, to)) return true;
    m_before = before(stage, from);
    if (m_before.work == std::numeric_limits<double>::infinity() || !worthTrying(stage, from, to, least))
      return true;
    Step step;
    prepare(stage, from, to, step);
    if (step.prepared.count == 0) return false;
    visit(step);
    return true;
  };
  if (stage == 0) {
    if (stays(0)) take(0);
    return;
  }
  if (m_order.isChain()) {
    const int last = std::min(to - 1, m_windows ? m_windows->last(stage) : to - 1),
              first = std::max(stage, m_windows ? m_windows->first(stage) : 0);
    // If layers do not fit, more layers do not fit either.
    for (int from = last; from >= first && stays(from); --from)
      if (!take(from)) break;
    return;
  }
  m_predecessors.visit(to, stays, take);
}

using ChainLabels = LabelSetting<ChainModel>;

/// The best pipeline of one configuration, exact over all cuts and policies; nullopt if its time exceeds
/// `limit`.
std::optional<PipelineCut> bestCut(const ChainCosts&, const StageWindows&, const CutRules&, const Target&,
                                   double limit, const ChainModel::Floor&, Watch&, ChainLabels::Storage&);
/// Among all pipelines within 1e-12 of the best time, the one with the least recompute, then the left-most
/// cuts.
std::optional<PipelineCut> preferredCut(const ChainCosts&, const StageWindows&, const CutRules&,
                                        const Target&, double limit, const ChainModel::Floor&, Watch&);

}  // namespace nest::solver
