// The pipeline on sites where all groups are cheapest; stages and boundaries that the automaton makes dear
// cost more. Cost: that of ChainModel for each node of the automaton that may be in front.
#include "solver/models/line_model.h"

#include <algorithm>

namespace nest::solver {

LineModel::LineModel(const ChainCosts& costs, const LineDemand& demand, const StageWindows* windows,
                     const CutRules& rules, const Target& target, Watch& watch)
    : ChainModel(costs, windows, rules, target, watch), m_demand(demand) {
  for (int i = 0; i < m_stages; ++i) m_slowest = std::min(m_slowest, demand.dear->speed(i));
}

std::optional<PipelineCut> bestCutOnLines(const ChainCosts& costs, const LineDemand& demand,
                                          const StageWindows& windows, const CutRules& rules,
                                          const Target& target, double limit, const ChainModel::Floor& floor,
                                          Watch& watch, LineLabels::Storage& storage) {
  LineModel model(costs, demand, &windows, rules, target, watch);
  model.limitTo(limit, floor);
  LineLabels labels(model, watch, storage);
  if (!labels.fill() || labels.best().stages == 0) return std::nullopt;
  PipelineCut cut;
  cut.time = labels.best().time;
  cut.cuts.push_back(0);
  for (const auto& stage : labels.follow(labels.best())) {
    const Part part{cut.cuts.back(), stage.state->cut};
    const int i = static_cast<int>(cut.policies.size());
    cut.memory = std::max(cut.memory, costs.memory(i, {&part, 1}, stage.policy));
    cut.cuts.push_back(part.to);
    cut.policies.push_back(stage.policy);
  }
  return cut;
}

}  // namespace nest::solver
