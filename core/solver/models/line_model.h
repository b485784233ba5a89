#pragma once

#include "solver/models/chain_model.h"
#include "solver/space/line_automaton.h"

namespace nest::solver {

/// What holds of a pipeline on any line (STATEMENT.md (6.18)).
struct LineDemand {
  const LineAutomaton* automaton = nullptr;
  const ChainCosts* dear = nullptr;  ///< of stages that the automaton calls so
  int level = 0;                     ///< of boundaries that cross
};

/// The model of ChainModel on a line that is chosen, too: a state is also a node of the automaton, which is
/// that of the next stage.
class LineModel : public ChainModel {
public:
  struct State {
    int cut = 0, node = 0;
    std::size_t place = 0;
    std::size_t number() const { return place; }
  };

  LineModel(const ChainCosts&, const LineDemand&, const StageWindows*, const CutRules&, const Target&,
            Watch&);

  template <class Visit>
  void ends(Visit visit) const {
    for (const int node : m_demand.automaton->begins)
      if (nodeOf(node).lacks < m_stages) visit(stateOf(m_order.last(), node));
  }
  template <class Visit>
  void stages(int behind, const State&, const LeastCosts&, Visit visit);
  template <class Visit>
  void fronts(int behind, const State&, const Step&, Visit visit) const;

private:
  const LineAutomaton::Node& nodeOf(int node) const {
    return m_demand.automaton->nodes[static_cast<std::size_t>(node)];
  }
  State stateOf(int cut, int node) const {
    return {
        cut, node,
        static_cast<std::size_t>(cut) * m_demand.automaton->nodes.size() + static_cast<std::size_t>(node)};
  }

  LineDemand m_demand;
};

template <class Visit>
void LineModel::stages(int behind, const State& state, const LeastCosts& least, Visit visit) {
  const int stage = m_stages - 1 - behind;
  const bool isDear = nodeOf(state.node).isDear;
  ChainModel::stages(behind, {state.cut}, least, [&](const Step& step) {
    if (!isDear) return visit(step);
    Step dear = step;
    const Part part{step.from, state.cut};
    dear.prepared = m_demand.dear->prepare(stage, {&part, 1});
    dear.backward = m_demand.dear->backward(stage, part);
    if (dear.prepared.count > 0) visit(dear);
  });
}

template <class Visit>
void LineModel::fronts(int behind, const State& state, const Step& step, Visit visit) const {
  const int stage = m_stages - 1 - behind;
  const Part part{step.from, state.cut};
  const auto levelOf = [&](const LineAutomaton::Node& node, int inside) {
    return node.crosses ? m_demand.level : inside;
  };
  const LineAutomaton::Node& own = nodeOf(state.node);
  const int out = behind == 0 ? -1 : levelOf(own, m_costs.levelOut(stage));
  if (stage == 0) return visit(stateOf(step.from, state.node), m_costs.transfers(stage, part, -1, out));
  for (const int front : own.next)
    if (const LineAutomaton::Node& node = nodeOf(front); node.lacks < stage)
      visit(stateOf(step.from, front),
            m_costs.transfers(stage, part, levelOf(node, m_costs.levelIn(stage)), out));
}

using LineLabels = LabelSetting<LineModel>;

/// The least time of any pipeline that meets the demand, with its cuts, if it is at most `limit`.
std::optional<PipelineCut> bestCutOnLines(const ChainCosts&, const LineDemand&, const StageWindows&,
                                          const CutRules&, const Target&, double limit,
                                          const ChainModel::Floor&, Watch&, LineLabels::Storage&);

}  // namespace nest::solver
