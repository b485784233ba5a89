#pragma once

#include "solver/label_setting.h"
#include "solver/proof/incumbents.h"
#include "solver/stage/chain_costs.h"

namespace nest::solver {

/// A Model of LabelSetting in which strategies, places and cuts are given and each stage holds `chunks`
/// parts. Only policies are left to choose; a state is the number of stages in front.
class ChunkChainModel {
public:
  struct State {
    int stage = 0;
    std::size_t number() const { return static_cast<std::size_t>(stage); }
  };
  using Index = DenseIndex;

  /// `cuts`: s·v + 1 of them.
  ChunkChainModel(const ChainCosts&, const std::vector<int>& cuts, ObjectiveWeights);

  int mostStages() const { return m_stages; }
  template <class Visit>
  void ends(Visit visit) const {
    visit(State{m_stages});
  }
  template <class Visit>
  void stages(int, const State& state, const LeastCosts&, Visit visit) const {
    const Step step = stepOf(state.stage - 1);
    if (step.prepared.count > 0) visit(step);
  }
  template <class Visit>
  void fronts(int, const State& state, const Step&, Visit visit) const {
    visit(State{state.stage - 1}, m_transfers[state.number() - 1]);
  }
  bool hopeless(int, const Step&, const Label&) const { return false; }
  bool accept(int, double time) {
    if (time >= m_best) return false;
    m_best = time;
    return true;
  }
  bool between(int, const State*, const State& state, int, Step& step, Transfers& transfers) const {
    step = stepOf(state.stage - 1);
    transfers = m_transfers[state.number() - 1];
    return step.prepared.count > 0;
  }
  ObjectiveWeights weights(int) const { return m_weights; }
  double limit() const { return m_best; }
  int microbatchCount() const { return m_costs.configuration().microbatchCount; }
  static int rank(int) { return 0; }
  static std::array<int, 1> strategiesOf(const State&) { return {0}; }
  static int endOf(const State& s) { return s.stage; }

  const std::vector<Part>& parts(int stage) const { return m_parts[stage]; }

private:
  Step stepOf(int stage) const;

  const ChainCosts& m_costs;
  ObjectiveWeights m_weights;
  int m_stages;
  std::vector<std::vector<Part>> m_parts;  ///< per stage
  std::vector<Transfers> m_transfers;      ///< per stage
  std::vector<double> m_backward;          ///< of all stages before; one entry more than there are stages
  double m_best = std::numeric_limits<double>::infinity();
};

/// Finds the best plan of one configuration with chunks and one strategy, and among equals the one with the
/// least recompute. Returns false if none fits.
/// `room`: groups stand anywhere on any line of a cluster with so much room (6.18).
bool solveInterleaved(const ChainConfiguration&, const CutRules&, const BlockLayout&, CandidatePlan& found,
                      Watch&, const LineRoom* room = nullptr);

}  // namespace nest::solver
