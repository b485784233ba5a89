// One configuration over every order of the hosts: a bound on what its best line takes.
#include <algorithm>

#include "solver/common.h"
#include "solver/models/line_model.h"
#include "solver/stage/messages.h"
#include "solver/uniform_search.h"

namespace nest::solver {

/// Boundaries between neighbours that no line keeps inside groups of the level, at least.
int UniformSearch::crossingsOf(const Entry& e, const BlockLayout& layout, int level) const {
  const int width = layout.inner * e.group->sums->strategy().width();
  return e.stages - 1 - m_room->boundariesInside(level, width, e.stages, layout.outer);
}

/// What boundaries that cross a level, or one further out, add to the step with the fewest bytes that a cut
/// sends, so many of each level left out.
double UniformSearch::secondsOfCrossings(const Entry& e, const BlockLayout& layout, int level,
                                         int leftOut) const {
  const Target target = targetOf(e);
  if (!target.byLoad() || e.schedule->coversExchanges()) return 0;
  const Hierarchy& cluster = *m_problem.cluster;
  const double bytes = e.group->sums->leastBoundary;
  double seconds = 0;
  for (int l = level; l + 1 < cluster.levelCount(); ++l)
    seconds += std::max(0, crossingsOf(e, layout, l) - leftOut) *
               (transferSeconds(cluster, l + 1, bytes) - transferSeconds(cluster, l, bytes));
  const double shown = 1 - m_problem.assumptions.overlap[at(static_cast<int>(Exchange::Pipeline))];
  return std::max(0.0, 2 * e.chunks * target.weights.sum * shown * seconds);
}

// Each of what follows holds of every line, so that the one that takes longest counts: how the groups of one
// level hold the stages of one block, or how many boundaries of several cross it; with the outermost level,
// how many stages straddle groups or stand on lesser devices. Boundaries that cross levels further out than
// that count with the fewest bytes that a cut sends.
std::optional<PipelineCut> UniformSearch::solveOnLines(const Entry& e, int zero, const ChainConfiguration& c,
                                                       StageWindows windows,
                                                       const std::vector<StageSite>& sites,
                                                       const BlockLayout& layout, const CutRules& rules,
                                                       double limit) {
  const LayerSums& sums = *e.group->sums;
  const Hierarchy& cluster = *m_problem.cluster;
  const LineCrossings lines(m_shapes, *m_room, sums.strategy(), layout, sites);
  const int width = layout.inner * sums.strategy().width(), innermost = m_room->levelOf(2LL * width);
  const auto crossing = [&](int level) { return crossingsOf(e, layout, level); };
  const Target target = targetOf(e);
  const ChainCosts costs(c, lines.sites());
  windows.setHops(costs.leastHops());
  std::optional<PipelineCut> longest;
  const auto solve = [&](const LineAutomaton& automaton, const ChainCosts& dear, int level) {
    const double rest = secondsOfCrossings(e, layout, level, 0), most = limit - rest;
    if (!openWindows(windows, e, zero, most)) return false;
    const ChainModel::Floor floor{windows.leastMax(), leastTail(e, zero, windows)};
    ++m_tuples;
    auto cut = bestCutOnLines(costs, {&automaton, &dear, level}, windows, rules, target, most, floor, m_watch,
                              m_lineStorage);
    if (!cut) return false;
    cut->time += rest;
    if (!longest || cut->time > longest->time) longest = std::move(cut);
    return true;
  };
  for (int l = innermost; l + 1 < cluster.levelCount(); ++l) {
    if (layout.outer > 1) {
      if (crossing(l) > 0 && !solve(LineAutomaton::counting(crossing(l), 0), costs, l + 1))
        return std::nullopt;
      continue;
    }
    const ChainCosts dear(c, lines.straddling(l));
    if (crossing(l) == 0) continue;
    LineAutomaton automaton = LineAutomaton::grouped(m_room->capacities(l, width), e.stages);
    if (automaton.nodes.empty()) automaton = LineAutomaton::counting(crossing(l), 0);
    if (!solve(automaton, dear, l + 1)) return std::nullopt;
  }
  const int outermost = std::max(innermost, cluster.levelCount() - 2);
  for (const auto& demand : lines.demands()) {
    if (demand.spanned >= innermost) continue;
    const bool crosses = outermost + 1 < cluster.levelCount();
    const LineAutomaton some = LineAutomaton::counting(crosses ? crossing(outermost) : 0, demand.stages);
    if (!solve(some, ChainCosts(c, demand.dear), crosses ? outermost + 1 : innermost)) return std::nullopt;
  }
  if (!longest && !solve(LineAutomaton::counting(0, 0), costs, innermost)) return std::nullopt;
  return longest;
}

}  // namespace nest::solver
